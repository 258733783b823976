/**
 * The keys of the players and of the page, which work wherever nothing with keys of its own has the focus, and the
 * sheet that lists them. A page has one sheet: that of the app's corner, or of the player of a saved page.
 */
import { button, Component, h, icon, isInside, render } from "./html.js";

const STEPS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
const PLAYERS = [
  ["←", "one step back"],
  ["→", "one step forward"],
  ["Home", "the prior"],
  ["End", "the last step"],
  ["Space", "play, pause"],
  ["Tab", "to a map, where the arrow keys move from cell to cell"],
  ["Enter", "on a map: explain the number in the cell"],
  ["0–9, Del", "another rating in the chosen cell, or none"],
  ["Ctrl Z", "undo an edit; with Shift, redo it"],
  ["D", "what the edits changed, or the estimates"],
];
const EVERYWHERE = [
  ["L", "lecture mode, with large type and few controls; and back"],
  ["?", "this list"],
  ["Esc", "close what is open"],
];
const TYPED = "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox]," +
  " [role=spinbutton], [role=listbox]";
const POINTED = "[type=radio], [type=checkbox], [type=range]"; // inputs that take no characters
const ARROWS = `${TYPED}, audio, video, iframe, [role=application], [role=grid], [role=menu], [role=menubar],` +
  " [role=option], [role=radio], [role=radiogroup], [role=slider], [role=tab], [role=tablist], [role=tree]";
const SPACE = `${ARROWS}, button, a, summary, label, [role=button], [role=checkbox], [role=switch], [role=link]`;
const SCREEN = "M3 4h18v12H3zM5 6v8h14V6zM8 19h8v2H8z";

let letters = true; // whether keys that write a character count, which the visitor says in the sheet
let players = 0; // on the page
let openSheet = () => {};

/**
 * The event that a key means for a player, null for none; `inside(selector)`: whether the focus is in such an element,
 * `single`: whether keys that write a character count.
 */
export function meaning(key, state, inside, single = letters) {
  if (Object.hasOwn(STEPS, key)) return inside(ARROWS) ? null : STEPS[key];
  if (key === " ") return inside(SPACE) ? null : state.playing ? "pause" : "play";
  return state.edited && letterOf(key, inside, single) === "d" ? "difference" : null;
}

/** A key that writes a character, in small letters, where nobody types; else null. */
export function letterOf(key, inside, single = letters) {
  return !single || key.length !== 1 || (inside(TYPED) && !inside(POINTED)) ? null : key.toLowerCase();
}

const insideOf = (event) => (selector) => isInside(event, selector);
const isFree = (event) => !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey;

/** The sheet of the page, with `rows` of its own, and the keys ? and L. */
export class KeyList extends Component {
  componentDidMount() {
    document.addEventListener("keydown", this.pressed, true);
    openSheet = this.open;
  }

  componentWillUnmount() {
    document.removeEventListener("keydown", this.pressed, true);
  }

  open = () => this.setState({}, () => this.sheet.open || this.sheet.showModal());

  pressed = (event) => {
    const act = { "?": this.open, l: this.props.lecture }[letterOf(event.key, insideOf(event)) ?? ""];
    if (!act || !isFree(event) || this.sheet.open || event.repeat) return;
    event.preventDefault();
    act();
  };

  render({ rows }) {
    const all = [...rows, ...(players ? PLAYERS : []), ...EVERYWHERE];
    const onchange = ({ target }) => (letters = target.checked);
    return h("dialog.mfp-sheet", { "aria-label": "Keys", ref: (sheet) => (this.sheet = sheet) },
      h("h2", "Keys"),
      h("table", h("tbody", all.map(([key, does]) => h("tr", h("td", h("kbd", key)), h("td", does))))),
      h("p", "Keys work while you are not typing and no control that uses them has the focus."),
      h("label", h("input", { type: "checkbox", checked: letters, onchange }), " Letters and ? are keys"),
      h("form", { method: "dialog" }, h("button.mfp-button", { autofocus: true }, "Close")));
  }
}

/** The keys of a player, while some of it is in sight; the function that is returned ends them. */
export function listenToKeys(root, state, dispatch) {
  function pressed(event) {
    const type = meaning(event.key, state(), insideOf(event));
    const { top, bottom, width } = root.getBoundingClientRect();
    const inSight = width > 0 && bottom > 0 && top < innerHeight;
    if (type === null || !isFree(event) || !inSight || isInside(event, "dialog")) return;
    event.preventDefault();
    dispatch({ type });
  }

  players += 1;
  document.addEventListener("keydown", pressed);
  return () => {
    players -= 1;
    document.removeEventListener("keydown", pressed);
  };
}

/** Seconds without a page after which the corner asks for it. */
const PATIENCE = 3;

/**
 * The corner of every page of the app: the switch of lecture mode and the sheet of keys. The server keeps whether
 * lecture mode is on, so that it outlives the page.
 *
 * It stays where the page around it is lost, and asks for the page then: a message of the page before that reaches the
 * server after the visitor has left, such as that of a timer, makes Streamlit take the new page off the screen.
 */
export function createCorner(parent) {
  /** @type {Tell} */
  let send = () => {};
  let missed = 0;
  const timer = setInterval(() => {
    missed = document.querySelector(".st-key-here") ? 0 : missed + 1;
    if (missed % PATIENCE === PATIENCE - 1) send("lost", true);
  }, 1000);
  return {
    /** @param {CornerData} data @param {Tell} tell */
    update({ on, keys }, tell) {
      send = tell;
      const lecture = () => tell("lecture", !on);
      render(h("div.mfl",
        button("mfp-button.mfl-lecture", { title: "Lecture mode (L)", act: lecture, "aria-pressed": String(on) },
          icon(SCREEN), h("span", "Lecture mode")),
        button("mfp-button.mfl-keys", { title: "Keys (?)", act: () => openSheet() }, "?"),
        h(KeyList, { rows: keys, lecture })), parent);
    },
    destroy() {
      clearInterval(timer);
      render(null, parent);
    },
  };
}
