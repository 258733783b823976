/**
 * A marked cell, row or column: framed wherever it is, with a text in the cell, such as a question mark.
 *
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {{row: number|null, col: number|null, text: string}} Mark  row and column of the window; null: all of them
 */
import { cellOn } from "./axes.js";
import { svgNode } from "./svg.js";

const LINE = 3; // pixels; thicker than the line of a cell under the pointer

/**
 * @param {Layout} layout
 * @param {Mark|null} mark
 * @param {{text: string, page: string}} colours  of the page
 * @param {boolean} written  whether the text stands in the cell
 * @returns {SvgNode[]}
 */
export function markNodes(layout, mark, { text, page }, written) {
  const box = mark && markedBox(layout, mark);
  if (!mark || !box) return [];
  const { x, y, width, height } = box;
  const around = { x: x - 1.5, y: y - 1.5, width: width + 3, height: height + 3, rx: 2 };
  const nodes = [
    svgNode("rect", { ...around, fill: "none", stroke: page, "stroke-width": LINE + 3 }),
    svgNode("rect", { ...around, fill: written && mark.text ? page : "none", stroke: text, "stroke-width": LINE }),
  ];
  if (written && mark.text) {
    const size = Math.max(9, Math.min(0.72 * height, (1.5 * width) / mark.text.length, 26));
    nodes.push(svgNode("text", { x: x + width / 2, y: y + height / 2, dy: "0.35em", "text-anchor": "middle", "font-size": size, "font-weight": 700, fill: text }, mark.text));
  }
  return nodes;
}

/** @param {Layout} layout @param {Mark} mark @returns {{x: number, y: number, width: number, height: number}|null} null beside the window */
function markedBox({ rows, cols }, { row, col }) {
  if ((row === null && col === null) || !inside(row, rows.count) || !inside(col, cols.count)) return null;
  const [y, height] = row === null ? [rows.start, rows.end - rows.start] : cellOn(rows, row);
  const [x, width] = col === null ? [cols.start, cols.end - cols.start] : cellOn(cols, col);
  return { x, y, width, height };
}

/** @param {number|null} at @param {number} count */
const inside = (at, count) => at === null || (Number.isInteger(at) && at >= 0 && at < count);
