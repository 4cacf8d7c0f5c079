// SPDX-License-Identifier: BSD-3-Clause
/** Where the image is on the screen: pixels of the image times `scale`, plus `x` and `y`. */
export class View {
  scale = 1;
  x = 0;
  y = 0;
  /** Whether a person has zoomed or moved since the image was fitted. */
  touched = false;
  #fitted = 1;

  /** @param {number} width @param {number} height @param {number} boardWidth @param {number} boardHeight */
  fit(width, height, boardWidth, boardHeight) {
    const margin = 24;
    this.scale = Math.max(0.01, Math.min((boardWidth - 2 * margin) / width, (boardHeight - 2 * margin) / height));
    this.#fitted = this.scale;
    this.touched = false;
    this.x = (boardWidth - width * this.scale) / 2;
    this.y = (boardHeight - height * this.scale) / 2;
  }

  /** Zoom, keeping a point of the screen where it is.
   * @param {number} factor @param {number} x @param {number} y */
  zoom(factor, x, y) {
    const scale = Math.min(40, Math.max(this.#fitted / 4, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.touched = true;
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    this.x += x;
    this.y += y;
    this.touched = true;
  }

  /** @param {number} x @param {number} y @returns {[number, number]} */
  toImage(x, y) {
    return [(x - this.x) / this.scale, (y - this.y) / this.scale];
  }
}
