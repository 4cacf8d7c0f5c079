// SPDX-License-Identifier: BSD-3-Clause
import { button, input, element } from "../dom.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").Tool} Tool */

export const TOOLS = /** @type {const} */ (["brush", "click", "box", "erase", "pan", "paint", "rub", "polygon", "fill", "combine"]);
const EDITS = ["paint", "rub", "polygon", "fill", "combine"];

/** Tools for strokes and for pixels; size; undo, redo, clear; zoom. */
export class Tools {
  #store;
  #size = input("size");

  /**
   * @param {import("../store.js").Store} store
   * @param {import("../drawing/board.js").Board} board
   * @param {(tool: Tool) => void} pick
   * @param {{undo: () => void, redo: () => void, clear: () => void}} history
   */
  constructor(store, board, pick, history) {
    this.#store = store;
    for (const tool of TOOLS) button(`tool-${tool}`).addEventListener("click", () => pick(tool));
    button("see").addEventListener("click", () => store.change({ showStrokes: !store.state.showStrokes }));
    this.#size.addEventListener("input", () => store.change({ size: Number(this.#size.value) }));
    button("undo").addEventListener("click", history.undo);
    button("redo").addEventListener("click", history.redo);
    button("clear").addEventListener("click", history.clear);
    button("zoom-in").addEventListener("click", () => board.zoomMiddle(1.3));
    button("zoom-out").addEventListener("click", () => board.zoomMiddle(1 / 1.3));
    button("zoom-fit").addEventListener("click", () => board.fit());
  }

  /** @param {number} by */
  resize(by) {
    this.#store.change({ size: Math.min(80, Math.max(2, this.#store.state.size + by)) });
  }

  /** @param {State} state */
  render(state) {
    const answered = Boolean(state.found?.candidates.length || state.kept);
    for (const tool of TOOLS) {
      button(`tool-${tool}`).setAttribute("aria-pressed", String(state.tool === tool));
      if (EDITS.includes(tool)) button(`tool-${tool}`).disabled = !answered;
    }
    button("split").disabled = !answered;
    button("see").setAttribute("aria-pressed", String(state.showStrokes));
    this.#size.value = String(state.size);
    element("size-value", HTMLOutputElement).value = `${state.size} px`;
    button("undo").disabled = !state.past.length;
    button("redo").disabled = !state.future.length;
    button("clear").disabled = !state.strokes.length && !state.kept && !state.box;
  }
}
