// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { button, element } from "./dom.js";
import { say } from "./messages.js";
import { remember, remembered } from "./storage/memory.js";

/** @typedef {import("./types.js").Opened} Opened @typedef {import("./types.js").State} State @typedef {import("./types.js").Mark} Mark */

/** The images of the command line: one after the other, open, done or skipped. */
export class Folder {
  #store;
  #opening;
  #keeper;
  #at = -1;
  /** The state of each image. @type {{name: string, mark: Mark, answered: boolean}[]} */
  images = [];

  /**
   * @param {import("./store.js").Store} store
   * @param {import("./opening.js").Opening} opening
   * @param {import("./storage/keeper.js").Keeper} keeper
   */
  constructor(store, opening, keeper) {
    this.#store = store;
    this.#opening = opening;
    this.#keeper = keeper;
    button("previous").addEventListener("click", () => void this.turn(-1));
    button("next").addEventListener("click", () => void this.turn(1));
    button("done").addEventListener("click", () => void this.mark("done"));
    button("skip").addEventListener("click", () => void this.mark("skipped"));
  }

  /** Begin with the image that was open last, the first one, or the sample. */
  async start() {
    const about = await api.about();
    this.#keeper.place = about.place;
    if (about.labels.length) this.#store.brushes = about.labels;
    this.#store.change({ images: about.images, maySave: about.may_save });
    if (about.images.length) {
      this.images = await api.overview();
      const last = about.images.indexOf(remembered(`image ${about.place}`) ?? "");
      return this.show(Math.max(0, last));
    }
    const last = await this.#keeper.last();
    await (last?.file ? this.#opening.file(last.file) : this.#opening.sample());
  }

  /** @param {number} by */
  async turn(by) {
    const next = this.#place(this.#store.state) + by;
    if (next >= 0 && next < this.#store.state.images.length) await this.show(next);
  }

  /** Mark the image on show, or take that back, and go on to the next open one. @param {Mark} mark */
  async mark(mark) {
    const { session, mark: before } = this.#store.state;
    if (!session || session.number === null) return;
    this.#store.change({ mark: before === mark ? "open" : mark });
    this.#note(this.#store.state);
    await this.#keeper.flush();
    if (before !== mark) await this.nextOpen();
  }

  /** Go to the next image that is open, from here on. */
  async nextOpen() {
    const count = this.images.length;
    const start = this.#place(this.#store.state);
    for (let by = 1; by <= count; by++) {
      const k = (start + by) % count;
      if (this.images[k].mark === "open" && k !== start) return this.show(k);
    }
    say(`All ${count} images are done or skipped.`);
  }

  /** @param {number} number */
  async show(number) {
    this.#at = number;
    const there = await this.#opening.open(() => api.openGiven(number));
    if (!there) this.#store.reset({ session: null, image: null });
    remember(`image ${this.#keeper.place}`, this.#store.state.images[number]);
  }

  /** Place of what is on show, or could not be shown; -1 for images from elsewhere. @param {State} state */
  #place({ session }) {
    return session?.number === null ? -1 : this.#at;
  }

  /** @param {State} state */
  #note({ session, mark, found, kept }) {
    const image = session?.number === null || !session ? null : this.images[session.number];
    if (image) Object.assign(image, { mark, answered: image.answered || Boolean(found || kept) });
  }

  /** @param {State} state */
  render(state) {
    const { images } = state;
    const at = this.#place(state);
    this.#note(state);
    const done = this.images.filter(({ mark }) => mark !== "open").length;
    element("folder", HTMLElement).hidden = images.length < 2;
    button("sample").hidden = images.length > 0; // who has brought images needs no sample, and the room is needed
    element("place", HTMLElement).textContent = at < 0 ? `${images.length} images` : `${at + 1} of ${images.length}`;
    element("progress", HTMLProgressElement).max = Math.max(1, images.length);
    element("progress", HTMLProgressElement).value = done;
    element("progress", HTMLProgressElement).title = `${done} of ${images.length} done or skipped`;
    button("previous").disabled = at <= 0;
    button("next").disabled = at + 1 >= images.length;
    for (const [name, mark] of /** @type {const} */ ([["done", "done"], ["skip", "skipped"]])) {
      button(name).setAttribute("aria-pressed", String(state.mark === mark));
      button(name).disabled = at < 0 || !state.session;
    }
    if (!state.session && at >= 0) element("name", HTMLElement).textContent = images[at];
  }
}
