// SPDX-License-Identifier: BSD-3-Clause
import { flood } from "./differences.js";
import { fromRuns, toRuns } from "./label_maps.js";

/** @typedef {import("../types.js").Opened} Opened @typedef {import("../types.js").Stroke} Stroke */

export const UNTOUCHED = 255; // of pixels that no edit has set

/** @param {Opened} session */
const sizeOf = (session) => session.solved_width * session.solved_height;

/**
 * Pixels of the label map under a brush, or inside a polygon.
 * @param {Opened} session
 * @param {Stroke} stroke In pixels of the image.
 * @param {boolean} closed Whether its inside counts.
 * @returns {number[]}
 */
export function pixelsUnder(session, stroke, closed) {
  const { solved_width: width, solved_height: height } = session;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("this browser cannot draw");
  const scale = width / session.width;
  context.scale(scale, height / session.height);
  context.lineCap = context.lineJoin = "round";
  context.lineWidth = Math.max(1 / scale, closed ? 1 / scale : 2 * stroke.radius);
  trace(context, stroke.points);
  if (closed) {
    context.closePath();
    context.fill();
  } else context.stroke();
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = [];
  for (let k = 0; k < width * height; k++) if (data[4 * k + 3] > 127) pixels.push(k);
  return pixels;
}

/** @param {OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D} context @param {[number, number][]} points */
export function trace(context, points) {
  const [[x, y], ...rest] = points;
  context.beginPath();
  context.moveTo(x, y);
  if (!rest.length) context.lineTo(x, y + 0.01);
  for (const [a, b] of rest) context.lineTo(a, b);
}

/**
 * The connected part of a label map around a point of the image.
 * @param {Opened} session
 * @param {Uint8Array} labels
 * @param {[number, number]} point
 */
export function partAt(session, labels, point) {
  const start = pixelAt(session, point);
  if (start < 0) return [];
  const seen = new Uint8Array(labels.length);
  return flood(start, session.solved_width, labels.length, (k) => !seen[k] && labels[k] === labels[start], (k) => (seen[k] = 1));
}

/** The pixel of the label map at a point of the image; -1 outside. @param {Opened} session @param {[number, number]} point */
export function pixelAt(session, [x, y]) {
  const column = Math.floor((x * session.solved_width) / session.width);
  const row = Math.floor((y * session.solved_height) / session.height);
  const inside = column >= 0 && row >= 0 && column < session.solved_width && row < session.solved_height;
  return inside ? row * session.solved_width + column : -1;
}

/**
 * Give pixels a label, in a label map and in what holds all edits.
 * @param {Opened} session
 * @param {number[]} runs
 * @param {number[] | null} edits
 * @param {number[]} pixels
 * @param {number} label
 */
export function painted(session, runs, edits, pixels, label) {
  const map = fromRuns(runs, sizeOf(session));
  const held = edits ? fromRuns(edits, sizeOf(session)) : new Uint8Array(map.length).fill(UNTOUCHED);
  for (const k of pixels) map[k] = held[k] = label;
  return { runs: toRuns(map), edits: toRuns(held) };
}

/** A label map with all edits on it. @param {Opened} session @param {number[]} runs @param {number[] | null} edits */
export function withEdits(session, runs, edits) {
  if (!edits) return runs;
  const held = fromRuns(edits, sizeOf(session));
  return toRuns(fromRuns(runs, sizeOf(session)).map((label, k) => (held[k] === UNTOUCHED ? label : held[k])));
}

/**
 * What holds all edits, after pixels have changed in another way: edited pixels get their new labels, and with `all` so
 * do those that changed.
 * @param {Opened} session
 * @param {number[] | null} edits
 * @param {number[]} before
 * @param {number[]} after
 * @param {boolean} all
 */
export function followed(session, edits, before, after, all) {
  if (!edits && !all) return null;
  const [old, now] = [fromRuns(before, sizeOf(session)), fromRuns(after, sizeOf(session))];
  const held = edits ? fromRuns(edits, sizeOf(session)) : new Uint8Array(now.length).fill(UNTOUCHED);
  return toRuns(held.map((label, k) => (label !== UNTOUCHED || (all && old[k] !== now[k]) ? now[k] : UNTOUCHED)));
}

/**
 * Each unconnected part of each object as an object of its own: labels are added from `first`; small parts stay.
 * @param {Opened} session
 * @param {number[]} runs
 * @param {number} first
 * @param {number} most Labels there can be.
 * @returns {{runs: number[], origins: number[]}} Origins are the labels that new ones come from.
 */
export function split(session, runs, first, most) {
  const map = fromRuns(runs, sizeOf(session));
  const done = new Uint8Array(map.length);
  const [seen, origins] = [new Set([0]), /** @type {number[]} */ ([])];
  const least = Math.max(20, map.length / 2000);
  for (let k = 0; k < map.length; k++) {
    if (done[k] || !map[k]) continue;
    const label = map[k];
    const part = flood(k, session.solved_width, map.length, (j) => !done[j] && map[j] === label, (j) => (done[j] = 1));
    if (part.length < least) continue;
    if (seen.has(label) && first + origins.length < most) {
      for (const j of part) map[j] = first + origins.length;
      origins.push(label);
    }
    seen.add(label);
  }
  return { runs: toRuns(map), origins };
}
