/**
 * The held-out matrix of a meta-training: its ratings, what the parameters make of it now, and the errors, side by side.
 *
 * They are laid out and drawn as all maps are (layout.js, drawing.js). One cell is chosen, by pointer or arrow keys, in all
 * three.
 *
 * @typedef {Object} Matrix
 * @property {string[]} rows
 * @property {string[]} cols
 * @property {number} low  of the rating scale
 * @property {number} high
 * @property {[number, number, number][]} given  row, column, rating
 * @property {[number, number, number][]} hidden
 * @property {number[][]} filled  estimates of all cells
 *
 * @typedef {import("./parts.js").Block} Block
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./layout.js").Row} Row
 * @typedef {{title: string, layout: Layout, nodes: import("./svg.js").SvgNode[]}} DrawnMap
 */
import { cellOn, cellUnder } from "./axes.js";
import { digitsOf } from "./cellnumbers.js";
import { signedScale } from "./colour.js";
import { dom, write } from "./dom.js";
import { cellNodes, nameNodes } from "./drawing.js";
import { gridColumns, mapLayouts } from "./layout.js";
import { cleanNames, isolated } from "./names.js";
import { ratingLegend, signedLegend } from "./parts.js";
import { mountSvg, svgNode } from "./svg.js";

const TITLES = ["The ratings", "Estimates", "Errors on the hidden ones"];
const ARROWS = /** @type {Record<string, [number, number]>} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });

/** @param {Matrix} matrix @returns {import("./colour.js").Scale} */
const ratingColours = ({ low, high }) => ({ kind: "rating", low, high });

/** @param {Matrix} matrix @returns {import("./colour.js").Scale} up to half the scale: larger errors have the colour of that */
const errorColours = ({ low, high }) => signedScale((high - low) / 2);

/** @param {Matrix} matrix @returns {import("./alttext.js").Named & {low: number, high: number}} what a layout asks of it */
export const linesOf = ({ rows, cols, low, high }) => ({ n: rows.length, m: cols.length, rows, cols, top: 0, left: 0, low, high });

/** @param {import("./layout.js").Request} request @returns {Row} the three maps */
export const trainingLayouts = (request) => mapLayouts(request, TITLES.length);

/**
 * Values of the three maps, row by row, NaN where a cell has none.
 * @param {Matrix} matrix
 * @returns {{ratings: Float64Array, filled: Float64Array, errors: Float64Array, given: Uint8Array}}
 */
export function mapValues(matrix) {
  const [n, m] = [matrix.rows.length, matrix.cols.length];
  const ratings = new Float64Array(n * m).fill(NaN);
  const errors = new Float64Array(n * m).fill(NaN);
  const given = new Uint8Array(n * m);
  for (const [i, j, value] of matrix.given) [ratings[i * m + j], given[i * m + j]] = [value, 1];
  for (const [i, j, value] of matrix.hidden) {
    ratings[i * m + j] = value;
    errors[i * m + j] = matrix.filled[i][j] - value;
  }
  return { ratings, filled: Float64Array.from(matrix.filled.flat()), errors, given };
}

/**
 * A cell in words.
 * @param {Matrix} matrix
 * @param {number} at
 * @returns {string}
 */
export function cellWords(matrix, at) {
  const m = matrix.cols.length;
  const { ratings, filled, errors, given } = mapValues(matrix);
  const name = `${isolated(cleanNames(matrix.rows, 0, matrix.rows.length)[Math.floor(at / m)])}, ${isolated(cleanNames(matrix.cols, 0, m)[at % m])}`;
  const estimate = `estimate ${filled[at].toFixed(2)}`;
  if (given[at]) return `${name}: given ${number(ratings[at])}; ${estimate}.`;
  if (Number.isNaN(ratings[at])) return `${name}: nobody knows; ${estimate}.`;
  return `${name}: hidden ${number(ratings[at])}; ${estimate}, ${Math.abs(errors[at]).toFixed(2)} too ${errors[at] < 0 ? "low" : "high"}.`;
}

/**
 * The three maps as they are drawn, on the page and in a file: cells with their numbers, and names.
 * @param {Matrix} matrix
 * @param {Row} row  their layout
 * @param {import("./paint.js").Look} look
 * @returns {DrawnMap[]}
 */
