// SPDX-License-Identifier: BSD-3-Clause
import { button } from "./dom.js";
import { remember, remembered } from "./storage/memory.js";

/** Dark or light: as the system has it, until the person decides. */
export function watchTheme() {
  const root = document.documentElement;
  const kept = remembered("theme");
  if (kept) root.dataset.theme = kept;
  button("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  });
}
