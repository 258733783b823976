/**
 * What the inspector asks of the server: the chosen cell with another rating or without one, and the ratings that its
 * estimate depends on.
 */
import { range } from "d3-array";

import { button, dom, enable, speaker, write } from "./dom.js";
import { capital, fixed, plain, rounded, signed } from "./numbers.js";
import { cellTerms } from "./run.js";

const PATIENCE = 15_000; // milliseconds until an edit counts as lost
const MOST_BUTTONS = 11; // of a scale whose ratings have a button each

/**
 * Edits that the server has not answered, each with a number. Every one is sent with those before it, since a later
 * message takes the place of one that was not yet read; the server says the last number that it has seen.
 * @param {(actions: (Action & {id: number})[]) => void} send
 */
export function createQueue(send) {
  let next = 1;
  let unanswered = [];
  return {
    push(action) {
      unanswered.push({ ...action, id: next++ });
      send([...unanswered]);
    },
    answered(seen) {
      unanswered = unanswered.filter(({ id }) => id > seen);
      next = Math.max(next, seen + 1);
    },
    giveUp: () => (unanswered = []),
    waits: () => unanswered.length > 0,
  };
}

/** The ratings of a scale, if they are few enough. @param {RatingScale} scale */
export function fewRatings(scale) {
  if (!scale || scale[2] === null) return [];
  const [low, high, step] = scale;
  const count = Math.round((high - low) / step) + 1;
  return count > MOST_BUTTONS ? [] : range(count).map((k) => Number((low + k * step).toPrecision(12)));
}

/** What undoes edits in `bar`, and what edits the chosen cell in `root`; `send` reaches the server. */
export function createWhatIf(bar, root, send) {
  const queue = createQueue(send);
  let patience;
  let edits; // as the server knows them
  let cell;

  const editing = (label, op) => button("mfc-button", "", () => push({ op }), label);
  const undo = editing("Undo", "undo");
  const redo = editing("Redo", "redo");
  const reset = editing("Back to the data", "reset");
  const count = dom("span");
  const barNote = dom("span", { className: "mfc-note" });
  const voice = speaker();
  bar.append(count, undo, redo, reset, barNote);
  bar.after(voice.live);

  const choices = dom("div", { className: "mfc-choices", role: "group", "aria-label": "Give this cell the rating" });
  const field = dom("input", {
    className: "mfc-field",
    type: "text",
    inputMode: "decimal",
    "aria-label": "Rating of this cell",
    autocomplete: "off",
  });
  const give = dom("button", { type: "submit", className: "mfc-button" }, "Give");
  const form = dom("form", { className: "mfc-choices", onsubmit: given }, field, give);
  const hide = editing("Hide", "hide");
  const restore = editing("Restore", "restore");
  const difference = dom("p", { className: "mfc-said" });
  const note = dom("p", { className: "mfc-note", role: "alert" });
  const others = dom("div", { className: "mfc-choices" }, hide, restore);
  root.append(dom("h3", {}, "Change this rating"), choices, form, others, difference, note);

  function given(event) {
    event.preventDefault();
    if (field.value.trim()) push({ op: "set", value: field.value });
  }

  function push(action) {
    const ofCell = ["set", "hide", "restore"].includes(action.op);
    if (!edits || (ofCell && !cell)) return;
    queue.push(ofCell ? { ...action, row: cell[0], col: cell[1] } : action);
    clearTimeout(patience);
    patience = setTimeout(lost, PATIENCE);
    write(note, "");
    root.setAttribute("aria-busy", "true");
  }

  function lost() {
    queue.giveUp();
    write(note, "The server did not answer. Try again.");
    root.setAttribute("aria-busy", "false");
  }

  let scaleDrawn = "";
  function drawScale(scale) {
    const few = fewRatings(scale);
    choices.hidden = !few.length;
    form.hidden = few.length > 0;
    if (scaleDrawn === String(scale)) return;
    scaleDrawn = String(scale);
    choices.replaceChildren(...few.map((value) => {
      const made = button("mfc-button", "", () => push({ op: "set", value }), plain(value));
      made.value = String(value);
      return made;
    }));
    field.placeholder = scale ? `${plain(scale[0])} to ${plain(scale[1])}` : "a number";
  }

  function answered(now) {
    queue.answered(now.seen);
    if (!queue.waits()) clearTimeout(patience);
    root.setAttribute("aria-busy", String(queue.waits()));
    write(count, now.count === 0 ? "No cell is edited." : `${now.count} cell${now.count === 1 ? " is" : "s are"} edited.`);
    if (edits && (now.note || now.count !== edits.count)) voice.say(now.note || count.textContent);
    write(note, now.note);
    enable(undo, now.can_undo);
    enable(redo, now.can_redo);
    enable(reset, now.count > 0);
  }

  return {
    push,
    update(run, at) {
      const now = run.edits;
      const moved = String(at) !== String(cell);
      cell = at;
      bar.hidden = now === null || (now.count === 0 && !now.can_undo && !now.can_redo && !now.note);
      root.hidden = now === null || at === null;
      if (now !== edits && now !== null) answered(now);
      else if (moved) write(note, "");
      edits = now;
      write(barNote, at === null && now !== null ? now.note : "");
      if (now === null || at === null) return;
      const rating = run.X[at[0] * run.m + at[1]];
      drawScale(now.scale);
      for (const choice of /** @type {Iterable<HTMLButtonElement>} */ (choices.children)) {
        choice.setAttribute("aria-pressed", String(Math.fround(Number(choice.value)) === rating));
      }
      if (moved) field.value = Number.isNaN(rating) ? "" : String(Number(rating.toFixed(4)));
      enable(hide, !Number.isNaN(rating));
      enable(restore, now.made.some(([row, col]) => row === at[0] && col === at[1]));
      write(difference, comparison(run, at));
    },
    /** A digit, or the sign or point that a number begins with; returns whether it was taken. */
    typed(key) {
      if (!edits || !cell) return false;
      const few = fewRatings(edits.scale);
      if (!few.length) {
        field.value = "";
        field.focus(); // the browser writes the character into the field
        return false;
      }
      const value = few.find((rating) => String(rating) === key);
      if (value !== undefined) push({ op: "set", value });
      return value !== undefined;
    },
    destroy: () => clearTimeout(patience),
  };
}

