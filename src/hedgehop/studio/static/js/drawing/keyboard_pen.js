// SPDX-License-Identifier: BSD-3-Clause
import { say } from "../messages.js";

/** Drawing with the keyboard alone: arrows move the brush, Space puts it down and lifts it. */
export class KeyboardPen {
  #store;
  #board;
  #begin;
  #end;

  /**
   * @param {import("../store.js").Store} store
   * @param {import("./board.js").Board} board
   * @param {() => void} begin
   * @param {(stroke: import("../types.js").Stroke) => void} end
   */
  constructor(store, board, begin, end) {
    this.#store = store;
    this.#board = board;
    this.#begin = begin;
    this.#end = end;
  }

  get active() {
    return this.#board.byKeys;
  }

  toggle() {
    if (!this.#store.state.session) return;
    if (this.active) return this.leave();
    this.#board.byKeys = true;
    this.#board.canvas.focus();
    this.#board.hover([this.#board.canvas.clientWidth / 2, this.#board.canvas.clientHeight / 2]);
    say("Drawing with keys: arrows move, Space puts the brush down and lifts it, K ends it.");
  }

  leave() {
    if (this.#store.state.drawing) this.#lift();
    this.#board.byKeys = false;
    this.#board.hover(null);
    say("Arrows flip through the candidates again.");
  }

  /** Handle a key; whether it was one of ours. @param {KeyboardEvent} event */
  handle(event) {
    const steps = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
    });
    if (event.key in steps) this.#move(steps[event.key], event.shiftKey ? 40 : 8);
    else if (event.key === " ") this.#press();
    else return false;
    return true;
  }

  /** @param {[number, number]} direction @param {number} length */
  #move([x, y], length) {
    const { canvas, pointer } = this.#board;
    if (!pointer) return;
    const inside = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(most, value));
    this.#board.hover([inside(pointer[0] + x * length, canvas.clientWidth), inside(pointer[1] + y * length, canvas.clientHeight)]);
    const { drawing } = this.#store.state;
    if (drawing) this.#store.change({ drawing: { ...drawing, points: [...drawing.points, this.#place()] } });
  }

  #press() {
    if (this.#store.state.drawing) return this.#lift();
    const { tool, label, size } = this.#store.state;
    this.#begin();
    const radius = Math.max(0.5, size / 2 / this.#board.view.scale);
    this.#store.change({ drawing: { label: tool === "erase" ? 0 : tool === "rub" ? 1 : label, radius, points: [this.#place()] } });
    say("Brush down.");
  }

  #lift() {
    const { drawing } = this.#store.state;
    this.#store.change({ drawing: null });
    if (drawing) this.#end(drawing);
  }

  /** @returns {[number, number]} */
  #place() {
    const [x, y] = this.#board.pointer ?? [0, 0];
    return this.#board.view.toImage(x, y);
  }
}
