// SPDX-License-Identifier: BSD-3-Clause
import { current, mapAt } from "./answers.js";
import { Board, boxOf } from "./drawing/board.js";
import { Brushes } from "./panels/brushes.js";
import { Controls } from "./panels/controls.js";
import { button, element } from "./dom.js";
import { Editing } from "./editing.js";
import { ExportMenu } from "./panels/export_menu.js";
import { Folder } from "./folder.js";
import { frameOf } from "./drawing/frames.js";
import { Hint } from "./panels/hint.js";
import { Keeper } from "./storage/keeper.js";
import { KeyboardPen } from "./drawing/keyboard_pen.js";
import { watchKeys } from "./keys.js";
import { say, sayError } from "./messages.js";
import { Opening } from "./opening.js";
import { Overview } from "./panels/overview.js";
import { Pointer } from "./drawing/pointer.js";
import { Solver } from "./solver.js";
import { Store } from "./store.js";
import { Candidates, drawThumbnail } from "./panels/candidates.js";
import { watchTheme } from "./theme.js";
import { Tools } from "./panels/tools.js";

/** @typedef {import("./types.js").Stroke} Stroke */

const store = new Store();
const board = new Board();
const keeper = new Keeper(store);
const solver = new Solver(store, () => opening.reopen());
const hint = new Hint((strokes) => draw(...strokes));
const opening = new Opening(store, keeper, () => solver.stop(false), (opened) => {
  const { strokes, kept } = store.state;
  if (strokes.length || kept) hint.hide();
  else hint.offer(opened, opened.name === "astronaut.png" && opened.number === null && !opened.document);
  if (solver.ready && !solver.solved && !store.state.kept) void solver.solve();
});
const folder = new Folder(store, opening, keeper);
const overview = new Overview(folder, keeper);
const begin = () => {
  hint.close();
  if (!EDITING.includes(store.state.tool)) solver.stop();
};
const EDITING = ["paint", "rub", "polygon", "fill", "combine"];
const editing = new Editing(store, board);
const pointer = new Pointer(store, board, begin, finish);
const pen = new KeyboardPen(store, board, begin, finish);
const candidates = new Candidates(store, pick);
const history = { undo: () => back(store.undo()), redo: () => back(store.redo()), clear };
const tools = new Tools(store, board, take, history);
const controls = new Controls(store, {
  changed: () => store.state.settings.auto && solver.ready && void solver.solve(),
  solve: () => void solver.solve(),
  stop: () => solver.stop(),
});
const exportMenu = new ExportMenu(store, () => opening.reopen());
const parts = [board, new Brushes(store), tools, controls, candidates, exportMenu, opening, folder, editing, keeper];

/** A movement of the brush is done: what it means depends on the tool. @param {Stroke} stroke */
function finish(stroke) {
  const { tool, session } = store.state;
  if (!session || editing.took(stroke)) return;
  if (tool === "box") return frame(boxOf(stroke.points));
  if (tool !== "click") return draw(stroke);
  const radius = Math.max((2 * session.width) / session.solved_width, 0.01 * Math.min(session.width, session.height));
  draw({ ...stroke, radius, points: [stroke.points[0]] });
}

/** @param {Stroke[]} strokes */
function draw(...strokes) {
  store.commit({ strokes: [...store.state.strokes, ...strokes] });
  solver.soon();
}

/** @param {import("./types.js").Box} box */
function frame(box) {
  const { session } = store.state;
  if (!session || box[2] - box[0] < 0.01 * session.width || box[3] - box[1] < 0.01 * session.height) return say("Drag from one corner to the other.");
  store.commit({ box, kept: null, refining: false, edits: null });
  solver.soon();
}

/** Take a tool in hand. @param {import("./types.js").Tool} tool */
function take(tool) {
  const { found, selected, kept } = store.state;
  if (EDITING.includes(tool) && !found && !kept) return say("There is nothing to edit yet. Draw across what you want first.");
  const other = found?.candidates.findIndex((each, k) => k !== selected && each.runs !== kept?.runs) ?? -1;
  store.change({ tool, polygon: [], source: tool === "combine" && other >= 0 ? other : null });
}

