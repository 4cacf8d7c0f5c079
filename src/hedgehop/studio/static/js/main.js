// SPDX-License-Identifier: BSD-3-Clause
import { Board } from "./drawing/board.js";
import { Brushes } from "./panels/brushes.js";
import { Controls } from "./panels/controls.js";
import { button, element } from "./dom.js";
import { ExportMenu } from "./panels/export_menu.js";
import { Folder } from "./folder.js";
import { Hint } from "./panels/hint.js";
import { KeyboardPen } from "./drawing/keyboard_pen.js";
import { watchKeys } from "./keys.js";
import { say, sayError } from "./messages.js";
import { Opening } from "./opening.js";
import { Pointer } from "./drawing/pointer.js";
import { Solver } from "./solver.js";
import { Store } from "./store.js";
import { Candidates } from "./panels/candidates.js";
import { watchTheme } from "./theme.js";
import { Tools } from "./panels/tools.js";

/** @typedef {import("./types.js").Stroke} Stroke */

const store = new Store();
const board = new Board();
const solver = new Solver(store, () => opening.reopen());
const hint = new Hint((strokes) => draw(...strokes));
const leave = () => {
  solver.stop(false);
  folder.keep();
};
const opening = new Opening(store, leave, (opened) => {
  hint.offer(opened, opened.name === "astronaut.png" && opened.number === null && !opened.document);
  if (solver.ready && !solver.solved) void solver.solve();
});
const folder = new Folder(store, opening);
const begin = () => {
  hint.close();
  solver.stop();
};
const pointer = new Pointer(store, board, begin, (stroke) => draw(stroke));
const pen = new KeyboardPen(store, board, begin, (stroke) => draw(stroke));
const candidates = new Candidates(store, choose);
const history = { undo: () => back(store.undo()), redo: () => back(store.redo()), clear };
const tools = new Tools(store, board, history);
const controls = new Controls(store, {
  changed: () => store.state.settings.auto && solver.ready && void solver.solve(),
  solve: () => void solver.solve(),
  stop: () => solver.stop(),
});
const exportMenu = new ExportMenu(store, () => solver.recover());
const parts = [board, new Brushes(store), tools, controls, candidates, exportMenu, opening, folder];

/** @param {Stroke[]} strokes */
function draw(...strokes) {
  store.commit({ strokes: [...store.state.strokes, ...strokes] });
  solver.soon();
}

/** Make a candidate the one that further strokes refine. @param {number} index */
function choose(index) {
  const candidate = store.state.found?.candidates[index];
  if (!candidate) return;
  store.commit({ selected: index, hovered: null, base: { list: candidate.list, index: candidate.index } });
  say(`Candidate ${index + 1} chosen. Draw to refine it, or export it.`);
}

/** @param {number} by */
function flip(by) {
  const count = store.state.found?.candidates.length ?? 0;
  if (!count) return;
  const selected = (store.state.selected + by + count) % count;
  store.change({ selected, hovered: null });
  if (candidates.focused) queueMicrotask(() => candidates.focus(selected));
}

/** After undo and redo; whole lists are remembered, so that these are not solved again. @param {boolean} done */
function back(done) {
  if (!done) return;
  solver.stop(false);
  say("");
  if (!solver.solved) solver.soon();
}

function clear() {
  solver.stop(false);
  store.commit({ strokes: [], base: null, found: null, selected: 0 });
  say("All strokes were removed. Undo brings them back.");
  if (store.state.session?.mode === "classes") solver.soon();
}

function forgetBase() {
  store.commit({ base: null });
  solver.soon();
}

/** @param {import("./types.js").State} state */
function renderBase({ base }) {
  element("base", HTMLElement).hidden = base === null;
  if (base) element("base-text", HTMLElement).textContent = `Refining candidate ${base.index + 1}`;
}

for (const part of parts) store.listen((state) => part.render(state));
store.listen(renderBase);
button("more").addEventListener("click", () => void solver.solve());
button("base-clear").addEventListener("click", forgetBase);

const keys = element("keys", HTMLDialogElement);
button("help").addEventListener("click", () => keys.showModal());
button("keys-close").addEventListener("click", () => keys.close());

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const actions = {
  ArrowLeft: () => flip(-1),
  ArrowRight: () => flip(1),
  Enter: () => choose(store.state.selected),
  b: () => store.change({ tool: "brush" }),
  e: () => store.change({ tool: "erase" }),
  h: () => store.change({ tool: "pan" }),
  x: () => store.change({ label: (store.state.label % store.state.labels.length) + 1, tool: "brush" }),
  v: () => store.change({ showStrokes: !store.state.showStrokes }),
  s: () => void solver.solve(),
  k: () => pen.toggle(),
  "[": () => tools.resize(-2),
  "]": () => tools.resize(2),
  "+": () => board.zoomMiddle(1.3),
  "=": () => board.zoomMiddle(1.3),
  "-": () => board.zoomMiddle(1 / 1.3),
  0: () => board.fit(),
  "?": () => keys.showModal(),
  Escape: () => solver.stop(),
  PageUp: () => void folder.turn(-1),
  PageDown: () => void folder.turn(1),
  " ": () => (pointer.held = true),
  "ctrl+z": (event) => (event.shiftKey ? history.redo() : history.undo()),
  "ctrl+y": () => history.redo(),
};
for (let k = 1; k <= 9; k++) actions[k] = () => choose(k - 1);
watchKeys(actions, (event) => pen.active && pen.handle(event));
document.addEventListener("keyup", (event) => {
  if (event.key === " ") pointer.held = false;
});

window.addEventListener("beforeunload", (event) => (store.unsaved || folder.unsaved) && event.preventDefault());
watchTheme();
store.change({});
folder.start().catch(sayError);
