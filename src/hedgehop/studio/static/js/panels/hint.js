// SPDX-License-Identifier: BSD-3-Clause
import { button, element } from "../dom.js";
import { remember, remembered } from "../memory.js";

/** @typedef {import("../types.js").Stroke} Stroke */

/** Strokes on the sample, to show what a stroke is. @type {Stroke[]} */
const STROKES = [
  { label: 2, radius: 7, points: [[205, 65], [222, 110], [228, 160], [215, 205]] },
  { label: 2, radius: 7, points: [[120, 330], [190, 300], [250, 340], [262, 420], [255, 490]] },
  { label: 1, radius: 7, points: [[30, 40], [95, 60], [110, 150], [60, 230]] },
  { label: 1, radius: 7, points: [[340, 30], [350, 120], [420, 220], [480, 330]] },
];

/** The first steps, on the sample image, until somebody has drawn. */
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
    this.#place.hidden = !sample || remembered("hinted") === "yes"; // where nothing is remembered, it comes again
  }

  close() {
    if (!this.#place.hidden) remember("hinted", "yes");
    this.#place.hidden = true;
  }
}
