// SPDX-License-Identifier: BSD-3-Clause
/** @typedef {import("./types.js").State} State */

/** @type {import("./types.js").Label[]} */
const BRUSHES = [
  { name: "Background", color: "#4f8ef7" },
  { name: "Object", color: "#e5484d" },
];

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
    strokes: [],
    drawing: null,
    found: null,
    busy: false,
    selected: 0,
    hovered: null,
    base: null,
    settings: { m: 6, kind: "default", distance: 0.1, smoothness: 1, auto: true },
    past: [],
    future: [],
    saved: [],
  };

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
    const fresh = { strokes: [], drawing: null, found: null, busy: false, selected: 0, hovered: null, base: null };
    this.change({ ...fresh, past: [], future: [], saved: [], labels: BRUSHES, label: 2, ...patch });
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

  /** The server has forgotten its lists: only strokes are left, now and in every moment. @param {Partial<State>} patch */
  forgetLists(patch) {
    const bare = { base: null, found: null, selected: 0 };
    const [past, future] = [this.state.past, this.state.future].map((moments) => moments.map((moment) => ({ ...moment, ...bare })));
    this.change({ ...bare, past, future, ...patch });
  }

  /** Whether there are strokes that no file holds. */
  get unsaved() {
    const { strokes, saved } = this.state;
    return strokes.length > 0 && strokes !== saved;
  }

  /** @returns {import("./types.js").Moment} */
  #moment() {
    const { strokes, base, found, selected } = this.state;
    return { strokes, base, found, selected };
  }
}
