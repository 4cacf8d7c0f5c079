// SPDX-License-Identifier: BSD-3-Clause
import { current } from "../answers.js";
import * as api from "../api.js";
import { read, write } from "./database.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").Opened} Opened */
/** @typedef {{key: string, time: number, name: string, file: File | null, state: Partial<State>}} Record */

const PAUSE = 300; // milliseconds after a change
const LAST = "last";

/** Keeps what is made of each image in the browser and, for images of the folder, beside them. */
export class Keeper {
  #store;
  /** Where the folder is, so that two folders are told apart. */
  place = "";
  /** The file that is open, if it came from the person's disk. @type {File | null} */
  file = null;
  /** What was kept last. @type {Partial<State>} */
  #kept = {};
  #timer = 0;
  #tells = true;

  /** @param {import("../store.js").Store} store */
  constructor(store) {
    this.#store = store;
    window.addEventListener("pagehide", () => void this.flush());
    document.addEventListener("visibilitychange", () => document.hidden && void this.flush());
  }

  /** Whether the browser keeps anything. */
  async start() {
    const keeps = await read(LAST).then(() => true, () => false);
    this.#store.change({ keeps });
  }

  /** The image that was open last, if there is no folder. @returns {Promise<Record | null>} */
  async last() {
    const last = await read(LAST).catch(() => null);
    return last && last.place === this.place ? read(last.of).catch(() => null) : null;
  }

  /**
   * What was made of an image before, the newest of what the browser and the folder have.
   * @param {Opened} session
   * @param {File | null} file
   * @returns {Promise<Partial<State>>}
   */
  async restored(session, file) {
    if (session.document) return {};
    const record = /** @type {Record | null} */ (await read(this.#key(session, file)).catch(() => null));
    const { work } = session;
    if (record && record.time >= (work?.time ?? 0)) return record.state;
    return work ? fromWork(work, session) : {};
  }

  /** This is on show now; it is kept as it is. @param {File | null} file */
  shown(file) {
    this.file = file;
    this.#kept = kept(this.#store.state);
    void this.#remember();
  }

  /** @param {State} state */
  render(state) {
    if (!state.session || !changed(this.#kept, kept(state))) return;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.flush(), PAUSE);
  }

  /** Keep it now. */
  async flush() {
    window.clearTimeout(this.#timer);
    const { state } = this.#store;
    const now = kept(state);
    if (!state.session || !changed(this.#kept, now)) return;
    this.#kept = now;
    const time = Date.now();
    const { session } = state;
    const record = { key: this.#key(session, this.file), time, name: session.name, file: this.file, state: now };
    const inBrowser = write(record).then(() => this.#remember()).catch(() => this.#store.change({ keeps: false }));
    await Promise.all([inBrowser, this.#beside(state, time)]);
  }

  async #remember() {
    const { session } = this.#store.state;
    if (!session) return;
    await write({ key: LAST, time: Number.MAX_SAFE_INTEGER, of: this.#key(session, this.file), place: this.place }).catch(() => undefined);
  }

  /** @param {State} state @param {number} time */
  async #beside(state, time) {
    if (!state.maySave || state.session?.number === null || !state.session) return;
    const { strokes, box, labels, mark, settings: { auto, ...list } } = state;
    const shown = current(state);
    const work = { time, mark, document: { wish: { ...list, strokes, box }, labels }, answer: shown && { runs: shown.runs } };
    await api.keepWork(state.session.number, work).then(() => (this.#tells = true), (error) => this.#failed(error));
  }

  /** Say once that the folder cannot be written; the browser still keeps it. @param {unknown} error */
  #failed(error) {
    if (this.#tells) console.warn(String(error));
    this.#tells = false;
  }

  /** @param {Opened} session @param {File | null} file */
  #key(session, file) {
    const from = session.number !== null ? `folder ${this.place}` : file ? `file ${file.size} ${file.lastModified}` : "sample";
    return JSON.stringify([from, session.name, session.width, session.height, session.mode]);
  }
}

/** What is kept of the page. @param {State} state @returns {Partial<State>} */
function kept({ labels, label, strokes, box, found, selected, kept: chosen, refining, edits, mark, past, future }) {
  return { labels, label, strokes, box, found, selected, kept: chosen, refining, edits, mark, past: past.slice(-8), future: future.slice(0, 8) };
}

/** @param {Partial<State>} before @param {Partial<State>} now */
function changed(before, now) {
  const fields = /** @type {(keyof State)[]} */ (["labels", "strokes", "box", "found", "selected", "kept", "refining", "edits", "mark"]);
  return fields.some((field) => before[field] !== now[field]);
}

/** @param {import("../types.js").Work} work @param {Opened} session @returns {Partial<State>} */
function fromWork({ mark, document, answer }, session) {
  const { wish, labels } = /** @type {NonNullable<Opened["document"]>} */ (document);
  const { strokes, box } = wish;
  const fits = answer && answer.runs.reduce((sum, value, k) => sum + (k % 2 ? value : 0), 0) === session.solved_width * session.solved_height;
  const chosen = fits ? { kept: { runs: answer.runs, name: "your earlier answer", kind: /** @type {const} */ ("chosen") }, selected: -1, refining: true } : {};
  return { labels, strokes, box: box ?? null, mark, ...chosen };
}
