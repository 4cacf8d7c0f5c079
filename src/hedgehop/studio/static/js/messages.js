// SPDX-License-Identifier: BSD-3-Clause
import { element } from "./dom.js";

/** @typedef {"" | "busy" | "bad"} Tone */

const place = element("status", HTMLElement);
let timer = 0;

/**
 * Say something below the image; screen readers read it aloud.
 * @param {string} text
 * @param {Tone} tone
 */
export function say(text, tone = "") {
  window.clearTimeout(timer);
  place.textContent = text.charAt(0).toUpperCase() + text.slice(1);
  place.dataset.tone = tone;
  if (tone === "") timer = window.setTimeout(() => (place.textContent = ""), 6000);
}

/** @param {unknown} error */
export function sayError(error) {
  say(error instanceof Error ? error.message : String(error), "bad");
}
