/**
 * The inspector: how the number in the chosen cell comes about, at the step on the screen. It is next to the maps, or on a
 * narrow screen a sheet under them, and leaves the cell in sight; Escape closes it, and the focus goes back where it was.
 */
import { maxIndex, range } from "d3-array";

import { pathOfCell, pullsOfCell, sumOfCell } from "./cell.js";
import { button, Component, h, isInside, table, Voice } from "./html.js";
import { capital, clamp, counted, fixed, plain, rounded, signed } from "./numbers.js";
import { estimate, knownAt, once, pathOf, pullsOn, stepBefore, sumOf } from "./run.js";
import { afterStep, colName, rowName, startName } from "./words.js";

const MOST_BUTTONS = 11; // of a scale whose ratings have a button each

/** The ratings of a scale, if they are few enough. @param {RatingScale} scale */
export function fewRatings(scale) {
  if (!scale || scale[2] === null) return [];
  const [low, high, step] = scale;
  const count = Math.round((high - low) / step) + 1;
  return count > MOST_BUTTONS ? [] : range(count).map((k) => Number((low + k * step).toPrecision(12)));
}

/** How many cells are edited, and what undoes it. @param {Edits} edits */
export function editBar({ count, can_undo, can_redo, note }, edit) {
  const said = count === 0 ? "No cell is edited." : `${counted(count, "cell")} ${count === 1 ? "is" : "are"} edited.`;
  const act = (label, op, on) => button("mfc-button", { off: !on, act: () => edit({ op }) }, label);
  return h("div.mfc-edits", { role: "group", "aria-label": "Edits", hidden: !(count || can_undo || can_redo || note) },
    h("span", said),
    act("Undo", "undo", can_undo),
    act("Redo", "redo", can_redo),
    act("Back to the data", "reset", count > 0),
    h("span.mfc-note", note),
    h(Voice, { text: note || said }));
}

/** What edits the chosen cell. */
export class WhatIf extends Component {
  componentDidMount() {
    this.props.held(this);
  }

  /** A digit, or the sign or point that a number begins with; returns whether it was taken. */
  typed(key) {
    const { run, edit, cell: [row, col] } = this.props;
    const few = fewRatings(run.edits.scale);
    const value = few.find((rating) => String(rating) === key);
    if (value !== undefined) edit({ op: "set", row, col, value });
    if (few.length) return value !== undefined;
    this.field.value = "";
    this.field.focus(); // the browser writes the character into the field
    return false;
  }

  render({ run, cell: [row, col], edit, busy }) {
    const { scale, made, note } = run.edits;
    const rating = run.X[row * run.m + col];
    const few = fewRatings(scale);
    const given = (event) => {
      event.preventDefault();
      if (this.field.value.trim()) edit({ op: "set", row, col, value: this.field.value });
    };
    const [before, now] = [run.pinned ?? run, run].map((one) => fixed(estimate(one, run.T)[row * run.m + col]));
    const act = (label, op, on) => button("mfc-button", { off: !on, act: () => edit({ op, row, col }) }, label);
    return h("section.mfc-of-whatif", { "aria-busy": String(busy) },
      h("h3", "Change this rating"),
      few.length > 0 && h("div.mfc-choices", { role: "group", "aria-label": "Give this cell the rating" }, few.map((value) =>
        button("mfc-button", { value, act: () => edit({ op: "set", row, col, value }), "aria-pressed": String(Math.fround(value) === rating) },
          plain(value)))),
      !few.length && h("form.mfc-choices", { onsubmit: given },
        h("input.mfc-field", {
          key: `${row} ${col}`,
          ref: (field) => (this.field = field),
          type: "text",
          inputMode: "decimal",
          "aria-label": "Rating of this cell",
          autocomplete: "off",
          placeholder: scale ? `${plain(scale[0])} to ${plain(scale[1])}` : "a number",
          defaultValue: Number.isNaN(rating) ? "" : String(Number(rating.toFixed(4))),
        }),
        h("button.mfc-button", { type: "submit" }, "Give")),
      h("div.mfc-choices",
        act("Hide", "hide", !Number.isNaN(rating)),
        act("Restore", "restore", made.some(([i, j]) => i === row && j === col))),
      h("p.mfc-said", run.pinned && `${capital(run.pinned.by)} moved it from ${before} to ${now}.`),
      h("p.mfc-note", { role: "alert" }, busy ? "" : note));
  }
}

/** The ratings that an estimate depends on most, shown for the cell that was asked about alone. */
export class Influences extends Component {
  componentDidUpdate() {
    if (this.list.childElementCount && this.state.asked) { // here is the answer: the focus goes where the button was
      this.setState({ asked: null });
      this.list.focus({ preventScroll: true });
    }
  }

