/**
 * The learning curve of a meta-training as SVG: error on held-out matrices per update, and the lines it is measured by.
 *
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {Object} Curve
 * @property {number[]} update  how many updates there were, from 0
 * @property {number[]} error  on the held-out matrices, RMSE in rating units
 * @property {(number|null)[]} loss  on the episodes since the point before
 * @property {number[]} rate  learning rate
 * @property {{name: string, error: number}[]} lines  errors of others on the same matrices
 * @property {number|null} kept  after which update the parameters were the best, once the training has ended
 *
 * @typedef {{x: (update: number) => number, y: (error: number) => number, last: number, low: number, high: number,
 *   left: number, right: number, top: number, bottom: number}} Frame
 */
import { svgNode } from "./svg.js";

const ENDS = [100, 300, 1000, 3000, 10_000, 30_000]; // of the axis: it grows in steps, so that the curve rarely jumps
const TICKS = [0, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000];
const BEND = 10; // updates up to which the axis is nearly even, before it is logarithmic
const KEPT = 0.85; // of the mean before, in a smoothed one
export const STROKES = [
  { colour: "var(--mft-mean)", dash: "2 4" },
  { colour: "var(--mft-bundled)", dash: "9 4" },
];

/**
 * @param {Curve} curve
 * @param {number} width
 * @param {number} height
 * @param {number} size  of type
 * @returns {Frame}
 */
export function curveAxes(curve, width, height, size) {
  const reached = curve.update[curve.update.length - 1];
  const last = ENDS.find((end) => end >= reached) ?? reached;
  const all = [...curve.error, ...curve.lines.map((line) => line.error)];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0.08 * (most - least), 0.005 * most);
  const [low, high] = [least - room, most + room];
  const [left, right, top, bottom] = [3.4 * size, width - 1.4 * size, 0.6 * size, height - 2.9 * size];
  const bent = (/** @type {number} */ update) => Math.log(1 + update / BEND);
  return {
    x: (update) => left + ((right - left) * bent(update)) / bent(last),
    y: (error) => Math.min(bottom, Math.max(top, bottom - ((bottom - top) * (error - low)) / (high - low))),
    last, low, high, left, right, top, bottom,
  };
}

/**
 * @param {Curve} curve
 * @param {number} width
 * @param {number} height
 * @param {number} size
 * @param {number} now  the report that is shown beside it
 * @returns {SvgNode[]}
 */
export function curveDrawing(curve, width, height, size, now = curve.update.length - 1) {
  const axes = curveAxes(curve, width, height, size);
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "middle") =>
    svgNode("text", { x, y, "font-size": size, "text-anchor": anchor, fill: "currentColor" }, words);
  const nodes = [];
  for (const value of niceTicks(axes.low, axes.high)) {
    nodes.push(svgNode("line", { x1: axes.left, x2: axes.right, y1: axes.y(value), y2: axes.y(value), stroke: "var(--mft-grid)" }));
    nodes.push(text(axes.left - 0.4 * size, axes.y(value) + 0.35 * size, value.toFixed(2), "end"));
  }
  for (const update of TICKS.filter((tick) => tick <= axes.last)) {
    nodes.push(text(axes.x(update), axes.bottom + 1.3 * size, String(update)));
  }
  nodes.push(text((axes.left + axes.right) / 2, axes.bottom + 2.7 * size, "updates of the parameters"));
  curve.lines.forEach((line, k) => {
    const { colour, dash } = STROKES[k];
    nodes.push(svgNode("line", { x1: axes.left, x2: axes.right, y1: axes.y(line.error), y2: axes.y(line.error), stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }));
  });
  for (const at of rateChanges(curve)) {
    const x = axes.x(curve.update[at]);
    nodes.push(svgNode("line", { x1: x, x2: x, y1: axes.top, y2: axes.bottom, stroke: "currentColor", "stroke-opacity": 0.45, "stroke-dasharray": "1 3" }));
    nodes.push(text(x + 0.3 * size, axes.top + size, String(curve.rate[at]), "start"));
  }
  smoothed(curve.loss).forEach((loss, at) => {
    if (loss === null || loss < axes.low || loss > axes.high) return;
    nodes.push(svgNode("circle", { cx: axes.x(curve.update[at]), cy: axes.y(loss), r: 1.6, fill: "var(--mft-loss)" }));
  });
  const error = curve.update.map((update, at) => `${spot(axes.x(update))},${spot(axes.y(curve.error[at]))}`);
  nodes.push(svgNode("polyline", { points: error.join(" "), fill: "none", stroke: "var(--mft-error)", "stroke-width": 2.5, "stroke-linejoin": "round" }));
  if (now < curve.update.length - 1) {
    const x = axes.x(curve.update[now]);
    nodes.push(svgNode("line", { x1: x, x2: x, y1: axes.top, y2: axes.bottom, stroke: "var(--mft-error)", "stroke-opacity": 0.6 }));
  }
  nodes.push(svgNode("circle", { cx: axes.x(curve.update[now]), cy: axes.y(curve.error[now]), r: 5, fill: "var(--mft-error)" }));
  return nodes;
}

/**
 * Errors on different episodes differ by chance: each is drawn as the weighted mean of it and those before.
 * @param {(number|null)[]} values
 * @returns {(number|null)[]}
 */
export function smoothed(values) {
  /** @type {number|null} */
  let mean = null;
  return values.map((value) => {
    if (value === null) return null;
    mean = mean === null ? value : KEPT * mean + (1 - KEPT) * value;
    return mean;
  });
}

/** @param {number} value @returns {number} to a tenth */
const spot = (value) => Math.round(10 * value) / 10;

/** @param {Curve} curve @returns {number[]} the points from which another learning rate held */
export function rateChanges(curve) {
  return curve.rate.flatMap((rate, at) => (at > 0 && rate !== curve.rate[at - 1] ? [at] : []));
}

/** @param {number} low @param {number} high @returns {number[]} three to six round values between them */
export function niceTicks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 6) ?? (high - low) / 5;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => (first + k) * step);
}

/**
 * What happened since the last words were said, for a live region: only when a line is crossed for the first time.
 * @param {Curve} curve
 * @returns {string}
 */
export function milestone(curve) {
  const below = curve.lines
    .map((line) => ({ line, at: curve.error.findIndex((error) => error < line.error) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  if (!below.length) return "";
  const [{ line, at }] = below;
  return `After ${curve.update[at]} updates the error is below that of the ${line.name}.`;
}
