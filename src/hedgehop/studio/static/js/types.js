// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the modules pass to each other.
 *
 * @typedef {{name: string, color: string}} Label
 * @typedef {{label: number, radius: number, points: [number, number][]}} Stroke
 * @typedef {{list: number, index: number}} Base
 * @typedef {{m: number, kind: string, distance: number, smoothness: number, auto: boolean}} Settings
 * @typedef {{share: number, text: string, meaning: string}} Proof
 *
 * @typedef {object} Candidate
 * @property {number} list
 * @property {number} index
 * @property {number} differs
 * @property {number[]} runs label, length, label, length, ... row by row
 *
 * @typedef {object} Found
 * @property {Candidate[]} candidates
 * @property {number} wanted
 * @property {Proof | null} proof
 * @property {string} first What the first candidate is.
 * @property {Stroke[]} strokes Those it was found for.
 *
 * @typedef {object} Opened
 * @property {string} id
 * @property {string} name
 * @property {number} width
 * @property {number} height
 * @property {number} solved_width
 * @property {number} solved_height
 * @property {"strokes" | "classes"} mode
 * @property {Label[] | null} labels
 * @property {number | null} number
 * @property {{wish: {strokes: Stroke[], m: number, kind: string, distance: number, smoothness: number, base: Base | null}, labels: Label[]} | null} document
 *
 * @typedef {object} Moment What undo brings back.
 * @property {Stroke[]} strokes
 * @property {Base | null} base
 * @property {Found | null} found
 * @property {number} selected
 *
 * @typedef {object} State
 * @property {Opened | null} session
 * @property {ImageBitmap | null} image
 * @property {string[]} images Names of the images of the folder.
 * @property {boolean} maySave
 * @property {Label[]} labels
 * @property {number} label The brush: 1 is the first label.
 * @property {"brush" | "erase" | "pan"} tool
 * @property {number} size Of the brush, in pixels of the screen.
 * @property {boolean} showStrokes
 * @property {Stroke[]} strokes
 * @property {Stroke | null} drawing
 * @property {Found | null} found
 * @property {boolean} busy
 * @property {number} selected
 * @property {number | null} hovered
 * @property {Base | null} base
 * @property {Settings} settings
 * @property {Moment[]} past
 * @property {Moment[]} future
 * @property {Stroke[]} saved Those that were exported last.
 */

export {};
