/**
 * Where everything of a figure is, in CSS pixels: cells, names, sizes of type. Nothing depends on the values that are
 * drawn, so nothing moves with the step.
 *
 * A figure is a map, rows by columns, or a product: V^T above, U at the left, U V^T where they meet. Figures of one row
 * have the same cells; only the first has the names of the rows. There are two sizes of type: page and lecture.
 */
import { range, sum } from "d3-array";

import { shortened } from "./words.js";
import { clamp, leastCell, numberSizes } from "./numbers.js";

// pixels: type of names, of numbers, of names of columns beside each other; below their rows; the thickest factor;
// the share of the screen for the rows and what is above them
const PAGE = { name: 13, number: 11.5, title: 11.5, below: 34, factor: 18, height: 0.66 };
const SHORT_PAGE = { ...PAGE, name: 11.5, number: 10, factor: 12, height: 0.62 };
const LECTURE = { ...PAGE, name: 20, number: 16, title: 13, below: 6 };
const SHORT = 760; // pixels of a screen, such as a projector's, up to which maps are smaller
const LARGEST_CELL = 56;
const APART = 10; // pixels between the blocks of a product
const COLUMN_SPACE = 22; // between figures side by side
const NARROW = 560; // pixels of width below which figures are one below the other
const THINNEST = 3; // pixels of a factor, if numbers ask for room
const SLANT = (55 * Math.PI) / 180; // of column names
const SMALLEST_NAME = 10.5;
const LONGEST = 30; // widths of a letter M of a whole name; titles of films have less

// Of maps that are compared:
const CELL = [9, 30]; // smallest and largest pitch of a column, in pixels
const LEAST_CELL = 11; // below which fewer maps are side by side
const ROW = [9, 26]; // pitch of a row
const SCROLLED_ROW = 15; // at least, where a map is seen at a time
const BETWEEN = 24; // pixels between maps, beside the room for U
const THICK = 11; // of a factor
const NEXT_LINE = 60; // pixels of the heading of a second line of maps
const GROUP = 18; // pixels of the line with the names of groups
const LECTURE_NAME = 16;

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
  const along = (axis, at) => (at === null ? [axis.start, axis.end - axis.start - axis.gap] : cellOn(axis, at));
  const [[y, height], [x, width]] = [along(rows, i), along(cols, j)];
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

/** Every how many cells a label has room. */
export const every = (pitch, needed) => [1, 2, 5, 10, 20, 50, 100].find((step) => step * pitch >= needed * 0.99) ?? 200;

/**
 * The layouts of figures of one window, at most `most` side by side; `factors` has the number of factors of each, 0 for a
 * map.
 * @param {LayoutRequest} request
 * @param {number[]} factors
 * @returns {Layout[]}
 */
export function layoutsOf(request, factors, most) {
  const { n, m, width, density, lecture, screenHeight, special = 0 } = request;
  const type = !lecture && screenHeight <= SHORT ? SHORT_PAGE : typeSizes(lecture);
  const perRow = width < NARROW ? 1 : Math.min(most, factors.length);
  const K = Math.max(...factors);
  const inRows = range(0, factors.length, perRow).map((from) => factors.slice(from, from + perRow));
  const products = Math.max(...inRows.map((row) => row.filter(Boolean).length)); // side by side
  const names = rowNaming(request, type, 0.3 * (width / perRow));
  const apart = 1.23 * type.name;
  const between = K ? APART + (special ? special * apart + APART / 2 : 0) : 0;
  const free = width - names.room - (perRow - 1) * COLUMN_SPACE - products * between;
  const thick = K ? factorPitch(request, type, free, perRow, products * (K - special)) : 0;
  const each = (free - products * thick * (K - special)) / perRow;
  const columns = columnNaming(request, type.name, each / m, width >= NARROW);
  const cell = snapped(Math.min(LARGEST_CELL, (each - columns.overhang / perRow) / m), density);
  const groups = [{ count: special, pitch: apart }, { count: K - special, pitch: thick }];
  const down = K ? axisOf(columns.height, groups) : null;
  const top = down ? down.end + APART : columns.height;
  const pitch = rowPitch(request, type, cell, top);
  return factors.map((count, k) => {
    const beside = inRows[Math.floor(k / perRow)]; // maps leave room above them where a product is in their row
    const named = k % perRow === 0;
    const left = named ? names.room : 0;
    const across = count ? axisOf(left, groups) : null;
    const axes = {
      rows: axisOf(beside.some(Boolean) ? top : columns.height, [{ count: n, pitch }]),
      cols: axisOf(across ? across.end + APART : left, [{ count: m, pitch: cell }]),
      across,
      down: count ? down : null,
    };
    const look = { texts: named ? names.texts : [], left, size: type.name, least: type.number };
    return placed(request, axes, look, perRow === 1 ? columns : { ...columns, overhang: 0 });
  });
}

