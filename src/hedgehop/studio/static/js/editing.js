// SPDX-License-Identifier: BSD-3-Clause
import { current, mapAt } from "./answers.js";
import { button, element } from "./dom.js";
import { followed, partAt, painted, pixelAt, pixelsUnder, split } from "./drawing/edits.js";
import { changeOf, layerOf } from "./drawing/layers.js";
import { taking } from "./drawing/differences.js";
import { toRuns } from "./drawing/label_maps.js";
import { say } from "./messages.js";

/** @typedef {import("./types.js").State} State @typedef {import("./types.js").Stroke} Stroke */

const CLOSE = 9; // pixels of the screen at which a polygon is closed
const MOST_LABELS = 32;

/** Changes of the answer itself: painting, polygons, filling; regions of other candidates; parts as objects. */
export class Editing {
  #store;
  #board;

  /** @param {import("./store.js").Store} store @param {import("./drawing/board.js").Board} board */
  constructor(store, board) {
    this.#store = store;
    this.#board = board;
    button("take-all").addEventListener("click", () => this.#take(() => true, "Taken as it is."));
    button("take-both").addEventListener("click", () => this.both());
    button("combine-done").addEventListener("click", () => store.change({ tool: "brush", source: null }));
    button("split").addEventListener("click", () => this.#split());
  }

  /** Whether a stroke edits the answer; then it is done. @param {Stroke} stroke */
  took(stroke) {
    const { tool, session } = this.#store.state;
    if (!session || !["paint", "rub", "polygon", "fill", "combine"].includes(tool)) return false;
    const last = stroke.points[stroke.points.length - 1];
    if (tool === "combine") this.#takeAt(last);
    else if (tool === "polygon") this.#corner(stroke);
    else if (tool === "fill") this.#paint((labels) => partAt(session, labels, last), stroke.label);
    else this.#paint(() => pixelsUnder(session, stroke, false), stroke.label);
    return true;
  }

  /** Close the polygon, and fill it. */
  close() {
    const { polygon, session, label } = this.#store.state;
    this.#store.change({ polygon: [] });
    if (session && polygon.length > 2) this.#paint(() => pixelsUnder(session, { label, radius: 1, points: polygon }, true), label);
  }

  /** Both of two candidates: whatever is an object in one of them. */
  both() {
    this.#take((from, to) => from === 0 && to > 0, "Both are one answer now.");
  }

  /** A click is a corner, a drag is a line of them; near the first one the polygon is closed. @param {Stroke} stroke */
  #corner({ points }) {
    const { polygon } = this.#store.state;
    const [x, y] = points[points.length - 1];
    const near = polygon.length > 2 && Math.hypot(x - polygon[0][0], y - polygon[0][1]) * this.#board.view.scale < CLOSE;
    const drawn = points.length > 12;
    this.#store.change({ polygon: near ? polygon : [...polygon, ...(drawn ? points : [points[points.length - 1]])] });
    if (near || (drawn && !polygon.length)) this.close();
    else say("Click further corners; Enter, or a click on the first corner, closes the polygon.");
  }

  /** @param {(labels: Uint8Array) => number[]} pixels @param {number} label Of the brush, 1 is background. */
  #paint(pixels, label) {
    const { state } = this.#store;
    const shown = current(state);
    if (!state.session || !shown) return say("There is nothing to edit yet. Draw across what you want first.", "bad");
    const { runs, edits } = painted(state.session, shown.runs, state.edits, pixels(layerOf(state, shown).labels), label - 1);
    this.#keep(runs, { edits });
  }

  /** Make a label map the answer. @param {number[]} runs @param {Partial<State>} more */
  #keep(runs, more) {
    this.#store.commit({ kept: { runs, name: "your edit", kind: "edited" }, selected: -1, refining: true, hovered: null, ...more });
  }

  /** @param {[number, number]} point */
  #takeAt(point) {
    const { state } = this.#store;
    const [shown, source] = [current(state), state.source === null ? null : mapAt(state, state.source)];
    if (!state.session || !shown || !source) return;
    const { places } = changeOf(state, source, shown);
    const region = places[pixelAt(state.session, point)];
    if (!region) return say("They agree here. Click a region with + or −.");
    this.#combine(shown, source, places, (each) => each === region);
    say(`Taken from ${title(state.source)}. Undo brings it back.`);
  }

  /** @param {(from: number, to: number) => boolean} wanted @param {string} told */
  #take(wanted, told) {
    const { state } = this.#store;
    const [shown, source] = [current(state), state.source === null ? null : mapAt(state, state.source)];
    if (!shown || !source) return;
    const { places, regions } = changeOf(state, source, shown);
    this.#combine(shown, source, places, (each) => wanted(regions[each - 1].from, regions[each - 1].to));
    say(told);
  }

  /**
   * @param {import("./types.js").LabelMap} shown
   * @param {import("./types.js").LabelMap} source
   * @param {Int32Array} places
   * @param {(region: number) => boolean} taken
   */
  #combine(shown, source, places, taken) {
    const { state } = this.#store;
    if (!state.session) return;
    const runs = toRuns(taking(layerOf(state, shown).labels, layerOf(state, source).labels, places, taken));
    this.#keep(runs, { edits: followed(state.session, state.edits, shown.runs, runs, false) });
  }

  /** Give each part of an object a label of its own, with the same name: instances of one class. */
  #split() {
    const { state } = this.#store;
    const shown = current(state);
    if (!state.session || !shown) return;
    const { runs, origins } = split(state.session, shown.runs, state.labels.length, MOST_LABELS);
    if (!origins.length) return say("Each object is in one part already.");
    const labels = [...state.labels];
    for (const origin of origins) labels.push({ name: labels[origin]?.name ?? "Object", color: another(labels.length) });
    this.#keep(runs, { labels, edits: followed(state.session, state.edits, shown.runs, runs, true) });
    say(`${origins.length + 1} parts are objects of their own now. Fill one with another label to merge them.`);
  }

  /** @param {State} state */
  render({ tool, source, found }) {
    const bar = element("combine-bar", HTMLElement);
    bar.hidden = tool !== "combine";
    if (bar.hidden) return;
    const few = (found?.candidates.length ?? 0) < 2;
    const told = source === null ? "Press the number of the candidate to take regions from" : `${title(source)}: click a region to take it`;
    element("combine-text", HTMLElement).textContent = few ? "There is nothing to combine" : told;
    button("take-all").disabled = button("take-both").disabled = source === null;
  }
}

/** @param {number | null} index */
const title = (index) => (index === null || index < 0 ? "Before" : `Candidate ${index + 1}`);

/** Colours far from those before. @param {number} k */
function another(k) {
  const hue = (k * 137.5) % 360;
  const part = (/** @type {number} */ n) => {
    const t = (n + hue / 60) % 6;
    return Math.round(255 * (0.62 - 0.36 * Math.max(-1, Math.min(t - 2, 4 - t, 1)))).toString(16).padStart(2, "0");
  };
  return `#${part(0)}${part(2)}${part(4)}`;
}
