/**
 * Where everything of a figure is, in CSS pixels: cells, names, sizes of type. Nothing depends on the values that are
 * drawn, so nothing moves with the step.
 *
 * A figure is a map, rows by columns, or a product: V^T above, U at the left, U V^T where they meet. Its blocks share
 * three axes (rows, columns, factors), so what belongs together is in one line.
 */
import { range } from "d3-array";

import { shortened } from "./names.js";
import { leastCell, numberSizes } from "./numbers.js";

const APART = 10; // pixels between the blocks of a product
const LARGEST_CELL = 56;
const SIDE_BY_SIDE = 860; // pixels from which two products are side by side
const PROJECTED = 1800; // pixels of a screen that may be a projector's
const COLUMN_SPACE = 22; // between figures side by side
const THINNEST = 3; // pixels of a factor, if numbers ask for room
const THINNEST_ON_PHONES = 2; // where no finger could point at one of 3 either
const SLANT = 55; // degrees of column names
const SMALLEST_NAME = 10.5;
const LONGEST = 30; // widths of a letter M of a whole name; titles of films have less

/** Sizes of type for the last row of a room. @returns {TypeSizes} */
export function typeSizes(screenWidth, lecture) {
  if (lecture) return screenWidth < 700 ? { name: 15, number: 14 } : { name: 19, number: 20 };
  if (screenWidth < 700) return { name: 12, number: 10.5 };
  if (screenWidth < 1200) return { name: 12.5, number: 11 };
  return screenWidth < PROJECTED ? { name: 13, number: 11.5 } : { name: 15, number: 14 };
}

/** Groups of cells with a gap between them. @param {{count: number, pitch: number}[]} groups @returns {Axis} */
export function axisOf(start, groups) {
  const segments = [];
  let [at, from] = [start, 0];
  for (const { count, pitch } of groups.filter((group) => group.count > 0)) {
    if (segments.length) at += APART / 2;
    segments.push({ from, count, start: at, pitch });
    at += count * pitch;
    from += count;
  }
  const finest = Math.min(...segments.map(({ pitch }) => pitch));
  return { count: from, segments, gap: finest >= 7 ? 1 : 0, start, end: at };
}

/** Where a cell begins, and how large it is. @param {Axis} axis @returns {Span} */
export function cellOn(axis, at) {
  const segment = axis.segments.find(({ from, count }) => at < from + count) ?? axis.segments[axis.segments.length - 1];
  return [segment.start + (at - segment.from) * segment.pitch, segment.pitch - axis.gap];
}

/** The position of the cell at a pixel; -1 beside all cells. @param {Axis} axis */
export function cellUnder(axis, pixel) {
  for (const { from, count, start, pitch } of axis.segments) {
    const at = Math.floor((pixel - start) / pitch);
    if (at >= 0 && at < count) return from + at;
  }
  return -1;
}

/** The size of the smallest cells between two axes. */
export const finestOf = (rows, cols) => Math.min(rows.segments[0].pitch, cols.segments[0].pitch);

/** Whole device pixels, where there are several. */
const snapped = (size, density) => (size * density >= 3 ? Math.floor(size * density) / density : Math.max(size, 0.5));

/** The first of several rows whose cells have room for numbers, or else the first. @returns {Row} */
function firstWithNumbers(ways, row) {
  let first;
  for (const way of ways) {
    const found = row(way);
    if (found.named.numberSize) return found;
    first ??= found;
  }
  return first;
}

/**
 * `count` maps of one window in rows. On wide screens only the first of a row has row names beside it. Where cells
 * would be too small for numbers, fewer are in a row: two on a projector's screen, one in lecture mode.
 * @param {LayoutRequest} request
 */
export function mapLayouts(request, count) {
  if (request.width < 560) return mapsPerRow(request, 1);
  const two = request.screenWidth >= PROJECTED || request.width < SIDE_BY_SIDE;
  const fewest = request.lecture ? 1 : two ? Math.min(2, count) : count;
  return firstWithNumbers(range(count, fewest - 1, -1), (perRow) => mapsPerRow(request, perRow));
}

