/**
 * Where everything of a figure stands, in CSS pixels: cells, names, sizes of type. Pure geometry; nothing depends on the
 * values that are drawn, so nothing moves with the step.
 *
 * A figure is a map, rows by columns, or a product: V^T above, U at the left, U V^T where they meet. All its blocks share
 * three axes (rows, columns, factors), so what belongs together stands in one line.
 *
 * @typedef {{from: number, count: number, start: number, pitch: number}} Segment  cells of one size without a gap
 * @typedef {{count: number, segments: Segment[], gap: number, start: number, end: number}} Axis
 * @typedef {{text: string, at: number, x: number, y: number, anchor: "start"|"middle"|"end", angle: number}} Label
 * @typedef {import("./typesizes.js").TypeSizes} TypeSizes
 *
 * @typedef {Object} Layout
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
 * @property {number} numberSize  0: cells are too small for numbers
 * @property {number} signedSize  the same for numbers with a sign
 *
 * @typedef {Object} Request
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
 * @property {number} numberWidth  of the widest number, in a font of size 1
 * @property {number} signedWidth  the same with a sign
 * @property {number} [factors]  K
 * @property {number} [special]  how many factors stand apart in front
 * @property {boolean} [whole]  names are cut only where they are longer than a title is
 */
import { shortened } from "./names.js";
import { typeSizes } from "./typesizes.js";

const SLANT = 55; // degrees of column names; chosen by hand
const LARGEST_CELL = 56;
const SIDE_BY_SIDE = 860; // pixels from which two products stand side by side; chosen by hand
const PROJECTED = 1800; // pixels of a screen that may be a projector's, as in typesizes.js
const APART = 10; // pixels between the blocks of a product
const COLUMN_SPACE = 22; // between figures side by side
const SMALLEST_NAME = 10.5;
const NUMBER_MARGIN = 2.5; // beside a number in a cell
const LONGEST = 30; // widths of a letter M of a whole name; chosen by hand: titles of films have less
const THINNEST = 3.5; // pixels of a factor, if numbers ask for room; chosen by hand

/**
 * Maps of one window in rows of `perRow`. On wide screens only the first of a row has row names beside it. Where cells
 * would be too small for numbers, fewer stand in a row: two on a projector's screen, one in lecture mode.
 * @param {Request} request
 * @param {number} count  how many maps
 * @returns {{perRow: number, space: number, named: Layout, bare: Layout}} layouts with and without row names; their cells
 *   have the same size
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

/** @param {Request} request @param {number} perRow */
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
 * `count` products: two side by side where there is room. In lecture mode one below the other, if only then cells have
 * room for numbers; outside of it what stands side by side can be compared.
 * @param {Request} request
 * @param {number} count
 * @returns {{perRow: number, layout: Layout}}
 */
export function productLayouts(request, count) {
  const perRow = count > 1 && request.width >= SIDE_BY_SIDE ? 2 : 1;
  const layout = productLayout(request, perRow);
  if (perRow === 1 || layout.numberSize || !request.lecture) return { perRow, layout };
  const larger = productLayout(request, 1);
  return larger.numberSize ? { perRow: 1, layout: larger } : { perRow, layout };
}

/**
 * The product drawn as a product, `perRow` of them side by side.
 * @param {Request} request
 * @param {number} perRow
 * @returns {Layout}
 */
export function productLayout(request, perRow) {
  const { n, m, factors: K = 1, special = 0 } = request;
  const type = typeSizes(request.screenWidth, request.lecture);
  const whole = (request.width - (perRow - 1) * COLUMN_SPACE) / perRow;
  const names = rowNaming(request, type, whole * (whole < 460 ? 0.2 : 0.16));
  const apart = special ? { count: special, pitch: request.lecture ? 22 : 16 } : null;
  const fixed = names.room + APART + (apart ? apart.count * apart.pitch + APART / 2 : 0);
  const thick = factorPitch(request, type, whole - fixed - 5 * type.name / perRow, K - special);
  const inner = thick * (K - special) + fixed;
  const columns = columnNaming(request, type, (whole - inner) / m);
  const each = whole - columns.overhang / perRow; // names at a slant reach beyond the last column
  const cell = snapped(Math.min(largestCell(request), (each - inner) / m), request.density);
  const groups = [...(apart ? [apart] : []), { count: K - special, pitch: thick }];
  const across = axisOf(names.room, groups);
  const down = axisOf(columns.height, groups);
  const cols = axisOf(across.end + APART, [{ count: m, pitch: cell }]);
  const pitch = rowPitch(request, type, cell, down.end);
  const rows = axisOf(down.end + APART, [{ count: n, pitch }]);
  return {
    width: cols.end + (perRow === 1 ? columns.overhang : 0),
    height: rows.end + 2,
    rows,
    cols,
    across,
    down,
    rowLabels: labelsOfRows(names.texts, rows, names.room, type.name),
    colLabels: labelsOfCols(columns, cols, m, columns.height),
    overhang: columns.overhang,
    nameSize: type.name,
    colSize: columns.size,
    ...numberSizes(request, type, cell, pitch),
  };
}

