/** The ratings that an estimate leans on: asked from the server, and shown for the cell that was asked about alone. */
import { dom, enable, isEnabled, write } from "./dom.js";
import { asRating, signed, spoken } from "./formula.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./payload.js").LeanItem} LeanItem
 */

/**
 * @param {HTMLElement} root
 * @param {{ask: (cell: [number, number]) => void, point: (cell: [number, number]|null) => void}} visitor
 */
export function createLean(root, { ask, point }) {
  const button = dom("button", { type: "button", className: "mfc-button" }, "Find the ratings that it leans on");
  const said = dom("p", { className: "mfc-said" });
  const list = dom("ol", { className: "mfc-leans", tabIndex: -1, "aria-label": "Ratings that it leans on" });
  const live = dom("p", { className: "mfc-heard", role: "status", "aria-live": "polite" });
  root.append(dom("h3", {}, "What it leans on"), button, said, list, live);
  /** @type {[number, number]} */
  let cell = [0, 0];
  /** @type {{cell: string, id: string}|null} what was asked, of which run */
  let asked = null;
  let drawn = "";
  let id = "";
  button.addEventListener("click", () => {
    if (!isEnabled(button)) return;
    asked = { cell: String(cell), id };
    ask(cell);
    shown("asking …", true);
  });

  /** @param {string} text @param {boolean} busy */
  function shown(text, busy) {
    write(said, text);
    enable(button, !busy);
    root.setAttribute("aria-busy", String(busy));
  }

  return {
    /** @param {Run} run @param {[number, number]} at */
    update(run, at) {
      cell = at;
      id = run.id;
      const { lean } = run;
      const answer = lean !== null && String(lean.cell) === String(at) ? lean : null;
      if (answer !== null || (asked && (asked.id !== id || (lean !== null && String(lean.cell) === asked.cell)))) asked = null;
      const busy = asked !== null && asked.cell === String(at);
      const now = answer === null ? `none ${busy}` : `${at} ${run.id}`;
      if (now === drawn) return;
      drawn = now;
      list.replaceChildren();
      write(live, "");
      const focused = button.matches(":focus");
      button.hidden = answer !== null;
      if (answer === null) {
        shown(busy ? "asking …" : "Leaves ratings out, one at a time, to see how far the estimate moves.", busy);
        return;
      }
      const largest = Math.max(...answer.items.map(([, , change]) => Math.abs(change)), 1e-12);
      list.append(...answer.items.map((item) => line(item, largest)));
      shown(answer.note || `How far each of these ratings moves the estimate, found by leaving it out; ${answer.examined} were tried.`, false);
      if (focused) list.focus({ preventScroll: true });
      const [first] = answer.items;
      write(live, first ? `It leans most on ${first[4]}, ${first[5]}: ${spoken(first[2])}.` : answer.note);
    },
  };

  /** @param {LeanItem} item @param {number} largest */
  function line([atRow, atCol, change, rating, rowName, colName], largest) {
    const bar = dom("i", { className: change < 0 ? "mfc-down" : "mfc-up" });
    bar.style.width = `${(100 * Math.abs(change)) / largest}%`;
    const made = dom("li", { tabIndex: 0 }, dom("span", {}, `${rowName} · ${colName}: ${asRating(rating)}`), dom("span", { className: "mfc-leanbar" }, bar), dom("b", {}, signed(change)));
    for (const enters of ["pointerenter", "focus"]) made.addEventListener(enters, () => point([atRow, atCol]));
    for (const leaves of ["pointerleave", "blur"]) made.addEventListener(leaves, () => point(null));
    return made;
  }
}