function mapsPerRow(request, perRow) {
  const type = typeSizes(request.screenWidth, request.lecture);
  const names = rowNaming(request, type, (request.width / perRow) * 0.3);
  const least = request.width - names.room - (perRow - 1) * COLUMN_SPACE;
  const columns = columnNaming(request, type, least / perRow / request.m);
  const cell = snapped(Math.min(largestCell(request), (least - columns.overhang) / perRow / request.m), request.density);
  const pitch = rowPitch(request, type, cell, columns.height);
  const rows = axisOf(columns.height, [{ count: request.n, pitch }]);
  const layout = (named) => {
    const left = named ? names.room : 0;
    const cols = axisOf(left, [{ count: request.m, pitch: cell }]);
    return placed(request, type, { rows, cols, across: null, down: null }, columns, named ? names.texts : [], left, perRow);
  };
  return { perRow, space: COLUMN_SPACE, named: layout(true), bare: layout(false) };
}

/**
 * `count` products: two side by side where there is room. Where cells would be too small for numbers, in lecture mode
 * one is below the other; outside of it names of columns stand upright, and if that is not enough the second has no
 * row names.
 * @param {LayoutRequest} request
 */
export function productLayouts(request, count) {
  const most = count > 1 && request.width >= SIDE_BY_SIDE ? 2 : 1;
  const others = request.lecture && most === 2 ? [[1]] : [[most, true], [most, true, most === 2]];
  return firstWithNumbers([[most], ...others], ([perRow, ...names]) => productsPerRow(request, perRow, ...names));
}

/**
 * Products, `perRow` of them side by side; `upright`: names of columns do not lean over, `once`: only the first of a row
 * has row names.
 */
export function productsPerRow(request, perRow, upright = false, once = false) {
  const { n, m, factors: K = 1, special = 0, density } = request;
  const type = typeSizes(request.screenWidth, request.lecture);
  const whole = (request.width - (perRow - 1) * COLUMN_SPACE) / perRow;
  const names = rowNaming(request, type, whole * (whole < 460 ? 0.2 : 0.16));
  const apart = special ? [{ count: special, pitch: request.lecture ? 22 : 16 }] : [];
  const beside = APART + (special ? special * apart[0].pitch + APART / 2 : 0);
  const free = whole - beside - (once ? names.room / perRow : names.room); // for factors and columns
  const thick = factorPitch(request, type, free - (upright ? 0 : (5 * type.name) / perRow), K - special);
  const each = free - thick * (K - special);
  const columns = columnNaming(request, type, each / m, upright);
  const cell = snapped(Math.min(largestCell(request), (each - columns.overhang / perRow) / m), density);
  const groups = [...apart, { count: K - special, pitch: thick }];
  const down = axisOf(columns.height, groups);
  const pitch = rowPitch(request, type, cell, down.end);
  const rows = axisOf(down.end + APART, [{ count: n, pitch }]);
  const layout = (named) => {
    const across = axisOf(named ? names.room : 0, groups);
    const cols = axisOf(across.end + APART, [{ count: m, pitch: cell }]);
    return placed(request, type, { rows, cols, across, down }, columns, named ? names.texts : [], names.room, perRow);
  };
  return { perRow, space: COLUMN_SPACE, named: layout(true), bare: layout(!once) };
}

function placed(request, type, axes, columns, rowTexts, left, perRow) {
  const { rows, cols } = axes;
  const [cell, pitch] = [cols.segments[0].pitch, rows.segments[0].pitch];
  const { size, angle, height: bottom } = columns;
  const lean = angle === SLANT ? 0.15 * size : 0;
  const ofRow = (y) => ({ x: left - 6, y, anchor: "end", angle: 0 });
  const anchor = angle ? "start" : "middle";
  const ofCol = (x) => ({ x: x + lean, y: bottom - (angle ? 4 : 0.55 * size), anchor, angle: -angle });
  return {
    width: cols.end + (perRow === 1 ? columns.overhang : 0),
    height: rows.end + 2,
    ...axes,
    rowLabels: labelsOf(rowTexts, rows, every(pitch, Math.min(type.name, SMALLEST_NAME * 1.1)), ofRow),
    colLabels: labelsOf(columns.texts, cols, columns.every, ofCol),
    overhang: columns.overhang,
    nameSize: type.name,
    colSize: size,
    ...numberSizes(request.widths, type.number, cell, pitch),
  };
}

/** The columns of a grid whose rows are such a row, in CSS. @param {Row} row */
export const gridColumns = ({ perRow, named, bare }) =>
  perRow === 1 ? "auto" : [named.width, ...Array(perRow - 1).fill(bare.width)].map((size) => `${size}px`).join(" ");