/** Press a number: choose a candidate, or take regions from it. @param {number} index */
function pick(index) {
  if (store.state.tool !== "combine") return choose(index);
  if (index < (store.state.found?.candidates.length ?? 0)) store.change({ source: index, hovered: null });
}

/** Make a candidate the one that further strokes refine. @param {number} index */
function choose(index) {
  const candidate = mapAt(store.state, index);
  if (!candidate) return;
  const name = index < 0 ? "what was there before" : `candidate ${index + 1}`;
  store.commit({ selected: index, hovered: null, refining: true, kept: { runs: candidate.runs, name, kind: "chosen" } });
  say(`${name.charAt(0).toUpperCase()}${name.slice(1)} chosen. Draw to refine it, or export it.`);
}

/** @param {number} by */
function flip(by) {
  const count = store.state.found?.candidates.length ?? 0;
  if (!count) return;
  const selected = (Math.max(store.state.selected, by > 0 ? -1 : 0) + by + count) % count;
  store.change({ selected, hovered: null });
  if (candidates.focused) queueMicrotask(() => candidates.focus(selected));
}

/** After undo and redo; whole lists are remembered, so that these are not solved again. @param {boolean} done */
function back(done) {
  if (!done) return;
  solver.stop(false);
  store.change({ source: null, hovered: null });
  say("");
  if (!solver.solved) solver.soon();
}

function clear() {
  solver.stop(false);
  store.commit({ strokes: [], box: null, kept: null, refining: false, edits: null, found: null, selected: 0 });
  say("All strokes were removed. Undo brings them back.");
  if (store.state.session?.mode === "classes") solver.soon();
}

function forgetBase() {
  store.commit({ refining: false, kept: null, edits: null, found: null, selected: 0 });
  solver.soon();
}

const refined = element("base-picture", HTMLCanvasElement);
/** @type {unknown} */
let pictured = null;

/** What is being refined, with its picture. @param {import("./types.js").State} state */
function renderBase(state) {
  const { refining, kept } = state;
  element("base", HTMLElement).hidden = !refining;
  const shown = kept ?? current(state);
  if (!refining || !shown) return;
  element("base-text", HTMLElement).textContent = `Refining ${kept && kept.kind !== "before" ? kept.name : "your choice"}`;
  if (pictured === shown.runs) return;
  pictured = shown.runs;
  refined.width = refined.width; // clears it
  drawThumbnail(refined, state, shown, null, frameOf(state, refined.width / refined.height));
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
  Enter: () => (store.state.polygon.length ? editing.close() : choose(store.state.selected)),
  b: () => take("brush"),
  q: () => take("click"),
  r: () => take("box"),
  e: () => take("erase"),
  h: () => take("pan"),
  p: () => take("paint"),
  u: () => take("rub"),
  g: () => take("polygon"),
  f: () => take("fill"),
  c: () => take("combine"),
  o: () => void overview.open(),
  n: () => void folder.nextOpen(),
  d: (event) => void folder.mark(event.shiftKey ? "skipped" : "done"),
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
  Escape: () => (store.state.polygon.length ? store.change({ polygon: [] }) : solver.stop()),
  PageUp: () => void folder.turn(-1),
  PageDown: () => void folder.turn(1),
  " ": () => (pointer.held = true),
  "ctrl+z": (event) => (event.shiftKey ? history.redo() : history.undo()),
  "ctrl+y": () => history.redo(),
};
for (let k = 1; k <= 9; k++) actions[k] = () => pick(k - 1);
watchKeys(actions, (event) => pen.active && pen.handle(event));
document.addEventListener("keyup", (event) => {
  if (event.key === " ") pointer.held = false;
});

window.addEventListener("beforeunload", (event) => !store.state.keeps && store.state.strokes.length && event.preventDefault());
watchTheme();
store.change({});
keeper.start().then(() => folder.start()).catch(sayError);
