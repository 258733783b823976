/**
 * The corner of every page of the app: the switch of lecture mode, and the sheet of keys. Also its keys.
 *
 * Mounted once by the frame of the app (`metamf/webapp/frame.py`). The server keeps whether lecture mode is on, so that it
 * outlives the page; a click or the key asks it.
 */
import { dom, icon } from "./dom.js";
import { createSheet, EVERYWHERE, insideOf, letterOf, ROWS_WANTED, SHEET_WANTED } from "./keys.js";

/**
 * @typedef {import("./keys.js").Row} Row
 * @typedef {{on: boolean, keys: Row[]}} CornerData  whether lecture mode is on, and the keys of this page
 * @typedef {(name: string, value: any) => void} Tell
 * @typedef {{data: CornerData, parentElement: ParentNode & Node, setTriggerValue: Tell}} Mount
 */

/** @type {Row[]} */
const PAGES = [
  ["N, P", "the next page, the page before"],
  ["S", "the settings at the side: show or hide"],
  ["Tab", "to the next link, button or field; Enter or Space presses it"],
];
const LINKS = "[data-testid=stTopNavLink], [data-testid=stSidebarNavLink]";
const SIDES = ["[data-testid=stExpandSidebarButton]", "[data-testid=stSidebarCollapseButton] button"];
const SCREEN = "M3 4h18v12H3zM5 6v8h14V6zM8 19h8v2H8z";

/** @type {WeakMap<Node, ReturnType<typeof createCorner>>} */
const corners = new WeakMap();

/** @param {Mount} mount @returns {() => void} */
export default function mountCorner({ data, parentElement, setTriggerValue }) {
  const corner = corners.get(parentElement) ?? createCorner(parentElement);
  corners.set(parentElement, corner);
  const call = corner.update(data, setTriggerValue);
  return () => {
    if (call !== corner.calls()) return; // the data changed meanwhile
    corner.close();
    corners.delete(parentElement);
  };
}

/** @param {ParentNode & Node} parent */
function createCorner(parent) {
  /** @type {CornerData} */
  let data = { on: false, keys: [] };
  /** @type {Tell} */
  let tell = () => {};
  let calls = 0;
  const { sheet, letters, show } = createSheet();
  const toggle = dom("button", { type: "button", className: "mfp-button mfl-lecture", title: "Lecture mode (L)", "aria-label": "Lecture mode", onclick: lecture }, icon(SCREEN), dom("span", {}, "Lecture mode"));
  const keys = dom("button", { type: "button", className: "mfp-button mfl-keys", title: "Keys (?)", "aria-label": "Keys", onclick: open }, "?");
  const root = dom("div", { className: "mfl" }, toggle, keys, sheet);
  parent.append(root);

  function lecture() {
    tell("lecture", !data.on);
  }

  function open() {
    /** @type {Row[]} */
    const rows = [];
    document.dispatchEvent(new CustomEvent(ROWS_WANTED, { detail: rows }));
    show([...data.keys, ...rows, ...PAGES, ...EVERYWHERE]);
  }

  /** @param {Event} event */
  function wanted(event) {
    event.preventDefault();
    open();
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || sheet.open || event.repeat) return;
    const act = ACTS[letterOf(event.key, insideOf(event), letters()) ?? ""];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @type {Record<string, () => void>} */
  const ACTS = { "?": open, l: lecture, n: () => follow(1), p: () => follow(-1), s: () => SIDES.map(seen).find(Boolean)?.click() };

  document.addEventListener("keydown", pressed, true); // before a player, whose own sheet is for pages that are saved
  document.addEventListener(SHEET_WANTED, wanted);
  return {
    calls: () => calls,
    /** @param {CornerData} newer @param {Tell} teller */
    update(newer, teller) {
      data = newer;
      tell = teller;
      toggle.setAttribute("aria-pressed", String(data.on));
      return (calls += 1);
    },
    close() {
      document.removeEventListener("keydown", pressed, true);
      document.removeEventListener(SHEET_WANTED, wanted);
      root.remove();
    },
  };
}

/** @param {number} by  pages from this one */
function follow(by) {
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(LINKS))];
  const here = links.findIndex((link) => new URL(link.href).pathname === location.pathname);
  links[here + by]?.click();
}

/** @param {string} selector @returns {HTMLElement|null} */
function seen(selector) {
  const found = /** @type {HTMLElement|null} */ (document.querySelector(selector));
  return found?.checkVisibility() ? found : null;
}
