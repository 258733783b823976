/**
 * A figure as SVG: names and lines for the screen, where cells are a canvas, and the whole of it for a file.
 *
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./parts.js").Block} Block
 * @typedef {import("./paint.js").Look} Look
 * @typedef {{effect: {U: number[], V: number[]}, words: {U: string, V: string}}} Factors  positions of effects; what U and V are
 */
import { paletteOf, shadeOf } from "./colour.js";
import { cellOn } from "./axes.js";
import { blockNumbers } from "./cellnumbers.js";
import { svgNode } from "./svg.js";
import { legendColours, markPlace } from "./paint.js";

/** @param {Layout} layout @param {Block} block @returns {[import("./axes.js").Axis, import("./axes.js").Axis]} rows and columns */
export function axesOf(layout, block) {
  if (block.part === "U") return [layout.rows, /** @type {import("./axes.js").Axis} */ (layout.across)];
  if (block.part === "V") return [/** @type {import("./axes.js").Axis} */ (layout.down), layout.cols];
  return [layout.rows, layout.cols];
}

/** @param {Layout} layout @returns {SvgNode[]} one text for each name; data-axis and data-at say whose it is */
export function nameNodes(layout) {
  const text = (/** @type {import("./labels.js").Label} */ label, /** @type {string} */ axis, /** @type {number} */ size) => {
    const turn = label.angle ? { transform: `translate(${label.x.toFixed(2)} ${label.y.toFixed(2)}) rotate(${label.angle})` } : { x: label.x, y: label.y };
    const style = "unicode-bidi: plaintext";
    const anchor = { "text-anchor": label.anchor, "font-size": size, dy: "0.35em" };
    return svgNode("text", { ...turn, ...anchor, style, "data-axis": axis, "data-at": label.at }, label.text);
  };
  return [
    ...layout.rowLabels.map((label) => text(label, "row", layout.nameSize)),
    ...layout.colLabels.map((label) => text(label, "col", layout.colSize)),
  ];
}

/**
 * What stands in the corner of a product: the names of U and V^T, of effects and of constants.
 * @param {Layout} layout
 * @param {Picture} picture
 * @param {Factors} factors
 * @returns {SvgNode[]}
 */
