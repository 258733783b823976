/**
 * The keys of the player, which work wherever nothing with keys of its own has the focus, and the sheet that lists them.
 */
import { dom } from "./dom.js";

/** @typedef {import("./state.js").PlayerEvent} PlayerEvent */

/** @type {Record<string, PlayerEvent["type"]>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
const SHEET = [
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
  ["?", "this list"],
  ["Esc", "close what is open"],
];
const ARROWS = "input, textarea, select, [contenteditable], audio, video, iframe, [role=application], [role=combobox],"
  + " [role=grid], [role=listbox], [role=menu], [role=menubar], [role=option], [role=radio], [role=radiogroup],"
  + " [role=searchbox], [role=slider], [role=spinbutton], [role=tab], [role=tablist], [role=textbox], [role=tree]";
const TYPED = "input, textarea, select, [contenteditable], [role=textbox]";
const POINTED = "[type=radio], [type=checkbox], [type=range]"; // inputs that take no characters
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
  if (!single || (inside(TYPED) && !inside(POINTED))) return null;
  if (key === "?") return "sheet";
  if (key === "d" || key === "D") return state.edited ? "difference" : null;
  return null;
}

/**
 * @param {HTMLElement} root  the player: its keys work while some of it is in sight
 * @param {{state: () => {playing: boolean, edited: boolean}, dispatch: (event: PlayerEvent) => void}} player
 * @returns {{sheet: HTMLDialogElement, show: () => void, close: () => void}}
 */
export function createKeys(root, player) {
  const single = dom("input", { type: "checkbox", checked: true });
  const rows = SHEET.map(([key, does]) => dom("tr", {}, dom("td", {}, dom("kbd", {}, key)), dom("td", {}, does)));
  const sheet = dom(
    "dialog",
    { className: "mfp-sheet", "aria-label": "Keys" },
    dom("h2", {}, "Keys"),
    dom("table", {}, dom("tbody", {}, ...rows)),
    dom("p", {}, "They work wherever no field or control with keys of its own has the focus."),
    dom("label", {}, single, " ? opens this list, D shows the difference"),
    dom("form", { method: "dialog" }, dom("button", { className: "mfp-button", autofocus: true }, "Close")),
  );

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || sheet.open) return;
    const path = event.composedPath().filter((part) => part instanceof Element);
    const inside = (/** @type {string} */ selector) => path.some((part) => /** @type {Element} */ (part).matches(selector));
    const asked = meaning(event.key, player.state(), inside, single.checked);
    if (asked === null || !inSight(root)) return;
    event.preventDefault();
    if (asked === "sheet") show();
    else player.dispatch(/** @type {PlayerEvent} */ ({ type: asked }));
  }

  function show() {
    if (!sheet.open) sheet.showModal();
  }

  document.addEventListener("keydown", pressed);
  return { sheet, show, close: () => document.removeEventListener("keydown", pressed) };
}

/** @param {HTMLElement} element */
function inSight(element) {
  const { top, bottom, width } = element.getBoundingClientRect();
  return width > 0 && bottom > 0 && top < window.innerHeight;
}
