/**
 * The error per step, on given and on hidden cells. The axis is cut where the drop would not be seen, and says so.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {{name: string, values: number[], colour: string, dash: string|null, sign: "circle"|"diamond"|"none"}} Line
 * @typedef {{x: (t: number) => number, y: (value: number) => number, low: number, high: number, cut: boolean,
 *   ticks: number[], left: number, right: number, top: number, bottom: number}} CurveFrame
 */
import { errorNumber, exactNumber } from "./alttext.js";
import { svgNode } from "./svg.js";

const COLOURS = { light: { given: "#0072b2", hidden: "#b84e00" }, dark: { given: "#7cc8fa", hidden: "#ff9a4d" } };

/** @param {Run} run @param {boolean} dark @returns {Line[]} */
export function curveLines(run, dark) {
  const colours = COLOURS[dark ? "dark" : "light"];
  const numbers = (/** @type {(number|null)[]} */ errors) => errors.map((value) => value ?? NaN);
  /** @type {Line[]} */
  const lines = [{ name: "given cells", values: numbers(run.errors.given), colour: colours.given, dash: null, sign: "circle" }];
  if (run.errors.hidden) lines.push({ name: "hidden cells", values: numbers(run.errors.hidden), colour: colours.hidden, dash: "6 3", sign: "diamond" });
  return lines;
}

/**
 * @param {Line[]} lines
 * @param {number} T
 * @param {number} width
 * @param {number} height
 * @param {number} size  of type
 * @returns {CurveFrame}
 */
export function curveFrame(lines, T, width, height, size) {
  const all = lines.flatMap((line) => line.values).filter(Number.isFinite);
  const [least, most] = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const room = Math.max(most - least, 0.02 * Math.abs(most), 1e-6) * 0.12;
  const cut = least - room > 0.25 * most;
  const [low, high] = [cut ? least - room : 0, most + room];
  const ticks = niceTicks(low, high, Math.max(2, Math.floor(height / (4 * size))));
  const widest = Math.max(...ticks.map((tick) => tickText(tick, ticks).length), 3);
  const frame = { left: size * (0.56 * widest + 0.9), right: width - size * 6.6, top: size * 0.8, bottom: height - size * 2.7 };
  return {
    ...frame,
    low,
    high,
    cut,
    ticks,
    x: (t) => frame.left + 8 + ((frame.right - frame.left - 16) * t) / Math.max(T, 1),
    y: (value) => frame.bottom - ((frame.bottom - frame.top) * (value - low)) / (high - low),
  };
}

/** @param {number} low @param {number} high @param {number} count about how many @returns {number[]} round numbers inside */
export function niceTicks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
}