export function drawnMaps(matrix, row, look) {
  const { ratings, filled, errors, given } = mapValues(matrix);
  const block = (/** @type {Float64Array} */ values, /** @type {import("./colour.js").Scale} */ scale, /** @type {Uint8Array|null} */ marks) =>
    /** @type {Block} */ ({ part: "UV", name: "", values: Float32Array.from(values), scale, marks, constant: [] });
  const blocks = [block(ratings, ratingColours(matrix), given), block(filled, ratingColours(matrix), given), block(errors, errorColours(matrix), null)];
  return blocks.map((shown, k) => {
    const layout = k % row.perRow ? row.bare : row.named;
    return { title: TITLES[k], layout, nodes: [...cellNodes(layout, shown, look, digitsOf(matrix)), ...nameNodes(layout)] };
  });
}

/** @param {Matrix} matrix @returns {import("./parts.js").LegendItem[]} what the colours and marks of the three maps mean */
export function mapLegend(matrix) {
  const keys = /** @type {import("./parts.js").LegendItem["keys"]} */ ([{ mark: "given", text: "given" }, { mark: "empty", text: "no rating" }]);
  return [ratingLegend(ratingColours(matrix), "", keys), signedLegend(errorColours(matrix), "too low", "too high")];
}

/** @param {number} value @returns {string} */
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));

export class TrainingMaps {
  /** @param {HTMLElement} root @param {Matrix} matrix */
  constructor(root, matrix) {
    this.matrix = matrix;
    this.chosen = -1;
    this.readout = dom("p", { className: "mft-readout", "aria-live": "polite" });
    this.figures = TITLES.map((title) => this.figure(title));
    this.box = dom("div", { className: "mft-maps", tabIndex: 0, role: "group", "aria-label": "Held-out matrix; arrow keys move from cell to cell" }, ...this.figures.map(({ root: figure }) => figure));
    root.append(this.box, this.readout);
    this.box.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** @param {string} title */
  figure(title) {
    const cells = mountSvg(svgNode("g"));
    const frame = mountSvg(svgNode("rect", { class: "mft-frame", visibility: "hidden" }));
    const svg = mountSvg(svgNode("svg", { "aria-hidden": "true" }));
    svg.append(cells, frame);
    const layout = /** @type {Layout|null} */ (null);
    const figure = { root: dom("figure", { className: "mft-map" }, dom("figcaption", {}, title), svg), svg, cells, frame, layout };
    const point = (/** @type {PointerEvent} */ event) => {
      if (!figure.layout) return;
      const { rows, cols } = figure.layout;
      const { left, top } = svg.getBoundingClientRect();
      const [i, j] = [cellUnder(rows, event.clientY - top), cellUnder(cols, event.clientX - left)];
      if (i >= 0 && j >= 0) this.choose(i * cols.count + j);
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    return figure;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const move = ARROWS[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const [n, m] = [this.matrix.rows.length, this.matrix.cols.length];
    const [i, j] = this.chosen < 0 ? [0, 0] : [Math.floor(this.chosen / m) + move[0], (this.chosen % m) + move[1]];
    this.choose(Math.min(n - 1, Math.max(0, i)) * m + Math.min(m - 1, Math.max(0, j)));
  }

  /** @param {number} at */
  choose(at) {
    if (at === this.chosen) return;
    this.chosen = at;
    this.mark();
  }

  mark() {
    const { matrix, chosen } = this;
    const m = matrix.cols.length;
    for (const { frame, layout } of this.figures) {
      frame.setAttribute("visibility", chosen < 0 ? "hidden" : "visible");
      if (chosen < 0 || !layout) continue;
      const [y, height] = cellOn(layout.rows, Math.floor(chosen / m));
      const [x, width] = cellOn(layout.cols, chosen % m);
      for (const [name, size] of Object.entries({ x: x - 0.5, y: y - 0.5, width: width + 1, height: height + 1 })) frame.setAttribute(name, String(size));
    }
    write(this.readout, chosen < 0 ? "Point at a cell, or move with the arrow keys, to read it." : cellWords(matrix, chosen));
  }

  /** @param {Matrix} matrix @param {Row} row  their layout @param {import("./paint.js").Look} look */
  draw(matrix, row, look) {
    this.matrix = matrix;
    if (this.chosen >= matrix.rows.length * matrix.cols.length) this.chosen = -1;
    this.box.style.gridTemplateColumns = gridColumns(row);
    this.box.style.columnGap = `${row.space}px`;
    drawnMaps(matrix, row, look).forEach(({ layout, nodes }, k) => {
      const figure = this.figures[k];
      figure.layout = layout;
      for (const side of /** @type {const} */ (["width", "height"])) figure.svg.setAttribute(side, String(layout[side]));
      figure.cells.replaceChildren(...nodes.map(mountSvg));
    });
    this.mark();
  }
}
