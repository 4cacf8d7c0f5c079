// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the modules pass to each other.
 *
 * @typedef {{name: string, color: string}} Label
 * @typedef {{label: number, radius: number, points: [number, number][]}} Stroke
 * @typedef {"brush" | "click" | "box" | "erase" | "pan" | "paint" | "rub" | "polygon" | "fill" | "combine"} Tool
 * @typedef {[number, number, number, number]} Box left, top, right, bottom, in pixels of the image
 * @typedef {{runs: number[]}} LabelMap label, length, label, length, ... row by row
 * @typedef {{runs: number[], name: string, kind: "chosen" | "edited" | "before"}} Kept
 * @typedef {{base: LabelMap | null, chosen: boolean, after: number | null}} Asked
 * @typedef {"open" | "done" | "skipped"} Mark
 * @typedef {{time: number, mark: Mark, document: object, answer: LabelMap | null}} Work
 * @typedef {{m: number, kind: string, distance: number, smoothness: number, auto: boolean}} Settings
 * @typedef {{share: number, text: string, meaning: string}} Proof
 *
 * @typedef {object} Candidate
 * @property {number} list
 * @property {number[]} runs label, length, label, length, ... row by row
 * @property {string} [name] What it is, if that is known.
 * @property {number} [chance] Probability that it is the nearest one to what is wanted.
 *
 * @typedef {object} Found
 * @property {Candidate[]} candidates
 * @property {number} wanted
 * @property {Proof | null} proof
 * @property {string} first What the first candidate is.
 * @property {Stroke[]} strokes Those it was found for.
 * @property {Box | null} box
 * @property {Asked} asked What it was to be close to.
 * @property {string} session Who found it.
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
 * @property {{wish: {strokes: Stroke[], box: Box | null, m: number, kind: string, distance: number, smoothness: number, base: LabelMap | null}, labels: Label[]} | null} document
 * @property {Work | null} [work] What is kept beside an image of the folder.
 *
 * @typedef {object} Moment What undo brings back.
 * @property {Stroke[]} strokes
 * @property {Box | null} box
 * @property {Label[]} labels
 * @property {Found | null} found
 * @property {number} selected
 * @property {Kept | null} kept
 * @property {boolean} refining
 * @property {number[] | null} edits
 *
 * @typedef {object} State
 * @property {Opened | null} session
 * @property {ImageBitmap | null} image
 * @property {string[]} images Names of the images of the folder.
 * @property {boolean} maySave
 * @property {Label[]} labels
 * @property {number} label The brush: 1 is the first label.
 * @property {Tool} tool
 * @property {number} size Of the brush, in pixels of the screen.
 * @property {boolean} showStrokes
 * @property {Stroke[]} strokes
 * @property {Box | null} box Everything outside is background.
 * @property {Stroke | null} drawing
 * @property {[number, number][]} polygon Corners so far.
 * @property {Found | null} found
 * @property {boolean} busy
 * @property {number} selected On show; -1 is what was kept.
 * @property {number | null} hovered
 * @property {number | null} source The candidate that regions are taken from.
 * @property {Kept | null} kept What was chosen or edited, or was there before the last stroke.
 * @property {boolean} refining Whether strokes change what was chosen, rather than what they say alone.
 * @property {number[] | null} edits What was painted by hand, as runs; 255 where nothing was.
 * @property {Mark} mark Of an image of the folder.
 * @property {Settings} settings
 * @property {Moment[]} past
 * @property {Moment[]} future
 * @property {boolean} keeps Whether the browser keeps all this, so that nothing is lost.
 */

export {};
