// SPDX-License-Identifier: BSD-3-Clause
/**
 * Keys of the whole page; fields and pressed buttons keep theirs.
 * @param {Record<string, (event: KeyboardEvent) => void>} actions By key, "ctrl+" before those with Ctrl or Cmd.
 * @param {(event: KeyboardEvent) => boolean} first Who may take a key before.
 */
export function watchKeys(actions, first) {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || belongsToField(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + key;
    if (first(event)) return event.preventDefault();
    if (!(name in actions)) return;
    event.preventDefault();
    actions[name](event);
  });
}

/** @param {KeyboardEvent} event */
function belongsToField(event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog, input:not([type=range]):not([type=checkbox]), textarea")) return true;
  if (/^[1-9]$/.test(key) || ((event.ctrlKey || event.metaKey) && /^[zy]$/i.test(key))) return false; // wherever the focus is
  if (target.closest("[role=menu], select")) return true;
  if (target instanceof HTMLInputElement && (key.startsWith("Arrow") || key === " ")) return true;
  return target.closest("button, a") !== null && (key === " " || key === "Enter");
}
