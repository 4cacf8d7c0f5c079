// SPDX-License-Identifier: BSD-3-Clause
import { element, make } from "../dom.js";
import { layerOf } from "../drawing/layers.js";

/** @typedef {import("../types.js").State} State */

const HEIGHT = 92;

/** The candidates side by side, as they arrive. */
export class Candidates {
  #place = element("strip", HTMLElement);
  #store;
  #choose;
  /** What is drawn, to draw nothing twice. @type {string} */
  #drawn = "";

  /** @param {import("../store.js").Store} store @param {(index: number) => void} choose */
  constructor(store, choose) {
    this.#store = store;
    this.#choose = choose;
  }

  /** @param {State} state */
  render(state) {
    const { found, session } = state;
    const key = JSON.stringify([
      session?.id, found?.candidates.map(({ list, index }) => [list, index]), found?.wanted, state.busy, state.labels,
    ]);
    if (key !== this.#drawn) {
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
    const waiting = busy ? Math.max(0, (found?.wanted ?? settings.m) - there.length) : 0;
    this.#place.replaceChildren(
      ...there.map((_, k) => this.#candidate(state, k)),
      ...Array.from({ length: waiting }, () => this.#empty(state)),
    );
    if (!there.length && !waiting) {
      const text = state.session?.mode === "classes" ? "Press Solve to see different segmentations." : "Different cut-outs will appear here.";
      this.#place.append(make("p", { class: "strip-empty" }, [text]));
    }
    if (focused) this.focus(state.selected);
  }

  /** @param {State} state @param {number} k */
  #candidate(state, k) {
    const candidate = state.found?.candidates[k];
    if (!candidate) throw new Error("no such candidate");
    const differs = `${(100 * candidate.differs).toFixed(candidate.differs < 0.0995 ? 1 : 0)} %`;
    const canvas = this.#canvas(state);
    this.#paint(canvas, state, k);
    const first = state.found?.first ?? "";
    const caption = make("span", { class: "caption" }, [k === 0 ? first : `differs in ${differs}`]);
    const told = k === 0 ? first : `differs from the first in ${differs}`;
    const made = make(
      "button",
      { class: "candidate", role: "option", "aria-label": `Candidate ${k + 1}, ${told}`, "aria-selected": "false", "data-index": `${k}` },
      [canvas, make("span", { class: "number", "aria-hidden": "true" }, [`${k + 1}`]), caption],
    );
    made.addEventListener("click", () => this.#choose(k));
    made.addEventListener("pointerenter", () => this.#store.change({ hovered: k }));
    made.addEventListener("pointerleave", () => this.#store.change({ hovered: null }));
    return made;
  }

  /** @param {State} state */
  #empty(state) {
    return make("div", { class: "candidate waiting", "aria-hidden": "true" }, [
      this.#canvas(state), make("span", { class: "caption" }, [" "]),
    ]);
  }

  /** @param {State} state */
  #canvas({ session }) {
    const width = session ? Math.round(Math.min(190, Math.max(60, (HEIGHT * session.width) / session.height))) : 120;
    const canvas = make("canvas", { width: `${2 * width}`, height: `${2 * HEIGHT}` });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${HEIGHT}px`;
    return canvas;
  }

  /** @param {HTMLCanvasElement} canvas @param {State} state @param {number} k */
  #paint(canvas, state, k) {
    const context = canvas.getContext("2d");
    const { session, image, found } = state;
    if (!context || !session || !image || !found) return;
    const layer = layerOf(state, found.candidates[k]);
    const scale = Math.min(canvas.width / session.width, canvas.height / session.height);
    const [width, height] = [session.width * scale, session.height * scale];
    context.translate((canvas.width - width) / 2, (canvas.height - height) / 2);
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    context.drawImage(k === 0 ? layer.shade : layer.marked, 0, 0, width, height);
    context.scale(width / session.solved_width, height / session.solved_height);
    context.lineWidth = (2 * session.solved_width) / width;
    context.strokeStyle = "#fff";
    context.stroke(layer.line);
  }

  /** @param {State} state */
  #mark({ selected, base, found }) {
    const options = /** @type {NodeListOf<HTMLElement>} */ (this.#place.querySelectorAll("[role=option]"));
    options.forEach((option, k) => {
      if (k === selected && option.ariaSelected !== "true") option.scrollIntoView({ block: "nearest", inline: "nearest" });
      option.setAttribute("aria-selected", String(k === selected));
      option.tabIndex = k === selected ? 0 : -1;
      const candidate = found?.candidates[k];
      const chosen = base !== null && candidate?.list === base.list && candidate.index === base.index;
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
