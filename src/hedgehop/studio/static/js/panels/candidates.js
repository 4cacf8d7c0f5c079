// SPDX-License-Identifier: BSD-3-Clause
import { keptApart, mapAt, reference } from "../answers.js";
import { element, make } from "../dom.js";
import { drawMap } from "../drawing/layers.js";
import { frameOf } from "../drawing/frames.js";
import { difference } from "./captions.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").LabelMap} LabelMap */
/** @typedef {import("../types.js").Box} Box @typedef {{size: [number, number], frame: Box}} Tile Size of a picture, and what it shows */

const TALLEST = 112;
const SMALLEST = 56;
const NARROW = 560; // of the strip: it scrolls, with pictures that can be touched
const SMALLEST_TO_TOUCH = 96;
const GAP = 22; // between pictures, with their frames

/** The candidates side by side, as they arrive, with what differs; what was there before stands at the end. */
export class Candidates {
  #place = element("strip", HTMLElement);
  #store;
  #choose;
  /** What is drawn, to draw nothing twice. @type {unknown[]} */
  #drawn = [];

  /** @param {import("../store.js").Store} store @param {(index: number) => void} choose */
  constructor(store, choose) {
    this.#store = store;
    this.#choose = choose;
    new ResizeObserver(() => this.#resized()).observe(this.#place);
  }

  #width = 0;

  #resized() {
    if (this.#place.clientWidth === this.#width) return;
    this.#width = this.#place.clientWidth;
    this.#drawn = [];
    this.render(this.#store.state);
  }

  /** @param {State} state */
  render(state) {
    const { found, session, kept, labels, busy } = state;
    const key = [session?.id, found, kept, busy, labels];
    if (key.some((part, k) => part !== this.#drawn[k]) || !this.#drawn.length) {
      this.#drawn = key;
      this.#rebuild(state);
    }
    this.#mark(state);
  }

  /** @param {State} state */
  #rebuild(state) {
    const focused = this.#place.contains(document.activeElement);
    const { found, busy, settings } = state;
    const there = found?.candidates ?? [];
    const waiting = busy ? Math.max(0, (found?.proof ? settings.m : found?.wanted ?? settings.m) - there.length) : 0;
    const apart = keptApart(state);
    const tile = this.#tile(state, there.length + waiting + (apart ? 1 : 0));
    const tiles = there.map((_, k) => this.#candidate(state, k, tile));
    const empty = Array.from({ length: waiting }, () => this.#empty(tile));
    this.#place.replaceChildren(...tiles, ...empty, ...(apart ? [this.#candidate(state, -1, tile)] : []));
    if (!there.length && !waiting) this.#place.append(make("p", { class: "strip-empty" }, [invitation(state, apart)]));
    if (focused) this.focus(state.selected);
  }

  /** Pictures fill the strip, as many as there are. @param {State} state @param {number} count @returns {Tile} */
  #tile(state, count) {
    const room = (this.#place.clientWidth - 28) / Math.max(count, state.settings.m) - GAP;
    const frame = frameOf(state, Math.max(1, room / TALLEST));
    const shape = Math.min(3, Math.max(0.4, (frame[2] - frame[0]) / (frame[3] - frame[1])));
    const least = this.#place.clientWidth < NARROW ? SMALLEST_TO_TOUCH : SMALLEST;
    const height = Math.max(least, Math.min(TALLEST, room / shape));
    return { size: [Math.round(height * shape), Math.round(height)], frame };
  }

  /** @param {State} state @param {number} k @param {Tile} tile */
  #candidate(state, k, { size, frame }) {
    const map = mapAt(state, k);
    if (!map) throw new Error("no such candidate");
    const canvas = this.#canvas(size);
    drawThumbnail(canvas, state, map, reference(state, k), frame);
    const { title, about } = told(state, k, map);
    const caption = make("span", { class: "caption" }, about && about !== title ? [make("b", {}, [title]), make("span", {}, [about])] : [make("b", {}, [title])]);
    caption.style.maxWidth = `${Math.max(size[0], 96)}px`;
    const name = k < 0 ? "Before" : `Candidate ${k + 1}`;
    const made = make(
      "button",
      {
        class: k < 0 ? "candidate apart" : "candidate", role: "option", "aria-label": [name, title, about].filter(Boolean).join(", "),
        "aria-selected": "false", "data-index": `${k}`, title: about || title,
      },
      [canvas, make("span", { class: "number", "aria-hidden": "true" }, [k < 0 ? "↶" : `${k + 1}`]), caption],
    );
    made.addEventListener("click", () => this.#choose(k));
    made.addEventListener("pointerenter", () => this.#store.change({ hovered: k }));
    made.addEventListener("pointerleave", () => this.#store.change({ hovered: null }));
    return made;
  }

  /** @param {Tile} tile */
  #empty({ size }) {
    return make("div", { class: "candidate waiting", "aria-hidden": "true" }, [this.#canvas(size), make("span", { class: "caption" }, [" "])]);
  }

  /** @param {[number, number]} size */
  #canvas([width, height]) {
    const canvas = make("canvas", { width: `${2 * width}`, height: `${2 * height}` });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    return canvas;
  }

  /** @param {State} state */
  #mark({ selected, kept, refining, source, tool }) {
    const options = /** @type {NodeListOf<HTMLElement>} */ (this.#place.querySelectorAll("[role=option]"));
    options.forEach((option) => {
      const k = Number(option.dataset.index);
      if (k === selected && option.ariaSelected !== "true") option.scrollIntoView({ block: "nearest", inline: "nearest" });
      option.setAttribute("aria-selected", String(k === selected));
      option.tabIndex = k === selected ? 0 : -1;
      option.classList.toggle("source", tool === "combine" && k === source);
      const chosen = refining && kept !== null && kept.kind !== "before" && mapAt(this.#store.state, k)?.runs === kept.runs;
      option.querySelector(".caption")?.classList.toggle("chosen", chosen);
    });
  }

  /** @param {number} index */
  focus(index) {
    const option = this.#place.querySelector(`[data-index="${index}"]`);
    if (option instanceof HTMLElement) option.focus();
  }

  /** Whether the keyboard is in the strip. */
  get focused() {
    return this.#place.contains(document.activeElement);
  }
}

/** @param {State} state @param {boolean} apart Whether an earlier answer is there. */
function invitation({ session }, apart) {
  if (apart) return "Draw to change it, or press Solve to see others.";
  return session?.mode === "classes" ? "Press Solve to see different segmentations." : "Different cut-outs will appear here.";
}

/** @param {State} state @param {number} k @param {LabelMap} map */
function told(state, k, map) {
  const candidate = k < 0 ? null : state.found?.candidates[k];
  const other = reference(state, k);
  const about = other && other.runs !== map.runs ? difference(state, map, other) : "";
  const chance = candidate?.chance === undefined ? "" : candidate.chance < 0.005 ? "< 1 %" : `${Math.round(100 * candidate.chance)} %`;
  if (k < 0) return { title: state.kept?.kind === "before" ? "before" : state.kept?.name ?? "", about };
  const chosen = state.refining && state.kept?.kind !== "before" && state.kept?.runs === map.runs;
  const name = chosen ? "your choice" : candidate?.name ?? (k === 0 ? state.found?.first : "") ?? "";
  return { title: [chance, name].filter(Boolean).join(", ") || about, about };
}

/**
 * Draw a part of the image with a label map on it, as large as it fits.
 * @param {HTMLCanvasElement} canvas
 * @param {State} state
 * @param {LabelMap} map
 * @param {LabelMap | null} other
 * @param {Box} frame In pixels of the image.
 */
export function drawThumbnail(canvas, state, map, other, [left, top, right, bottom]) {
  const context = canvas.getContext("2d");
  const { session, image } = state;
  if (!context || !session || !image) return;
  const scale = Math.min(canvas.width / (right - left), canvas.height / (bottom - top));
  context.setTransform(scale, 0, 0, scale, (canvas.width - (left + right) * scale) / 2, (canvas.height - (top + bottom) * scale) / 2);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, session.width, session.height);
  drawMap(context, state, map, other, { pixel: 1.4 / scale, only: false });
}
