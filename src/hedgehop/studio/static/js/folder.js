// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { button, element } from "./dom.js";

/** @typedef {import("./types.js").Opened} Opened @typedef {import("./types.js").State} State */
/** @typedef {{state: Partial<State> & {session: Opened}, again: () => Promise<Opened>}} Kept */

/** The images of the command line, one after the other; what was made of each is kept. */
export class Folder {
  #store;
  #opening;
  #at = -1;
  /** @type {Map<number, Kept>} */
  #kept = new Map();

  /** @param {import("./store.js").Store} store @param {import("./opening.js").Opening} opening */
  constructor(store, opening) {
    this.#store = store;
    this.#opening = opening;
    button("previous").addEventListener("click", () => void this.turn(-1));
    button("next").addEventListener("click", () => void this.turn(1));
  }

  /** Begin with the first image, or with the sample. */
  async start() {
    const about = await api.about();
    this.#store.change({ images: about.images, maySave: about.may_save });
    await (about.images.length ? this.#show(0) : this.#opening.sample());
  }

  /** @param {number} by */
  async turn(by) {
    const next = this.#place(this.#store.state) + by;
    if (next >= 0 && next < this.#store.state.images.length) await this.#show(next);
  }

  /** Remember what was made of the image on show. */
  keep() {
    const { session, labels, label, strokes, found, selected, base, past, future, saved } = this.#store.state;
    if (session?.number === null || !session) return;
    const state = { session, labels, label, strokes, found, selected, base, past, future, saved };
    this.#kept.set(session.number, { state, again: this.#opening.again });
  }

  /** Whether strokes on other images than the one on show are in no file. */
  get unsaved() {
    return [...this.#kept.values()].some(({ state }) => state.strokes?.length && state.strokes !== state.saved);
  }

  /** @param {number} number */
  async #show(number) {
    this.#at = number;
    const kept = this.#kept.get(number);
    const again = kept?.again ?? (() => api.openGiven(number));
    const there = await this.#opening.open(() => lively(kept?.state.session, again), again, kept?.state);
    if (!there) this.#store.reset({ session: null, image: null });
    if (this.#store.state.session?.number === number) this.#kept.delete(number);
  }

  /** Place of what is on show, or could not be shown; -1 for images from elsewhere. @param {State} state */
  #place({ session }) {
    return session?.number === null ? -1 : this.#at;
  }

  /** @param {State} state */
  render(state) {
    const { images } = state;
    const at = this.#place(state);
    element("folder", HTMLElement).hidden = images.length < 2;
    element("place", HTMLElement).textContent = at < 0 ? `${images.length} images` : `${at + 1} of ${images.length}`;
    button("previous").disabled = at <= 0;
    button("next").disabled = at + 1 >= images.length;
    if (!state.session && at >= 0) element("name", HTMLElement).textContent = images[at];
  }
}

/**
 * A session if the server still knows it, else a new one.
 * @param {Opened | undefined} session
 * @param {() => Promise<Opened>} again
 */
async function lively(session, again) {
  const alive = session && (await api.image(session.id).then(() => true, () => false));
  return alive ? session : again();
}
