// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { button, element, input } from "./dom.js";
import { say, sayError } from "./messages.js";

/** @typedef {import("./types.js").Opened} Opened @typedef {import("./types.js").State} State */

/** Images come in: from the disk, by dropping, the sample. */
export class Opening {
  #store;
  #leave;
  #arrived;
  /** Which opening is the last one. */
  #turns = 0;
  /** How to open the image once more. @type {() => Promise<Opened>} */
  again = api.openSample;

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
    button("sample").addEventListener("click", () => this.#mayLeave() && void this.sample());
    this.#acceptDrops();
  }

  sample() {
    return this.open(api.openSample);
  }

  /** An image or a session file; scores of classes belong to an image. @param {File[]} files */
  async files(files) {
    const scores = files.find((file) => /\.np[yz]$/i.test(file.name));
    const image = files.find((file) => file !== scores);
    if (image && !(this.#mayLeave() && (await this.open(() => api.openFile(image))))) return;
    if (scores) await this.#scores(scores);
  }

  /** The server has closed the session: open the image again and keep the strokes. */
  async reopen() {
    this.#store.forgetLists({ session: await this.again() });
  }

  /**
   * Open an image; of several that were asked for at once the last one is shown.
   * @param {() => Promise<Opened>} ask
   * @param {() => Promise<Opened>} again
   * @param {Partial<State>} [kept] What was made of it before.
   * @returns {Promise<boolean>} Whether it is there.
   */
  async open(ask, again = ask, kept = {}) {
    const before = this.#store.state.session;
    const turn = ++this.#turns;
    this.#leave();
    say("Opening …", "busy");
    try {
      const opened = await ask();
      const image = await api.image(opened.id);
      if (turn !== this.#turns) return true;
      this.again = again;
      if (before && before.id !== opened.id && before.number === null) void api.close(before.id);
      this.#take(opened, image, kept);
      say("");
      this.#arrived(opened);
      return true;
    } catch (error) {
      if (turn === this.#turns) sayError(error);
      return turn !== this.#turns;
    }
  }

  /** @param {File} file */
  async #scores(file) {
    const { session } = this.#store.state;
    if (!session) return say("Open the image first, then its scores.", "bad");
    const { again } = this;
    await this.open(() => api.giveScores(session.id, file), async () => api.giveScores((await again()).id, file));
  }

  /** Strokes on images of the folder are kept; others are lost when another image comes. */
  #mayLeave() {
    const { session } = this.#store.state;
    if (!session || session.number !== null || !this.#store.unsaved) return true;
    return window.confirm(`The strokes on ${session.name} were not exported. Discard them?`);
  }

  /** @param {Opened} session @param {ImageBitmap} image @param {Partial<State>} kept */
  #take(session, image, kept) {
    const { document: made } = session;
    const labels = made?.labels ?? session.labels;
    const classes = session.mode === "classes" ? { label: 1 } : {};
    this.#store.reset({ ...(labels ? { labels } : {}), ...classes, ...kept, session, image });
    if (kept.session && kept.session.id !== session.id) this.#store.forgetLists({});
    if (!made) return;
    const { strokes, base, ...list } = made.wish;
    this.#store.change({ strokes, base, settings: { ...this.#store.state.settings, ...list } });
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
  render({ session }) {
    element("name", HTMLElement).textContent = session ? `${session.name}, ${session.width} × ${session.height}` : "";
    element("empty", HTMLElement).hidden = session !== null;
  }
}
