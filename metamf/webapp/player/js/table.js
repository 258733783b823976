/**
 * The numbers behind a picture as tables, built when they are opened and followed while they are open.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {{caption: string, rows: string[], cols: string[], cells: string[][]}} NumberTable
 */
import { dom } from "./dom.js";
import { cellKind, exactNumber, namesOf } from "./alttext.js";
import { factorWords } from "./factors.js";

const MOST_ROWS = 60; // of a table on the page, and as many columns; a browser lays out 3,600 cells at once

/**
 * @param {Run} run
 * @param {Picture} picture
 * @returns {NumberTable[]} one for each block; a given cell has "given" beside its number
 */
export function numberTables(run, picture) {
  const { rows, cols } = namesOf(run);
  return picture.blocks.map((block) => {
    const factors = picture.factorOrder.map((k) => factorWords(run, k)[block.part === "V" ? "V" : "U"]);
    const rowNames = (block.part === "V" ? factors : rows).slice(0, MOST_ROWS);
    const colNames = (block.part === "U" ? factors : cols).slice(0, MOST_ROWS);
    const width = block.part === "U" ? factors.length : cols.length;
    const signed = block.scale.kind === "signed";
    const cells = rowNames.map((_, i) =>
      colNames.map((__, j) => {
        const at = i * width + j;
        const constant = block.constant.includes(block.part === "U" ? j : block.part === "V" ? i : -1);
        const text = constant ? "1" : Number.isNaN(block.values[at]) ? "" : exactNumber(block.values[at], signed);
        return block.part === "UV" && text && cellKind(run, at) === "given" && picture.id !== "residual" ? `${text} given` : text;
      }),
    );
    const part = rows.length > MOST_ROWS || cols.length > MOST_ROWS ? `; the first ${MOST_ROWS} rows and columns` : "";
    const caption = [block.name || picture.title, picture.detail].filter(Boolean).join(", ") + part;
    return { caption, rows: rowNames, cols: colNames, cells };
  });
}

/**
 * Writes tables into `box`. Tables of the same form are kept, and only their texts change.
 * @param {HTMLElement} box
 * @param {NumberTable[]} tables
 */
export function drawTables(box, tables) {
  const form = JSON.stringify(tables.map(({ rows, cols }) => [rows, cols]));
  if (box.dataset.form !== form) {
    box.dataset.form = form;
    box.replaceChildren(...tables.map((table) => emptyTable(table)));
  }
  tables.forEach((table, k) => {
    const drawn = /** @type {HTMLTableElement} */ (box.children[k].querySelector("table"));
    /** @type {HTMLElement} */ (drawn.caption).textContent = table.caption;
    const bodies = drawn.tBodies[0].rows;
    table.cells.forEach((line, i) => line.forEach((text, j) => {
      const cell = bodies[i].cells[j + 1];
      if (cell.textContent !== text) cell.textContent = text;
    }));
  });
}

/** @param {NumberTable} table */
function emptyTable({ caption, rows, cols }) {
  const table = dom("table", { className: "map-table" });
  table.createCaption();
  const head = table.createTHead().insertRow();
  head.append(dom("td"), ...cols.map((name) => heading("col", name)));
  const body = table.createTBody();
  for (const name of rows) {
    const line = body.insertRow();
    line.append(heading("row", name), ...cols.map(() => dom("td")));
  }
  return dom("div", { className: "map-scroller", tabIndex: 0, role: "region", "aria-label": `Numbers: ${caption}` }, table);
}

/** @param {string} scope @param {string} name */
function heading(scope, name) {
  return dom("th", { scope, dir: "auto" }, name);
}
