// SPDX-License-Identifier: BSD-3-Clause
/**
 * Return an element of the page that must be there.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

/** @param {string} id */
export const button = (id) => element(id, HTMLButtonElement);

/** @param {string} id */
export const input = (id) => element(id, HTMLInputElement);

/**
 * Call when somebody presses or goes elsewhere than where an element and its button are.
 * @param {HTMLElement} shown
 * @param {() => void} close
 * @param {AbortSignal} [signal] Ends that.
 */
export function closeOutside(shown, close, signal) {
  const outside = (/** @type {EventTarget | null} */ place) => place instanceof Node && !shown.parentElement?.contains(place);
  for (const name of ["pointerdown", "focusin"]) {
    document.addEventListener(name, (event) => outside(event.target) && close(), { signal });
  }
}

/** An icon of the page. @param {string} id */
export function icon(id) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const used = document.createElementNS("http://www.w3.org/2000/svg", "use");
  drawn.setAttribute("class", "icon");
  used.setAttribute("href", `#${id}`);
  drawn.append(used);
  return drawn;
}

/**
 * Make an element with properties and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
