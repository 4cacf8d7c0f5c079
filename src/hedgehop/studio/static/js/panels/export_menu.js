// SPDX-License-Identifier: BSD-3-Clause
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
  #recover;
  #button = button("export");
  #menu = element("export-menu", HTMLElement);

  /** @param {import("../store.js").Store} store @param {() => Promise<void>} recover Called when the server knows the session no more. */
  constructor(store, recover) {
    this.#store = store;
    this.#recover = recover;
    this.#button.addEventListener("click", () => (this.#menu.hidden ? this.#open() : this.#close()));
    this.#button.parentElement?.addEventListener("keydown", (event) => this.#key(event));
    closeOutside(this.#menu, () => this.#close());
  }

  /** @param {State} state */
  render(state) {
    this.#button.disabled = !state.session;
  }

  #open() {
    const { found, session, maySave } = this.#store.state;
    const items = FILES.filter(([what]) => what === "document" || found?.candidates.length).map(([what, suffix, name, about]) =>
      this.#item(name, about, () => void this.#download(what, suffix)));
    if (maySave && session?.number !== null && found?.candidates.length) {
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
    const { found, selected } = this.#store.state;
    const { list, index } = found?.candidates[selected] ?? { list: 0, index: 0 };
    return { list, index };
  }

  /** @param {string} what @param {string} suffix */
  async #download(what, suffix) {
    const { session, strokes, settings, base, labels } = this.#store.state;
    if (!session) return;
    say("Writing …", "busy");
    try {
      const { auto, ...list } = settings;
      const body = what === "document"
        ? { wish: { ...list, strokes, base }, labels }
        : { what: what === "zip" ? "mask" : what, candidate: this.#candidate(), labels };
      const data = await api.exported(session.id, what, body);
      const link = make("a", { href: URL.createObjectURL(data), download: session.name.replace(/\.[^.]+$/, "") + suffix });
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      this.#store.change({ saved: strokes });
      say(`Exported ${link.download}.`);
    } catch (error) {
      await this.#failed(error);
    }
  }

  /** @param {boolean} replace @returns {Promise<void>} */
  async #save(replace) {
    const { session, strokes, labels } = this.#store.state;
    if (!session) return;
    try {
      const { name } = await api.save(session.id, { what: "mask", candidate: this.#candidate(), labels, replace });
      this.#store.change({ saved: strokes });
      say(`Saved ${name} next to the image.`);
    } catch (error) {
      const there = error instanceof api.Refusal && error.status === 409 && !replace;
      if (there && window.confirm(`${error.message} Replace it?`)) return this.#save(true);
      await this.#failed(error);
    }
  }

  /** @param {unknown} error */
  async #failed(error) {
    if (!(error instanceof api.Refusal && error.status === 404)) return sayError(error);
    await this.#recover().then(() => say("The studio had closed this image. It is open again: choose a candidate and export it again."), sayError);
  }
}
