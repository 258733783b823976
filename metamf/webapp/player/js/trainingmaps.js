/**
 * The held-out matrix of a meta-training: its ratings, what the parameters make of it now, and the errors, side by side.
 *
 * Each cell is an element that stays and changes its colour. One cell is chosen, by pointer or arrow keys, in all three.
 *
 * @typedef {Object} Matrix
 * @property {string[]} rows
 * @property {string[]} cols
 * @property {number} low  of the rating scale
 * @property {number} high
 * @property {[number, number, number][]} given  row, column, rating
 * @property {[number, number, number][]} hidden
 * @property {number[][]} filled  estimates of all cells
 */
import { paletteOf, shadeOf, signedScale } from "./colour.js";
import { dom, write } from "./dom.js";
import { cleanNames, guessedWidth, isolated, shortened } from "./names.js";
import { mountSvg, svgNode } from "./svg.js";

/**
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {{title: string, names: SvgNode[], boxes: {x: number, y: number, width: number, height: number}[], dots: (SvgNode|null)[],
 *   width: number, height: number}} MapPlan  the boxes of the cells row by row, and the dot of each that was given
 */

export const NAMES = 9; // widths of a letter that a name may take, as many as a film needs to be told from others; chosen by hand
export const MAP_TYPE = 13; // pixels
const TITLES = ["The ratings", "Estimates", "Errors on the hidden ones"];
const ARROWS = /** @type {Record<string, [number, number]>} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });

/** @param {string[]} names @returns {number} about how wide the longest is, in widths of a letter */
const widest = (names) => 1 + Math.max(...names.map(guessedWidth));

/** @param {Matrix} matrix @returns {number} largest error that has a colour of its own: half the scale */
const errorLimit = (matrix) => (matrix.high - matrix.low) / 2;

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
 * Where names, cells and dots of the three maps stand.
 * @param {Matrix} matrix
 * @param {number} width of one map
 * @param {boolean} apart  whether each map stands alone
 * @returns {MapPlan[]}
 */
export function mapPlans(matrix, width, apart) {
  const [n, m] = [matrix.rows.length, matrix.cols.length];
  const size = MAP_TYPE;
  const [rows, cols] = [matrix.rows, matrix.cols].map((names) => shortened(cleanNames(names, 0, names.length), NAMES));
  const { given } = mapValues(matrix);
  return TITLES.map((title, k) => {
    const named = apart || k === 0;
    const left = named ? widest(rows) * size + 8 : 4;
    const top = widest(cols) * size + 8;
    const side = Math.max(8, Math.min(26, (width - (apart ? left : 4) - 4) / m));
    const names = [
      ...cols.map((name, j) => svgNode("text", { x: 0, y: 0, transform: `translate(${left + (j + 0.5) * side + 0.35 * size} ${top - 6}) rotate(-90)`, "font-size": size, fill: "currentColor" }, name)),
      ...(named ? rows.map((name, i) => svgNode("text", { x: left - 6, y: top + (i + 0.5) * side + 0.35 * size, "font-size": size, "text-anchor": "end", fill: "currentColor" }, name)) : []),
    ];
    const boxes = Array.from({ length: n * m }, (_, at) => ({ x: left + (at % m) * side + 0.5, y: top + Math.floor(at / m) * side + 0.5, width: side - 1, height: side - 1 }));
    const dots = boxes.map(({ x, y }, at) => (given[at] && k < 2 ? svgNode("circle", { cx: x + side / 2 - 0.5, cy: y + side / 2 - 0.5, r: Math.max(1.5, 0.14 * side), class: "mft-dot" }) : null));
    return { title, names, boxes, dots, width: left + m * side + 4, height: top + n * side + 4 };
  });
}

/**
 * The colours of all cells of the three maps.
 * @param {Matrix} matrix
 * @param {boolean} dark
 * @returns {(string|null)[][]}  null: the cell has no value
 */
