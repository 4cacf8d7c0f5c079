// SPDX-License-Identifier: BSD-3-Clause
import { changeOf, layerOf } from "../drawing/layers.js";
import { flood } from "../drawing/differences.js";
import { pixelsUnder } from "../drawing/edits.js";

/** @typedef {import("../types.js").State} State @typedef {import("../types.js").LabelMap} LabelMap */
/** @typedef {import("../drawing/differences.js").Region} Region */

const VISIBLE = 0.0008; // share of the image from which a region is named
const THIN = 7; // pixels of the label map below which a region is a border
const MANY = 6;

/**
 * In a few words, how a label map differs from another one.
 * @param {State} state
 * @param {LabelMap} map
 * @param {LabelMap} other
 */
export function difference(state, map, other) {
  const { session, labels } = state;
  if (!session) return "";
  const { regions } = changeOf(state, map, other);
  const size = session.solved_width * session.solved_height;
  const large = regions.filter(({ area, depth }) => area >= VISIBLE * size && depth > THIN);
  if (!large.length) return borders(regions);
  if (leavesUntouched(state, map, other)) return "without the part you have not touched";
  const several = session.mode === "classes" || labels.length > 2;
  /** @type {Map<string, Region[]>} */
  const kinds = new Map();
  for (const region of large) {
    const kind = named(region, labels, several);
    kinds.set(kind, [...(kinds.get(kind) ?? []), region]);
  }
  const area = (/** @type {Region[]} */ group) => group.reduce((sum, region) => sum + region.area, 0);
  const groups = [...kinds].sort((a, b) => area(b[1]) - area(a[1])).slice(0, 2);
  return groups.map(([kind, group]) => `${kind}${counted(kind, group)}${placed(session, group)}`).join("; ");
}

/** @param {Region} region @param {import("../types.js").Label[]} labels @param {boolean} several */
function named({ from, to }, labels, several) {
  const name = (/** @type {number} */ label) => labels[label]?.name ?? `label ${label}`;
  if (several && from && to) return `${name(from)} → ${name(to)}`;
  const sign = to === 0 ? "−" : "+";
  return several ? `${sign} ${name(to || from)}` : sign;
}

/** @param {string} kind @param {Region[]} group */
function counted(kind, group) {
  const many = group.length > MANY ? "many regions" : `${group.length} region${group.length === 1 ? "" : "s"}`;
  return kind.length === 1 ? ` ${many}` : group.length > 1 ? ` (${many})` : "";
}

/** Where regions are, if they are in one place. @param {import("../types.js").Opened} session @param {Region[]} group */
function placed({ solved_width, solved_height }, group) {
  const side = (/** @type {number} */ at, /** @type {number} */ length, /** @type {[string, string]} */ [low, high]) =>
    at < 0.38 * length ? low : at > 0.62 * length ? high : "";
  const places = new Set(group.map(({ x, y }) =>
    [side(y, solved_height, ["top", "bottom"]), side(x, solved_width, ["left", "right"])].filter(Boolean).join(" ") || "middle"));
  return places.size === 1 ? `, ${[...places][0]}` : "";
}

/** @param {Region[]} regions */
function borders(regions) {
  const grown = regions.reduce((sum, { to, area }) => sum + (to === 0 ? -area : area), 0);
  const all = regions.reduce((sum, { area }) => sum + area, 0);
  if (!all) return "as before";
  if (Math.abs(grown) < 0.4 * all) return "other borders";
  return grown > 0 ? "+ wider borders" : "− tighter borders";
}

/**
 * Whether a map is the other one without its parts that no stroke of an object touches.
 * @param {State} state
 * @param {LabelMap} map
 * @param {LabelMap} other
 */
function leavesUntouched(state, map, other) {
  const { session } = state;
  const strokes = state.strokes.filter(({ label }) => label > 1);
  const { regions, places } = changeOf(state, map, other);
  if (!session || !strokes.length || regions.some(({ to, area }) => to !== 0 && area > 0.002 * places.length)) return false;
  const [after, before] = [layerOf(state, map).labels, layerOf(state, other).labels];
  const touched = new Uint8Array(before.length);
  for (const stroke of strokes) for (const k of pixelsUnder(session, stroke, false)) touched[k] = 1;
  const seen = new Uint8Array(before.length);
  let [gone, left] = [0, 0];
  for (let k = 0; k < before.length; k++) {
    if (seen[k] || !before[k]) continue;
    const part = flood(k, session.solved_width, before.length, (j) => !seen[j] && before[j] > 0, (j) => (seen[j] = 1));
    if (part.length < VISIBLE * before.length || part.some((j) => touched[j])) continue;
    const kept = part.filter((j) => after[j] > 0).length;
    if (kept < 0.1 * part.length) gone += part.length;
    else left += part.length;
  }
  const removed = regions.reduce((sum, { to, area }) => sum + (to === 0 ? area : 0), 0);
  return gone > 0 && left === 0 && gone > 0.7 * removed;
}
