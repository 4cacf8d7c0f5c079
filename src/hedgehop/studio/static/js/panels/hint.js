// SPDX-License-Identifier: BSD-3-Clause
import { button, element } from "../dom.js";
import { remember, remembered } from "../storage/memory.js";

/** @typedef {import("../types.js").Stroke} Stroke */

/** Strokes on the sample, to show what a stroke is. @type {Stroke[]} */
const STROKES = [
  { label: 2, radius: 7, points: [[205, 65], [222, 110], [228, 160], [215, 205]] },
  { label: 2, radius: 7, points: [[120, 330], [190, 300], [250, 340], [262, 420], [255, 490]] },
  { label: 1, radius: 7, points: [[30, 40], [95, 60], [110, 150], [60, 230]] },
  { label: 1, radius: 7, points: [[340, 30], [350, 120], [420, 220], [480, 330]] },
];

/** The first steps, until somebody has drawn; on the sample image with strokes to show. */
export class Hint {
  #place = element("hint", HTMLElement);

  /** @param {(strokes: Stroke[]) => void} draw */
  constructor(draw) {
    button("show-me").addEventListener("click", () => {
      this.close();
      draw(STROKES);
    });
    button("hint-close").addEventListener("click", () => this.close());
  }

  /** @param {import("../types.js").Opened} opened @param {boolean} sample */
  offer(opened, sample) {
    this.#place.hidden = remembered("hinted") === "yes" || opened.mode === "classes"; // where nothing is remembered, it comes again
    button("show-me").hidden = !sample;
    element("hint-title", HTMLElement).textContent = sample ? "Cut her out in two strokes" : "Cut something out in two strokes";
  }

  hide() {
    this.#place.hidden = true;
  }

  close() {
    if (!this.#place.hidden) remember("hinted", "yes");
    this.#place.hidden = true;
  }
}
