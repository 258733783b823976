/** What lies over the cells of a figure as SVG: names of rows and columns, names of the blocks, what is pointed out. */
import { boxOn, cellOn } from "./layout.js";
import { svg, textAt } from "./svg.js";

const MARK_LINE = 3; // pixels of the frame of a marked cell

/** A text at (x, y) that is turned by an angle, in degrees. */
const turnedAt = (x, y, angle, size, words, look) =>
  textAt(0, 0, size, words, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${angle})`, ...look });

/** One text for each name; data-axis and data-at say whose it is. @param {Layout} layout */
export function nameNodes({ rowLabels, colLabels, nameSize, colSize }) {
  const text = ({ x, y, angle, anchor, at, text: words }, axis, size) => {
    const look = { "text-anchor": anchor, "data-axis": axis, "data-at": at, style: "unicode-bidi: plaintext" };
    return angle ? turnedAt(x, y, angle, size, words, look) : textAt(x, y, size, words, look);
  };
  return [...rowLabels.map((label) => text(label, "row", nameSize)), ...colLabels.map((label) => text(label, "col", colSize))];
}

/** The names of U and V^T in the corner of a product, and of effects and constants. @param {Layout} layout */
export function cornerNodes(layout, picture, run) {
  const { across, down, rows, cols } = layout;
  if (!across || !down) return [];
  const [u, v] = picture.blocks;
  const size = Math.max(11, layout.nameSize * 0.9);
  const first = across.segments[across.segments.length - 1].start; // of the factors that do not stand apart
  const fits = (text, room) => 0.46 * size * text.length < room;
  const middle = (first + across.end) / 2;
  const besideV = cols.start - 0.6 * size;
  const narrow = !fits(u.name, 0.8 * (across.end - first)); // both names end at the same edge, one above the other
  const centre = (axis, at) => cellOn(axis, at)[0] + cellOn(axis, at)[1] / 2;
  const text = (x, y, type, anchor, words, look = {}) => textAt(x, y, type, words, { "text-anchor": anchor, ...look });
  const small = (x, y, anchor, words) => text(x, y, Math.min(size, 12), anchor, words);
  const upright = (x, y, anchor, words) => turnedAt(x, y, -90, Math.min(size, 12), words, { "text-anchor": anchor });
  const title = { "font-weight": 600 };
  const quiet = { class: "map-quiet" };
  const nodes = [
    text(narrow ? besideV : middle, rows.start - 1.1 * size, size * 1.15, narrow ? "end" : "middle", u.name, title),
    text(besideV, Math.min((down.start + down.end) / 2, rows.start - 2.3 * size), size * 1.15, "end", v.name, title),
  ];
  const factors = run.K - picture.special;
  const ofU = `${run.n} rows × ${factors} factors`;
  const ofV = `${factors} factors × ${run.m} columns`;
  const room = fits(ofU, across.end - first + size) && fits(ofV, cols.start - across.start);
  if (room && down.end - down.start > 9 * size) {
    nodes.push(text(middle, rows.start - 2.4 * size, size * 0.92, "middle", ofU, quiet));
    nodes.push(text(besideV, (down.start + down.end) / 2 - 1.4 * size, size * 0.92, "end", ofV, quiet));
  }
  const places = (effects) => effects.map((k) => picture.factorOrder.indexOf(k));
  for (const at of places(run.effects.U)) nodes.push(upright(centre(across, at), rows.start - 5, "start", "effect"));
  for (const at of places(run.effects.V)) nodes.push(small(cols.start - 6, centre(down, at), "end", "effect"));
  for (const at of u.constant) {
    const half = (rows.start + rows.end) / 2;
    nodes.push(hatched(across, at, rows, false), upright(centre(across, at), half, "middle", "always 1"));
  }
  for (const at of v.constant) {
    const half = (cols.start + cols.end) / 2;
    nodes.push(hatched(down, at, cols, true), small(half, centre(down, at), "middle", "always 1"));
  }
  return nodes;
}

/** Pale lines over a coordinate that is a constant, with room for its words in the middle. */
function hatched(axis, position, other, flat) {
  const [start, size] = cellOn(axis, position);
  const middle = (other.start + other.end) / 2;
  const parts = [];
  for (let along = other.start; along + size <= other.end; along += 7) {
    if (Math.abs(along + size / 2 - middle) < 32) continue;
    const [x, y, rise] = flat ? [along, start + size, -size] : [start, along + size, -size];
    parts.push(`M${x.toFixed(1)} ${y.toFixed(1)}l${size} ${rise}`);
  }
  const length = other.end - other.start;
  const [x, y, width, height] = flat ? [other.start, start, length, size] : [start, other.start, size, length];
  return svg("g", { fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 },
    svg("rect", { x, y, width, height }), svg("path", { d: parts.join("") }));
}

/** A frame around a marked cell, with its text where `written`. @param {Layout} layout */
export function markNodes({ rows, cols }, mark, { text, page }, written) {
  if (!mark) return [];
  const { x, y, width, height } = boxOn(rows, cols, mark.row, mark.col);
  const around = { x: x - 1.5, y: y - 1.5, width: width + 3, height: height + 3, rx: 2 };
  const shown = written && mark.text;
  const size = Math.max(9, Math.min(0.72 * height, (1.5 * width) / (mark.text.length || 1), 26));
  const middle = { "text-anchor": "middle", "font-weight": 700, fill: text };
  return [
    svg("rect", { ...around, fill: "none", stroke: page, "stroke-width": MARK_LINE + 3 }),
    svg("rect", { ...around, fill: shown ? page : "none", stroke: text, "stroke-width": MARK_LINE }),
    ...(shown ? [textAt(x + width / 2, y + height / 2, size, mark.text, middle)] : []),
  ];
}
