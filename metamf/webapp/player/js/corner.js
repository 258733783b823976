/**
 * The corner of every page of the app: the switch of lecture mode, the sheet of keys, and the keys L and ?. The server keeps
 * whether lecture mode is on, so that it outlives the page.
 *
 * @typedef {{on: boolean, keys: import("./keys.js").Row[]}} CornerData  whether lecture mode is on; the keys of this page
 */
import { dom, icon } from "./dom.js";
import { createSheet, showKeys } from "./keys.js";

const SCREEN = "M3 4h18v12H3zM5 6v8h14V6zM8 19h8v2H8z";

/** @type {WeakMap<Node, ReturnType<typeof createCorner>>} */
const corners = new WeakMap();

/** @param {{data: CornerData, parentElement: ParentNode & Node, setTriggerValue: (name: string, value: any) => void}} mount */
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
  /** @type {(name: string, value: any) => void} */
  let tell = () => {};
  let calls = 0;
  const lecture = () => tell("lecture", !data.on);
  const button = (name, title, act, ...children) => {
    const label = title.replace(/ \(.*/, "");
    return dom("button", { type: "button", className: `mfp-button mfl-${name}`, title, "aria-label": label, onclick: act }, ...children);
  };
  const toggle = button("lecture", "Lecture mode (L)", lecture, icon(SCREEN), dom("span", {}, "Lecture mode"));
  const root = dom("div", { className: "mfl" }, toggle, button("keys", "Keys (?)", showKeys, "?"));
  parent.append(root);
  const endSheet = createSheet(root, () => data.keys, lecture);
  return {
    calls: () => calls,
    update(newer, teller) {
      data = newer;
      tell = teller;
      toggle.setAttribute("aria-pressed", String(data.on));
      return (calls += 1);
    },
    close() {
      endSheet();
      root.remove();
    },
  };
}
