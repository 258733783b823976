/**
 * The inspector: how the number in the chosen cell comes about, at the step on the screen. It is next to the maps, or on a
 * narrow screen a sheet under them, and leaves the cell in sight; Escape closes it, and the focus goes back where it was.
 */
import { maxIndex } from "d3-array";

import { createPath, createPulls, createSum } from "./cell.js";
import { button, dom, speaker, table, write } from "./dom.js";
import { clamp, plain, signed } from "./numbers.js";
import { knownAt, nextStep, once, pathOf, pullsOn, sumOf } from "./run.js";
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

/**
 * @param {HTMLElement} root
 * @param {Dispatch} dispatch
 * @param {Tell|null} ask  null where nobody answers
 * @param {Write} explain
 * @param {boolean} still  whether it is a cell of maps that follow no step
 */
export function createInspector(root, dispatch, ask, explain, still) {
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
  const close = button("mfc-button", "Close (Esc)", shut, "✕");
  const group = dom("div", { className: "mfc-moves", role: "group", "aria-label": "Another cell" }, ...moves, close);
  const parts = dom("div", { className: "mfc-parts" });
  const sheet = dom("aside", { className: "mfc-sheet", "aria-label": "The chosen cell", hidden: true },
    dom("header", {}, title, group, about), parts);
  const hint = dom("p", { className: "mfc-hint" });
  const voice = speaker(SPOKEN_AFTER);
  root.append(hint, sheet, voice.live);
  const contents = still ? createMaps(parts) : createExplanation(parts, hint, point, dispatch, ask, explain);
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
    if (event.key === "Escape" && cell) shut();
    else if (inField || !contents.pressed(event, cell)) return;
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

  /** Scrolls until the chosen cell is in sight; the style sheets say what lies over the maps. */
  function reveal() {
    const figure = around.querySelector(".map-figure:focus-within") ?? (from?.isConnected ? from : null);
    const shown = figure ?? around.querySelector("[data-figure=filled], [data-figure=now]") ?? around;
    shown.querySelector(".map-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }

  function leave() {
    const inside = sheet.contains(focusedIn());
    sheet.hidden = true;
    if (inside && cameFrom?.isConnected) cameFrom.focus({ preventScroll: true });
  }

  function draw(run, state) {
    hint.hidden = state.cell !== null;
    write(hint, `Click a number to see ${still ? "it in all maps" : "where it comes from"}.`);
    const found = contents.update(run, state);
    if (!found) return voice.hush();
    const [i, j] = state.cell;
    write(title, `${rowName(run, i)} · ${colName(run, j)}`);
    write(about, found.about);
    if (!state.playing) voice.say(`${title.textContent}. ${found.about}${found.more ?? ""}`);
  }

  return {
    /** @param {Run} run @param {State} state */
    update(run, state) {
      const first = !now;
      const before = cell;
      now = { run, state };
      cell = state.cell;
      draw(run, state);
      if (!before && cell) open(!first); // a page that opens with a cell leaves the focus alone
      if (cell && String(before) !== String(cell)) setTimeout(reveal, SETTLED);
      else if (before && !cell) leave();
    },
    destroy() {
      voice.hush();
      contents.destroy();
      listening.abort();
    },
  };
}

/** How the number in a cell comes about, and what if it were another. */
function createExplanation(root, hint, point, dispatch, ask, explain) {
  const part = (name) => root.appendChild(dom("section", { className: `mfc-of-${name}` }));
  const bar = dom("div", { className: "mfc-edits", role: "group", "aria-label": "Edits", hidden: true });
  hint.before(bar);
  const sum = createSum(part("sum"), point, explain);
  const path = createPath(part("path"), (t) => dispatch({ type: "go", t }));
  const whatIf = createWhatIf(bar, part("whatif"), (action) => ask?.("edit", action));
  const ofPulls = part("pulls");
  const pulls = createPulls(ofPulls, point, (side) => dispatch({ type: "side", side }), explain);
  const pointAt = (at) => dispatch({ type: "hover", row: at?.[0], col: at?.[1] });
  const lean = ask && createLean(part("lean"), (at) => ask("lean", at), pointAt);

  return {
    update(run, { cell, t, side, factor }) {
      whatIf.update(run, cell);
      if (cell === null) return null;
      const [i, j] = cell;
      const at = i * run.m + j;
      const steps = once(run, `path ${at}`, () => pathOf(run, i, j));
      const found = sumOf(run, t, i, j);
      const chosen = clamp(factor ?? maxIndex(found.bars, ({ term }) => Math.abs(term)), 0, run.K - 1);
      sum.update(run, found, chosen, steps);
      path.update(run, steps, t, run.lower && run.upper && steps.given === null ? [run.lower[at], run.upper[at]] : null);
      ofPulls.hidden = run.model.kind === "mf"; // Adam's steps are not sums of two pulls
      const next = nextStep(run, t);
      pulls.update(run, pullsOn(run, next, side, side === "row" ? i : j), chosen, next, [i, j]);
      lean?.update(run, [i, j]);
      const when = t === 0 ? `at the ${startName(run)}` : afterStep(run, t);
      const told = run.told ? ` The model was told: ${run.told[j]}.` : "";
      const estimate = plain(found.estimate);
      const said = steps.given === null
        ? `${knownWords(steps)} Estimate ${when}: ${estimate}.`
        : `Given: ${plain(steps.given)}. The model, held back by its prior, says ${estimate} ${when}.`;
      return { about: said + told };
    },
    /** Whether a key is an edit. */
    pressed(event, cell) {
      const back = /^[zy]$/.exec(event.key.toLowerCase());
      if (event.ctrlKey || event.metaKey) {
        if (back) whatIf.push({ op: event.shiftKey || back[0] === "y" ? "redo" : "undo" });
        return back !== null;
      }
      if (event.altKey || !cell) return false;
      if (event.key !== "Delete" && event.key !== "Backspace") return /^[\d.,-]$/.test(event.key) && whatIf.typed(event.key);
      whatIf.push({ op: "hide" });
      return true;
    },
    destroy: whatIf.destroy,
  };
}

/** What maps that follow no step have in a cell, and how far that is from the truth. */
function createMaps(root) {
  return {
    /** @param {Run} run @param {State} state */
    update(run, { cell }) {
      if (cell === null) return null;
      const at = cell[0] * run.m + cell[1];
      const known = knownAt(run, at);
      const { truth } = known;
      const rows = run.maps.filter(({ values }) => !Number.isNaN(values[at])).map(({ title: map, kind, noun, values }) => {
        const estimated = kind === "rating" && noun === "estimate" && truth !== null;
        const number = kind === "signed" ? signed(values[at], plain) : plain(values[at]);
        return [map, number, estimated ? signed(values[at] - truth, plain) : ""];
      });
      const columns = rows.some(([, , off]) => off) ? 3 : 2;
      const lines = rows.map((row) => row.slice(0, columns));
      const found = table("mfc-maps", ["Map", "Number", "Minus the truth"].slice(0, columns), lines);
      root.replaceChildren(rows.length ? found : dom("p", {}, "No map that is shown has a number here."));
      const more = rows.map(([map, number]) => `${map}: ${number}`).join("; ");
      return { about: knownWords(known), more: ` ${more}` };
    },
    pressed: () => false,
    destroy() {},
  };
}

function knownWords({ given, truth }) {
  if (given !== null) return `Given: ${plain(given)}.`;
  return truth === null ? "Missing: nobody knows its rating." : `Hidden from the model; its true rating is ${plain(truth)}.`;
}
