/**
 * Where everything of a figure stands, in CSS pixels: cells, names, sizes of type. Pure geometry; nothing depends on the
 * values that are drawn, so nothing moves with the step.
 *
 * A figure is a map, rows by columns, or a product: V^T above, U at the left, U V^T where they meet. All its blocks share
 * three axes (rows, columns, factors), so what belongs together stands in one line.
 *
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./labels.js").Label} Label
 * @typedef {import("./typesizes.js").TypeSizes} TypeSizes
 *
 * @typedef {Object} Place
 * @property {number} width
 * @property {number} height
 * @property {Axis} rows
 * @property {Axis} cols
 * @property {Axis|null} across  factors as columns of U
 * @property {Axis|null} down  factors as rows of V^T
 * @property {Label[]} rowLabels
 * @property {Label[]} colLabels
 * @property {number} overhang  how far column names reach beyond the last column
 * @property {number} nameSize
 * @property {number} colSize  size of the column names
 * @typedef {Place & import("./cellnumbers.js").NumberSizes} Layout
 *
 * @typedef {Object} Asked
 * @property {number} n
 * @property {number} m
 * @property {string[]} rowNames
 * @property {string[]} colNames
 * @property {boolean} rowsNamed  false: the names are positions
 * @property {boolean} colsNamed
 * @property {number} top  position of the first row in the matrix, from 0
 * @property {number} left
 * @property {number} width  room for all figures
 * @property {number} screenWidth
 * @property {number} screenHeight
 * @property {boolean} lecture
 * @property {number} density  device pixels for a CSS pixel
 * @property {(text: string) => number} measure  width of a text in a font of size 1
 * @property {number} [factors]  K
 * @property {number} [special]  how many factors stand apart in front
 * @property {boolean} [whole]  names are cut only where they are longer than a title is
 * @typedef {Asked & import("./cellnumbers.js").NumberWidths} Request
 *
 * @typedef {{perRow: number, space: number, named: Layout, bare: Layout}} Row  layouts with and without row names, whose
 *   cells have the same size: figures after the first of a row have the latter
 */
import { APART, axisOf, snapped } from "./axes.js";
import { leastCell, numberSizes } from "./cellnumbers.js";
import { columnNaming, labelsOfCols, labelsOfRows, rowNaming } from "./labels.js";
import { typeSizes } from "./typesizes.js";

const LARGEST_CELL = 56;
const SIDE_BY_SIDE = 860; // pixels from which two products stand side by side
const PROJECTED = 1800; // pixels of a screen that may be a projector's, as in typesizes.js
const COLUMN_SPACE = 22; // between figures side by side
const THINNEST = 3; // pixels of a factor, if numbers ask for room
const THINNEST_ON_PHONES = 2; // where no finger could point at one of 3 either

/**
 * Maps of one window in rows of `perRow`. On wide screens only the first of a row has row names beside it. Where cells
 * would be too small for numbers, fewer stand in a row: two on a projector's screen, one in lecture mode.
 * @param {Request} request
 * @param {number} count  how many maps
 * @returns {Row}
 */
export function mapLayouts(request, count) {
  const wide = request.width >= 700;
  const found = mapsPerRow(request, wide ? count : 1);
  if (!wide || found.named.numberSize) return found;
  const fewest = request.lecture ? 1 : request.screenWidth >= PROJECTED ? 2 : count;
  for (let fewer = count - 1; fewer >= fewest; fewer--) {
    const other = mapsPerRow(request, fewer);
    if (other.named.numberSize) return other;
  }
  return found;
}

/** @param {Request} request @param {number} perRow @returns {Row} */
function mapsPerRow(request, perRow) {
  const type = typeSizes(request.screenWidth, request.lecture);
  const names = rowNaming(request, type, (request.width / perRow) * 0.3);
  const least = request.width - names.room - (perRow - 1) * COLUMN_SPACE;
  const columns = columnNaming(request, type, least / perRow / request.m);
  const cell = snapped(Math.min(largestCell(request), (least - columns.overhang) / perRow / request.m), request.density);
  const pitch = rowPitch(request, type, cell, columns.height);
  const layout = (/** @type {boolean} */ named) => {
    const left = named ? names.room : 0;
    const rows = axisOf(columns.height, [{ count: request.n, pitch }]);
    const cols = axisOf(left, [{ count: request.m, pitch: cell }]);
    return {
      width: cols.end + (perRow === 1 ? columns.overhang : 0),
      height: rows.end + 2,
      rows,
      cols,
      across: null,
      down: null,
      rowLabels: named ? labelsOfRows(names.texts, rows, left, type.name) : [],
      colLabels: labelsOfCols(columns, cols, request.m, columns.height),
      overhang: columns.overhang,
      nameSize: type.name,
      colSize: columns.size,
      ...numberSizes(request, type, cell, pitch),
    };
  };
  return { perRow, space: COLUMN_SPACE, named: layout(true), bare: layout(false) };
}

