// SPDX-License-Identifier: BSD-3-Clause
import { element } from "../dom.js";
import { current, mapAt, reference } from "../answers.js";
import { trace } from "./edits.js";
import { drawMap } from "./layers.js";
import { View } from "./view.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").Stroke} Stroke */

/** Draws the image, the candidate on show, strokes and the brush. */
export class Board {
  canvas = element("board", HTMLCanvasElement);
  view = new View();
  /** Where the brush hovers, in pixels of the screen. @type {[number, number] | null} */
  pointer = null;
  /** Whether the pointer is moved by keys, which needs a cross to be seen. */
  byKeys = false;
  /** @type {State | null} */
  #state = null;
  #waiting = false;
  /** All but the brush, which moves all the time. @type {OffscreenCanvas | null} */
  #scene = null;
  #size = [0, 0];

  constructor() {
    new ResizeObserver(() => this.#resized()).observe(this.canvas);
  }

  /** @param {State} state */
  render(state) {
    const other = state.session?.id !== this.#state?.session?.id;
    this.#state = { ...state };
    this.canvas.dataset.tool = state.tool;
    if (other) this.fit();
    this.redraw();
  }

  fit() {
    const session = this.#state?.session;
    if (session) this.view.fit(session.width, session.height, this.canvas.clientWidth, this.canvas.clientHeight);
    this.redraw();
  }

  /** @param {number} factor */
  zoomMiddle(factor) {
    this.view.zoom(factor, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    this.redraw();
  }

  redraw() {
    this.#scene = null;
    this.hover(this.pointer);
  }

  /** Move the brush. @param {[number, number] | null} place */
  hover(place) {
    this.pointer = place;
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#draw();
    });
  }

  /** Fit, unless a person has zoomed in: then the middle stays in the middle. */
  #resized() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    if (this.view.touched) this.view.move((width - this.#size[0]) / 2, (height - this.#size[1]) / 2);
    else this.fit();
    this.#size = [width, height];
    this.redraw();
  }

  #draw() {
    const context = this.canvas.getContext("2d");
    const state = this.#state;
    if (!context || !state) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!state.session || !state.image) return;
    this.#scene ??= this.#drawScene(state, state.session, state.image);
    context.drawImage(this.#scene, 0, 0);
    this.#drawBrush(context, state);
  }

  /** @param {State} state @param {import("../types.js").Opened} session @param {ImageBitmap} image */
  #drawScene(state, session, image) {
    const scene = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const context = scene.getContext("2d");
    if (!context) throw new Error("this browser cannot draw");
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.translate(this.view.x, this.view.y);
    context.scale(this.view.scale, this.view.scale);
    context.imageSmoothingEnabled = this.view.scale < 3;
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, session.width, session.height);
    this.#drawCandidate(context, state);
    if (state.showStrokes) this.#drawStrokes(context, state);
    return scene;
  }

  /** @param {OffscreenCanvasRenderingContext2D} context @param {State} state */
  #drawCandidate(context, state) {
    const pixel = 1 / this.view.scale;
    if (state.hovered !== null) {
      const hovered = mapAt(state, state.hovered);
      if (hovered) drawMap(context, state, hovered, reference(state, state.hovered), { pixel, only: true });
      return;
    }
    const shown = current(state);
    const source = state.tool === "combine" && state.source !== null ? mapAt(state, state.source) : null;
    if (!shown) return;
    drawMap(context, state, shown, null, { pixel, only: false });
    if (source) drawMap(context, state, source, shown, { pixel, only: true });
  }

  /** @param {OffscreenCanvasRenderingContext2D} context @param {State} state */
  #drawStrokes(context, state) {
    const { session, labels, drawing, tool } = state;
    if (!session) return;
    const ink = labels[(drawing?.label || 1) - 1]?.color ?? "#fff";
    if (tool === "box" && drawing) drawBox(context, boxOf(drawing.points), ink, this.view.scale);
    else if (state.box) drawBox(context, state.box, labels[0].color, this.view.scale);
    if (tool === "polygon") drawPolygon(context, state.polygon, labels[state.label - 1]?.color ?? "#fff", this.view.scale);
    const all = drawing && tool !== "box" && tool !== "polygon" ? [...state.strokes, drawing] : state.strokes;
    if (!all.length) return;
    // On a layer of their own, so that the eraser erases strokes and not the image.
    const layer = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const inks = layer.getContext("2d");
    if (!inks) return;
    inks.setTransform(context.getTransform());
    inks.lineCap = inks.lineJoin = "round";
    for (const stroke of all) drawStroke(inks, stroke, labels[stroke.label - 1]?.color ?? "#fff", 1 / this.view.scale);
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 0.9;
    context.drawImage(layer, 0, 0);
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {State} state */
  #drawBrush(context, state) {
    if (!this.pointer || state.tool === "pan") return;
    const [x, y] = this.pointer;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const [line, color] of /** @type {[number, string][]} */ ([[3, "rgb(0 0 0 / 55%)"], [1.5, "#fff"]])) {
      context.lineWidth = line;
      context.strokeStyle = color;
      context.beginPath();
      const aims = ["box", "polygon", "fill", "click", "combine"].includes(state.tool);
      if (!aims) context.arc(x, y, Math.max(2, state.size / 2), 0, 2 * Math.PI);
      if (this.byKeys || aims) {
        context.moveTo(x - 14, y);
        context.lineTo(x + 14, y);
        context.moveTo(x, y - 14);
        context.lineTo(x, y + 14);
      }
      context.stroke();
    }
    if (["erase", "rub", "combine"].includes(state.tool)) return;
    context.fillStyle = state.labels[state.label - 1]?.color ?? "#fff";
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * A stroke with a light and a dark rim, so that it is seen on any colour.
 * @param {OffscreenCanvasRenderingContext2D} context
 * @param {Stroke} stroke
 * @param {string} color
 * @param {number} pixel Of the screen, in pixels of the image.
 */
