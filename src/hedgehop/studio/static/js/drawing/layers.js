// SPDX-License-Identifier: BSD-3-Clause
import { fromRuns, outline, painted, rgba } from "./label_maps.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").Candidate} Candidate */
/** @typedef {import("./label_maps.js").Color} Color */
/** @typedef {{shade: OffscreenCanvas, marked: OffscreenCanvas, line: Path2D}} Layer */

/** @type {Color} */
const DARK = [8, 10, 14, 158];
/** @type {Color} */
const CLEAR = [0, 0, 0, 0];
/** @type {Color} */
const DIFFERS = [255, 64, 170, 140];

/** Layers of the list on show; they are large, so that those of earlier lists are drawn again. @type {Map<Candidate, Layer>} */
let known = new Map();
let shown = "";

/**
 * What is drawn over the image for a candidate: shades of labels, the same with differences to the first, its outline.
 * @param {State} state
 * @param {Candidate} candidate
 * @returns {Layer}
 */
export function layerOf(state, candidate) {
  const key = JSON.stringify([state.session?.id, candidate.list, state.labels]);
  if (key !== shown) known = new Map();
  shown = key;
  const layer = known.get(candidate) ?? drawn(state, candidate);
  known.set(candidate, layer);
  return layer;
}

/** @param {State} state @param {Candidate} candidate @returns {Layer} */
function drawn({ session, labels, found }, candidate) {
  const width = session?.solved_width ?? 1;
  const size = width * (session?.solved_height ?? 1);
  const map = fromRuns(candidate.runs, size);
  const first = fromRuns((found?.candidates[0] ?? candidate).runs, size);
  const { plain, same, changed } = palettes(labels, session?.mode === "classes");
  return {
    shade: painted(map, width, plain),
    marked: painted(map, width, same, { other: first, colors: changed }),
    line: outline(map, width),
  };
}

/**
 * Colours of labels; beside the first candidate, where they are the same and where they differ. The background is
 * darkened and the first object left clear; classes are tinted, and fade where nothing differs.
 * @param {import("../types.js").Label[]} labels
 * @param {boolean} classes
 * @returns {{plain: Color[], same: Color[], changed: Color[]}}
 */
function palettes(labels, classes) {
  const tinted = (/** @type {number} */ opacity) => labels.map(({ color }) => rgba(color, opacity));
  if (classes) return { plain: tinted(165), same: tinted(75), changed: tinted(225) };
  const plain = labels.map(({ color }, k) => (k === 0 ? DARK : k === 1 ? CLEAR : rgba(color, 90)));
  return { plain, same: plain, changed: labels.map(() => DIFFERS) };
}
