// SPDX-License-Identifier: BSD-3-Clause
import { current } from "../answers.js";
import * as api from "../api.js";
import { button, closeOutside, element, make } from "../dom.js";
import { say, sayError } from "../messages.js";

/** @typedef {import("../types.js").State} State */

const FILES = /** @type {const} */ ([
  ["mask", ".mask.png", "Label mask", "PNG, the number of the label at each pixel"],
  ["cutout", ".cutout.png", "Cut-out", "PNG, transparent around the object"],
  ["coco", ".coco.json", "COCO run lengths", "JSON, for training and other tools"],
  ["zip", ".zip", "All candidates", "ZIP, masks and run lengths"],
  ["document", ".session.json", "This session", "JSON, to open again later"],
]);

/** The export menu: files to take home, or next to the original where the studio was given a folder. */
export class ExportMenu {
  #store;
  #reopen;
  #button = button("export");
  #menu = element("export-menu", HTMLElement);

  /** @param {import("../store.js").Store} store @param {() => Promise<void>} reopen Called when the server knows the session no more. */
  constructor(store, reopen) {
    this.#store = store;
    this.#reopen = reopen;
    this.#button.addEventListener("click", () => (this.#menu.hidden ? this.#open() : this.#close()));
    this.#button.parentElement?.addEventListener("keydown", (event) => this.#key(event));
    closeOutside(this.#menu, () => this.#close());
  }

  /** @param {State} state */
  render(state) {
    this.#button.disabled = !state.session;
  }

  #open() {
    const { session, maySave } = this.#store.state;
    const answered = current(this.#store.state) !== null;
    const items = FILES.filter(([what]) => what === "document" || answered).map(([what, suffix, name, about]) =>
      this.#item(name, about, () => void this.#download(what, suffix)));
    if (maySave && session?.number !== null && answered) {
      items.push(this.#item("Save mask next to the image", "in the folder of the original", () => void this.#save(false)));
    }
    this.#menu.replaceChildren(...items);
    this.#menu.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    items[0]?.focus();
  }

  #close() {
    this.#menu.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
  }

  /** @param {string} name @param {string} about @param {() => void} act */
  #item(name, about, act) {
    const item = make("button", { class: "menu-item", role: "menuitem", tabindex: "-1" }, [name, make("small", {}, [about])]);
    item.addEventListener("click", () => {
      this.#close();
      this.#button.focus();
      act();
    });
    return item;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#menu.hidden && event.key !== "ArrowDown") return;
    if (this.#menu.hidden) this.#open();
    else if (!this.#walk(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} key @returns {boolean} Whether it was one of ours. */
  #walk(key) {
    const items = /** @type {HTMLElement[]} */ ([...this.#menu.children]);
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
    if (next !== undefined) items.at(next % items.length)?.focus();
    else if (key === "Escape") this.#button.focus();
    if (key === "Escape") this.#close();
    return next !== undefined || key === "Escape";
  }

  #candidate() {
    return { runs: current(this.#store.state)?.runs ?? [] };
  }

  /** What a file is made of. @param {string} what */
  #body(what) {
    const { strokes, box, settings, refining, labels, found } = this.#store.state;
    const { auto, ...list } = settings;
    if (what === "document") return { wish: { ...list, strokes, box, base: refining ? this.#candidate() : null }, labels };
    if (what !== "zip") return { what, candidate: this.#candidate(), labels };
    return { candidates: (found?.candidates ?? [this.#candidate()]).map(({ runs }) => ({ runs })), labels };
  }

  /** @param {string} what @param {string} suffix */
  async #download(what, suffix) {
    const { session } = this.#store.state;
    if (!session) return;
    say("Writing …", "busy");
    try {
      const data = await this.#anyway((id) => api.exported(id, what, this.#body(what)));
      const link = make("a", { href: URL.createObjectURL(data), download: session.name.replace(/\.[^.]+$/, "") + suffix });
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      say(`Exported ${link.download}.`);
    } catch (error) {
      sayError(error);
    }
  }

  /**
   * Ask the server; if it knows the session no more, open the image again and ask once more.
   * @template T
   * @param {(id: string) => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async #anyway(ask) {
    const id = () => this.#store.state.session?.id ?? "";
    return ask(id()).catch(async (error) => {
      if (!(error instanceof api.Refusal && error.status === 404)) throw error;
      await this.#reopen();
      return ask(id());
    });
  }

  /** @param {boolean} replace @returns {Promise<void>} */
  async #save(replace) {
    const { session, labels } = this.#store.state;
    if (!session) return;
    try {
      const { name } = await this.#anyway((id) => api.save(id, { what: "mask", candidate: this.#candidate(), labels, replace }));
      say(`Saved ${name} next to the image.`);
    } catch (error) {
      const there = error instanceof api.Refusal && error.status === 409 && !replace;
      if (there && window.confirm(`${error.message} Replace it?`)) return this.#save(true);
      sayError(error);
    }
  }
}