/** What the edits, or the genre, did to the estimate of a cell. @param {Run} run @param {Span} cell */
function comparison(run, [i, j]) {
  if (!run.pinned) return "";
  const [before, now] = [run.pinned, run].map((one) => cellTerms(one, run.T, i, j).estimate);
  return `${capital(run.pinned.by)} moved it from ${fixed(before)} to ${fixed(now)}.`;
}

/** The ratings that an estimate depends on most, shown for the cell that was asked about alone. */
export function createLean(root, ask, point) {
  const start = button("mfc-button", "", started, "Leave each one out");
  const said = dom("p", { className: "mfc-said" });
  const list = dom("ol", { className: "mfc-leans", tabIndex: -1, "aria-label": "Ratings that matter most" });
  const voice = speaker();
  root.append(dom("h3", {}, "Which ratings mattered?"), start, said, list, voice.live);
  let cell;
  let id = ""; // of the run
  let asked = ""; // run and cell that was asked about
  let drawn = ""; // what is drawn

  function started() {
    asked = `${id} ${cell}`;
    ask(cell);
    show("asking …", true);
  }

  function show(text, busy) {
    write(said, text);
    enable(start, !busy);
    root.setAttribute("aria-busy", String(busy));
  }

  function lineOf([atRow, atCol, change, rating, rowName, colName], largest) {
    const style = `width: ${(100 * Math.abs(change)) / largest}%`;
    const bar = dom("i", { className: change < 0 ? "mfc-down" : "mfc-up", style });
    const enter = () => point([atRow, atCol]);
    const leave = () => point(null);
    const pointed = { onpointerenter: enter, onfocus: enter, onpointerleave: leave, onblur: leave };
    return dom("li", { tabIndex: 0, ...pointed },
      dom("span", {}, `${rowName} · ${colName}: ${plain(rating)}`),
      dom("span", { className: "mfc-leanbar" }, bar),
      dom("b", {}, signed(change)));
  }

  return {
    update(run, at) {
      cell = at;
      id = run.id;
      const answer = run.lean && String(run.lean.cell) === String(at) ? run.lean : null;
      const busy = answer === null && asked === `${id} ${at}`;
      if (!busy && answer) asked = "";
      const now = `${id} ${at} ${answer !== null} ${busy}`;
      if (now === drawn) return;
      drawn = now;
      list.replaceChildren();
      voice.say("");
      const focused = start.matches(":focus");
      start.hidden = answer !== null;
      if (answer === null) {
        show(busy ? "asking …" : "Leaves each rating out in turn, and shows how far the estimate moves.", busy);
        return;
      }
      const { items, note, examined } = answer;
      const largest = Math.max(...items.map(([, , change]) => Math.abs(change)), 1e-12);
      list.append(...items.map((item) => lineOf(item, largest)));
      show(note || `How far each of these ratings moves the estimate, found by leaving it out; ${examined} were tried.`, false);
      if (focused) list.focus({ preventScroll: true });
      const [first] = items;
      voice.say(first ? `It depends most on ${first[4]}, ${first[5]}: ${rounded(first[2])}.` : note);
    },
  };
}
