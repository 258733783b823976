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
import { MAP_TYPE, mapFills, mapLegend, mapPlans } from "./trainingmaps.js";

const HEADING = 24; // pixels of its line; chosen by eye
const BETWEEN = 16; // pixels between two maps; chosen by eye
const CELL = { stroke: "rgb(128,128,128)", "stroke-opacity": 0.42, "stroke-width": 1 };
const DOT = { fill: "#fff", stroke: "#141414", "stroke-width": 1.25 };

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
 * The three maps side by side, as large as on the page; one below the other where each stands alone there.
 * @param {Matrix} matrix
 * @param {number} width of one map
 * @param {boolean} apart
 * @param {import("./paint.js").Look} look
 * @returns {Placed[]}
 */
export function mapFiles(matrix, width, apart, look) {
  const fills = mapFills(matrix, look.dark);
  let [x, y] = [0, 0];
  const placed = mapPlans(matrix, width, apart).map(({ title, names, boxes, dots, ...size }, k) => {
    const cells = boxes.map((box, at) => svgNode("rect", { ...box, fill: fills[k][at] ?? "none", ...CELL }));
    const given = dots.flatMap((dot) => (dot ? [svgNode("circle", { ...dot.attributes, class: null, ...DOT })] : []));
    const map = svgNode("g", { transform: `translate(0 ${HEADING})` }, ...names, ...cells, ...given);
    const here = { nodes: [headingNode(title, MAP_TYPE), map], width: size.width, height: HEADING + size.height, x, y };
    if (apart) y += here.height + BETWEEN;
    else x += here.width + BETWEEN;
    return here;
  });
  const below = Math.max(...placed.map((map) => map.y + map.height)) + BETWEEN;
  const legend = legendNodes(/** @type {any} */ ({ legend: mapLegend(matrix) }), look, 0, 0, MAP_TYPE);
  return [...placed, { nodes: legend.nodes, width: 26 * MAP_TYPE, height: legend.height, x: 0, y: below }];
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
