/**
 * The inspector: how the number in the chosen cell comes about, at the step on the screen. It is beside the maps, or on a
 * narrow screen a sheet under them, and leaves the cell in sight; Escape closes it, and the focus goes back where it was.
 */
import { maxIndex } from "d3-array";

import { createPath, createPulls, createSum } from "./cell.js";
import { button, dom, speaker, table, write } from "./dom.js";
import { plain, signed } from "./numbers.js";
import { once, pathOf, pullsOn, sumOf } from "./run.js";
import { createLean, createWhatIf } from "./whatif.js";
import { afterStep, colName, rowName, startName } from "./words.js";

const FIELDS = "input, select, textarea";
const SPOKEN_AFTER = 300; // milliseconds at rest until the cell is said
const SETTLED = 100; // until the maps have made room
/** @type {[string, string, number, number][]} */
const MOVES = [
  ["←", "Cell to the left", 0, -1],
  ["↑", "Cell above", -1, 0],
  ["↓", "Cell below", 1, 0],
  ["→", "Cell to the right", 0, 1],
];

/** @param {HTMLElement} root @param {Dispatch} dispatch @param {Tell|null} ask  null where nobody answers */
export function createInspector(root, dispatch, ask, terms) {
  let now; // run and state that are drawn
  let cell;
  let cameFrom; // what had the focus
  /** @type {Element|null} */
  let from = null; // the figure that was touched last

  const title = dom("h2", { tabIndex: -1 });
  const about = dom("p", { className: "mfc-about" });
  const shut = () => dispatch({ type: "select", cell: null });
  const moves = MOVES.map(([arrow, label, di, dj]) =>
    button("mfc-button mfc-move", label, () => dispatch({ type: "move", di, dj }), arrow));
  const names = ["sum", "path", "whatif", "pulls", "lean", "maps"];
  const parts = Object.fromEntries(names.map((name) => [name, dom("section", { className: `mfc-of-${name}` })]));
  const close = button("mfc-button", "Close (Esc)", shut, "✕");
  const group = dom("div", { className: "mfc-moves", role: "group", "aria-label": "Another cell" }, ...moves, close);
  const sheet = dom("aside", { className: "mfc-sheet", "aria-label": "The chosen cell", hidden: true },
    dom("header", {}, title, group, about),
    dom("div", { className: "mfc-parts" }, ...Object.values(parts)));
  const hint = dom("p", { className: "mfc-hint" });
  const bar = dom("div", { className: "mfc-edits", role: "group", "aria-label": "Edits", hidden: true });
  const voice = speaker(SPOKEN_AFTER);
  root.append(bar, hint, sheet, voice.live);

  const sum = createSum(parts.sum, point, terms);
  const path = createPath(parts.path, (t) => dispatch({ type: "go", t }));
  const pulls = createPulls(parts.pulls, point, (side) => dispatch({ type: "side", side }), terms);
  const pointAt = (at) => dispatch({ type: "hover", row: at?.[0], col: at?.[1] });
  const lean = createLean(parts.lean, (at) => ask?.("lean", at), pointAt);
  const whatIf = createWhatIf(bar, parts.whatif, (action) => ask?.("edit", action));
  const opened = () => now && draw(now.run, now.state);
  for (const details of sheet.querySelectorAll("details")) details.addEventListener("toggle", opened);

  const around = root.parentElement ?? root;
  const listening = new AbortController();
  const { signal } = listening;
  around.addEventListener("keydown", pressed, { signal });
  around.addEventListener("pointerdown", ({ target }) => {
    from = /** @type {Element} */ (target).closest(".map-figure") ?? from;
  }, { signal, capture: true });

  function point(factor) {
    dispatch(cell && factor !== null ? { type: "hover", row: cell[0], col: cell[1], factor } : { type: "hover" });
  }

  function pressed(event) {
    if (event.defaultPrevented || event.isComposing) return;
    const inField = event.composedPath().some((part) => part instanceof Element && part.matches(FIELDS));
    const command = event.ctrlKey || event.metaKey;
    const back = /^[zy]$/.exec(event.key.toLowerCase());
    if (event.key === "Escape" && cell) shut();
    else if (command && !inField && back) whatIf.push({ op: event.shiftKey || back[0] === "y" ? "redo" : "undo" });
    else if (command || event.altKey || inField || !cell) return;
    else if (event.key === "Delete" || event.key === "Backspace") whatIf.push({ op: "hide" });
    else if (!/^[\d.,-]$/.test(event.key) || !whatIf.typed(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  const focusedIn = () => /** @type {Document|ShadowRoot} */ (root.getRootNode()).activeElement;

  /** Shows the sheet; `enter`: the focus goes in. */
  function open(enter) {
    const focused = focusedIn();
    cameFrom = root.contains(focused) ? null : focused;
    const box = around.getBoundingClientRect();
    const touched = from?.isConnected ? from.getBoundingClientRect() : null; // the sheet covers other maps than this one
    sheet.classList.toggle("mfc-left", touched !== null && (touched.left + touched.right) / 2 > box.left + 0.6 * box.width);
    sheet.hidden = false;
    if (enter) title.focus({ preventScroll: true });
  }

  /** Scrolls until the chosen cell is below the control of the step, and above the sheet where that lies over the maps. */
  function reveal() {
    const figure = around.querySelector(".map-figure:focus-within") ?? (from?.isConnected ? from : null);
    const mark = (figure ?? around.querySelector("[data-figure=filled], [data-figure=now]") ?? around).querySelector(".map-chosen");
    if (!mark) return;
    const [{ top, bottom }, box] = [mark, sheet].map((element) => element.getBoundingClientRect());
    const { left, right } = mark.getBoundingClientRect();
    const beside = box.left >= right || box.right <= left;
    const high = 8 + (around.parentElement?.querySelector(".mfp-bar")?.getBoundingClientRect().bottom ?? 0);
    const low = (beside ? innerHeight : box.top) - 16;
    const by = bottom > low ? bottom - low : Math.min(top - high, 0);
    if (by) scrolled(root)?.scrollBy({ top: by, behavior: "instant" });
  }

  function leave() {
    const inside = sheet.contains(focusedIn());
    sheet.hidden = true;
    if (inside && cameFrom?.isConnected) cameFrom.focus({ preventScroll: true });
  }

  function draw(run, state) {
    hint.hidden = state.cell !== null;
    const still = run.maps.length > 0;
    const what = still ? "Click a number to see it in all maps." : "Click a number to see where it comes from.";
    write(hint, what);
    if (!still) whatIf.update(run, state.cell);
    if (state.cell === null) return voice.hush();
    const [i, j] = state.cell;
    write(title, `${rowName(run, i)} · ${colName(run, j)}`);
    const said = still ? drawStill(run, i, j) : drawCell(run, state, i, j);
    if (!state.playing) voice.say(`${title.textContent}. ${said}`);
  }

  function drawCell(run, { t, side, factor }, i, j) {
    const at = i * run.m + j;
    const steps = once(run, `path ${at}`, () => pathOf(run, i, j));
    const found = sumOf(run, t, i, j);
    const chosen = Math.min(factor ?? maxIndex(found.bars, ({ term }) => Math.abs(term)), run.K - 1);
    const when = t === 0 ? `at the ${startName(run)}` : afterStep(run, t);
    const told = run.told ? ` The model was told: ${run.told[j]}.` : "";
    const estimate = plain(found.estimate);
    const said = steps.given === null
      ? `${knownWords(steps)} Estimate ${when}: ${estimate}.`
      : `Given: ${plain(steps.given)}. The model, held back by its prior, says ${estimate} ${when}.`;
    write(about, said + told);
    sum.update(run, found, Math.max(chosen, 0), steps);
    path.update(run, steps, t, run.lower && run.upper && steps.given === null ? [run.lower[at], run.upper[at]] : null);
    const next = Math.min(t, Math.max(run.T - 1, 0)); // the next step; at the end the last one that was taken
    pulls.update(run, pullsOn(run, next, side, side === "row" ? i : j), Math.max(chosen, 0), next, [i, j]);
    lean.update(run, [i, j]);
    return about.textContent;
  }

  /** What maps that follow no step have in a cell, and how far that is from the truth. @param {Run} run */
  function drawStill(run, i, j) {
    const at = i * run.m + j;
    const truth = run.truth?.[at] ?? NaN;
    const rows = run.maps.filter(({ values }) => !Number.isNaN(values[at])).map(({ title: map, kind, noun, values }) => {
      const estimated = kind === "rating" && noun === "estimate" && !Number.isNaN(truth);
      const number = kind === "signed" ? signed(values[at], plain) : plain(values[at]);
      return [map, number, estimated ? signed(values[at] - truth, plain) : ""];
    });
    const columns = rows.some(([, , off]) => off) ? 3 : 2;
    const lines = rows.map((row) => row.slice(0, columns));
    const found = table("mfc-maps", ["Map", "Number", "Minus the truth"].slice(0, columns), lines);
    parts.maps.replaceChildren(rows.length ? found : dom("p", {}, "No map that is shown has a number here."));
    const [given, known] = [run.X[at], truth].map((value) => (Number.isNaN(value) ? null : value));
    write(about, knownWords({ given, truth: known }));
    return `${about.textContent} ${rows.map(([map, number]) => `${map}: ${number}`).join("; ")}`;
  }

  return {
    /** @param {Run} run @param {State} state */
    update(run, state) {
      const first = !now;
      const before = cell;
      now = { run, state };
      cell = state.cell;
      draw(run, state);
      const still = run.maps.length > 0;
      parts.maps.hidden = !still;
      for (const name of ["sum", "path", "whatif"]) if (still) parts[name].hidden = true;
      parts.lean.hidden = still || ask === null;
      parts.pulls.hidden = still || run.model.kind === "mf"; // Adam's steps are not sums of two pulls
      if (!before && cell) open(!first); // a page that opens with a cell leaves the focus alone
      if (cell && String(before) !== String(cell)) setTimeout(reveal, SETTLED);
      else if (before && !cell) leave();
    },
    destroy() {
      voice.hush();
      whatIf.destroy();
      listening.abort();
    },
  };
}

function knownWords({ given, truth }) {
  if (given !== null) return `Given: ${plain(given)}.`;
  return truth === null ? "Missing: nobody knows its rating." : `Hidden from the model; its true rating is ${plain(truth)}.`;
}

/** What scrolls an element. @param {Element} element */
function scrolled(element) {
  for (let at = /** @type {Node|null} */ (element); at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (!(at instanceof Element)) continue;
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}
