// SPDX-License-Identifier: BSD-3-Clause
import { differences } from "./differences.js";
import { fromRuns, outline, painted, rgba } from "./label_maps.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").LabelMap} LabelMap */
/** @typedef {import("./label_maps.js").Color} Color */
/** @typedef {{labels: Uint8Array, shade: OffscreenCanvas, line: Path2D}} Layer */
/** @typedef {import("./differences.js").Differences & {shade: OffscreenCanvas, line: Path2D, plus: Path2D, minus: Path2D}} Change */

/** @type {Color} */
const DARK = [8, 10, 14, 158];
/** @type {Color} */
const CLEAR = [0, 0, 0, 0];
/** @type {Color} */
const ADDED = [38, 194, 106, 120];
/** @type {Color} */
const REMOVED = [240, 60, 60, 120];
export const ADDED_INK = "#19e57a";
export const REMOVED_INK = "#ff5252";

const SIGNED = 0.1; // of the lattice's square: smaller regions have no sign of their own
const MOST = 40; // pictures that are kept: they are large

/** What was drawn, by label maps, the last used last. @type {Map<string, any>} */
const known = new Map();
/** @type {WeakMap<number[], number>} */
const numbers = new WeakMap();
let count = 0;

/** A number for each label map. @param {number[]} runs */
function numberOf(runs) {
  if (!numbers.has(runs)) numbers.set(runs, ++count);
  return numbers.get(runs);
}

/** @template T @param {string} key @param {() => T} draw @returns {T} */
function once(key, draw) {
  const there = known.has(key) ? known.get(key) : draw();
  known.delete(key);
  known.set(key, there);
  for (const oldest of known.keys()) {
    if (known.size <= MOST) break;
    known.delete(oldest);
  }
  return there;
}

/**
 * What is drawn over the image for a label map: shades of labels, and its outline.
 * @param {State} state
 * @param {LabelMap} map
 * @returns {Layer}
 */
export function layerOf({ session, labels }, { runs }) {
  const width = session?.solved_width ?? 1;
  return once(JSON.stringify([numberOf(runs), width, labels, session?.mode]), () => {
    const map = fromRuns(runs, width * (session?.solved_height ?? 1));
    return { labels: map, shade: painted(map, width, palette(labels, session?.mode === "classes")), line: outline(map, width) };
  });
}

/**
 * Where a label map differs from another one: green with + where something is added, red with - where it is removed.
 * A class that takes the place of another is shown in its own colour.
 * @param {State} state
 * @param {LabelMap} map
 * @param {LabelMap} other
 * @returns {Change}
 */
export function changeOf(state, map, other) {
  const width = state.session?.solved_width ?? 1;
  return once(JSON.stringify(["change", numberOf(map.runs), numberOf(other.runs), width, state.labels]), () => {
    const [after, before] = [layerOf(state, map).labels, layerOf(state, other).labels];
    const found = differences(before, after, width);
    const kinds = new Uint8Array(after.length);
    for (let k = 0; k < kinds.length; k++) {
      if (after[k] !== before[k]) kinds[k] = after[k] === 0 ? 1 : before[k] === 0 ? 2 : 3 + after[k];
    }
    const colors = [CLEAR, REMOVED, ADDED, ...state.labels.map(({ color }) => rgba(color, 170))];
    return {
      ...found,
      shade: painted(kinds, width, colors),
      line: outline(kinds, width),
      plus: signs(found, width, ({ to }) => to > 0, true),
      minus: signs(found, width, ({ to }) => to === 0, false),
    };
  });
}

/**
 * Signs inside of what is added or removed, in pixels of the label map: on a lattice, and in the middle of regions that
 * the lattice misses.
 * @param {import("./differences.js").Differences} found
 * @param {number} width
 * @param {(region: import("./differences.js").Region) => boolean} wanted
 * @param {boolean} cross
 */
function signs({ places, regions }, width, wanted, cross) {
  const path = new Path2D();
  const height = places.length / width;
  const step = Math.max(6, Math.round(Math.max(width, height) / 18));
  const seen = new Set([0]);
  /** @type {(x: number, y: number, arm: number) => void} */
  const put = (x, y, arm) => {
    path.moveTo(x - arm, y);
    path.lineTo(x + arm, y);
    if (!cross) return;
    path.moveTo(x, y - arm);
    path.lineTo(x, y + arm);
  };
  for (let y = step / 2; y < height; y += step) {
    for (let x = step / 2; x < width; x += step) {
      const place = places[Math.floor(y) * width + Math.floor(x)];
      if (place && wanted(regions[place - 1])) put(x, y, step / 5);
      seen.add(place);
    }
  }
  for (const [k, region] of regions.entries()) {
    const { x, y, area } = region;
    const there = places[Math.floor(y) * width + Math.floor(x)] === k + 1;
    if (there && !seen.has(k + 1) && area > SIGNED * step * step && wanted(region)) put(x, y, step / 7);
  }
  return path;
}

/**
 * Colours of labels: the background is darkened and the first object left clear; classes are tinted.
 * @param {import("../types.js").Label[]} labels
 * @param {boolean} classes
 * @returns {Color[]}
 */
function palette(labels, classes) {
  if (classes) return labels.map(({ color }) => rgba(color, 165));
  return labels.map(({ color }, k) => (k === 0 ? DARK : k === 1 ? CLEAR : rgba(color, 90)));
}

/**
 * Draw a label map, or how it differs from another one, on a canvas whose unit is a pixel of the image.
 * @param {OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D} context
 * @param {State} state
 * @param {LabelMap} map
 * @param {LabelMap | null} other
 * @param {{pixel: number, only: boolean}} how Size of a pixel of the screen, and whether only the difference is shown.
 */
export function drawMap(context, state, map, other, { pixel, only }) {
  const { session } = state;
  if (!session) return;
  const layer = layerOf(state, map);
  if (!only || !other) context.drawImage(layer.shade, 0, 0, session.width, session.height);
  const change = other && changeOf(state, map, other);
  if (change) context.drawImage(change.shade, 0, 0, session.width, session.height);
  context.save();
  context.scale(session.width / session.solved_width, session.height / session.solved_height);
  const unit = (pixel * session.solved_width) / session.width;
  context.lineJoin = context.lineCap = "round";
  const stroke = (/** @type {Path2D} */ path, /** @type {number} */ line, /** @type {string} */ color) => {
    context.lineWidth = line * unit;
    context.strokeStyle = color;
    context.stroke(path);
  };
  if (!only || !other) {
    stroke(layer.line, 3.5, "rgb(10 12 16 / 65%)");
    stroke(layer.line, 1.6, "#fff");
  }
  if (change) {
    stroke(change.line, 2.6, "rgb(10 12 16 / 70%)");
    stroke(change.line, 1.2, "#fff");
    for (const [path, color] of /** @type {[Path2D, string][]} */ ([[change.plus, ADDED_INK], [change.minus, REMOVED_INK]])) {
      stroke(path, 4, "rgb(10 12 16 / 75%)");
      stroke(path, 2, color);
    }
  }
  context.restore();
}