const largestCell = ({ lecture }) => (lecture ? 1.6 : 1) * LARGEST_CELL;

/** How thick a factor is: it leaves the product's cells room for their numbers, or else takes a share of the width. */
function factorPitch(request, type, free, K) {
  const { density, screenWidth, screenHeight, lecture } = request;
  const numbered = (request.m * Math.ceil(leastCell(request.widths, type.number) * density)) / density;
  const left = (free - numbered) / K;
  const share = (0.42 * free) / K;
  const thinnest = screenWidth < 700 ? THINNEST_ON_PHONES : THINNEST;
  const most = Math.min(left >= thinnest ? left : share, share, (0.11 * screenHeight) / K, lecture ? 34 : 24);
  return snapped(Math.max(most, 1), density);
}

/** How high a row is; `above`: pixels above the rows. */
function rowPitch(request, type, cell, above) {
  const { n, screenHeight, density, lecture } = request;
  const line = request.rowsNamed && n <= 40 ? 1.28 * type.name : n <= 60 ? 9 : 1.5;
  const numbered = cell >= leastCell(request.widths, type.number) && n <= 40;
  const least = numbered ? Math.max(line, (lecture ? 1.3 : 1.5) * type.number) : line;
  return snapped(Math.max(least, Math.min(cell, ((lecture ? 0.6 : 0.66) * screenHeight - above) / n)), density);
}

/** Names of rows, and the pixels that they need; `most`: pixels that they may have. */
function rowNaming(request, type, most) {
  const room = Math.max(36, Math.min(most, (request.lecture ? 14 : 12) * type.name)) / type.name - 0.6;
  const texts = shortened(request.rowNames, request.whole ? LONGEST : room, request.measure, request.top);
  const widest = Math.max(0, ...texts.map(request.measure));
  return { texts, room: Math.ceil(type.name * (widest + 0.6)) };
}

/** Names of columns: how much of each is shown, every how many, at which angle. */
function columnNaming(request, type, cell, upright = false) {
  const { m, measure, screenWidth, screenHeight } = request;
  if (!request.colsNamed) {
    const needed = type.name * (measure(String(request.left + m)) + 0.6);
    const size = type.name;
    return { texts: request.colNames, size, every: every(cell, needed), angle: 0, height: size * 1.5, overhang: 0 };
  }
  const lean = Math.sin((SLANT * Math.PI) / 180);
  const leans = !upright && screenWidth >= 700 && cell * lean >= type.name;
  const line = leans ? cell * lean : cell;
  const size = Math.max(Math.min(type.name, 0.92 * line), SMALLEST_NAME);
  const most = Math.min((request.lecture ? 0.14 : leans ? 0.19 : 0.16) * screenHeight, 10.5 * type.name) / size;
  const texts = shortened(request.colNames, request.whole ? LONGEST : most, measure, request.left);
  const length = size * Math.max(0, ...texts.map(measure));
  const beyond = leans ? length * Math.cos((SLANT * Math.PI) / 180) + 0.4 * size - cell / 2 : 0;
  return {
    texts,
    size,
    every: every(line, size),
    angle: leans ? SLANT : 90,
    height: Math.ceil(leans ? length * lean + 0.9 * size : length + 0.5 * size),
    overhang: Math.ceil(Math.max(0, beyond)),
  };
}

/** A label at every `step`-th cell of an axis; `look` says the rest of it by the middle of the cell. */
const labelsOf = (texts, axis, step, look) => texts.flatMap((text, at) => {
  const [start, length] = cellOn(axis, at);
  return at % step ? [] : [{ text, at, ...look(start + length / 2) }];
});

/** The row and the column whose names are at a pixel; -1. @param {Layout} layout */
export function nameUnder(layout, x, y) {
  const left = (layout.across ?? layout.cols).start;
  const bottom = (layout.down ?? layout.rows).start;
  const [label] = layout.colLabels;
  const slant = label?.angle ? (bottom - y) / Math.tan((-label.angle * Math.PI) / 180) : 0; // how far a name has leant over
  const row = x < left && layout.rowLabels.length ? cellUnder(layout.rows, y) : -1;
  return [row, label && y < bottom ? cellUnder(layout.cols, x - slant) : -1];
}

/** Every how many cells a label has room. */
export const every = (pitch, needed) => [1, 2, 5, 10, 20, 50, 100].find((step) => step * pitch >= needed * 0.99) ?? 200;
