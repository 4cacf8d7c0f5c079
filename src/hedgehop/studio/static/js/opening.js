// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { button, element, input } from "./dom.js";
import { say, sayError } from "./messages.js";

/** @typedef {import("./types.js").Opened} Opened @typedef {import("./types.js").State} State */

/** Images come in: from the disk, by dropping, the sample, the folder of the command line. */
export class Opening {
  #store;
  #leave;
  #arrived;
  /** How to open the image once more. @type {(() => Promise<Opened>) | null} */
  #again = null;

  /**
   * @param {import("./store.js").Store} store
   * @param {() => void} leave Called before another image is opened.
   * @param {(opened: Opened) => void} arrived
   */
  constructor(store, leave, arrived) {
    this.#store = store;
    this.#leave = leave;
    this.#arrived = arrived;
    const file = input("file");
    button("open").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      void this.files([...(file.files ?? [])]);
      file.value = "";
    });
    button("sample").addEventListener("click", () => void this.sample());
    button("previous").addEventListener("click", () => void this.turn(-1));
    button("next").addEventListener("click", () => void this.turn(1));
    this.#acceptDrops();
  }

  async start() {
    const about = await api.about();
    this.#store.change({ images: about.images, maySave: about.may_save });
    await (about.images.length ? this.given(0) : this.sample());
  }

  sample() {
    return this.#open(api.openSample);
  }

  /** @param {number} number */
  given(number) {
    return this.#open(() => api.openGiven(number));
  }

  /** @param {number} by */
  async turn(by) {
    const { session, images } = this.#store.state;
    const next = (session?.number ?? -1) + by;
    if (next >= 0 && next < images.length) await this.given(next);
  }

  /** An image or a session file; scores of classes belong to an image. @param {File[]} files */
  async files(files) {
    const scores = files.find((file) => /\.np[yz]$/i.test(file.name));
    const image = files.find((file) => file !== scores);
    if (image) await this.#open(() => api.openFile(image));
    const { session } = this.#store.state;
    if (!scores) return;
    if (!session) return say("Open the image first, then its scores.", "bad");
    await this.#open(() => api.giveScores(session.id, scores), session.id);
  }

  /** The server has closed the session: open the image again and keep the strokes. */
  async reopen() {
    if (!this.#again) throw new Error("nothing to open");
    const session = await this.#again();
    this.#store.change({ session, base: null, past: [], future: [] });
  }

  /** @param {() => Promise<Opened>} ask @param {string} [kept] A session that goes on. */
  async #open(ask, kept) {
    const before = this.#store.state.session;
    this.#leave();
    say("Opening …", "busy");
    try {
      const opened = await ask();
      const image = await api.image(opened.id);
      this.#again = kept ? this.#again : ask;
      if (before && before.id !== opened.id) void api.close(before.id);
      this.#take(opened, image);
      say("");
      this.#arrived(opened);
    } catch (error) {
      sayError(error);
    }
  }

  /** @param {Opened} session @param {ImageBitmap} image */
  #take(session, image) {
    const { document: made } = session;
    const labels = made?.labels ?? session.labels;
    this.#store.reset({ session, image, ...(labels ? { labels } : {}), ...(session.mode === "classes" ? { label: 1 } : {}) });
    if (!made) return;
    const { strokes, base, ...wishes } = made.wish;
    this.#store.change({ strokes, base, settings: { ...this.#store.state.settings, ...wishes } });
  }

  #acceptDrops() {
    const stage = element("board", HTMLCanvasElement).parentElement;
    for (const name of ["dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => {
        event.preventDefault();
        stage?.classList.toggle("dropping", name === "dragover");
      });
    }
    document.addEventListener("drop", (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length) void this.files(files);
    });
  }

  /** @param {State} state */
  render({ session, images }) {
    element("name", HTMLElement).textContent = session ? `${session.name}, ${session.width} × ${session.height}` : "";
    element("empty", HTMLElement).hidden = session !== null;
    element("folder", HTMLElement).hidden = images.length < 2;
    const at = session?.number ?? null;
    element("place", HTMLElement).textContent = at === null ? `${images.length} images` : `${at + 1} of ${images.length}`;
    button("previous").disabled = at === null || at === 0;
    button("next").disabled = at === null ? !images.length : at + 1 >= images.length;
  }
}
