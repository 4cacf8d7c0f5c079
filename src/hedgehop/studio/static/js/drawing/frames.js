// SPDX-License-Identifier: BSD-3-Clause
import { keptApart } from "../answers.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").Box} Box */

const MARGIN = 0.15; // around the objects, of their longer side
const LEAST = 0.25; // of the image's longer side: what is on show stays recognisable

/**
 * The part of the image that thumbnails show: where candidates have objects, so that small ones are seen, too.
 * @param {State} state
 * @param {number} shape Width by height, which the part has if the image allows it.
 * @returns {Box} In pixels of the image.
 */
export function frameOf(state, shape) {
  const { session } = state;
  if (!session) return [0, 0, 4, 3];
  const { width, height } = session;
  const objects = session.mode === "classes" ? null : boxOfObjects(state);
  if (!objects) return [0, 0, width, height];
  const [left, top, right, bottom] = objects;
  const margin = 2 * MARGIN * Math.max(right - left, bottom - top);
  const least = LEAST * Math.max(width, height);
  const [across, down] = [Math.max(right - left + margin, least), Math.max(bottom - top + margin, least)];
  const [x, y] = [placed((left + right) / 2, Math.max(across, down * shape), width), placed((top + bottom) / 2, Math.max(down, across / shape), height)];
  return [x[0], y[0], x[1], y[1]];
}

/** A stretch around a middle, moved and cut so that it is inside. @param {number} middle @param {number} length @param {number} most */
function placed(middle, length, most) {
  const kept = Math.min(length, most);
  const from = Math.min(most - kept, Math.max(0, middle - kept / 2));
  return [from, from + kept];
}

/** Around all objects of all candidates, in pixels of the image. @param {State} state @returns {Box | null} */
function boxOfObjects(state) {
  const { session, found, kept } = state;
  if (!session) return null;
  const maps = [...(found?.candidates ?? []), ...(kept && keptApart(state) ? [kept] : [])];
  const boxes = maps.map(({ runs }) => boxOfRuns(runs, session.solved_width));
  const all = boxes.reduce((one, other) => [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[2], other[2]), Math.max(one[3], other[3])], NOTHING);
  if (all[2] <= all[0]) return null;
  const [across, down] = [session.width / session.solved_width, session.height / session.solved_height];
  return [all[0] * across, all[1] * down, all[2] * across, all[3] * down];
}

/** @type {Box} */
const NOTHING = [Infinity, Infinity, -Infinity, -Infinity];

/** Around all pixels but those of the background. @param {number[]} runs @param {number} width @returns {Box} */
function boxOfRuns(runs, width) {
  let [left, top, right, bottom] = NOTHING;
  for (let k = 0, at = 0; k < runs.length; at += runs[k + 1], k += 2) {
    if (!runs[k]) continue;
    const last = at + runs[k + 1] - 1;
    const [first, row] = [at % width, Math.floor(at / width)];
    const lastRow = Math.floor(last / width);
    left = Math.min(left, row === lastRow ? first : 0);
    right = Math.max(right, row === lastRow ? (last % width) + 1 : width);
    top = Math.min(top, row);
    bottom = Math.max(bottom, lastRow + 1);
  }
  return [left, top, right, bottom];
}
