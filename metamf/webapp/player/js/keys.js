/**
 * The keys of the players and of the page, which work wherever nothing with keys of its own has the focus, and the
 * sheet that lists them. A page has one sheet: that of the app's corner, or of the player of a saved page.
 */
import { button, dom } from "./dom.js";
import { icon } from "./svg.js";

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
let openSheet;

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

/** Whether an event comes from inside an element that matches. */
const insideOf = (event) => (selector) =>
  event.composedPath().some((part) => part instanceof Element && part.matches(selector));

const isFree = (event) => !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey;

/**
 * Puts the sheet of the page, with `rows()` of its own, into `root`, and listens to the keys ? and L, until the function
 * that is returned is called. Escape closes the sheet, and the focus goes back.
 */
export function createKeyList(root, rows, lecture) {
  const single = dom("input", { type: "checkbox", onchange: () => (letters = single.checked) });
  const body = dom("tbody");
  const close = dom("button", { className: "mfp-button", autofocus: true }, "Close");
  const sheet = dom("dialog", { className: "mfp-sheet", "aria-label": "Keys" },
    dom("h2", {}, "Keys"),
    dom("table", {}, body),
    dom("p", {}, "Keys work while you are not typing and no control that uses them has the focus."),
    dom("label", {}, single, " Letters and ? are keys"),
    dom("form", { method: "dialog" }, close));
  root.append(sheet);

  function open() {
    const all = [...rows(), ...(players ? PLAYERS : []), ...EVERYWHERE];
    single.checked = letters;
    body.replaceChildren(...all.map(([key, does]) => dom("tr", {}, dom("td", {}, dom("kbd", {}, key)), dom("td", {}, does))));
    if (!sheet.open) sheet.showModal();
  }

  function pressed(event) {
    const act = { "?": open, l: lecture }[letterOf(event.key, insideOf(event)) ?? ""];
    if (!act || !isFree(event) || sheet.open || event.repeat) return;
    event.preventDefault();
    act();
  }

  openSheet = open;
  document.addEventListener("keydown", pressed, true);
  return () => {
    document.removeEventListener("keydown", pressed, true);
    if (openSheet === open) openSheet = undefined;
    sheet.remove();
  };
}

/** The keys of a player, while some of it is in sight; the function that is returned ends them. */
export function listenToKeys(root, state, dispatch) {
  function pressed(event) {
    const type = meaning(event.key, state(), insideOf(event));
    const { top, bottom, width } = root.getBoundingClientRect();
    const inSight = width > 0 && bottom > 0 && top < innerHeight;
    const sheetOpen = event.composedPath().some((part) => part instanceof HTMLDialogElement);
    if (type === null || !isFree(event) || !inSight || sheetOpen) return;
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

/**
 * The corner of every page of the app: the switch of lecture mode and the sheet of keys. The server keeps whether
 * lecture mode is on, so that it outlives the page.
 */
export function createCorner(parent) {
  /** @type {CornerData} */
  let data = { on: false, keys: [] };
  let tell;
  const lecture = () => tell("lecture", !data.on);
  const words = dom("span", {}, "Lecture mode");
  const toggle = button("mfp-button mfl-lecture", "Lecture mode (L)", lecture, icon(SCREEN), words);
  const list = button("mfp-button mfl-keys", "Keys (?)", () => openSheet?.(), "?");
  const root = dom("div", { className: "mfl" }, toggle, list);
  parent.append(root);
  const endKeyList = createKeyList(root, () => data.keys, lecture);
  return {
    update(newer, teller) {
      data = newer;
      tell = teller;
      toggle.setAttribute("aria-pressed", String(data.on));
    },
    destroy() {
      endKeyList();
      root.remove();
    },
  };
}
