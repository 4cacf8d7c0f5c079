// SPDX-License-Identifier: BSD-3-Clause
import { button, input, element } from "../dom.js";

/** @typedef {import("../types.js").State} State */

/** Brush, eraser and hand; size; undo, redo, clear; zoom. */
export class Tools {
  #store;
  #size = input("size");

  /**
   * @param {import("../store.js").Store} store
   * @param {import("../drawing/board.js").Board} board
   * @param {{undo: () => void, redo: () => void, clear: () => void}} history
   */
  constructor(store, board, history) {
    this.#store = store;
    for (const tool of /** @type {const} */ (["brush", "erase", "pan"])) {
      button(`tool-${tool}`).addEventListener("click", () => store.change({ tool }));
    }
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
    for (const tool of ["brush", "erase", "pan"]) {
      button(`tool-${tool}`).setAttribute("aria-pressed", String(state.tool === tool));
    }
    button("see").setAttribute("aria-pressed", String(state.showStrokes));
    this.#size.value = String(state.size);
    element("size-value", HTMLOutputElement).value = `${state.size} px`;
    button("undo").disabled = !state.past.length;
    button("redo").disabled = !state.future.length;
    button("clear").disabled = !state.strokes.length && !state.base;
  }
}
