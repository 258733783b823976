/**
 * Where everything of a figure is, in CSS pixels: cells, names, sizes of type. Nothing depends on the values that are
 * drawn, so nothing moves with the step.
 *
 * A figure is a map, rows by columns, or a product: V^T above, U at the left, U V^T where they meet. Figures of one row
 * have the same cells; only the first has the names of the rows. There are two sizes of type: page and lecture.
 */
import { range } from "d3-array";

import { shortened } from "./names.js";
import { leastCell, numberSizes } from "./numbers.js";

const PAGE = { name: 13, number: 11.5, largestCell: 56, factor: 18, height: 0.66 };
const LECTURE = { name: 20, number: 20, largestCell: 90, factor: 26, height: 0.49 }; // height: of the screen, for the rows
const APART = 10; // pixels between the blocks of a product
const COLUMN_SPACE = 22; // between figures side by side
const NARROW = 560; // pixels of width below which figures are one below the other
const THINNEST = 3; // pixels of a factor, if numbers ask for room
const SLANT = 55; // degrees of column names
const SMALLEST_NAME = 10.5;
const LONGEST = 30; // widths of a letter M of a whole name; titles of films have less

export const typeSizes = (lecture) => (lecture ? LECTURE : PAGE);

/** Groups of cells with a gap between them. @param {{count: number, pitch: number}[]} groups @returns {Axis} */
export function axisOf(start, groups) {
  const segments = [];
  let at = start;
  let from = 0;
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

/** The box of a cell; of a whole row where `j` is null, and of a whole column where `i` is. */
export function boxOn(rows, cols, i, j) {
  const [y, height] = i === null ? [rows.start, rows.end - rows.start - rows.gap] : cellOn(rows, i);
  const [x, width] = j === null ? [cols.start, cols.end - cols.start - cols.gap] : cellOn(cols, j);
  return { x, y, width, height };
}

/** The position of the cell at a pixel; -1 outside all cells. @param {Axis} axis */
export function cellUnder(axis, pixel) {
  for (const { from, count, start, pitch } of axis.segments) {
    const at = Math.floor((pixel - start) / pitch);
    if (at >= 0 && at < count) return from + at;
  }
  return -1;
}

/** The axes of a part of a picture. @param {Layout} layout @param {Part} part @returns {[Axis, Axis]} rows, columns */
export const axesOf = ({ rows, cols, across, down }, part) =>
  [part === "V" && down ? down : rows, part === "U" && across ? across : cols];

/** The size of the smallest cells between two axes. */
export const finestOf = (rows, cols) => Math.min(rows.segments[0].pitch, cols.segments[0].pitch);

/** Whole device pixels, where there are several. */
const snapped = (size, density) => (size * density >= 3 ? Math.floor(size * density) / density : Math.max(size, 0.5));

/**
 * The layouts of figures of one window, at most `across` side by side; `factors` has the number of factors of each, 0
 * for a map. In lecture mode as many are side by side as have room for their numbers.
 * @param {LayoutRequest} request
 * @param {number[]} factors
 * @returns {Layout[]}
 */
export function layoutsOf(request, factors, across) {
  const most = request.width < NARROW ? 1 : Math.min(across, factors.length);
  const widest = layoutsInRows(request, factors, most);
  if (!request.lecture || widest[0].numberSize) return widest;
  for (let perRow = most - 1; perRow >= 1; perRow--) {
    const found = layoutsInRows(request, factors, perRow);
    if (found[0].numberSize) return found;
  }
  return widest;
}

/** The layouts with `perRow` figures side by side. */
function layoutsInRows(request, factors, perRow) {
  const { n, m, density, special = 0 } = request;
  const type = typeSizes(request.lecture);
  const K = Math.max(...factors);
  const inRows = range(0, factors.length, perRow).map((from) => factors.slice(from, from + perRow));
  const products = Math.max(...inRows.map((row) => row.filter(Boolean).length)); // side by side
  const names = rowNaming(request, type, 0.3 * (request.width / perRow));
  const apart = request.lecture ? 22 : 16;
  const between = K ? APART + (special ? special * apart + APART / 2 : 0) : 0;
  const free = request.width - names.room - (perRow - 1) * COLUMN_SPACE - products * between;
  const thick = K ? factorPitch(request, type, free, perRow, products * (K - special)) : 0;
  const each = (free - products * thick * (K - special)) / perRow;
  const columns = columnNaming(request, type, each / m);
  const cell = snapped(Math.min(type.largestCell, (each - columns.overhang / perRow) / m), density);
  const groups = [{ count: special, pitch: apart }, { count: K - special, pitch: thick }];
  const down = K ? axisOf(columns.height, groups) : null;
  const top = down ? down.end + APART : columns.height;
  const pitch = rowPitch(request, type, cell, top);
  return factors.map((count, k) => {
    const beside = inRows[Math.floor(k / perRow)]; // maps leave room above them where a product is in their row
    const rows = axisOf(beside.some(Boolean) ? top : columns.height, [{ count: n, pitch }]);
    const named = k % perRow === 0;
    const left = named ? names.room : 0;
    const across = count ? axisOf(left, groups) : null;
    const cols = axisOf(across ? across.end + APART : left, [{ count: m, pitch: cell }]);
    const axes = { rows, cols, across, down: count ? down : null };
    return placed(request, axes, columns, named ? names.texts : [], left, perRow === 1);
  });
}

/** A layout of axes; `left`: where the names of the rows end; `single`: nothing is at its right. */
function placed(request, axes, columns, rowTexts, left, single) {
  const { rows, cols, down } = axes;
  const type = typeSizes(request.lecture);
  const cell = cols.segments[0].pitch;
  const pitch = rows.segments[0].pitch;
  const { size, angle } = columns;
  const bottom = (down ?? rows).start;
  const lean = angle === SLANT ? 0.15 * size : 0;
  const ofRow = (y) => ({ x: left - 6, y, anchor: "end", angle: 0 });
  const anchor = angle ? "start" : "middle";
  const ofCol = (x) => ({ x: x + lean, y: bottom - (angle ? 4 : 0.55 * size), anchor, angle: -angle });
  return {
    width: cols.end + (single ? columns.overhang : 0),
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

/** How thick each of `count` factors side by side is: it leaves cells room for numbers, or takes a share of the width. */
function factorPitch(request, type, free, perRow, count) {
  const { density, screenHeight } = request;
  const numbered = (perRow * request.m * Math.ceil(leastCell(request.widths, type.number) * density)) / density;
  const left = (free - numbered) / count;
  const share = (0.42 * free) / count;
  const most = Math.min(left >= THINNEST ? left : share, share, (0.11 * screenHeight) / (count / perRow), type.factor);
  return snapped(Math.max(most, 1), density);
}

/** How high a row is; `above`: pixels above the rows. */
function rowPitch(request, type, cell, above) {
  const { n, screenHeight, density, lecture } = request;
  const line = request.rowsNamed && n <= 40 ? 1.28 * type.name : n <= 60 ? 9 : 1.5;
  const numbered = cell >= leastCell(request.widths, type.number) && n <= 40;
  const least = numbered ? Math.max(line, (lecture ? 1.3 : 1.5) * type.number) : line;
  return snapped(Math.max(least, Math.min(cell, (type.height * screenHeight - above) / n)), density);
}

/** Names of rows, and the pixels that they need; `most`: pixels that they may have. */
function rowNaming(request, type, most) {
  const room = Math.max(36, Math.min(most, 12 * type.name)) / type.name - 0.6;
  const texts = shortened(request.rowNames, request.whole ? LONGEST : room, request.measure, request.top);
  const widest = Math.max(0, ...texts.map(request.measure));
  return { texts, room: Math.ceil(type.name * (widest + 0.6)) };
}

/** Names of columns: how much of each is shown, every how many, at which angle. */
function columnNaming(request, type, cell) {
  const { m, measure, screenHeight } = request;
  if (!request.colsNamed) {
    const needed = type.name * (measure(String(request.left + m)) + 0.6);
    const size = type.name;
    return { texts: request.colNames, size, every: every(cell, needed), angle: 0, height: size * 1.5, overhang: 0 };
  }
  const lean = Math.sin((SLANT * Math.PI) / 180);
  const leans = request.width >= NARROW && cell * lean >= 0.9 * type.name;
  const line = leans ? cell * lean : cell;
  const size = Math.max(Math.min(type.name, 0.92 * line), SMALLEST_NAME);
  const most = Math.min(0.17 * screenHeight, 10.5 * type.name) / size;
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
