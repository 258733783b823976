/**
 * The inspector: how the number in the chosen cell comes about, at the step on the screen. A sheet under the maps that
 * stays in sight and hides no more of them than it must; Escape closes it, and the focus goes back where it was.
 */
import { createLean } from "./celllean.js";
import { createCellMaps } from "./cellmaps.js";
import { createPath, linesOf } from "./cellpath.js";
import { createPulls } from "./cellpulls.js";
import { createSum } from "./cellsum.js";
import { dom, write } from "./dom.js";
import { asRating, largestAt, pathOf, pullsOn, spoken, sumOf } from "./formula.js";
import { createWhatIf } from "./whatif.js";
import { NO_TERMS } from "./terms.js";
import { startName } from "./wording.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").PlayerEvent} PlayerEvent
 * @typedef {ReturnType<typeof pathOf>} Path
 */

const FIELDS = "input, select, textarea";
const SPOKEN_AFTER = 300; // milliseconds at rest until the cell is said

/**
 * @param {HTMLElement} root
 * @param {{dispatch: (event: PlayerEvent) => void, ask: ((name: "edit"|"lean", value: any) => void)|null, terms?: import("./terms.js").Terms}} player
 *   `ask` reaches the server; null where nobody answers, as in a saved page
 * @returns {{update: (run: Run, state: State) => void, destroy: () => void}}
 */
