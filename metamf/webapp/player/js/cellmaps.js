/**
 * What stands in a chosen cell in each of the maps that follow no step, and how far that is from the truth.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {{title: string, value: string, off: string}} CellLine
 */
import { dom } from "./dom.js";
import { exactNumber } from "./alttext.js";

/** @param {Run} run @param {number} i @param {number} j @returns {CellLine[]} a line for each map that has a number there */
export function cellLines(run, i, j) {
  const at = i * run.m + j;
  const truth = run.truth ? run.truth[at] : NaN;
  return run.maps.flatMap(({ title, kind, noun, values }) => {
    if (Number.isNaN(values[at])) return [];
    const estimated = kind === "rating" && noun === "estimate" && !Number.isNaN(truth);
    return [{ title, value: exactNumber(values[at], kind === "signed"), off: estimated ? exactNumber(values[at] - truth, true) : "" }];
  });
}

/** @param {HTMLElement} root */
export function createCellMaps(root) {
  /** @type {CellLine[]} */
  let lines = [];
  return {
    /** @param {Run} run @param {number} i @param {number} j */
    update(run, i, j) {
      lines = cellLines(run, i, j);
      const compared = lines.some(({ off }) => off);
      const head = ["Map", "Number", ...(compared ? ["Minus the truth"] : [])];
      const table = dom("table", { className: "mfc-maps" });
      table.createTHead().insertRow().append(...head.map((text) => dom("th", { scope: "col" }, text)));
      const body = table.createTBody();
      for (const { title, value, off } of lines) {
        body.insertRow().append(dom("th", { scope: "row", dir: "auto" }, title), ...[value, ...(compared ? [off] : [])].map((text) => dom("td", {}, text)));
      }
      root.replaceChildren(lines.length ? table : dom("p", {}, "No map that is shown has a number here."));
    },
    /** @returns {string} the same as a sentence */
    words: () => lines.map(({ title, value }) => `${title}: ${value}`).join("; "),
  };
}