/**
 * `count` products: two side by side where there is room. Where cells would be too small for numbers, in lecture mode one
 * stands below the other. Outside of it, where what stands side by side can be compared, names of columns stand upright,
 * and if that is not enough the second has no row names.
 * @param {Request} request
 * @param {number} count
 * @returns {Row}
 */
export function productLayouts(request, count) {
  const perRow = count > 1 && request.width >= SIDE_BY_SIDE ? 2 : 1;
  const first = productsPerRow(request, perRow);
  if (first.named.numberSize) return first;
  const tries = request.lecture && perRow === 2
    ? [() => productsPerRow(request, 1)]
    : [{ upright: true }, { upright: true, once: perRow === 2 }].map((options) => () => productsPerRow(request, perRow, options));
  for (const attempt of tries) {
    const other = attempt();
    if (other.named.numberSize) return other;
  }
  return first;
}

/**
 * Products drawn as products, `perRow` of them side by side.
 * @param {Request} request
 * @param {number} perRow
 * @param {{upright?: boolean, once?: boolean}} [options]  upright: names of columns do not lean over; once: only the first
 *   of a row has row names
 * @returns {Row}
 */
export function productsPerRow(request, perRow, { upright = false, once = false } = {}) {
  const { n, m, factors: K = 1, special = 0 } = request;
  const type = typeSizes(request.screenWidth, request.lecture);
  const whole = (request.width - (perRow - 1) * COLUMN_SPACE) / perRow;
  const names = rowNaming(request, type, whole * (whole < 460 ? 0.2 : 0.16));
  const apart = special ? { count: special, pitch: request.lecture ? 22 : 16 } : null;
  const beside = APART + (apart ? apart.count * apart.pitch + APART / 2 : 0);
  const free = whole - beside - (once ? names.room / perRow : names.room); // for factors and columns
  const thick = factorPitch(request, type, free - (upright ? 0 : (5 * type.name) / perRow), K - special);
  const each = free - thick * (K - special);
  const columns = columnNaming(request, type, each / m, upright);
  // Names at a slant reach beyond the last column.
  const cell = snapped(Math.min(largestCell(request), (each - columns.overhang / perRow) / m), request.density);
  const groups = [...(apart ? [apart] : []), { count: K - special, pitch: thick }];
  const down = axisOf(columns.height, groups);
  const pitch = rowPitch(request, type, cell, down.end);
  const rows = axisOf(down.end + APART, [{ count: n, pitch }]);
  const layout = (/** @type {boolean} */ named) => {
    const across = axisOf(named ? names.room : 0, groups);
    const cols = axisOf(across.end + APART, [{ count: m, pitch: cell }]);
    return {
      width: cols.end + (perRow === 1 ? columns.overhang : 0),
      height: rows.end + 2,
      rows,
      cols,
      across,
      down,
      rowLabels: named ? labelsOfRows(names.texts, rows, names.room, type.name) : [],
      colLabels: labelsOfCols(columns, cols, m, columns.height),
      overhang: columns.overhang,
      nameSize: type.name,
      colSize: columns.size,
      ...numberSizes(request, type, cell, pitch),
    };
  };
  return { perRow, space: COLUMN_SPACE, named: layout(true), bare: layout(!once) };
}

/** @param {Row} row @returns {string} the columns of a grid whose rows are such a row, in CSS */
export const gridColumns = ({ perRow, named, bare }) => (perRow === 1 ? "auto" : [named.width, ...Array(perRow - 1).fill(bare.width)].map((size) => `${size}px`).join(" "));

/** @param {Request} request */
const largestCell = (request) => (request.lecture ? 1.6 : 1) * LARGEST_CELL;

/**
 * How thick a factor is: as thick as leaves the product's cells room for their numbers, or else a share of the width.
 * @param {Request} request @param {TypeSizes} type @param {number} free width @param {number} K
 */
function factorPitch(request, type, free, K) {
  const { density } = request;
  const numbered = (request.m * Math.ceil(leastCell(request, type) * density)) / density;
  const left = (free - numbered) / K;
  const share = (0.42 * free) / K;
  const thinnest = request.screenWidth < 700 ? THINNEST_ON_PHONES : THINNEST;
  const most = Math.min(left >= thinnest ? left : share, share, (0.3 * request.screenHeight) / K, request.lecture ? 34 : 24);
  return snapped(Math.max(most, 1), density);
}

/** @param {Request} request @param {TypeSizes} type @param {number} cell @param {number} above  pixels above the rows */
function rowPitch(request, type, cell, above) {
  const { n } = request;
  const line = request.rowsNamed && n <= 40 ? 1.28 * type.name : n <= 60 ? 9 : 1.5;
  const numbered = cell >= leastCell(request, type) && n <= 40;
  const least = numbered ? Math.max(line, 1.5 * type.number) : line;
  const room = (0.66 * request.screenHeight - above) / n;
  return snapped(Math.max(least, Math.min(cell, room)), request.density);
}
