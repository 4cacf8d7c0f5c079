// SPDX-License-Identifier: BSD-3-Clause
/**
 * Where two label maps differ, as connected regions.
 *
 * @typedef {object} Region
 * @property {number} from Label before.
 * @property {number} to Label after.
 * @property {number} area In pixels.
 * @property {number} x Middle.
 * @property {number} y
 * @property {number} depth Of its thickest part, about.
 *
 * @typedef {object} Differences
 * @property {Int32Array} places Of each pixel: 0 where nothing differs, else the number of its region, from 1.
 * @property {Region[]} regions
 */

/**
 * @param {Uint8Array} before
 * @param {Uint8Array} after
 * @param {number} width
 * @returns {Differences}
 */
export function differences(before, after, width) {
  const places = new Int32Array(before.length);
  /** @type {Region[]} */
  const regions = [];
  for (let start = 0; start < before.length; start++) {
    if (places[start] || before[start] === after[start]) continue;
    const [from, to] = [before[start], after[start]];
    const pixels = flood(start, width, before.length, (k) => !places[k] && before[k] === from && after[k] === to, (k) => {
      places[k] = regions.length + 1;
    });
    regions.push(measured(pixels, width, from, to));
  }
  return { places, regions };
}

/**
 * Walk through a connected region; return its pixels.
 * @param {number} start
 * @param {number} width
 * @param {number} size
 * @param {(k: number) => boolean} belongs
 * @param {(k: number) => void} mark After which a pixel no longer belongs.
 */
export function flood(start, width, size, belongs, mark) {
  const pixels = [start];
  mark(start);
  for (let at = 0; at < pixels.length; at++) {
    const k = pixels[at];
    const x = k % width;
    if (x > 0 && belongs(k - 1)) { mark(k - 1); pixels.push(k - 1); }
    if (x + 1 < width && belongs(k + 1)) { mark(k + 1); pixels.push(k + 1); }
    if (k >= width && belongs(k - width)) { mark(k - width); pixels.push(k - width); }
    if (k + width < size && belongs(k + width)) { mark(k + width); pixels.push(k + width); }
  }
  return pixels;
}

/** @param {number[]} pixels @param {number} width @param {number} from @param {number} to @returns {Region} */
function measured(pixels, width, from, to) {
  let [x, y] = [0, 0];
  const inside = new Set(pixels.length < 20_000 ? pixels : []);
  let rim = 0;
  for (const k of pixels) {
    x += k % width;
    y += Math.floor(k / width);
    if (inside.size && !(inside.has(k - 1) && inside.has(k + 1) && inside.has(k - width) && inside.has(k + width))) rim++;
  }
  const area = pixels.length;
  return { from, to, area, x: x / area, y: y / area, depth: inside.size ? (2 * area) / rim : Infinity };
}

/**
 * The second map in the given regions, the first one elsewhere.
 * @param {Uint8Array} before
 * @param {Uint8Array} after
 * @param {Int32Array} places
 * @param {(region: number) => boolean} taken
 */
export function taking(before, after, places, taken) {
  return before.map((label, k) => (places[k] && taken(places[k]) ? after[k] : label));
}
