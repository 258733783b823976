/** Curves as SVG with axes and ends named next to them, and the figure that shows them. */
import { extent, range } from "d3-array";
import { scaleLinear } from "d3-scale";
import { line as pathOf } from "d3-shape";

import { pairOf } from "./colour.js";
import { write } from "./dom.js";
import { Plot } from "./figure.js";
import { every } from "./layout.js";
import { clamp, fixed, plain } from "./numbers.js";
import { picture, svg, textAt } from "./svg.js";
import { altCurves, errorNames, stepName } from "./words.js";

/** A curve through points; gaps where a value is not a number. @param {Partial<Curve>} curve */
function curveNode({ values, colour, dash }, x, y) {
  const path = pathOf((_, at) => x(at), (value) => y(value)).defined(Number.isFinite);
  const stroke = { stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash, "stroke-linejoin": "round" };
  return svg("path", { d: path(/** @type {any} */ (values)) ?? "", fill: "none", ...stroke });
}

/** Axes: a line with its number for each tick of y, the numbers `ticks` of x, and words below them. */
function axisNodes(x, y, ticks, words, size, cut, nameOf) {
  const [[left, right], [bottom, top]] = [x.range(), y.range()];
  const count = Math.max(2, Math.floor((bottom - top) / (4 * size)));
  const grid = y.ticks(count).flatMap((tick) => [
    svg("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), stroke: "currentColor", "stroke-opacity": 0.14 }),
    textAt(left - 6, y(tick), size, y.tickFormat(count)(tick), { "text-anchor": "end" }),
  ]);
  const numbers = ticks.map((tick) => textAt(x(tick), bottom + 0.85 * size, size, nameOf(tick), { "text-anchor": "middle" }));
  const foot = cut ? `M${left} ${bottom - 14}l-4 2.5l8 4l-8 4l4 2.5` : `M${left} ${bottom - 14}v14`; // a zigzag where it is cut
  const d = `M${left} ${top}V${bottom - 14}${foot}H${right}`;
  const lines = svg("path", { d, fill: "none", stroke: "currentColor", "stroke-opacity": 0.55 });
  return [...grid, ...numbers, textAt(left, bottom + 2.15 * size, size, words, { class: "map-quiet" }), lines];
}

/** @param {Run} run @returns {Curve[]} */
export function errorCurves(run, dark) {
  const [first, second] = pairOf(dark);
  const { given, hidden } = run.errors;
  const [ofGiven, ofHidden] = errorNames(run);
  /** @type {Curve[]} */
  const curves = [{ name: ofGiven, values: given, colour: first, sign: "circle" }];
  if (hidden) curves.push({ name: ofHidden, values: hidden, colour: second, dash: "6 3", sign: "diamond" });
  return curves;
}

/** The scales of error curves. The axis is cut where the drop would not be seen. @param {Curve[]} curves */
export function errorScales(curves, T, width, height, size) {
  const [least = 0, most = 1] = extent(curves.flatMap(({ values }) => values).filter(Number.isFinite));
  const room = Math.max(most - least, 0.02 * Math.abs(most), 1e-6) * 0.12;
  const cut = least - room > 0.25 * most;
  const left = size * (most >= 100 ? 3.7 : 3.1);
  return {
    cut,
    x: scaleLinear([0, Math.max(T, 1)], [left, width - size * 6.6]),
    y: scaleLinear([cut ? least - room : 0, most + room], [height - size * 2.7, size * 0.8]),
  };
}

/** The error per step; the last nodes, one for each step, have data-step and are to be clicked. @param {Run} run */
function errorNodes(run, t, width, height, size, dark) {
  const flat = run.levels.map(({ name, value }) =>
    ({ name, values: Array(run.T + 1).fill(value), colour: "currentColor", dash: "2 4" }));
  const curves = /** @type {Curve[]} */ ([...errorCurves(run, dark), ...flat]);
  const { x, y, cut } = errorScales(curves, run.T, width, height, size);
  const [[left, right], [low]] = [x.range(), y.domain()];
  const ticks = range(0, run.T + 1, every(x(1) - x(0), (run.reports ? 3 : 1.7) * size));
  const round = run.reports ? "update" : run.round;
  const whole = `${round}; the axis begins at ${plain(low)}, not at 0`;
  const words = !cut ? round : 0.5 * size * whole.length < width - left ? whole : `axis begins at ${plain(low)}`;
  const [bottom, top] = y.range();
  const upright = { x1: x(t), x2: x(t), y1: top, y2: bottom, "stroke-dasharray": "2 3" }; // at the step
  const nodes = [
    ...axisNodes(x, y, ticks, words, size, cut, (tick) => String(run.reports?.updates[tick] ?? tick)),
    svg("line", { ...upright, stroke: "currentColor", "stroke-opacity": 0.55 }),
  ];
  const ends = spread(curves.map(({ values }) => y(values[run.T] ?? NaN)), size * 2.3, top + size, bottom - size);
  curves.forEach((curve, k) => {
    const { name, colour, values, sign } = curve;
    nodes.push(curveNode(curve, x, y));
    for (const [step, value] of sign ? values.entries() : []) {
      const radius = step === t ? 5.5 : run.T <= 24 ? 2.6 : 0;
      if (!radius || !Number.isFinite(value)) continue;
      const side = sign === "circle" ? 2 * radius : 1.8 * radius; // of a square, which is rounded or stands on its corner
      const look = sign === "circle" ? { rx: radius } : { transform: `rotate(45 ${x(step)} ${y(value)})` };
      const place = { x: x(step) - side / 2, y: y(value) - side / 2, width: side, height: side };
      nodes.push(svg("rect", { ...place, ...look, fill: colour }));
    }
    if (!Number.isFinite(ends[k])) return;
    nodes.push(textAt(right + 6, ends[k] - 0.5 * size, size, name, { fill: colour }));
    nodes.push(textAt(right + 6, ends[k] + 0.6 * size, size, fixed(values[run.T]), { fill: colour, "font-weight": 600 }));
  });
  const half = (x(1) - x(0)) / 2;
  for (let step = 0; step <= run.T; step++) {
    const place = { x: x(step) - half, y: top, width: 2 * half, height: height - top };
    nodes.push(svg("rect", { ...place, fill: "transparent", "data-step": step }));
  }
  return nodes;
}

/** Places near those that are wanted, none nearer to another than `apart`. */
export function spread(wanted, apart, low, high) {
  const order = range(wanted.length).filter((k) => Number.isFinite(wanted[k])).sort((a, b) => wanted[a] - wanted[b]);
  const found = wanted.map((value) => clamp(value, low, high));
  for (let k = 1; k < order.length; k++) found[order[k]] = Math.max(found[order[k]], found[order[k - 1]] + apart);
  order.reverse().forEach((at, k) => (found[at] = Math.min(found[at], k ? found[order[k - 1]] - apart : high)));
  return found;
}

/** The error per step of the run on the screen; a click on a step goes to it. */
export class ErrorFigure extends Plot {
  constructor(go) {
    super("curves");
    this.root.classList.add("map-curves");
    this.plot.role = "img";
    this.plot.onclick = ({ target }) => {
      const step = /** @type {Element} */ (target).getAttribute("data-step");
      if (step !== null) go(Number(step));
    };
  }

  /** @param {Run} run @param {Look} look */
  draw(run, t, look) {
    this.run = run;
    const now = (errors, where) => (Number.isFinite(errors?.[t]) ? [`${where} ${fixed(errors[t])}`] : []);
    const [ofGiven, ofHidden] = errorNames(run);
    const detail = [...now(run.errors.hidden, ofHidden), ...now(run.errors.given, ofGiven)].join(", ");
    const nodes = errorNodes(run, t, this.width, this.height, this.size, look.dark);
    write(this.title, `Error per ${run.reports ? "update" : run.round}`);
    write(this.detail, detail);
    this.plot.setAttribute("aria-label", altCurves(run, t));
    this.plot.replaceChildren(picture(this.width, this.height, {}, ...nodes));
    this.drawTables();
  }

  numbers() {
    const run = /** @type {Run} */ (this.run);
    const curves = errorCurves(run, false);
    const rows = run.errors.given.map((_, t) => [stepName(run, t), ...curves.map(({ values }) => fixed(values[t]))]);
    return [{ caption: "RMSE, in rating units", cols: curves.map(({ name }) => name), rows }];
  }
}