/** @param {number} tick @param {number[]} ticks */
function tickText(tick, ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(tick) || 1;
  if (step >= 1e5) return tick.toExponential(0);
  return tick.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

/**
 * @param {Run} run
 * @param {number} t
 * @param {number} width
 * @param {number} height
 * @param {number} size
 * @param {boolean} dark
 * @returns {SvgNode[]}  the last nodes, one for each step, have data-step and are to be clicked
 */
export function curveNodes(run, t, width, height, size, dark) {
  const lines = curveLines(run, dark);
  const flat = run.levels.map(({ name, value }) => ({ name, values: Array(run.T + 1).fill(value), colour: "currentColor", dash: "2 4", sign: /** @type {const} */ ("none") }));
  const all = [...lines, ...flat];
  const frame = curveFrame(all, run.T, width, height, size);
  const nodes = [...frameNodes(run, frame, size)];
  nodes.push(svgNode("line", { x1: frame.x(t), x2: frame.x(t), y1: frame.top, y2: frame.bottom, stroke: "currentColor", "stroke-opacity": 0.55, "stroke-dasharray": "2 3" }));
  const ends = spread(all.map((line) => frame.y(line.values[run.T])), size * 2.3, frame.top + size, frame.bottom - size);
  all.forEach((line, k) => {
    const points = line.values.flatMap((value, step) => (Number.isFinite(value) ? [`${frame.x(step).toFixed(1)} ${frame.y(value).toFixed(1)}`] : []));
    nodes.push(svgNode("path", { d: `M${points.join("L")}`, fill: "none", stroke: line.colour, "stroke-width": 2.2, "stroke-dasharray": line.dash, "stroke-linejoin": "round" }));
    if (line.sign !== "none") line.values.forEach((value, step) => Number.isFinite(value) && nodes.push(pointNode(line, frame.x(step), frame.y(value), step === t ? 5.5 : run.T <= 24 ? 2.6 : 0)));
    if (!Number.isFinite(ends[k])) return;
    nodes.push(svgNode("text", { x: frame.right + 6, y: ends[k], dy: "-0.15em", "font-size": size, fill: line.colour }, line.name));
    nodes.push(svgNode("text", { x: frame.right + 6, y: ends[k], dy: "0.95em", "font-size": size, "font-weight": 600, fill: line.colour }, errorNumber(line.values[run.T])));
  });
  for (let step = 0; step <= run.T; step++) {
    const half = (frame.x(1) - frame.x(0)) / 2 || 10;
    nodes.push(svgNode("rect", { x: frame.x(step) - half, y: frame.top, width: 2 * half, height: height - frame.top, fill: "transparent", "data-step": step }));
  }
  return nodes;
}

/** @param {Run} run @param {CurveFrame} frame @param {number} size @returns {SvgNode[]} axes and their texts */
function frameNodes(run, frame, size) {
  const nodes = [];
  for (const tick of frame.ticks) {
    nodes.push(svgNode("line", { x1: frame.left, x2: frame.right, y1: frame.y(tick), y2: frame.y(tick), stroke: "currentColor", "stroke-opacity": 0.14 }));
    nodes.push(svgNode("text", { x: frame.left - 6, y: frame.y(tick), dy: "0.35em", "text-anchor": "end", "font-size": size }, tickText(tick, frame.ticks)));
  }
  const every = [1, 2, 5, 10, 20, 50, 100].find((step) => (frame.x(step) - frame.x(0)) * 1 >= 1.7 * size) ?? 200;
  for (let step = 0; step <= run.T; step += every) {
    nodes.push(svgNode("text", { x: frame.x(step), y: frame.bottom + 1.2 * size, "text-anchor": "middle", "font-size": size }, String(step)));
  }
  const whole = `${run.round}; the axis begins at ${exactNumber(frame.low)}, not at 0`;
  const fits = 0.5 * size * whole.length < frame.right + 6.6 * size - frame.left; // up to the edge of the figure
  const says = !frame.cut ? run.round : fits ? whole : `axis begins at ${exactNumber(frame.low)}`;
  nodes.push(svgNode("text", { x: frame.left, y: frame.bottom + 2.5 * size, "font-size": size, class: "map-quiet" }, says));
  const floor = frame.bottom;
  const zigzag = frame.cut ? `M${frame.left} ${floor - 14}l-4 2.5l8 4l-8 4l4 2.5` : `M${frame.left} ${floor - 14}v14`;
  nodes.push(svgNode("path", { d: `M${frame.left} ${frame.top}V${floor - 14}${zigzag}H${frame.right}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.55 }));
  return nodes;
}

/** @param {Line} line @param {number} x @param {number} y @param {number} r @returns {SvgNode} */
function pointNode(line, x, y, r) {
  if (line.sign === "circle") return svgNode("circle", { cx: x, cy: y, r, fill: line.colour });
  const d = 1.25 * r;
  return svgNode("path", { d: `M${x - d} ${y}L${x} ${y - d}L${x + d} ${y}L${x} ${y + d}z`, fill: line.colour });
}

/** @param {number[]} wanted @param {number} apart @param {number} low @param {number} high @returns {number[]} none nearer than `apart` */
export function spread(wanted, apart, low, high) {
  const order = wanted.map((_, k) => k).filter((k) => Number.isFinite(wanted[k])).sort((a, b) => wanted[a] - wanted[b]);
  const found = wanted.map((value) => Math.min(high, Math.max(low, value)));
  for (let k = 1; k < order.length; k++) found[order[k]] = Math.max(found[order[k]], found[order[k - 1]] + apart);
  for (let k = order.length - 1; k >= 0; k--) {
    const roof = k === order.length - 1 ? high : found[order[k + 1]] - apart;
    found[order[k]] = Math.min(found[order[k]], roof);
  }
  return found;
}
