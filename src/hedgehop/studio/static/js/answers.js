// SPDX-License-Identifier: BSD-3-Clause
/**
 * Which label map is on show, which one further strokes refine, and what candidates are compared with.
 *
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").LabelMap} LabelMap
 * @typedef {import("./types.js").Kept} Kept
 */

/** A candidate by its place; -1 is what was kept. @param {State} state @param {number} index @returns {LabelMap | null} */
export function mapAt(state, index) {
  return (index < 0 ? state.kept : state.found?.candidates[index]) ?? null;
}

/** What is on the board and in exports. @param {State} state */
export const current = (state) => mapAt(state, state.selected);

/** What further strokes start from: what was chosen or edited, else what is on show. @param {State} state */
export function base(state) {
  return state.refining && state.kept && state.kept.kind !== "before" ? state.kept : current(state);
}

/**
 * What a candidate is compared with: what was chosen; else the first one with what was there before the last stroke,
 * and all others with the first one.
 * @param {State} state
 * @param {number} index
 * @returns {LabelMap | null}
 */
export function reference(state, index) {
  const { kept, found } = state;
  const first = found?.candidates[0] ?? null;
  if (kept && (kept.kind !== "before" || index === 0)) return index < 0 || kept.runs === mapAt(state, index)?.runs ? null : kept;
  return index === 0 ? null : first;
}

/** @param {number[]} one @param {number[]} other */
const same = (one, other) => one.length === other.length && one.every((value, k) => value === other[k]);

/** Whether what was kept is in no list on show, so that it needs a place of its own. @param {State} state */
export function keptApart({ kept, found }) {
  return kept !== null && !found?.candidates.some(({ runs }) => runs === kept.runs || same(runs, kept.runs));
}