export function mapFills(matrix, dark) {
  const { ratings, filled, errors } = mapValues(matrix);
  const scale = { kind: /** @type {const} */ ("rating"), low: matrix.low, high: matrix.high };
  const scales = [scale, scale, signedScale(errorLimit(matrix))];
  return [ratings, filled, errors].map((values, k) => {
    const { css } = paletteOf(scales[k].kind, dark);
    return Array.from(values, (value) => css[shadeOf(scales[k], value)] ?? null);
  });
}

/**
 * What the colours and marks of the three maps mean.
 * @param {Matrix} matrix
 * @returns {any[]}
 */
export function mapLegend(matrix) {
  const limit = errorLimit(matrix);
  return [
    { scale: { kind: "rating", low: matrix.low, high: matrix.high }, low: String(matrix.low), high: String(matrix.high), keys: [{ mark: "given", text: "given" }, { mark: "empty", text: "no rating" }] },
    { scale: signedScale(limit), low: `too low −${limit}`, high: `+${limit} too high`, keys: [] },
  ];
}

/** @param {number} value @returns {string} */
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));

export class TrainingMaps {
  /** @param {HTMLElement} root @param {Matrix} matrix */
  constructor(root, matrix) {
    this.matrix = matrix;
    this.root = root;
    this.chosen = -1;
    this.readout = dom("p", { className: "mft-readout", "aria-live": "polite" });
    this.box = dom("div", { className: "mft-maps", tabIndex: 0, role: "group", "aria-label": "Held-out matrix; arrow keys move from cell to cell" });
    /** @type {SVGRectElement[][]} */
    this.cells = [];
    /** @type {SVGRectElement[]} */
    this.frames = [];
    this.key = "";
    root.append(this.box, this.readout);
    this.box.addEventListener("pointerover", (event) => {
      const at = /** @type {Element} */ (event.target).getAttribute("data-at");
      if (at !== null) this.choose(Number(at));
    });
    this.box.addEventListener("keydown", (event) => this.pressed(event));
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
    this.chosen = at;
    this.mark();
  }

  mark() {
    if (this.chosen < 0) {
      write(this.readout, "Point at a cell, or move with the arrow keys, to read it.");
      return;
    }
    for (const [k, frame] of this.frames.entries()) {
      const cell = this.cells[k][this.chosen];
      for (const name of ["x", "y", "width", "height"]) frame.setAttribute(name, String(cell.getAttribute(name)));
      frame.setAttribute("visibility", "visible");
    }
    write(this.readout, cellWords(this.matrix, this.chosen));
  }

  /** @param {Matrix} matrix @param {number} width of one map @param {boolean} apart  whether each map stands alone @param {boolean} dark */
  draw(matrix, width, apart, dark) {
    this.matrix = matrix;
    const key = JSON.stringify([matrix.rows, matrix.cols, width, apart]);
    if (key !== this.key) {
      this.key = key;
      this.build(width, apart);
    }
    mapFills(matrix, dark).forEach((fills, k) => fills.forEach((fill, at) => this.cells[k][at].setAttribute("fill", fill ?? "transparent")));
    this.mark();
  }

  /** @param {number} width @param {boolean} apart */
  build(width, apart) {
    this.cells = [];
    this.frames = [];
    const figures = mapPlans(this.matrix, width, apart).map((plan) => {
      const drawn = mountSvg(svgNode("svg", { width: plan.width, height: plan.height, "aria-hidden": "true" }, ...plan.names));
      const cells = plan.boxes.map((box, at) => {
        const cell = mountSvg(svgNode("rect", { ...box, "data-at": at, class: "mft-cell" }));
        const dot = plan.dots[at];
        drawn.append(cell, ...(dot ? [mountSvg(dot)] : []));
        return /** @type {SVGRectElement} */ (cell);
      });
      const frame = mountSvg(svgNode("rect", { class: "mft-frame", visibility: "hidden" }));
      drawn.append(frame);
      this.cells.push(cells);
      this.frames.push(/** @type {SVGRectElement} */ (frame));
      return dom("figure", { className: "mft-map" }, dom("figcaption", {}, plan.title), drawn);
    });
    this.box.replaceChildren(...figures);
  }
}
