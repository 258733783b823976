/** What if: the chosen cell with another rating or without one, and the way back. Asked from the server, which answers. */
import { dom, enable, isEnabled, write } from "./dom.js";
import { createQueue, fewRatings } from "./edits.js";
import { asRating, signed, spoken } from "./formula.js";
import { cellTerms } from "./run.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./edits.js").Action} Action
 * @typedef {import("./payload.js").EditsSaid} EditsSaid
 */

const PATIENCE = 15_000; // milliseconds until an edit counts as lost

/**
 * @param {{bar: HTMLElement, cell: HTMLElement}} places  for undo, redo and reset; for the chosen cell
 * @param {(action: Action) => void} ask
 */
export function createWhatIf(places, ask) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let patience;
  const queue = createQueue((action) => {
    clearTimeout(patience);
    patience = setTimeout(lost, PATIENCE);
    ask(action);
  });
  /** @type {EditsSaid|null} */
  let said = null;
  /** @type {[number, number]|null} */
  let cell = null;

  const count = dom("span");
  const [undo, redo, reset] = /** @type {["undo", "Undo"][]} */ ([["undo", "Undo"], ["redo", "Redo"], ["reset", "Back to the data"]]).map(([op, label]) =>
    dom("button", { type: "button", className: "mfc-button", onclick: (/** @type {Event} */ click) => pressed(click, { op }) }, label));
  const live = dom("p", { className: "mfc-heard", role: "status", "aria-live": "polite" });
  const barNote = dom("span", { className: "mfc-note" });
  places.bar.append(count, undo, redo, reset, barNote);
  places.bar.after(live);

  const choices = dom("div", { className: "mfc-choices", role: "group", "aria-label": "Give this cell the rating" });
  const field = dom("input", { type: "text", inputMode: "decimal", className: "mfc-field", "aria-label": "Rating of this cell", autocomplete: "off" });
  const form = dom("form", { className: "mfc-choices" }, field, dom("button", { type: "submit", className: "mfc-button" }, "Give"));
  const hide = dom("button", { type: "button", className: "mfc-button", onclick: (/** @type {Event} */ click) => pressed(click, { op: "hide" }) }, "Hide it");
  const restore = dom("button", { type: "button", className: "mfc-button", onclick: (/** @type {Event} */ click) => pressed(click, { op: "restore" }) }, "As in the data");
  const difference = dom("p", { className: "mfc-said" });
  const note = dom("p", { className: "mfc-note", role: "alert" });
  places.cell.append(dom("h3", {}, "What if it were …"), choices, form, dom("div", { className: "mfc-choices" }, hide, restore), difference, note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) push({ op: "set", value: field.value });
  });

  /** @param {Event} click @param {Action} action */
  function pressed(click, action) {
    if (isEnabled(/** @type {HTMLElement} */ (click.currentTarget))) push(action);
  }

  /** @param {Action} action */
  function push(action) {
    if (said === null) return;
    const ofCell = action.op === "set" || action.op === "hide" || action.op === "restore";
    if (ofCell && cell === null) return;
    queue.push(ofCell && cell ? { ...action, row: cell[0], col: cell[1] } : action);
    write(note, "");
    places.cell.setAttribute("aria-busy", "true");
  }

  function lost() {
    if (queue.giveUp()) write(note, "The server did not answer: try again.");
    places.cell.setAttribute("aria-busy", "false");
  }

  let scaleDrawn = "";
  /** @param {EditsSaid["scale"]} scale */
  function drawScale(scale) {
    const few = fewRatings(scale);
    choices.hidden = !few.length;
    form.hidden = few.length > 0;
    if (scaleDrawn === String(scale)) return;
    scaleDrawn = String(scale);
    choices.replaceChildren(...few.map((value) => {
      const button = dom("button", { type: "button", className: "mfc-button mfc-rating", onclick: () => push({ op: "set", value }) }, asRating(value));
      button.dataset.value = String(value);
      return button;
    }));
    field.placeholder = scale ? `${asRating(scale[0])} to ${asRating(scale[1])}` : "a number";
  }

  return {
    /** @param {Run} run @param {[number, number]|null} at */
    update(run, at) {
      const now = run.edits;
      const moved = String(at) !== String(cell);
      cell = at;
      places.bar.hidden = now === null || (now.count === 0 && !now.can_undo && !now.can_redo && !now.note);
      places.cell.hidden = now === null || at === null;
      if (now !== said && now !== null) {
        queue.heard(now.seen);
        if (queue.waiting() === 0) clearTimeout(patience);
        places.cell.setAttribute("aria-busy", String(queue.waiting() > 0));
        write(count, now.count === 0 ? "No cell is edited." : `${now.count} cell${now.count === 1 ? " is" : "s are"} edited.`);
        if (said !== null && (now.note || now.count !== said.count)) write(live, now.note || String(count.textContent));
        write(note, now.note);
        enable(undo, now.can_undo);
        enable(redo, now.can_redo);
        enable(reset, now.count > 0);
      } else if (moved) write(note, "");
      said = now;
      write(barNote, at === null && now !== null ? now.note : "");
      if (now === null || at === null) return;
      const where = at[0] * run.m + at[1];
      const given = run.X[where];
      const edited = now.made.some(([row, col]) => row === at[0] && col === at[1]);
      drawScale(now.scale);
      for (const button of /** @type {Iterable<HTMLElement>} */ (choices.children)) {
        button.setAttribute("aria-pressed", String(Number(button.dataset.value) === Math.fround(given) || Number(button.dataset.value) === given));
      }
      if (moved) field.value = Number.isNaN(given) ? "" : asRating(given).replace("\u2212", "-");
      enable(hide, !Number.isNaN(given));
      enable(restore, edited);
      write(difference, comparison(run, where));
    },
    push,
    /** @param {string} key  a digit, or the sign or point that a number begins with @returns {boolean} whether it was taken */
    typed(key) {
      if (said === null || cell === null) return false;
      const few = fewRatings(said.scale);
      if (few.length) {
        const value = few.find((rating) => String(rating) === key);
        if (value !== undefined) push({ op: "set", value });
        return value !== undefined;
      }
      field.value = "";
      field.focus();
      return false; // the browser writes the character into the field
    },
    destroy: () => clearTimeout(patience),
  };
}

/** @param {Run} run @param {number} at @returns {string} what the edits did to the estimate of a cell */
function comparison(run, at) {
  if (!run.pinned) return "";
  const i = Math.floor(at / run.m);
  const now = lastEstimate(run, i, at % run.m);
  const before = lastEstimate(run.pinned, i, at % run.m);
  return `Estimate at the end: ${spoken(before)} on the data, ${spoken(now)} with the edits, ${signed(now - before)}.`;
}

/** @param {Run} run @param {number} i @param {number} j */
function lastEstimate(run, i, j) {
  return cellTerms(run, run.T, i, j).estimate;
}
