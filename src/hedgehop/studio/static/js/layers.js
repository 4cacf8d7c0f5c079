// SPDX-License-Identifier: BSD-3-Clause
import { outline, painted, rgba } from "./masks.js";

/** @typedef {import("./types.js").State} State @typedef {import("./types.js").Candidate} Candidate */
/** @typedef {{shade: OffscreenCanvas, marked: OffscreenCanvas, line: Path2D}} Layer */

/** @type {[number, number, number, number]} */
const DARK = [8, 10, 14, 158];
/** @type {[number, number, number, number]} */
const CLEAR = [0, 0, 0, 0];
/** @type {[number, number, number, number]} */
const DIFFERS = [255, 64, 170, 140];

/** @type {WeakMap<Uint8Array, {key: string, layer: Layer}>} */
const known = new WeakMap();

/**
 * What is drawn over the image for a candidate: shades of labels, the same with differences to the first, its outline.
 * @param {State} state
 * @param {Candidate} candidate
 * @returns {Layer}
 */
export function layerOf(state, candidate) {
  const { session, labels, found } = state;
  const first = found?.candidates[0]?.labels ?? candidate.labels;
  const colors = colorsOf(labels, session?.mode === "classes");
  const key = JSON.stringify([colors, found?.candidates[0]?.list]);
  const before = known.get(candidate.labels);
  if (before?.key === key) return before.layer;
  const width = session?.solved_width ?? 1;
  const layer = {
    shade: painted(candidate.labels, width, colors),
    marked: painted(candidate.labels, width, colors, { other: first, color: DIFFERS }),
    line: outline(candidate.labels, width),
  };
  known.set(candidate.labels, { key, layer });
  return layer;
}

/**
 * The background is darkened and the first object left clear; classes are all tinted.
 * @param {import("./types.js").Label[]} labels
 * @param {boolean} classes
 */
function colorsOf(labels, classes) {
  if (classes) return labels.map((label) => rgba(label.color, 150));
  return labels.map((label, k) => (k === 0 ? DARK : k === 1 ? CLEAR : rgba(label.color, 90)));
}
