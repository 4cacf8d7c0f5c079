// SPDX-License-Identifier: BSD-3-Clause
import * as api from "./api.js";
import { button, element, input } from "./dom.js";
import { say, sayError } from "./messages.js";

/** @typedef {import("./types.js").Opened} Opened @typedef {import("./types.js").State} State */

/** Images come in: from the disk, by dropping, the sample. */
export class Opening {
  #store;
  #keeper;
  #leave;
  #arrived;
  /** Which opening is the last one. */
  #turns = 0;
  /** How to open the image once more. @type {() => Promise<Opened>} */
  again = api.openSample;

  /**
   * @param {import("./store.js").Store} store
   * @param {import("./storage/keeper.js").Keeper} keeper
   * @param {() => void} leave Called before another image is opened.
   * @param {(opened: Opened) => void} arrived
   */
  constructor(store, keeper, leave, arrived) {
    this.#store = store;
    this.#keeper = keeper;
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
    if (image && !(this.#mayLeave() && (await this.file(image)))) return;
    if (scores) await this.#scores(scores);
  }

  /** @param {File} file */
  file(file) {
    return this.open(() => api.openFile(file), undefined, file);
  }

  /** The server has closed the session: open the image again and keep all that is here. */
  async reopen() {
    this.#store.change({ session: { ...(await this.again()), document: null, work: null } });
  }

  /**
   * Open an image; of several that were asked for at once the last one is shown.
   * @param {() => Promise<Opened>} ask
   * @param {() => Promise<Opened>} again
   * @param {File | null} file Where it comes from, if that is the person's disk.
   * @returns {Promise<boolean>} Whether it is there.
   */
  async open(ask, again = ask, file = null) {
    const before = this.#store.state.session;
    const turn = ++this.#turns;
    this.#leave();
    say("Opening …", "busy");
    try {
      await this.#keeper.flush();
      const opened = await ask();
      const image = await api.image(opened.id);
      const made = await this.#keeper.restored(opened, file);
      if (turn !== this.#turns) return true;
      this.again = again;
      if (before && before.id !== opened.id) void api.close(before.id);
      this.#take(opened, image, made);
      this.#keeper.shown(file);
      say(made.strokes?.length || made.kept ? `Your work on ${opened.name} is here again.` : "");
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
    const from = this.#keeper.file;
    const { id } = session;
    await this.open(
      () => api.giveScores(id, file), async () => api.giveScores((await again()).id, file), from && new File([from], from.name, { lastModified: 0 }),
    );
  }

  /** The browser keeps what was made of each image; where it does not, it is lost when another image comes. */
  #mayLeave() {
    const { session, strokes, keeps } = this.#store.state;
    if (!session || keeps || session.number !== null || !strokes.length) return true;
    return window.confirm(`This browser keeps nothing. Discard the strokes on ${session.name}?`);
  }

  /** @param {Opened} session @param {ImageBitmap} image @param {Partial<State>} kept */
  #take(session, image, kept) {
    const { document: made } = session;
    const labels = made?.labels ?? session.labels;
    const classes = session.mode === "classes" ? { label: 1 } : {};
    this.#store.reset({ ...(labels ? { labels } : {}), ...classes, ...kept, session, image });
    if (!made) return;
    const { strokes, box, base, m, kind, distance, smoothness } = made.wish;
    const chosen = base ? { kept: { runs: base.runs, name: "your earlier answer", kind: /** @type {const} */ ("chosen") }, selected: -1, refining: true } : {};
    this.#store.change({ strokes, box: box ?? null, ...chosen, settings: { ...this.#store.state.settings, m, kind, distance, smoothness } });
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
    const name = element("name", HTMLElement);
    name.textContent = name.title = session ? `${session.name}, ${session.width} × ${session.height}` : "";
    element("empty", HTMLElement).hidden = session !== null;
  }
}
