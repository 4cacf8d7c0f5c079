// SPDX-License-Identifier: BSD-3-Clause
/** @typedef {import("./types.js").State} State */

/** @type {import("./types.js").Label[]} */
const BRUSHES = [
  { name: "Background", color: "#4f8ef7" },
  { name: "Object", color: "#e5484d" },
];

const FRESH = {
  strokes: [], box: null, drawing: null, polygon: [], found: null, busy: false, selected: 0, hovered: null, source: null,
  kept: null, refining: false, edits: null, mark: /** @type {const} */ ("open"), past: [], future: [],
};

/** What the page shows; every change goes through `change`, which tells the listeners once a frame. */
export class Store {
  /** @type {State} */
  state = {
    session: null,
    image: null,
    images: [],
    maySave: false,
    labels: BRUSHES,
    label: 2,
    tool: "brush",
    size: 16,
    showStrokes: true,
    settings: { m: 6, kind: "default", distance: 0.1, smoothness: 1, auto: true },
    keeps: false,
    ...FRESH,
  };

  /** The brushes of a new image. @type {import("./types.js").Label[]} */
  brushes = BRUSHES;

  /** @type {((state: State) => void)[]} */
  #listeners = [];
  #waiting = false;

  /** @param {(state: State) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** @param {Partial<State>} patch */
  change(patch) {
    Object.assign(this.state, patch);
    if (this.#waiting) return;
    this.#waiting = true;
    queueMicrotask(() => {
      this.#waiting = false;
      for (const listener of this.#listeners) listener(this.state);
    });
  }

  /** Begin with another image.
   * @param {Partial<State>} patch */
  reset(patch) {
    const tool = this.state.tool === "combine" ? "brush" : this.state.tool;
    this.change({ ...FRESH, tool, labels: this.brushes, label: 2, ...patch });
  }

  /** Remember this moment, then change: what undo brings back.
   * @param {Partial<State>} patch */
  commit(patch) {
    this.change({ ...patch, past: [...this.state.past, this.#moment()].slice(-200), future: [] });
  }

  undo() {
    const { past, future } = this.state;
    const last = past.at(-1);
    if (last) this.change({ ...last, past: past.slice(0, -1), future: [this.#moment(), ...future] });
    return last !== undefined;
  }

  redo() {
    const { past, future } = this.state;
    const next = future[0];
    if (next) this.change({ ...next, past: [...past, this.#moment()], future: future.slice(1) });
    return next !== undefined;
  }

  /** @returns {import("./types.js").Moment} */
  #moment() {
    const { strokes, box, labels, found, selected, kept, refining, edits } = this.state;
    return { strokes, box, labels, found, selected, kept, refining, edits };
  }
}
