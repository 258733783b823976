/**
 * The keys of the player, which work wherever nothing with keys of its own has the focus, and the sheet that lists them.
 */
import { dom } from "./dom.js";

/** @typedef {import("./state.js").PlayerEvent} PlayerEvent */

/** @type {Record<string, PlayerEvent["type"]>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
/** @typedef {[string, string]} Row  keys, and what they do */
/** @type {Row[]} */
const PLAYERS = [
  ["←", "one step back"],
  ["→", "one step forward"],
  ["Home", "the prior"],
  ["End", "the last step"],
  ["Space", "play, pause"],
  ["Tab", "to a map; there the arrow keys go from cell to cell"],
  ["Enter", "on a map: how the number in the cell comes about"],
  ["0–9, Del", "another rating in the chosen cell, or none"],
  ["Ctrl Z", "undo an edit; with Shift, redo it"],
  ["D", "what the edits changed, or the estimates"],
];
/** @type {Row[]} */
export const EVERYWHERE = [
  ["L", "lecture mode: large type, few controls; and back"],
  ["?", "this list"],
  ["Esc", "close what is open"],
];
// The app has one sheet for all its pages: it asks the players for their rows, and they ask it to open.
export const ROWS_WANTED = "metamf-keys";
export const SHEET_WANTED = "metamf-sheet";
const TYPED = "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox], [role=spinbutton], [role=listbox]";
const POINTED = "[type=radio], [type=checkbox], [type=range]"; // inputs that take no characters
const ARROWS = "input, textarea, select, [contenteditable], audio, video, iframe, [role=application], [role=combobox],"
  + " [role=grid], [role=listbox], [role=menu], [role=menubar], [role=option], [role=radio], [role=radiogroup],"
  + " [role=searchbox], [role=slider], [role=spinbutton], [role=tab], [role=tablist], [role=textbox], [role=tree]";
const SPACE = `${ARROWS}, button, a, summary, label, [role=button], [role=checkbox], [role=switch], [role=link]`;

/**
 * What a key means, where the focus is.
 * @param {string} key  as in KeyboardEvent.key
 * @param {{playing: boolean, edited: boolean}} state
 * @param {(selector: string) => boolean} inside  whether the focus is in an element that matches
 * @param {boolean} single  whether keys that write a character count
 * @returns {PlayerEvent["type"]|"sheet"|null}
 */
export function meaning(key, state, inside, single = true) {
  if (key in STEPS) return inside(ARROWS) ? null : STEPS[key];
  if (key === " ") return inside(SPACE) ? null : state.playing ? "pause" : "play";
  const letter = letterOf(key, inside, single);
  if (letter === "d") return state.edited ? "difference" : null;
  return letter === "?" ? "sheet" : letter === "l" ? "lecture" : null;
}

/**
 * A key that writes a character, in small letters, where nobody types; else null.
 * @param {string} key
 * @param {(selector: string) => boolean} inside
 * @param {boolean} single  whether such keys count
 */
export function letterOf(key, inside, single) {
  if (!single || key.length !== 1 || (inside(TYPED) && !inside(POINTED))) return null;
  return key.toLowerCase();
}

/** @param {KeyboardEvent} event @returns {(selector: string) => boolean} whether it comes from inside an element that matches */
export function insideOf(event) {
  const path = event.composedPath().filter((part) => part instanceof Element);
  return (selector) => path.some((part) => /** @type {Element} */ (part).matches(selector));
}

/**
 * The sheet that lists keys; Escape closes it, and the focus goes back to where it was.
 * @returns {{sheet: HTMLDialogElement, letters: () => boolean, show: (rows: Row[]) => void}} `letters`: whether keys that
 *   write a character count, which the visitor says in the sheet
 */
export function createSheet() {
  const page = document.documentElement.dataset; // all sheets of a page keep what the visitor says
  const single = dom("input", { type: "checkbox", onchange: () => (page.letters = single.checked ? "on" : "off") });
  const letters = () => page.letters !== "off";
  const body = dom("tbody");
  const sheet = dom(
    "dialog",
    { className: "mfp-sheet", "aria-label": "Keys" },
    dom("h2", {}, "Keys"),
    dom("table", {}, body),
    dom("p", {}, "They work wherever no field or control with keys of its own has the focus."),
    dom("label", {}, single, " Letters and ? are keys"),
    dom("form", { method: "dialog" }, dom("button", { className: "mfp-button", autofocus: true }, "Close")),
  );
  return {
    sheet,
    letters,
    show(rows) {
      if (sheet.open) return;
      single.checked = letters();
      body.replaceChildren(...rows.map(([key, does]) => dom("tr", {}, dom("td", {}, dom("kbd", {}, key)), dom("td", {}, does))));
      sheet.showModal();
    },
  };
}

/**
 * @param {HTMLElement} root  the player: its keys work while some of it is in sight
 * @param {{state: () => {playing: boolean, edited: boolean, lecture: boolean}, dispatch: (event: PlayerEvent) => void, alone: boolean}} player
 *   `alone`: not in the app, whose corner has the keys for lecture mode and the sheet
 * @returns {{sheet: HTMLDialogElement, show: () => void, close: () => void}}
 */
export function createKeys(root, player) {
  const { sheet, letters, show } = createSheet();

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
    const asked = meaning(event.key, player.state(), insideOf(event), letters());
    const elsewhere = !player.alone && (asked === "sheet" || asked === "lecture");
    if (asked === null || elsewhere || !inSight(root)) return;
    event.preventDefault();
    if (asked === "sheet") open();
    else if (asked === "lecture") player.dispatch({ type: "lecture", on: !player.state().lecture });
    else player.dispatch(/** @type {PlayerEvent} */ ({ type: asked }));
  }

  function open() {
    if (document.dispatchEvent(new CustomEvent(SHEET_WANTED, { cancelable: true }))) show([...PLAYERS, ...EVERYWHERE]);
  }

  /** @param {Event} event */
  const told = (event) => void /** @type {CustomEvent<Row[]>} */ (event).detail.push(...PLAYERS);

  document.addEventListener("keydown", pressed);
  document.addEventListener(ROWS_WANTED, told);
  return {
    sheet,
    show: open,
    close() {
      document.removeEventListener("keydown", pressed);
      document.removeEventListener(ROWS_WANTED, told);
    },
  };
}

/** @param {HTMLElement} element */
function inSight(element) {
  const { top, bottom, width } = element.getBoundingClientRect();
  return width > 0 && bottom > 0 && top < window.innerHeight;
}