function drawStroke(context, stroke, color, pixel) {
  const erases = stroke.label === 0;
  context.globalCompositeOperation = erases ? "destination-out" : "source-over";
  trace(context, stroke.points);
  const inks = /** @type {[number, string][]} */ (erases ? [[4, color]] : [[5, "rgb(10 12 16)"], [2.6, "#fff"], [0, color]]);
  for (const [rim, ink] of inks) {
    context.strokeStyle = ink;
    context.lineWidth = 2 * stroke.radius + rim * pixel;
    context.stroke();
  }
}

/** @param {[number, number][]} points @returns {import("../types.js").Box} */
export function boxOf(points) {
  const [[a, b], [c, d]] = [points[0], points[points.length - 1]];
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

/** @param {OffscreenCanvasRenderingContext2D} context @param {import("../types.js").Box} box @param {string} color @param {number} scale */
function drawBox(context, [left, top, right, bottom], color, scale) {
  for (const [line, ink, dash] of /** @type {[number, string, number[]][]} */ ([[4, "rgb(10 12 16 / 80%)", []], [2, "#fff", []], [2, color, [8, 6]]])) {
    context.lineWidth = line / scale;
    context.strokeStyle = ink;
    context.setLineDash(dash.map((length) => length / scale));
    context.strokeRect(left, top, right - left, bottom - top);
  }
  context.setLineDash([]);
}

/** @param {OffscreenCanvasRenderingContext2D} context @param {[number, number][]} corners @param {string} color @param {number} scale */
function drawPolygon(context, corners, color, scale) {
  if (!corners.length) return;
  trace(context, corners);
  context.closePath();
  for (const [line, ink] of /** @type {[number, string][]} */ ([[4, "rgb(10 12 16 / 80%)"], [2, color]])) {
    context.lineWidth = line / scale;
    context.strokeStyle = ink;
    context.stroke();
  }
  context.fillStyle = "#fff";
  for (const [x, y] of corners) context.fillRect(x - 3 / scale, y - 3 / scale, 6 / scale, 6 / scale);
}