  render({ run, cell, ask, point }, { asked }) {
    const answer = String(run.influence?.cell) === String(cell) ? run.influence : null;
    const busy = !answer && asked === `${run.id} ${cell}`;
    const start = () => {
      this.setState({ asked: `${run.id} ${cell}` });
      ask(cell);
    };
    const items = answer?.items ?? [];
    const largest = Math.max(...items.map(([, , change]) => Math.abs(change)), 1e-12);
    const line = ([row, col, change, rating, ofRow, ofCol]) => {
      const enter = () => point([row, col]);
      const leave = () => point(null);
      const style = `width: ${(100 * Math.abs(change)) / largest}%`;
      return h("li", { tabIndex: 0, onpointerenter: enter, onfocus: enter, onpointerleave: leave, onblur: leave },
        h("span", `${ofRow} · ${ofCol}: ${plain(rating)}`),
        h("span.mfc-influence-bar", h(change < 0 ? "i.mfc-down" : "i.mfc-up", { style })),
        h("b", signed(change)));
    };
    const why = busy ? "asking …" : "Leaves each rating out in turn, and shows how far the estimate moves.";
    const found = answer && (answer.note || `How far each of these ratings moves the estimate, found by leaving it out; ${answer.examined} were tried.`);
    const [first] = items;
    const spoken = first ? `It depends most on ${first[4]}, ${first[5]}: ${rounded(first[2])}.` : answer?.note;
    return h("section.mfc-of-influence", { "aria-busy": String(busy) },
      h("h3", "Which ratings mattered?"),
      !answer && button("mfc-button", { off: busy, act: start }, "Leave each one out"),
      h("p.mfc-said", found ?? why),
      h("ol.mfc-influences", { tabIndex: -1, "aria-label": "Ratings that matter most", ref: (list) => (this.list = list) }, items.map(line)),
      h(Voice, { text: spoken }));
  }
}

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
 * The sheet, in `around`, the element that has the maps, too. `edit` and `ask` are null where nothing can be edited and
 * nobody answers; `busy`: whether an edit is under way. `held` gets the component, which takes events of `around`.
 */
export class Inspector extends Component {
  componentDidMount() {
    this.props.held(this);
    if (this.props.state.cell) this.open();
    this.opened = true; // a page that opens with a cell leaves the focus alone
  }

  componentDidUpdate({ state: { cell: before } }) {
    const { cell } = this.props.state;
    if (!before && cell) this.open();
    if (cell && String(before) !== String(cell)) {
      clearTimeout(this.moved);
      this.moved = setTimeout(() => this.reveal(), SETTLED);
    }
    if (before && !cell && this.hadFocus && this.cameFrom?.isConnected) this.cameFrom.focus({ preventScroll: true });
  }

  componentWillUnmount() {
    clearTimeout(this.moved);
  }

  get focused() {
    return this.sheet.getRootNode().activeElement;
  }

  /** The figure that was touched last. */
  get touched() {
    return this.from?.isConnected ? this.from : null;
  }

  close = () => this.props.dispatch({ type: "select", cell: null });

  point = (factor) => {
    const { state: { cell }, dispatch } = this.props;
    dispatch(cell && factor !== null ? { type: "hover", row: cell[0], col: cell[1], factor } : { type: "hover" });
  };

  /** Puts the sheet where it covers other maps than the one that was touched. */
  open() {
    const around = this.sheet.closest(".mfp-body");
    this.cameFrom = this.sheet.contains(this.focused) ? null : this.focused;
    const box = around.getBoundingClientRect();
    const touched = this.touched?.getBoundingClientRect();
    const middle = touched ? (touched.left + touched.right) / 2 - box.left : 0;
    const compared = around.querySelector("[data-figure=mf]") !== null; // the truth is at the right, and stays in sight
    const left = middle > (compared ? 0.3 : 0.6) * box.width;
    this.setState({ side: left ? "mfc-left" : compared ? "mfc-middle" : "" });
    if (this.opened) this.title.focus({ preventScroll: true });
  }

  /** Scrolls until the chosen cell is in sight; the style sheets say what lies over the maps. */
  reveal() {
    const around = this.sheet.closest(".mfp-body");
    const figure = around.querySelector(".map-figure:focus-within") ?? this.touched;
    const shown = figure ?? around.querySelector("[data-figure=filled], [data-figure=now]") ?? around;
    shown.querySelector(".map-chosen")?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }

  /** Remembers the figure that is touched. */
  onpointerdowncapture = ({ target }) => {
    this.from = target.closest(".map-figure") ?? this.from;
  };

