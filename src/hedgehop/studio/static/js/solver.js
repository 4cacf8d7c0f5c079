// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { say, sayError } from "./messages.js";

/** @typedef {import("./types.js").Found} Found */

/** Asks for lists, one at a time: a new request ends the old one. */
export class Solver {
  #store;
  #reopen;
  /** @type {AbortController | null} */
  #running = null;

  /** @param {import("./store.js").Store} store @param {() => Promise<void>} reopen */
  constructor(store, reopen) {
    this.#store = store;
    this.#reopen = reopen;
  }

  /** Whether there is something to solve: an object was marked, or classes are scored already. */
  get ready() {
    const { session, strokes } = this.#store.state;
    return session !== null && (session.mode === "classes" || strokes.some((stroke) => stroke.label > 1));
  }

  /** Whether the list on show is whole and of these strokes. */
  get solved() {
    const { found, strokes } = this.#store.state;
    return Boolean(found?.proof) && found?.strokes === strokes;
  }

  /** Solve if the person wants that after each stroke. */
  soon() {
    const { settings, strokes, session } = this.#store.state;
    if (!settings.auto) return;
    if (this.ready) void this.solve();
    else if (session && strokes.length) say("Now draw across what you want, with the brush of an object.");
  }

  /** Stop what is running. @param {boolean} tell */
  stop(tell = true) {
    if (!this.#running) return;
    this.#running.abort();
    this.#running = null;
    this.#store.change({ busy: false });
    if (tell) say("Cancelled.");
  }

  /** @param {boolean} again Whether this is a second try. */
  async solve(again = false) {
    const { session, strokes, settings, base } = this.#store.state;
    if (!session || !this.ready) return say("Draw across what you want first.", "bad");
    this.stop(false);
    const running = (this.#running = new AbortController());
    const { auto, ...list } = settings;
    /** @type {Found} */
    const found = { candidates: [], wanted: settings.m, proof: null, first: firstOf(base, settings.kind), strokes };
    this.#noted = "";
    this.#store.change({ busy: true });
    say("Solving …", "busy");
    try {
      await api.solve(session.id, { ...list, strokes, base }, running.signal, (name, data) => {
        if (this.#running === running) this.#hear(found, name, data);
      });
    } catch (error) {
      if (running.signal.aborted) return;
      const status = error instanceof api.Refusal ? error.status : 0;
      if (status === 404 && !again) return this.recover().catch(sayError);
      if (status === 410) this.#store.change({ base: null });
      sayError(error);
    } finally {
      if (this.#running === running) {
        this.#running = null;
        this.#store.change({ busy: false });
      }
    }
  }

  /** The server has closed the session meanwhile: open the image again, strokes are still here. */
  async recover() {
    await this.#reopen();
    await this.solve(true);
  }

  /** @param {Found} found @param {string} name @param {any} data */
  #hear(found, name, data) {
    if (name === "candidate") {
      const { list, index, differs, runs } = data;
      found.candidates = [...found.candidates, { list, index, differs, runs }];
      this.#store.change({ found: { ...found }, selected: index === 0 ? 0 : this.#store.state.selected });
    } else if (name === "done") {
      found.wanted = found.candidates.length;
      found.proof = data.proof;
      this.#store.change({ found: { ...found } });
      const count = found.candidates.length;
      say(this.#noted || `${count} candidate${count === 1 ? "" : "s"} in ${data.seconds.toFixed(1)} s. Click one, or press its number.`);
    } else if (name === "note") {
      this.#noted = data.message;
    } else if (name === "failed") {
      say(data.message, "bad");
    } else if (name === "cancelled") {
      say("Cancelled.");
    }
  }

  #noted = "";
}

/** @param {import("./types.js").Base | null} base @param {string} kind */
function firstOf(base, kind) {
  if (base) return "your choice, refined";
  return kind === "default" ? "likeliest" : "the first";
}
