/**
 * The figures of a training as files: the learning curve with its key, and the three maps with their legend.
 *
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {import("./export.js").Placed} Placed
 * @typedef {import("./trainingcurve.js").Curve} Curve
 * @typedef {import("./trainingmaps.js").Matrix} Matrix
 * @typedef {{colour: string, dash: string, width: number, words: string}} Stroke  a line of the curve and what it is
 */
import { legendNodes } from "./drawing.js";
import { svgNode } from "./svg.js";
import { curveDrawing } from "./trainingcurve.js";
import { drawnMaps, mapLegend } from "./trainingmaps.js";

const HEADING = 24; // pixels of its line; chosen by eye
const BETWEEN = 16; // pixels between rows of maps; chosen by eye

/**
 * @param {Curve} curve
 * @param {Stroke[]} strokes  of its key
 * @param {number} at  the report that is shown beside it
 * @param {{width: number, height: number, size: number, heading: string}} drawn  as it stands on the page
 * @param {(name: string) => string} colourOf  what a colour of the style sheet is on the page
 * @returns {Placed}
 */
export function curveFile(curve, strokes, at, { width, height, size, heading }, colourOf) {
  const key = strokes.flatMap(({ colour, dash, width: thick, words }, k) => {
    const y = HEADING + height + (k + 1) * 1.5 * size;
    const stroke = { stroke: colour, "stroke-width": thick, "stroke-dasharray": dash || undefined, "stroke-linecap": dash.startsWith("0") ? "round" : undefined };
    return [svgNode("line", { x1: 0, x2: 26, y1: y - 0.3 * size, y2: y - 0.3 * size, ...stroke }), svgNode("text", { x: 34, y, "font-size": size }, words)];
  });
  const plot = svgNode("g", { transform: `translate(0 ${HEADING})` }, ...curveDrawing(curve, width, height, size, at));
  const nodes = [headingNode(heading, size), plot, ...key].map((node) => inColours(node, colourOf));
  return { nodes, width, height: HEADING + height + (strokes.length + 1) * 1.5 * size, x: 0, y: 0 };
}

/**
 * The three maps as they stand on the page, and their legend.
 * @param {Matrix} matrix
 * @param {import("./layout.js").Row} row  their layout
 * @param {import("./paint.js").Look} look
 * @returns {Placed[]}
 */
export function mapFiles(matrix, row, look) {
  const { perRow, space, named } = row;
  const size = named.nameSize;
  const line = HEADING + named.height + BETWEEN;
  const drawn = drawnMaps(matrix, row, look);
  const placed = drawn.map(({ title, layout, nodes }, k) => {
    const x = drawn.slice(k - (k % perRow), k).reduce((left, before) => left + before.layout.width + space, 0);
    const map = svgNode("g", { transform: `translate(0 ${HEADING})` }, ...nodes);
    const width = layout.cols.end + layout.overhang;
    return { nodes: [headingNode(title, size), map], width, height: HEADING + layout.height, x, y: Math.floor(k / perRow) * line };
  });
  const legend = legendNodes(/** @type {any} */ ({ legend: mapLegend(matrix) }), look, 0, 0, size);
  return [...placed, { nodes: legend.nodes, width: 26 * size, height: legend.height, x: 0, y: Math.ceil(drawn.length / perRow) * line }];
}

/** @param {string} words @param {number} size @returns {SvgNode} */
const headingNode = (words, size) => svgNode("text", { x: 0, y: 1.1 * size, "font-size": 1.1 * size, "font-weight": 600 }, words);

/** @param {SvgNode} node @param {(name: string) => string} colourOf @returns {SvgNode} without colours that only the page knows */
function inColours(node, colourOf) {
  const attributes = Object.entries(node.attributes).map(([name, value]) => {
    const named = /^var\((--[\w-]+)\)$/.exec(String(value));
    return [name, named ? colourOf(named[1]) : value];
  });
  return { ...node, attributes: Object.fromEntries(attributes), children: node.children.map((child) => (typeof child === "string" ? child : inColours(child, colourOf))) };
}
