// SPDX-License-Identifier: BSD-3-Clause
import * as api from "../api.js";
import { button, element, make } from "../dom.js";
import { say, sayError } from "../messages.js";

const TOLD = { open: "open", done: "done ✓", skipped: "skipped" };

/** All images of the folder with their marks, and one archive of all answers. */
export class Overview {
  #place = element("overview", HTMLDialogElement);
  #grid = element("overview-grid", HTMLElement);
  #which = element("overview-which", HTMLSelectElement);
  #folder;
  #keeper;

  /** @param {import("../folder.js").Folder} folder @param {import("../storage/keeper.js").Keeper} keeper */
  constructor(folder, keeper) {
    this.#folder = folder;
    this.#keeper = keeper;
    button("overview-open").addEventListener("click", () => void this.open());
    button("overview-close").addEventListener("click", () => this.#place.close());
    this.#which.addEventListener("change", () => this.#rebuild());
    for (const kind of ["coco", "voc", "masks"]) button(`folder-${kind}`).addEventListener("click", () => void this.#export(kind));
  }

  async open() {
    if (!this.#folder.images.length) return;
    await this.#keeper.flush();
    this.#rebuild();
    this.#place.showModal();
  }

  #rebuild() {
    const { images } = this.#folder;
    const done = images.filter(({ mark }) => mark === "done").length;
    const skipped = images.filter(({ mark }) => mark === "skipped").length;
    element("overview-text", HTMLElement).textContent = `${done} of ${images.length} done, ${skipped} skipped`;
    const wanted = this.#which.value;
    this.#grid.replaceChildren(...images.flatMap((image, k) => (wanted === "all" || wanted === image.mark ? [this.#tile(image, k)] : [])));
  }

  /** @param {{name: string, mark: "open" | "done" | "skipped", answered: boolean}} image @param {number} k */
  #tile({ name, mark, answered }, k) {
    const picture = make("img", { src: `/api/images/${k}/thumbnail`, alt: "", loading: "lazy", width: "160", height: "110" });
    const told = mark === "open" && answered ? "begun" : TOLD[mark];
    const tile = make("button", { class: "tile", "data-mark": mark, title: name }, [
      picture, make("span", { class: "tile-name" }, [name]), make("span", { class: "tile-mark" }, [told]),
    ]);
    tile.addEventListener("click", () => {
      this.#place.close();
      void this.#folder.show(k);
    });
    return tile;
  }

  /** @param {string} kind */
  async #export(kind) {
    say("Writing …", "busy");
    try {
      const data = await api.exportedFolder(kind);
      const link = make("a", { href: URL.createObjectURL(data), download: `folder.${kind}.zip` });
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      say(`Exported ${link.download}.`);
      this.#place.close();
    } catch (error) {
      sayError(error);
      element("overview-text", HTMLElement).textContent = error instanceof Error ? error.message : String(error);
    }
  }
}
