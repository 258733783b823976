/**
 * The corner of every page of the app: the switch of lecture mode, the sheet of keys, and the keys L and ?. The server
 * keeps whether lecture mode is on, so that it outlives the page.
 */
import { dom, icon } from "./dom.js";
import { createSheet, showKeys } from "./keys.js";

const SCREEN = "M3 4h18v12H3zM5 6v8h14V6zM8 19h8v2H8z";

/** @param {ParentNode} parent */
export function createCorner(parent) {
  /** @type {CornerData} */
  let data = { on: false, keys: [] };
  /** @type {(name: string, value: any) => void} */
  let tell = () => {};
  const lecture = () => tell("lecture", !data.on);
  const button = (name, title, act, ...children) => {
    const label = title.replace(/ \(.*/, "");
    const properties = { className: `mfp-button mfl-${name}`, title, "aria-label": label, onclick: act };
    return dom("button", { type: "button", ...properties }, ...children);
  };
  const toggle = button("lecture", "Lecture mode (L)", lecture, icon(SCREEN), dom("span", {}, "Lecture mode"));
  const root = dom("div", { className: "mfl" }, toggle, button("keys", "Keys (?)", showKeys, "?"));
  parent.append(root);
  const endSheet = createSheet(root, () => data.keys, lecture);
  return {
    update(newer, teller) {
      data = newer;
      tell = teller;
      toggle.setAttribute("aria-pressed", String(data.on));
    },
    destroy() {
      endSheet();
      root.remove();
    },
  };
}