/**
 * @param {number} start
 * @param {{count: number, pitch: number}[]} groups  a gap stands between them
 * @returns {Axis}
 */
export function axisOf(start, groups) {
  /** @type {Segment[]} */
  const segments = [];
  let at = start;
  let from = 0;
  for (const { count, pitch } of groups.filter((group) => group.count > 0)) {
    if (segments.length) at += APART / 2;
    segments.push({ from, count, start: at, pitch });
    at += count * pitch;
    from += count;
  }
  const finest = Math.min(...segments.map((segment) => segment.pitch));
  return { count: from, segments, gap: finest >= 7 ? 1 : 0, start, end: at };
}

/** @param {Axis} axis @param {number} at position of a cell @returns {[number, number]} where it begins, how large it is */
export function cellOn(axis, at) {
  const segment = axis.segments.find(({ from, count }) => at < from + count) ?? axis.segments[axis.segments.length - 1];
  return [segment.start + (at - segment.from) * segment.pitch, segment.pitch - axis.gap];
}

/** @param {Axis} axis @param {number} pixel @returns {number} position of the cell there; -1 beside all cells */
export function cellUnder(axis, pixel) {
  for (const { from, count, start, pitch } of axis.segments) {
    const at = Math.floor((pixel - start) / pitch);
    if (at >= 0 && at < count) return from + at;
  }
  return -1;
}

/** @param {Layout} layout @param {number} x @param {number} y @returns {[number, number]} the row and the column whose names are there; -1 */
export function nameUnder(layout, x, y) {
  const left = (layout.across ?? layout.cols).start;
  const bottom = (layout.down ?? layout.rows).start;
  const [label] = layout.colLabels;
  const slant = label?.angle ? (bottom - y) / Math.tan((-label.angle * Math.PI) / 180) : 0; // how far a name has leant over
  const row = x < left && layout.rowLabels.length ? cellUnder(layout.rows, y) : -1;
  return [row, label && y < bottom ? cellUnder(layout.cols, x - slant) : -1];
}

/** @param {number} size @param {number} density @returns {number} whole device pixels, where there are several */
export const snapped = (size, density) => (size * density >= 3 ? Math.floor(size * density) / density : Math.max(size, 0.5));

/** @param {Request} request */
const largestCell = (request) => (request.lecture ? 1.6 : 1) * LARGEST_CELL;

/**
 * How thick a factor is: as thick as leaves the product's cells room for their numbers, or else a share of the width.
 * @param {Request} request @param {TypeSizes} type @param {number} free width @param {number} K
 */
function factorPitch(request, type, free, K) {
  const numbered = request.m * (type.number * request.numberWidth + NUMBER_MARGIN + 0.5);
  const left = (free - numbered) / K;
  const share = (0.42 * free) / K;
  const most = Math.min(left >= THINNEST ? left : share, share, (0.3 * request.screenHeight) / K, request.lecture ? 34 : 24);
  return snapped(Math.max(most, 1), request.density);
}

/** @param {Request} request @param {TypeSizes} type @param {number} cell @param {number} above  pixels above the rows */
function rowPitch(request, type, cell, above) {
  const { n } = request;
  const line = request.rowsNamed && n <= 40 ? 1.28 * type.name : n <= 60 ? 9 : 1.5;
  const numbered = cell >= type.number * request.numberWidth + NUMBER_MARGIN && n <= 40;
  const least = numbered ? Math.max(line, 1.5 * type.number) : line;
  const room = (0.66 * request.screenHeight - above) / n;
  return snapped(Math.max(least, Math.min(cell, room)), request.density);
}

