// SPDX-License-Identifier: BSD-3-Clause
import { element } from "../dom.js";
import { layerOf } from "./layers.js";
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
    const shown = state.found?.candidates[state.hovered ?? state.selected];
    if (!shown || !state.session) return;
    const { width, height, solved_width, solved_height } = state.session;
    const layer = layerOf(state, shown);
    context.drawImage(state.hovered === null ? layer.shade : layer.marked, 0, 0, width, height);
    context.save();
    context.scale(width / solved_width, height / solved_height);
    const pixel = solved_width / width / this.view.scale;
    context.lineJoin = "round";
    for (const [line, color] of /** @type {[number, string][]} */ ([[3.5, "rgb(10 12 16 / 65%)"], [1.6, "#fff"]])) {
      context.lineWidth = line * pixel;
      context.strokeStyle = color;
      context.stroke(layer.line);
    }
    context.restore();
  }

  /** @param {OffscreenCanvasRenderingContext2D} context @param {State} state */
  #drawStrokes(context, state) {
    const { session, labels } = state;
    if (!session) return;
    const all = state.drawing ? [...state.strokes, state.drawing] : state.strokes;
    if (!all.length) return;
    // On a layer of their own, so that the eraser erases strokes and not the image.
    const layer = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const inks = layer.getContext("2d");
    if (!inks) return;
    inks.setTransform(context.getTransform());
    inks.lineCap = inks.lineJoin = "round";
    for (const stroke of all) drawStroke(inks, stroke, labels[stroke.label - 1]?.color ?? "#fff");
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 0.82;
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
      context.arc(x, y, Math.max(2, state.size / 2), 0, 2 * Math.PI);
      if (this.byKeys) {
        context.moveTo(x - 14, y);
        context.lineTo(x + 14, y);
        context.moveTo(x, y - 14);
        context.lineTo(x, y + 14);
      }
      context.stroke();
    }
    if (state.tool !== "brush") return;
    context.fillStyle = state.labels[state.label - 1]?.color ?? "#fff";
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fill();
  }
}

/** @param {OffscreenCanvasRenderingContext2D} context @param {Stroke} stroke @param {string} color */
function drawStroke(context, stroke, color) {
  context.globalCompositeOperation = stroke.label === 0 ? "destination-out" : "source-over";
  context.strokeStyle = color;
  context.lineWidth = 2 * stroke.radius;
  context.beginPath();
  const [[x, y], ...rest] = stroke.points;
  context.moveTo(x, y);
  if (!rest.length) context.lineTo(x, y + 0.01);
  for (const [a, b] of rest) context.lineTo(a, b);
  context.stroke();
}
