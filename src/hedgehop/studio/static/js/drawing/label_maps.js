// SPDX-License-Identifier: BSD-3-Clause
/**
 * Label maps of the server, and what is drawn of them.
 *
 * @param {number[]} runs label, length, label, length, ... row by row
 * @param {number} size
 */
export function fromRuns(runs, size) {
  const labels = new Uint8Array(size);
  for (let k = 0, at = 0; k < runs.length; k += 2) labels.fill(runs[k], at, (at += runs[k + 1]));
  return labels;
}

/**
 * Borders between labels as one path, in pixels of the label map.
 * @param {Uint8Array} labels
 * @param {number} width
 */
export function outline(labels, width) {
  const path = new Path2D();
  const height = labels.length / width;
  for (let y = 0; y < height; y++) {
    for (let x = 0, from = -1; x <= width; x++) {
      const edge = x < width && y + 1 < height && labels[y * width + x] !== labels[(y + 1) * width + x];
      if (edge && from < 0) from = x;
      if (!edge && from >= 0) {
        path.moveTo(from, y + 1);
        path.lineTo(x, y + 1);
        from = -1;
      }
    }
  }
  for (let x = 0; x + 1 < width; x++) {
    for (let y = 0, from = -1; y <= height; y++) {
      const edge = y < height && labels[y * width + x] !== labels[y * width + x + 1];
      if (edge && from < 0) from = y;
      if (!edge && from >= 0) {
        path.moveTo(x + 1, from);
        path.lineTo(x + 1, y);
        from = -1;
      }
    }
  }
  return path;
}

/** @typedef {[number, number, number, number]} Color red, green, blue, opacity: 0..255 */

/**
 * A picture with one colour a label, and others where a second map differs.
 * @param {Uint8Array} labels
 * @param {number} width
 * @param {Color[]} colors
 * @param {{other: Uint8Array, colors: Color[]} | null} differs
 */
export function painted(labels, width, colors, differs = null) {
  const canvas = new OffscreenCanvas(width, labels.length / width);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser cannot draw");
  const pixels = context.createImageData(canvas.width, canvas.height);
  const words = new Uint32Array(pixels.data.buffer);
  const palette = colors.map(word);
  const changed = differs ? differs.colors.map(word) : palette;
  for (let k = 0; k < labels.length; k++) {
    const inks = differs && differs.other[k] !== labels[k] ? changed : palette;
    words[k] = inks[labels[k]] ?? 0;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

/** @param {Color} color */
const word = ([red, green, blue, opacity]) => ((opacity << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/**
 * @param {string} hex
 * @param {number} opacity 0..255
 * @returns {Color}
 */
export function rgba(hex, opacity) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255, opacity];
}

/** @param {Uint8Array} labels @returns {number[]} label, length, label, length, ... row by row */
export function toRuns(labels) {
  const runs = [];
  for (let k = 0, start = 0; k < labels.length; k++) {
    if (k + 1 < labels.length && labels[k + 1] === labels[k]) continue;
    runs.push(labels[k], k + 1 - start);
    start = k + 1;
  }
  return runs;
}
