// SPDX-License-Identifier: BSD-3-Clause
import { button, element, make } from "./dom.js";

/** @typedef {import("./types.js").State} State */

const COLORS = ["#e0559a", "#3fbf8f", "#a86df0", "#ef6b4a", "#35b6d6", "#b5c334", "#d98cf0"];
const MOST = 12;

/** The labels to paint with: pick one, name it by a double click, add another. */
export class Brushes {
  #place = element("brushes", HTMLElement);
  #add = button("add-label");
  #store;
  #drawn = "";

  /** @param {import("./store.js").Store} store */
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
      pick.setAttribute("aria-pressed", String(k + 1 === state.label && state.tool !== "erase"));
    });
    this.#add.hidden = state.session?.mode === "classes" || state.labels.length >= MOST;
  }

  /** @param {import("./types.js").Label} label @param {number} k */
  #brush(label, k) {
    const swatch = make("i", { class: "swatch" });
    swatch.style.background = label.color;
    const hint = "Double-click or F2 to name it";
    const pick = make("button", { class: "brush-pick", "aria-pressed": "false", title: hint }, [swatch, make("span", {}, [label.name])]);
    pick.addEventListener("click", () => this.#store.change({ label: k + 1, tool: "brush" }));
    pick.addEventListener("dblclick", () => this.#rename(item, k));
    pick.addEventListener("keydown", (event) => event.key === "F2" && this.#rename(item, k));
    const item = make("li", { class: "brush" }, [pick]);
    return item;
  }

  /** @param {HTMLElement} item @param {number} k */
  #rename(item, k) {
    const { labels } = this.#store.state;
    const field = make("input", { class: "brush-name", "aria-label": "Name of the label", maxlength: "60" });
    field.value = labels[k].name;
    item.replaceChildren(field);
    field.select();
    const done = () => {
      const name = field.value.trim() || labels[k].name;
      this.#drawn = "";
      this.#store.change({ labels: labels.map((label, j) => (j === k ? { ...label, name } : label)) });
    };
    field.addEventListener("blur", done, { once: true });
    field.addEventListener("keydown", (event) => ["Enter", "Escape"].includes(event.key) && field.blur());
  }

  #another() {
    const { labels } = this.#store.state;
    const name = `Object ${labels.length}`;
    const color = COLORS[(labels.length - 2) % COLORS.length];
    this.#store.change({ labels: [...labels, { name, color }], label: labels.length + 1, tool: "brush" });
  }
}
