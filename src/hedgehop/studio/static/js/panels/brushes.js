// SPDX-License-Identifier: BSD-3-Clause
import { button, closeOutside, element, icon, make } from "../dom.js";

/** @typedef {import("../types.js").State} State */

// None is green or red, which mark differences.
const COLORS = ["#f5b83c", "#a86df0", "#35b6d6", "#ec5fb1", "#b5c334", "#8a6a4f", "#f58f3c"];
const MOST = 32;
const STROKING = ["brush", "click", "box", "paint", "polygon", "fill"]; // tools that use a label

/** The labels to paint with: pick one, give it a name and a colour, add another. */
export class Brushes {
  #place = element("brushes", HTMLElement);
  #add = button("add-label");
  #store;
  #drawn = "";

  /** @param {import("../store.js").Store} store */
  constructor(store) {
    this.#store = store;
    this.#add.addEventListener("click", () => this.#another());
  }

  /** @param {State} state */
  render(state) {
    const key = JSON.stringify([state.labels, state.session?.mode]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      this.#place.replaceChildren(...state.labels.map((label, k) => this.#brush(label, k)));
    }
    this.#place.querySelectorAll(".brush-pick").forEach((pick, k) => {
      const picked = k + 1 === state.label && !["erase", "rub", "combine"].includes(state.tool);
      pick.setAttribute("aria-pressed", String(picked));
      if (pick.nextElementSibling instanceof HTMLElement) pick.nextElementSibling.hidden = !picked;
    });
    this.#add.hidden = state.session?.mode === "classes" || state.labels.length >= MOST;
  }

  /** @param {import("../types.js").Label} label @param {number} k */
  #brush(label, k) {
    const swatch = make("i", { class: "swatch" });
    swatch.style.background = label.color;
    const pick = make("button", { class: "brush-pick", "aria-pressed": "false" }, [swatch, make("span", {}, [label.name])]);
    pick.addEventListener("click", () => this.#pick(k + 1));
    pick.addEventListener("dblclick", () => this.#edit(item, k));
    const told = `Name and colour of ${label.name}`;
    const edit = make("button", { class: "icon-button small", "aria-label": told, title: told });
    edit.append(icon("i-pencil"));
    edit.addEventListener("click", () => this.#edit(item, k));
    const item = make("li", { class: "brush" }, [pick, edit]);
    return item;
  }

  /** @param {number} label */
  #pick(label) {
    const { tool } = this.#store.state;
    this.#store.change({ label, tool: STROKING.includes(tool) ? tool : "brush" });
  }

  /** @param {HTMLElement} item @param {number} k */
  #edit(item, k) {
    const { labels } = this.#store.state;
    const color = make("input", { class: "brush-color", type: "color", "aria-label": "Colour of the label", value: labels[k].color });
    const name = make("input", { class: "brush-name", "aria-label": "Name of the label", maxlength: "60", value: labels[k].name });
    const form = make("div", { class: "brush-form" }, [color, name]);
    item.replaceChildren(form);
    name.select();
    const stopped = new AbortController();
    const done = (/** @type {boolean} */ byKey) => {
      stopped.abort();
      this.#change(k, { name: name.value.trim() || labels[k].name, color: color.value });
      if (byKey) queueMicrotask(() => this.#focus(k));
    };
    form.addEventListener("keydown", (event) => ["Enter", "Escape"].includes(event.key) && done(true));
    closeOutside(form, () => done(false), stopped.signal);
  }

  /** @param {number} k @param {import("../types.js").Label} label */
  #change(k, label) {
    this.#drawn = "";
    this.#store.change({ labels: this.#store.state.labels.map((other, j) => (j === k ? label : other)) });
  }

  /** @param {number} k */
  #focus(k) {
    const pick = this.#place.querySelectorAll(".brush-pick")[k];
    if (pick instanceof HTMLElement) pick.focus();
  }

  #another() {
    const { labels } = this.#store.state;
    const name = `Object ${labels.length}`;
    const color = COLORS[(labels.length - 2) % COLORS.length];
    this.#store.change({ labels: [...labels, { name, color }], label: labels.length + 1, tool: "brush" });
  }
}
