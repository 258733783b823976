/**
 * Names of rows and columns beside a figure: how much of each is shown, at which angle, and where it stands.
 *
 * @typedef {import("./layout.js").Request} Request
 * @typedef {import("./axes.js").Axis} Axis
 * @typedef {import("./typesizes.js").TypeSizes} TypeSizes
 * @typedef {{text: string, at: number, x: number, y: number, anchor: "start"|"middle"|"end", angle: number}} Label
 * @typedef {{texts: string[], room: number}} RowNaming  texts, and pixels that they need with what parts them from cells
 * @typedef {{texts: string[], size: number, every: number, angle: number, height: number, overhang: number}} ColNaming
 */
import { cellOn, cellUnder } from "./axes.js";
import { shortened } from "./names.js";

const SLANT = 55; // degrees of column names
const SMALLEST_NAME = 10.5;
const LONGEST = 30; // widths of a letter M of a whole name; titles of films have less

/** @param {Request} request @param {TypeSizes} type @param {number} most pixels @returns {RowNaming} */
export function rowNaming(request, type, most) {
  const cap = request.whole ? LONGEST : Math.max(36, Math.min(most, (request.lecture ? 14 : 12) * type.name)) / type.name - 0.6;
  const texts = shortened(request.rowNames, cap, request.measure, request.top);
  const widest = texts.reduce((width, text) => Math.max(width, request.measure(text)), 0);
  return { texts, room: Math.ceil(type.name * (widest + 0.6)) };
}

/**
 * @param {Request} request
 * @param {TypeSizes} type
 * @param {number} cell  about how wide a column is
 * @param {boolean} [upright]  names do not lean over, whatever room there is
 * @returns {ColNaming}
 */
export function columnNaming(request, type, cell, upright = false) {
  const { m, measure } = request;
  if (!request.colsNamed) {
    const widest = measure(String(request.left + m)) + 0.6;
    return { texts: request.colNames, size: type.name, every: every(cell, type.name * widest), angle: 0, height: type.name * 1.5, overhang: 0 };
  }
  const leans = !upright && request.screenWidth >= 700 && cell * Math.sin((SLANT * Math.PI) / 180) >= type.name;
  const angle = leans ? SLANT : 90;
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

/** @param {string[]} texts @param {Axis} rows @param {number} right @param {number} size @returns {Label[]} */
export function labelsOfRows(texts, rows, right, size) {
  const step = every(rows.segments[0].pitch, Math.min(size, SMALLEST_NAME * 1.1));
  return labelled(texts, step).map(({ text, at }) => {
    const [start, length] = cellOn(rows, at);
    return { text, at, x: right - 6, y: start + length / 2, anchor: "end", angle: 0 };
  });
}

/** @param {ColNaming} naming @param {Axis} cols @param {number} m @param {number} bottom @returns {Label[]} */
export function labelsOfCols(naming, cols, m, bottom) {
  return labelled(naming.texts.slice(0, m), naming.every).map(({ text, at }) => {
    const [start, length] = cellOn(cols, at);
    const x = start + length / 2;
    if (naming.angle === 0) return { text, at, x, y: bottom - 0.55 * naming.size, anchor: "middle", angle: 0 };
    return { text, at, x: x + (naming.angle === 90 ? 0 : 0.15 * naming.size), y: bottom - 4, anchor: "start", angle: -naming.angle };
  });
}

/** @param {import("./layout.js").Layout} layout @param {number} x @param {number} y @returns {[number, number]} the row and the column whose names are there; -1 */
export function nameUnder(layout, x, y) {
  const left = (layout.across ?? layout.cols).start;
  const bottom = (layout.down ?? layout.rows).start;
  const [label] = layout.colLabels;
  const slant = label?.angle ? (bottom - y) / Math.tan((-label.angle * Math.PI) / 180) : 0; // how far a name has leant over
  const row = x < left && layout.rowLabels.length ? cellUnder(layout.rows, y) : -1;
  return [row, label && y < bottom ? cellUnder(layout.cols, x - slant) : -1];
}

/** @param {number} pitch @param {number} needed @returns {number} every how many cells a label has room */
const every = (pitch, needed) => [1, 2, 5, 10, 20, 50, 100].find((step) => step * pitch >= needed * 0.99) ?? 200;

/** @param {string[]} texts @param {number} step */
const labelled = (texts, step) => texts.map((text, at) => ({ text, at })).filter(({ at }) => at % step === 0);