/**
 * The layouts of maps of a window that are compared, at most four side by side: all rows in sight, groups of rows and
 * columns named, and room for U at the left of the map `request.of` and for V above it, in place of the names of its
 * columns, so that nothing moves when they appear; `factors` has the number of factors that are drawn of each.
 * @param {SideBySide} request
 * @param {number[]} factors
 * @returns {Layout[]}
 */
export function sideBySide(request, factors) {
  const { n, m, width, of, K, density, screenHeight } = request;
  const type = { ...typeSizes(request.lecture), ...(request.lecture ? { name: LECTURE_NAME } : {}) };
  const groups = { rows: known(request.groups?.rows, n), cols: known(request.groups?.cols, m) };
  const room = K ? K * THICK + 8 : 0; // for U and V
  const names = rowNaming(request, type, 0.3 * Math.min(width, 420));
  const beside = (groups.rows ? GROUP : 0) + names.room;
  const cellWith = (number) => (width - beside - room - (number - 1) * BETWEEN) / number / m - (groups.cols ? 5 / m : 0);
  const fits = (number) => number <= factors.length && cellWith(number) >= LEAST_CELL;
  const across = (width < NARROW ? [] : [4, 2]).find(fits) ?? 1;
  const cell = Math.floor(clamp(cellWith(across), ...CELL) * density) / density;
  const columns = columnNaming(request, type.title, cell, false);
  const head = Math.max(columns.height, room) + (groups.cols ? GROUP : 0);
  const lines = Math.ceil(factors.length / across);
  const tall = (screenHeight - request.above - type.below) / lines - head - (lines - 1) * NEXT_LINE - (groups.rows ? 5 : 0);
  const pitch = Math.floor(clamp(across === 1 ? Math.max(SCROLLED_ROW, cell) : tall / n, ...ROW) * density) / density;
  const along = (ofAxis, count, size) => (ofAxis ?? [["", count]]).map(([, each]) => ({ count: each, pitch: size }));
  return factors.map((count, k) => {
    const first = k % across === 0;
    const left = first ? beside : BETWEEN;
    const rows = axisOf(head, along(groups.rows, n, pitch));
    const cols = axisOf(left + (k === of ? room : 0), along(groups.cols, m, cell));
    const before = ({ start }) => (count ? axisOf(start - 7 - count * THICK, [{ count, pitch: THICK }]) : null);
    const look = { texts: first ? names.texts : [], left, size: Math.min(type.name, 0.95 * pitch), least: Math.min(11.5, 0.7 * pitch) };
    return {
      ...placed(request, { rows, cols, across: before(cols), down: before(rows) }, look, count ? { ...columns, texts: [] } : columns),
      groups: { rows: first ? groupLabels(groups.rows, rows) : [], cols: groupLabels(groups.cols, cols) },
    };
  });
}

/** Groups that add up to the cells of an axis; null where nothing is known of them. */
const known = (groups, count) => (groups && sum(groups, ([, size]) => size) === count ? groups.filter(([, size]) => size) : null);