export function createInspector(root, { dispatch, ask, terms = NO_TERMS }) {
  /** @type {{run: Run, state: State}|null} */
  let now = null;
  /** @type {[number, number]|null} */
  let cell = null;
  /** @type {HTMLElement|null} */
  let cameFrom = null;
  let touchedAt = -1; // height on the screen of the last touch outside of the sheet
  /** @type {{run: Run, cell: string, path: Path}|null} */
  let kept = null; // it follows run and cell, and not the step

  const title = dom("h2", { tabIndex: -1 });
  const about = dom("p", { className: "mfc-about" });
  const moves = /** @type {[string, string, number, number][]} */ ([
    ["←", "Cell to the left", 0, -1], ["↑", "Cell above", -1, 0], ["↓", "Cell below", 1, 0], ["→", "Cell to the right", 0, 1],
  ]).map(([arrow, label, di, dj]) =>
    dom("button", { type: "button", className: "mfc-button mfc-move", title: label, "aria-label": label, onclick: () => dispatch({ type: "move", di, dj }) }, arrow));
  const close = dom("button", { type: "button", className: "mfc-button", title: "Close (Esc)", "aria-label": "Close", onclick: shut }, "✕");
  const parts = Object.fromEntries(["sum", "path", "whatif", "pulls", "lean", "maps"].map((name) => [name, dom("section", { className: `mfc-of-${name}` })]));
  const sheet = dom("aside", { className: "mfc-sheet", "aria-label": "The chosen cell", hidden: true },
    dom("header", {}, title, dom("div", { className: "mfc-moves", role: "group", "aria-label": "Another cell" }, ...moves, close), about),
    dom("div", { className: "mfc-parts" }, ...Object.values(parts)));
  const hint = dom("p", { className: "mfc-hint" }, "");
  const bar = dom("div", { className: "mfc-edits", role: "group", "aria-label": "Edits", hidden: true });
  const live = dom("p", { className: "mfc-heard", role: "status", "aria-live": "polite" });
  root.append(bar, hint, sheet, live);

  const sum = createSum(parts.sum, point, terms);
  const inMaps = createCellMaps(parts.maps);
  const path = createPath(parts.path, (t) => dispatch({ type: "go", t }));
  const pulls = createPulls(parts.pulls, { choose: point, turn: (side) => dispatch({ type: "side", side }) }, terms);
  const lean = createLean(parts.lean, {
    ask: (at) => ask?.("lean", at),
    point: (at) => dispatch(at ? { type: "hover", row: at[0], col: at[1] } : { type: "hover" }),
  });
  const whatIf = createWhatIf({ bar, cell: parts.whatif }, (action) => ask?.("edit", action));
  for (const details of sheet.querySelectorAll("details")) details.addEventListener("toggle", redraw);

  const around = root.parentElement ?? root;
  around.addEventListener("keydown", pressed);
  around.addEventListener("pointerdown", touched, true);
  around.addEventListener("keydown", keyed, true);

  function redraw() {
    if (now) draw(now.run, now.state);
  }

  /** @param {number|null} at a factor */
  function point(at) {
    if (cell && at !== null) dispatch({ type: "hover", row: cell[0], col: cell[1], factor: at });
    else dispatch({ type: "hover" });
  }

  function shut() {
    dispatch({ type: "select", cell: null });
  }

  /** @param {PointerEvent} event */
  function touched(event) {
    touchedAt = event.composedPath().includes(root) ? -1 : event.clientY;
  }

  function keyed() {
    touchedAt = -1;
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.defaultPrevented || event.isComposing) return;
    const inField = event.composedPath().some((part) => part instanceof Element && part.matches(FIELDS));
    const command = event.ctrlKey || event.metaKey;
    if (event.key === "Escape" && cell) shut();
    else if (command && !inField && /^[zy]$/i.test(event.key)) whatIf.push({ op: event.shiftKey || /^y$/i.test(event.key) ? "redo" : "undo" });
    else if (command || event.altKey || inField || !cell) return;
    else if (event.key === "Delete" || event.key === "Backspace") whatIf.push({ op: "hide" });
    else if (!/^[\d.,-]$/.test(event.key) || !whatIf.typed(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {boolean} enter  whether the focus goes in */
  function open(enter) {
    const focused = /** @type {Document|ShadowRoot} */ (root.getRootNode()).activeElement;
    cameFrom = focused instanceof HTMLElement && !root.contains(focused) ? focused : null;
    sheet.hidden = false;
    if (!enter) return;
    const words = touchedAt < 0 ? around.querySelector(".map-tip:not([hidden])") : null; // beside the cell of the keys
    const lowest = words ? words.getBoundingClientRect().bottom : touchedAt;
    title.focus({ preventScroll: true });
    const covered = lowest < 0 ? 0 : lowest - sheet.getBoundingClientRect().top + 48;
    if (covered > 0) scrolled(root)?.scrollBy({ top: covered, behavior: "instant" });
  }

  function closed() {
    const inside = sheet.contains(/** @type {Document|ShadowRoot} */ (root.getRootNode()).activeElement);
    sheet.hidden = true;
    if (inside && cameFrom?.isConnected) cameFrom.focus({ preventScroll: true });
    cameFrom = null;
  }

  /** @param {Run} run @param {[number, number]} at @returns {Path} */
  function pathKept(run, at) {
    if (kept?.run !== run || kept.cell !== String(at)) kept = { run, cell: String(at), path: pathOf(run, ...at) };
    return kept.path;
  }

  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let speaking;
  /** @param {string} text */
  function speak(text) {
    clearTimeout(speaking);
    speaking = setTimeout(() => write(live, text), SPOKEN_AFTER);
  }

  /** @param {Run} run @param {State} state */
  function draw(run, state) {
    hint.hidden = state.cell !== null;
    write(hint, `Choose a cell of any map, by a click or with Enter, to see ${run.maps.length ? "what all maps say of it" : "how its number comes about"}.`);
    if (!run.maps.length) whatIf.update(run, state.cell);
    if (state.cell === null) {
      clearTimeout(speaking);
      return;
    }
    const [i, j] = state.cell;
    if (run.maps.length) return drawStill(run, i, j);
    const { t, side } = state;
    const steps = pathKept(run, state.cell);
    const found = sumOf(run, t, i, j);
    const name = { row: rowCalled(run, i), col: colCalled(run, j) };
    const chosen = state.factor ?? largestAt(found.bars.map(({ term }) => term));
    const shown = Math.min(chosen, run.K - 1);
    write(title, `${name.row} · ${name.col}`);
    const when = t === 0 ? `at the ${startName(run)}` : `after ${run.round} ${t} of ${run.T}`;
    write(about, `${knownOf(steps)} ${steps.given === null ? "Estimate" : "The model’s own estimate"} ${when}: ${spoken(found.estimate)}.`);
    sum.update(run, found, shown, linesOf(steps));
    const at = i * run.m + j;
    path.update(run, steps, t, run.lower && run.upper && steps.given === null ? [run.lower[at], run.upper[at]] : null);
    pulls.update(run, pullsOn(run, t, side, side === "row" ? i : j), shown, t, name);
    lean.update(run, state.cell);
    if (!state.playing) speak(`${name.row}, ${name.col}. ${about.textContent}`);
  }

  /** A cell of maps that follow no step: what stands there in each of them. */
  /** @param {Run} run @param {number} i @param {number} j */
  function drawStill(run, i, j) {
    const at = i * run.m + j;
    const [given, truth] = [run.X[at], run.truth?.[at] ?? NaN].map((value) => (Number.isNaN(value) ? null : value));
    write(title, `${rowCalled(run, i)} · ${colCalled(run, j)}`);
    write(about, knownOf({ given, truth }));
    inMaps.update(run, i, j);
    speak(`${title.textContent}. ${about.textContent} ${inMaps.words()}`);
  }

  return {
    update(run, state) {
      const first = now === null;
      now = { run, state };
      const before = cell;
      cell = state.cell;
      draw(run, state);
      const still = run.maps.length > 0;
      parts.maps.hidden = !still;
      for (const name of ["sum", "path", "whatif"]) if (still) parts[name].hidden = true;
      parts.lean.hidden = still || ask === null;
      parts.pulls.hidden = still || run.model.kind === "mf"; // Adam's steps are not sums of two pulls
      if (before === null && cell !== null) open(!first); // a page that opens with a cell leaves the focus alone
      else if (before !== null && cell === null) closed();
    },
    destroy() {
      clearTimeout(speaking);
      whatIf.destroy();
      around.removeEventListener("keydown", pressed);
      around.removeEventListener("pointerdown", touched, true);
      around.removeEventListener("keydown", keyed, true);
    },
  };
}

/** @param {Run} run @param {number} i @returns {string} */
const rowCalled = (run, i) => run.rows?.[i] || `row ${run.top + i + 1}`;

/** @param {Run} run @param {number} j @returns {string} */
const colCalled = (run, j) => run.cols?.[j] || `column ${run.left + j + 1}`;

/** @param {{given: number|null, truth: number|null}} cell @returns {string} what is known of it */
function knownOf({ given, truth }) {
  if (given !== null) return `Given: ${asRating(given)}.`;
  return truth === null ? "Nobody has rated it here." : `Hidden from the model; its true rating is ${asRating(truth)}.`;
}

/** @param {Element} element @returns {Element|null} what scrolls it */
function scrolled(element) {
  for (let at = /** @type {Node|null} */ (element); at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (!(at instanceof Element)) continue;
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}