  onkeydown = (event) => {
    const { cell } = this.props.state;
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape" && cell) this.close();
    else if (isInside(event, FIELDS) || !this.edits(event, cell)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Makes the edit that a key is; returns whether it is one. */
  edits(event, cell) {
    const { edit } = this.props;
    const back = /^[zy]$/.exec(event.key.toLowerCase());
    if (!edit) return false;
    if (event.ctrlKey || event.metaKey) {
      if (back) edit({ op: event.shiftKey || back[0] === "y" ? "redo" : "undo" });
      return back !== null;
    }
    if (event.altKey || !cell) return false;
    if (event.key !== "Delete" && event.key !== "Backspace") return /^[\d.,-]$/.test(event.key) && this.whatIf.typed(event.key);
    edit({ op: "hide", row: cell[0], col: cell[1] });
    return true;
  }

  /** How the number in a cell comes about, and what if it were another: what is said of it, and the parts of the sheet. */
  explained() {
    const { run, state: { cell, t, side, factor }, dispatch, edit, ask, busy } = this.props;
    const [i, j] = cell;
    const at = i * run.m + j;
    const path = once(run, `path ${at}`, () => pathOf(run, i, j));
    const sum = sumOf(run, t, i, j);
    this.factor = clamp(factor ?? maxIndex(sum.bars, ({ term }) => Math.abs(term)), 0, run.K - 1);
    const interval = run.lower && run.upper && path.given === null ? [run.lower[at], run.upper[at]] : null;
    const before = stepBefore(t);
    const pulls = run.model.kind === "mf" ? undefined : pullsOn(run, before, side, side === "row" ? i : j); // Adam's steps are not sums of two pulls
    const onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -run.K, End: run.K }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.factor = clamp(this.factor + step, 0, run.K - 1); // at once: the next key may come before the picture
      this.point(this.factor);
    };
    const when = t === 0 ? `at the ${startName(run)}` : afterStep(run, t);
    const value = plain(sum.estimate);
    const said = path.given === null
      ? `${knownWords(path)} Estimate ${when}: ${value}.`
      : `Given: ${plain(path.given)}. The model says ${value} ${when}.`;
    return {
      about: said + (run.features ? ` The model was told: ${run.features[j]}.` : ""),
      parts: [
        sumOfCell({ run, sum, factor: this.factor, path, choose: this.point, onkeydown }),
        pathOfCell({ run, path, t, interval, go: (step) => dispatch({ type: "go", t: step }) }),
        edit && h(WhatIf, { run, cell, edit, busy, held: (whatIf) => (this.whatIf = whatIf) }),
        pulls !== undefined && h("section.mfc-of-pulls", pullsOfCell({
          run,
          pulls,
          factor: this.factor,
          t: before,
          cell,
          choose: this.point,
          turn: (asked) => dispatch({ type: "side", side: asked }),
        })),
        ask && h(Influences, { run, cell, ask, point: (place) => dispatch({ type: "hover", row: place?.[0], col: place?.[1] }) }),
      ],
    };
  }

  render({ run, state: { cell, playing }, still, dispatch }, { side }) {
    if (cell) {
      const [i, j] = cell;
      this.found = still ? inMaps(run, i * run.m + j) : this.explained();
      this.named = `${rowName(run, i)} · ${colName(run, j)}`;
    }
    const { about = "", more = "", parts } = /** @type {any} */ (this.found ?? {}); // of a sheet that is shut: what was in it
    this.hadFocus = this.sheet?.contains(this.focused);
    const move = ([arrow, title, di, dj]) => button("mfc-button.mfc-move", { title, act: () => dispatch({ type: "move", di, dj }) }, arrow);
    return [
      h("p.mfc-hint", { hidden: cell !== null }, `Click a number to see ${still ? "it in all maps" : "where it comes from"}.`),
      h("aside.mfc-sheet", { class: side, "aria-label": "The chosen cell", hidden: !cell, ref: (sheet) => (this.sheet = sheet) },
        h("header",
          h("h2", { tabIndex: -1, ref: (title) => (this.title = title) }, this.named),
          h("div.mfc-moves", { role: "group", "aria-label": "Another cell" },
            MOVES.map(move),
            button("mfc-button", { title: "Close (Esc)", act: this.close }, "✕")),
          h("p.mfc-about", about)),
        h("div.mfc-parts", parts)),
      h(Voice, { text: cell && !playing ? `${this.named}. ${about}${more}` : "", pause: SPOKEN_AFTER, eager: true }),
    ];
  }
}

/** What maps that follow no step have in a cell, and how far that is from the truth. @param {Run} run */
function inMaps(run, at) {
  const known = knownAt(run, at);
  const { truth } = known;
  const rows = run.maps.filter(({ values }) => !Number.isNaN(values[at])).map(({ title, kind, noun, values }) => {
    const estimated = kind === "rating" && noun === "estimate" && truth !== null;
    const number = kind === "signed" ? signed(values[at], plain) : plain(values[at]);
    return [title, number, estimated ? signed(values[at] - truth, plain) : ""];
  });
  const columns = rows.some(([, , off]) => off) ? 3 : 2;
  const found = table("mfc-maps", ["Map", "Number", "Minus the truth"].slice(0, columns), rows.map((row) => row.slice(0, columns)));
  return {
    about: knownWords(known),
    more: ` ${rows.map(([map, number]) => `${map}: ${number}`).join("; ")}`,
    parts: rows.length ? found : h("p", "No map that is shown has a number here."),
  };
}

function knownWords({ given, truth }) {
  if (given !== null) return `Given: ${plain(given)}.`;
  return truth === null ? "Missing: nobody knows its rating." : `Hidden from the model; its true rating is ${plain(truth)}.`;
}
