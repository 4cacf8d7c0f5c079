// SPDX-License-Identifier: BSD-3-Clause
/** What the browser remembers; it may forbid that, then nothing is remembered. @param {string} key */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}
