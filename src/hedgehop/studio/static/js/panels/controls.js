// SPDX-License-Identifier: BSD-3-Clause
import { button, closeOutside, element, input, make } from "../dom.js";

/** @typedef {import("../types.js").State} State */

const DISTANCES = [0.02, 0.035, 0.06, 0.1, 0.16, 0.25, 0.4];
const MOST = 9;
const CHANCES = "The percentage of a candidate is the probability that it is the one nearest to what you want, as far as the models that made the list agree.";

/** How the list should be, in plain words; solve, stop; what is proven. */
export class Controls {
  #m = element("m", HTMLSelectElement);
  #kind = element("kind", HTMLSelectElement);
  #distance = input("distance");
  #smoothness = input("smoothness");
  #auto = input("auto");
  #proof = button("proof");
  #meaning = element("proof-text", HTMLElement);

  /**
   * @param {import("../store.js").Store} store
   * @param {{changed: () => void, solve: () => void, stop: () => void}} actions
   */
  constructor(store, actions) {
    for (let m = 2; m <= MOST; m++) this.#m.append(make("option", { value: `${m}` }, [`${m}`]));
    const change = (/** @type {Partial<import("../types.js").Settings>} */ patch) =>
      store.change({ settings: { ...store.state.settings, ...patch } });
    const settle = (/** @type {Partial<import("../types.js").Settings>} */ patch) => {
      change(patch);
      actions.changed();
    };
    this.#m.addEventListener("change", () => settle({ m: Number(this.#m.value) }));
    this.#kind.addEventListener("change", () => settle({ kind: this.#kind.value }));
    this.#auto.addEventListener("change", () => change({ auto: this.#auto.checked }));
    for (const [field, read] of /** @type {const} */ ([
      [this.#distance, () => ({ distance: DISTANCES[Number(this.#distance.value)] })],
      [this.#smoothness, () => ({ smoothness: 2 ** (Number(this.#smoothness.value) / 2) })],
    ])) {
      field.addEventListener("input", () => change(read()));
      field.addEventListener("change", () => settle(read()));
    }
    button("solve").addEventListener("click", actions.solve);
    button("stop").addEventListener("click", actions.stop);
    this.#proof.addEventListener("click", () => this.#explain(Boolean(this.#meaning.hidden)));
    this.#proof.addEventListener("keydown", (event) => event.key === "Escape" && this.#explain(false));
    closeOutside(this.#meaning, () => this.#explain(false));
  }

  /** @param {boolean} open */
  #explain(open) {
    this.#meaning.hidden = !open;
    this.#proof.setAttribute("aria-expanded", String(open));
  }

  /** Solve or stop: one takes the place of the other, and its focus. @param {boolean} busy */
  #swap(busy) {
    const [shown, gone] = busy ? [button("stop"), button("solve")] : [button("solve"), button("stop")];
    const focused = document.activeElement === gone;
    [shown.hidden, gone.hidden] = [false, true];
    if (focused) shown.focus();
  }

  /** @param {State} state */
  render({ settings, busy, session, labels, found }) {
    const { m, kind, distance, smoothness, auto } = settings;
    this.#m.value = String(m);
    this.#kind.value = kind;
    this.#auto.checked = auto;
    const level = nearest(DISTANCES, distance);
    this.#distance.value = String(level);
    this.#distance.disabled = kind === "default"; // which finds its own distance
    element("distance-field", HTMLElement).classList.toggle("off", kind === "default");
    element("distance-value", HTMLOutputElement).value = kind === "default" ? "automatic" : `about ${percent(distance)}`;
    this.#smoothness.value = String(Math.round(2 * Math.log2(smoothness || 0.25)));
    element("smoothness-value", HTMLOutputElement).value = word(smoothness);
    const few = session?.mode !== "classes" && labels.length < 3;
    for (const option of this.#kind.options) option.disabled = few && ["labels", "neighbours"].includes(option.value);
    button("solve").disabled = !session;
    this.#swap(busy);
    this.#proof.hidden = busy || !found?.proof;
    if (!found?.proof) return;
    const chances = found.candidates.some(({ chance }) => chance !== undefined) ? CHANCES : "";
    this.#meaning.replaceChildren(...[chances, found.proof.meaning].filter(Boolean).map((text) => make("p", {}, [text])));
  }
}

/** @param {number} share */
const percent = (share) => `${Math.round(share * 1000) / 10} %`;

/** @param {number[]} values @param {number} wanted */
function nearest(values, wanted) {
  const far = values.map((value) => Math.abs(value - wanted));
  return far.indexOf(Math.min(...far));
}

/** @param {number} smoothness */
function word(smoothness) {
  if (smoothness < 0.4) return "very little";
  if (smoothness < 0.9) return "little";
  if (smoothness < 1.2) return "normal";
  return smoothness < 2.5 ? "much" : "very much";
}