/** @param {Request} request @param {TypeSizes} type @param {number} cell @param {number} pitch */
function numberSizes(request, type, cell, pitch) {
  const fitting = (/** @type {number} */ width) => {
    const size = Math.min(type.number + 3, (cell - NUMBER_MARGIN) / width, 0.74 * pitch);
    return size >= type.number ? Math.floor(2 * size) / 2 : 0;
  };
  return { numberSize: fitting(request.numberWidth), signedSize: fitting(request.signedWidth) };
}

/** @param {Request} request @param {TypeSizes} type @param {number} most pixels @returns {{texts: string[], room: number}} */
function rowNaming(request, type, most) {
  const cap = request.whole ? LONGEST : Math.max(36, Math.min(most, (request.lecture ? 14 : 12) * type.name)) / type.name - 0.6;
  const texts = shortened(request.rowNames, cap, request.measure, request.top);
  const widest = texts.reduce((width, text) => Math.max(width, request.measure(text)), 0);
  return { texts, room: Math.ceil(type.name * (widest + 0.6)) };
}

/**
 * @param {Request} request
 * @param {TypeSizes} type
 * @param {number} cell  about how wide a column is
 * @returns {{texts: string[], size: number, every: number, angle: number, height: number, overhang: number}}
 */
function columnNaming(request, type, cell) {
  const { m, measure } = request;
  if (!request.colsNamed) {
    const widest = measure(String(request.left + m)) + 0.6;
    return { texts: request.colNames, size: type.name, every: every(cell, type.name * widest), angle: 0, height: type.name * 1.5, overhang: 0 };
  }
  const angle = request.screenWidth >= 700 && cell * Math.sin((SLANT * Math.PI) / 180) >= type.name ? SLANT : 90;
  const line = angle === 90 ? cell : cell * Math.sin((angle * Math.PI) / 180);
  const size = Math.max(Math.min(type.name, 0.92 * line), SMALLEST_NAME);
  const most = request.whole ? LONGEST : Math.min((angle === 90 ? 0.16 : 0.19) * request.screenHeight, 10.5 * type.name) / size;
  const texts = shortened(request.colNames, most, measure, request.left);
  const length = size * texts.reduce((width, text) => Math.max(width, measure(text)), 0);
  const radians = (angle * Math.PI) / 180;
  return {
    texts,
    size,
    every: every(line, size),
    angle,
    height: Math.ceil(length * Math.sin(radians) + size * (angle === 90 ? 0.5 : 0.9)),
    overhang: Math.ceil(Math.max(0, length * Math.cos(radians) + (angle === 90 ? 0 : 0.4 * size) - cell / 2)),
  };
}

/** @param {number} pitch @param {number} needed @returns {number} every how many cells a label has room */
const every = (pitch, needed) => [1, 2, 5, 10, 20, 50, 100].find((step) => step * pitch >= needed * 0.99) ?? 200;

/** @param {string[]} texts @param {Axis} rows @param {number} right @param {number} size @returns {Label[]} */
function labelsOfRows(texts, rows, right, size) {
  const step = every(rows.segments[0].pitch, Math.min(size, SMALLEST_NAME * 1.1));
  return labelled(texts, step).map(({ text, at }) => {
    const [start, length] = cellOn(rows, at);
    return { text, at, x: right - 6, y: start + length / 2, anchor: "end", angle: 0 };
  });
}

/** @param {ReturnType<typeof columnNaming>} naming @param {Axis} cols @param {number} m @param {number} bottom @returns {Label[]} */
function labelsOfCols(naming, cols, m, bottom) {
  return labelled(naming.texts.slice(0, m), naming.every).map(({ text, at }) => {
    const [start, length] = cellOn(cols, at);
    const x = start + length / 2;
    if (naming.angle === 0) return { text, at, x, y: bottom - 0.55 * naming.size, anchor: "middle", angle: 0 };
    return { text, at, x: x + (naming.angle === 90 ? 0 : 0.15 * naming.size), y: bottom - 4, anchor: "start", angle: -naming.angle };
  });
}

/** @param {string[]} texts @param {number} step */
const labelled = (texts, step) => texts.map((text, at) => ({ text, at })).filter(({ at }) => at % step === 0);