/** The name of every group over its cells. */
const groupLabels = (groups, axis) => (groups ?? []).map(([text], k) => {
  const { start, count, pitch } = axis.segments[k];
  return { text, start, end: start + count * pitch - axis.gap };
});

/** A layout of axes; `look`: the names of the rows, where they end, and sizes of type. @returns {Layout} */
function placed(request, axes, { texts, left, size, least }, columns) {
  const { rows, cols, down } = axes;
  const cell = cols.segments[0].pitch;
  const pitch = rows.segments[0].pitch;
  const { size: colSize, angle } = columns;
  const bottom = (down ?? rows).start;
  const lean = angle && angle < 90 ? 0.15 * colSize : 0;
  const anchor = angle ? "start" : "middle";
  return {
    width: cols.end + columns.overhang,
    height: rows.end + 2,
    ...axes,
    rowLabels: labelsOf(texts, rows, every(pitch, Math.min(size, SMALLEST_NAME)), (y) => ({ x: left - 6, y, anchor: "end", angle: 0 })),
    colLabels: labelsOf(columns.texts, cols, columns.every, (x) =>
      ({ x: x + lean, y: bottom - (angle ? 4 : 0.55 * colSize), anchor, angle: -angle })),
    overhang: columns.overhang,
    nameSize: size,
    colSize,
    ...numberSizes(request.widths, least, cell, pitch),
  };
}

/** How thick each of `count` factors side by side is: it leaves cells room for numbers, or takes a share of the width. */
function factorPitch({ m, density, screenHeight, widths }, type, free, perRow, count) {
  const numbered = (perRow * m * Math.ceil(leastCell(widths, type.number) * density)) / density;
  const left = (free - numbered) / count;
  const share = (0.42 * free) / count;
  const most = Math.min(left >= THINNEST ? left : share, share, (0.11 * screenHeight) / (count / perRow), type.factor);
  return snapped(Math.max(most, 1), density);
}

/** How high a row is; `above`: pixels above the rows. */
function rowPitch({ n, rowsNamed, screenHeight, density, widths }, type, cell, above) {
  const line = rowsNamed && n <= 40 ? 1.28 * type.name : n <= 60 ? 9 : 1.5;
  const numbered = cell >= leastCell(widths, type.number) && n <= 40;
  const least = numbered ? Math.max(line, 1.5 * type.number) : line;
  return snapped(Math.max(least, Math.min(cell, (type.height * screenHeight - above) / n)), density);
}

/** Names of rows, and the pixels that they need; `most`: pixels that they may have. */
function rowNaming({ rowNames, whole = false, measure, top }, type, most) {
  const room = Math.max(36, Math.min(most, 12 * type.name)) / type.name - 0.6;
  const texts = shortened(rowNames, whole ? LONGEST : room, measure, top);
  const widest = Math.max(0, ...texts.map(measure));
  return { texts, room: Math.ceil(type.name * (widest + 0.6)) };
}

/** Names of columns of a size of type: how much of each is shown, every how many, and at which angle if they may lean. */
function columnNaming({ m, left, colNames, colsNamed, whole = false, measure, screenHeight }, largest, cell, mayLean) {
  if (!colsNamed) {
    const needed = largest * (measure(String(left + m)) + 0.6);
    return { texts: colNames, size: largest, every: every(cell, needed), angle: 0, height: largest * 1.5, overhang: 0 };
  }
  const lean = Math.sin(SLANT);
  const leans = mayLean && cell * lean >= 0.9 * largest;
  const line = leans ? cell * lean : cell;
  const size = Math.max(Math.min(largest, 0.92 * line), SMALLEST_NAME);
  const most = Math.min(0.17 * screenHeight, 10.5 * largest) / size;
  const texts = shortened(colNames, whole ? LONGEST : most, measure, left);
  const length = size * Math.max(0, ...texts.map(measure));
  const beyond = leans ? length * Math.cos(SLANT) + 0.4 * size - cell / 2 : 0;
  return {
    texts,
    size,
    every: every(line, size),
    angle: leans ? 55 : 90,
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
