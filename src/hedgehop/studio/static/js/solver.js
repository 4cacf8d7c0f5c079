// SPDX-License-Identifier: BSD-3-Clause
import { base } from "./answers.js";
import * as api from "./api.js";
import { differences, taking } from "./drawing/differences.js";
import { pixelsUnder, withEdits } from "./drawing/edits.js";
import { fromRuns, toRuns } from "./drawing/label_maps.js";
import { say, sayError } from "./messages.js";

/** @typedef {import("./types.js").Found} Found @typedef {import("./types.js").State} State @typedef {import("./types.js").Asked} Asked */

const FAR = 0.004; // share of the image that may change away from a stroke before both answers are shown

/** Asks for lists, one at a time: a new request ends the old one. */
export class Solver {
  #store;
  #reopen;
  /** @type {AbortController | null} */
  #running = null;
  #noted = "";

  /** @param {import("./store.js").Store} store @param {() => Promise<void>} reopen */
  constructor(store, reopen) {
    this.#store = store;
    this.#reopen = reopen;
  }

  /** Whether there is something to solve: an object was marked, or classes are scored already. */
  get ready() {
    const { session, strokes, box } = this.#store.state;
    return session !== null && (session.mode === "classes" || box !== null || strokes.some((stroke) => stroke.label > 1));
  }

  /** Whether the list on show is whole and of these strokes. */
  get solved() {
    const { found, strokes, box } = this.#store.state;
    return Boolean(found?.proof) && found?.strokes === strokes && found.box === box;
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
    const { session, strokes, box, settings } = this.#store.state;
    if (!session || !this.ready) return say("Draw across what you want first.", "bad");
    this.stop(false);
    const running = (this.#running = new AbortController());
    const { auto, ...list } = settings;
    const asked = this.#asked();
    /** @type {Found} */
    const found = { candidates: [], wanted: settings.m, proof: null, first: firstOf(asked, settings.kind), strokes, box, asked, session: session.id };
    const drawn = newStrokes(this.#store.state);
    this.#noted = "";
    this.#store.change({ busy: true, source: null });
    say("Solving …", "busy");
    try {
      await api.solve(session.id, { ...list, strokes, box, ...asked }, running.signal, (name, data) => {
        if (this.#running === running) this.#hear(found, drawn, name, data);
      });
    } catch (error) {
      if (running.signal.aborted) return;
      const status = error instanceof api.Refusal ? error.status : 0;
      if (status === 404 && !again) return this.recover().catch(sayError);
      sayError(error);
    } finally {
      if (this.#running === running) {
        this.#running = null;
        this.#store.change({ busy: false });
      }
    }
  }

  /** The server has closed the session meanwhile: open the image again, strokes and answers are still here. */
  async recover() {
    await this.#reopen();
    await this.solve(true);
  }

  /** What the list should be close to: what was chosen or, after a stroke, what was on show. @returns {Asked} */
  #asked() {
    const { state } = this.#store;
    const shown = base(state);
    const after = state.found && state.found.session === state.session?.id ? state.found.candidates[0]?.list ?? null : null;
    if (state.refining && shown) return { base: { runs: shown.runs }, chosen: true, after };
    if (!state.found || !shown) return { base: null, chosen: false, after: null };
    if (newStrokes(state).length) return { base: { runs: shown.runs }, chosen: false, after };
    return state.found.strokes === state.strokes ? state.found.asked : { base: null, chosen: false, after: null };
  }

  /** @param {Found} found @param {import("./types.js").Stroke[]} drawn New strokes. @param {string} name @param {any} data */
  #hear(found, drawn, name, data) {
    const { state } = this.#store;
    if (name === "candidate") {
      const runs = state.session ? withEdits(state.session, data.runs, state.edits) : data.runs;
      const first = !found.candidates.length;
      found.candidates = [...found.candidates, { list: data.list, runs }];
      if (!first) return this.#store.change({ found: { ...found } });
      const before = found.asked.base;
      if (before && state.session) found.candidates.push(...onlyTouched(state.session, before.runs, found.candidates[0], drawn));
      const kept = before ? { runs: before.runs, name: "before", kind: /** @type {const} */ ("before") } : null;
      this.#store.change({ found: { ...found }, selected: 0, kept });
    } else if (name === "done") {
      found.wanted = found.candidates.length;
      found.proof = data.proof;
      this.#weigh(found, data.chances);
      this.#store.change({ found: { ...found } });
      const count = found.candidates.length;
      say(this.#noted || `${count} candidate${count === 1 ? "" : "s"} in ${data.seconds.toFixed(1)} s. Click one, or press its number.`);
    } else if (name === "waiting") {
      say(data.ahead ? `Waiting for a turn: ${data.ahead} before you …` : "Waiting for a turn: you are next …", "busy");
    } else if (name === "note") {
      this.#noted = data.message;
    } else if (name === "failed") {
      say(data.message, "bad");
    } else if (name === "cancelled") {
      say("Cancelled.");
    }
  }

  /** @param {Found} found @param {number[] | null} chances Of the candidates of the server. */
  #weigh(found, chances) {
    if (!chances) return;
    let at = 0;
    found.candidates = found.candidates.map((each) => (each.name ? each : { ...each, chance: chances[at++] }));
  }
}

/** Strokes since the list on show was found, if all of its strokes are still there. @param {State} state */
function newStrokes({ found, strokes }) {
  const before = found?.strokes ?? [];
  return before.length < strokes.length && before.every((stroke, k) => strokes[k] === stroke) ? strokes.slice(before.length) : [];
}

/**
 * If new strokes changed more than what they touch: what was there before, changed in the regions they touch only.
 * @param {import("./types.js").Opened} session
 * @param {number[]} runs What was there before.
 * @param {import("./types.js").Candidate} first
 * @param {import("./types.js").Stroke[]} strokes
 * @returns {import("./types.js").Candidate[]}
 */
function onlyTouched(session, runs, first, strokes) {
  const width = session.solved_width;
  const size = width * session.solved_height;
  const [before, after] = [fromRuns(runs, size), fromRuns(first.runs, size)];
  const { places, regions } = differences(before, after, width);
  const touched = new Set(strokes.flatMap((stroke) => pixelsUnder(session, stroke, false)).map((k) => places[k]));
  const far = regions.reduce((sum, { area }, k) => sum + (touched.has(k + 1) ? 0 : area), 0);
  if (!strokes.length || far < FAR * size) return [];
  const only = taking(before, after, places, (region) => touched.has(region));
  if (only.every((label, k) => label === before[k])) return [];
  return [{ list: first.list, runs: toRuns(only), name: "only where you drew" }];
}

/** @param {Asked} asked @param {string} kind */
function firstOf({ base: shown, chosen }, kind) {
  if (shown) return chosen ? "your choice, refined" : "with your stroke";
  return kind === "default" ? "suggested" : "the first";
}