export function cornerNodes(layout, picture, factors) {
  const { across, down, rows, cols } = layout;
  if (!across || !down) return [];
  const [u, v] = picture.blocks;
  const size = Math.max(11, layout.nameSize * 0.9);
  const first = across.segments[across.segments.length - 1].start; // of the factors that do not stand apart
  const middle = (first + across.end) / 2;
  const fits = (/** @type {string} */ text, /** @type {number} */ room) => 0.46 * size * text.length < room;
  const besideV = cols.start - 0.6 * size;
  const narrow = !fits(u.name, 0.8 * (across.end - first)); // one factor, say: both names end at the same edge, one above the other
  const heightOfV = Math.min((down.start + down.end) / 2, rows.start - 2.3 * size);
  const nodes = [
    svgNode("text", { x: narrow ? besideV : middle, y: rows.start - 0.7 * size, "text-anchor": narrow ? "end" : "middle", "font-size": size * 1.15, "font-weight": 600 }, u.name),
    svgNode("text", { x: besideV, y: heightOfV, dy: "0.35em", "text-anchor": "end", "font-size": size * 1.15, "font-weight": 600 }, v.name),
  ];
  if (down.end - down.start > 9 * size && fits(factors.words.U, across.end - first + size) && fits(factors.words.V, cols.start - across.start)) {
    nodes.push(svgNode("text", { x: middle, y: rows.start - 2.1 * size, "text-anchor": "middle", "font-size": size * 0.92, class: "map-quiet" }, factors.words.U));
    nodes.push(svgNode("text", { x: cols.start - 0.6 * size, y: (down.start + down.end) / 2 - 1.4 * size, dy: "0.35em", "text-anchor": "end", "font-size": size * 0.92, class: "map-quiet" }, factors.words.V));
  }
  const small = Math.min(size, 12);
  const sideways = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor) =>
    svgNode("text", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(-90)`, dy: "0.35em", "text-anchor": anchor, "font-size": small }, text);
  const along = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor) =>
    svgNode("text", { x, y, dy: "0.35em", "text-anchor": anchor, "font-size": small }, text);
  for (const position of factors.effect.U) nodes.push(sideways("effect", centre(across, position), rows.start - 5, "start"));
  for (const position of factors.effect.V) nodes.push(along("effect", cols.start - 6, centre(down, position), "end"));
  for (const position of u.constant) nodes.push(...hatched(across, position, rows, false), sideways("always 1", centre(across, position), (rows.start + rows.end) / 2, "middle"));
  for (const position of v.constant) nodes.push(...hatched(down, position, cols, true), along("always 1", (cols.start + cols.end) / 2, centre(down, position), "middle"));
  return nodes;
}

/** @param {import("./axes.js").Axis} axis @param {number} at */
function centre(axis, at) {
  const [start, size] = cellOn(axis, at);
  return start + size / 2;
}

/** Pale lines over a coordinate that is a constant, with room for its words in the middle. */
/** @param {import("./axes.js").Axis} axis @param {number} position @param {import("./axes.js").Axis} other @param {boolean} flat @returns {SvgNode[]} */
function hatched(axis, position, other, flat) {
  const [start, size] = cellOn(axis, position);
  const middle = (other.start + other.end) / 2;
  const parts = [];
  for (let along = other.start; along + size <= other.end; along += 7) {
    if (Math.abs(along + size / 2 - middle) < 32) continue;
    const [x1, y1, x2, y2] = flat ? [along, start + size, along + size, start] : [start, along + size, start + size, along];
    parts.push(`M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}`);
  }
  const box = flat ? { x: other.start, y: start, width: other.end - other.start, height: size } : { x: start, y: other.start, width: size, height: other.end - other.start };
  return [
    svgNode("rect", { ...box, fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 }),
    svgNode("path", { d: parts.join(""), stroke: "currentColor", "stroke-opacity": 0.28, "stroke-width": 1 }),
  ];
}

/**
 * Cells, marks and numbers, for a file. All cells of one colour are one path.
 * @param {Layout} layout
 * @param {Block} block
 * @param {Look} look
 * @param {number} digits
 * @returns {SvgNode[]}
 */
export function cellNodes(layout, block, look, digits) {
  const [rows, cols] = axesOf(layout, block);
  const palette = paletteOf(block.scale.kind, look.dark);
  const { size, text } = blockNumbers(layout, block, digits);
  /** @type {Map<number, string[]>} */
  const paths = new Map();
  const marks = [];
  const numbers = [];
  for (let at = 0; at < block.values.length; at++) {
    const [y, height] = cellOn(rows, Math.floor(at / cols.count));
    const [x, width] = cellOn(cols, at % cols.count);
    const shade = shadeOf(block.scale, block.values[at]);
    if (!paths.has(shade)) paths.set(shade, []);
    /** @type {string[]} */ (paths.get(shade)).push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h-${short(width)}z`);
    const bright = shade >= 0 && palette.bright[shade] === 1;
    const mark = block.marks?.[at] ?? 0;
    if (mark && Math.min(width, height) >= 4) {
      const { dx, dy, radius } = markPlace(width, height, size > 0 && shade >= 0);
      const ink = shade < 0 ? look.text : bright ? "#000" : "#fff";
      const fill = mark === 1 ? { fill: "#fff", stroke: "#141414" } : { fill: "none", stroke: ink };
      marks.push(svgNode("circle", { cx: x + dx, cy: y + dy, r: radius, "stroke-width": 1.2, ...fill }));
    }
    if (size && shade >= 0) {
      const weight = mark === 1 ? 700 : 400;
      numbers.push(svgNode("text", { x: x + width / 2, y: y + height / 2, dy: "0.35em", "text-anchor": "middle", "font-size": size, "font-weight": weight, fill: bright ? "#000" : "#fff" }, text(block.values[at])));
    }
  }
  const cells = [...paths].map(([shade, parts]) => {
    const paint = shade < 0 ? { fill: "none", stroke: "#808080", "stroke-opacity": 0.4, "stroke-width": 0.6 } : { fill: palette.css[shade] };
    return svgNode("path", { d: parts.join(""), ...paint });
  });
  return [...cells, ...marks, ...numbers];
}

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/**
 * The legend of a picture, for a file.
 * @param {Picture} picture
 * @param {Look} look
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @returns {{nodes: SvgNode[], height: number}}
 */
export function legendNodes(picture, look, x, y, size) {
  const nodes = [];
  let at = y + size;
  for (const item of picture.legend) {
    if (item.scale) {
      const colours = legendColours(item.scale, look.dark);
      let left = x;
      const put = (/** @type {string} */ text) => {
        if (!text) return;
        nodes.push(svgNode("text", { x: left, y: at, "font-size": size }, text));
        left += size * 0.53 * text.length + 8;
      };
      put(item.name);
      put(item.low);
      const width = 90 / colours.length;
      colours.forEach((fill, k) => nodes.push(svgNode("rect", { x: left + k * width, y: at - 0.75 * size, width: width + 0.5, height: 0.8 * size, fill })));
      left += 98;
      put(item.high);
      at += 1.6 * size;
    }
    if (item.words) {
      nodes.push(svgNode("text", { x, y: at, "font-size": size }, item.words));
      at += 1.6 * size;
    }
    if (item.keys.length) {
      const signs = { given: "●", hidden: "○", empty: "□", constant: "▨" };
      nodes.push(svgNode("text", { x, y: at, "font-size": size }, item.keys.map(({ mark, text }) => `${signs[mark]} ${text}`).join("   ")));
      at += 1.6 * size;
    }
  }
  return { nodes, height: at - y };
}
