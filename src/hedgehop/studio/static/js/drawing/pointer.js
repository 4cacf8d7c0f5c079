// SPDX-License-Identifier: BSD-3-Clause
/** @typedef {import("../types.js").Stroke} Stroke */

const SLACK = 4; // pixels of the screen

/** Drawing, moving and zooming with mouse, pen and fingers. */
export class Pointer {
  #store;
  #board;
  #begin;
  #end;
  /** Fingers on the board. @type {Map<number, [number, number]>} */
  #down = new Map();
  /** @type {number | null} */
  #drawer = null;
  /** @type {number | null} */
  #mover = null;
  /** Where the stroke began, until it is clear that this is one: a second finger may come. @type {[number, number] | null} */
  #start = null;
  /** A pen is drawing, so that fingers are the palm of its hand. */
  #pen = false;
  /** Space held: move for a moment. */
  held = false;

  /**
   * @param {import("../store.js").Store} store
   * @param {import("./board.js").Board} board
   * @param {() => void} begin Called when a stroke begins.
   * @param {(stroke: Stroke) => void} end Called with a stroke that is done.
   */
  constructor(store, board, begin, end) {
    this.#store = store;
    this.#board = board;
    this.#begin = begin;
    this.#end = end;
    const canvas = board.canvas;
    canvas.addEventListener("pointerdown", (event) => this.#pressed(event));
    canvas.addEventListener("pointermove", (event) => this.#moved(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
      canvas.addEventListener(name, (event) => this.#lifted(event, name === "pointercancel"));
    }
    canvas.addEventListener("pointerleave", () => this.#hover(null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {PointerEvent} event */
  #pressed(event) {
    const { session, tool } = this.#store.state;
    if (!session || (this.#pen && event.pointerType === "touch")) return;
    if (event.pointerType === "pen") this.#alone();
    this.#board.canvas.setPointerCapture(event.pointerId);
    this.#board.byKeys = false;
    this.#down.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.#down.size === 2 && event.pointerType === "touch") return this.#drop();
    if (event.button === 1 || tool === "pan" || this.held) {
      this.#mover = event.pointerId;
    } else if (this.#drawer === null && this.#down.size === 1) {
      this.#drawer = event.pointerId;
      this.#pen = event.pointerType === "pen";
      this.#start = [event.offsetX, event.offsetY];
      this.#store.change({ drawing: this.#stroke(event) });
    }
  }

  /** @param {PointerEvent} event @returns {Stroke} */
  #stroke(event) {
    const { tool, label, size } = this.#store.state;
    const radius = Math.max(0.5, size / 2 / this.#board.view.scale);
    const paints = tool === "erase" ? 0 : event.button === 2 || tool === "rub" ? 1 : label;
    return { label: paints, radius: round(radius), points: [this.#place(event)] };
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  #place(event) {
    const [x, y] = this.#board.view.toImage(event.offsetX, event.offsetY);
    return [round(x), round(y)];
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const before = this.#down.get(event.pointerId);
    const now = /** @type {[number, number]} */ ([event.offsetX, event.offsetY]);
    if (before && this.#down.size === 2 && event.pointerType === "touch") this.#pinch(event.pointerId, now);
    else if (before && this.#mover === event.pointerId) this.#move(now[0] - before[0], now[1] - before[1]);
    else if (this.#drawer === event.pointerId) this.#draw(event);
    if (before) this.#down.set(event.pointerId, now);
    this.#hover(event.pointerType === "touch" ? null : now);
  }

  /** @param {PointerEvent} event */
  #draw(event) {
    const { drawing } = this.#store.state;
    if (!drawing) return;
    if (this.#start && Math.hypot(event.offsetX - this.#start[0], event.offsetY - this.#start[1]) > SLACK) this.#begun();
    const between = event.getCoalescedEvents?.() ?? [];
    const points = (between.length ? between : [event]).map((each) => this.#place(each));
    this.#store.change({ drawing: { ...drawing, points: [...drawing.points, ...points] } });
  }

  /** @param {PointerEvent} event @param {boolean} cancelled */
  #lifted(event, cancelled) {
    this.#down.delete(event.pointerId);
    if (this.#mover === event.pointerId) this.#mover = null;
    if (this.#drawer !== event.pointerId) return;
    this.#drawer = null;
    this.#pen = false;
    const { drawing } = this.#store.state;
    this.#store.change({ drawing: null });
    if (!drawing || cancelled) return;
    this.#begun();
    this.#end(drawing);
  }

  /** This is a stroke. */
  #begun() {
    if (this.#start) this.#begin();
    this.#start = null;
  }

  /** A pen comes: what touched before was the palm of its hand. */
  #alone() {
    this.#down.clear();
    this.#drop();
  }

  /** A second finger: this is no stroke. */
  #drop() {
    this.#drawer = this.#start = null;
    this.#store.change({ drawing: null });
  }

  /** @param {number} id @param {[number, number]} now */
  #pinch(id, now) {
    const before = this.#down.get(id);
    const other = [...this.#down].find(([key]) => key !== id)?.[1];
    if (!before || !other) return;
    const grown = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
    this.#move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.#board.view.zoom(grown, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  /** @param {number} x @param {number} y */
  #move(x, y) {
    this.#board.view.move(x, y);
    this.#board.redraw();
  }

  /** @param {[number, number] | null} place */
  #hover(place) {
    if (this.#board.byKeys) return;
    this.#board.hover(place);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    this.#board.view.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), event.offsetX, event.offsetY);
    this.#board.redraw();
  }
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
