/** Curves as SVG with axes and ends named next to them, and the figure that shows them. */
import { extent, range } from "d3-array";
import { scaleLinear } from "d3-scale";
import { line as pathOf } from "d3-shape";

import { pairOf } from "./colour.js";
import { framed, numbersIn } from "./figure.js";
import { drawing, h, pure, textAt } from "./html.js";
import { every } from "./layout.js";
import { clamp, fixed, plain } from "./numbers.js";
import { altCurves, errorNames, stepName } from "./words.js";

/** The path of a curve; gaps where a value is not a number. */
export const curvePath = (values, x, y) =>
  pathOf((_, at) => x(at), (value) => y(value)).defined(Number.isFinite)(values) ?? "";

/** Axes: a line with its number for each tick of y, the numbers `ticks` of x, and words below them. */
function axisNodes(x, y, ticks, words, size, cut, nameOf) {
  const [[left, right], [bottom, top]] = [x.range(), y.range()];
  const count = Math.max(2, Math.floor((bottom - top) / (4 * size)));
  const foot = cut ? `M${left} ${bottom - 14}l-4 2.5l8 4l-8 4l4 2.5` : `M${left} ${bottom - 14}v14`; // a zigzag where it is cut
  const line = { fill: "none", stroke: "currentColor" };
  return [
    y.ticks(count).map((tick) => [
      h("path", { d: `M${left} ${y(tick)}H${right}`, ...line, "stroke-opacity": 0.14 }),
      textAt(left - 6, y(tick), size, y.tickFormat(count)(tick), { "text-anchor": "end" }),
    ]),
    ticks.map((tick) => textAt(x(tick), bottom + 0.85 * size, size, nameOf(tick), { "text-anchor": "middle" })),
    textAt(left, bottom + 2.15 * size, size, words, { class: "map-quiet" }),
    h("path", { d: `M${left} ${top}V${bottom - 14}${foot}H${right}`, ...line, "stroke-opacity": 0.55 }),
  ];
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
  const longest = Math.max(...curves.map(({ name }) => name.length)); // whose name stands at the right
  const gutter = Math.min(0.45 * width, size * Math.max(6.6, 0.55 * longest + 0.6));
  return {
    cut,
    x: scaleLinear([0, Math.max(T, 1)], [left, width - gutter]),
    y: scaleLinear([cut ? least - room : 0, most + room], [height - size * 2.7, size * 0.8]),
  };
}

/** Places near those that are wanted, none nearer to another than `apart`. */
export function spread(wanted, apart, low, high) {
  const order = range(wanted.length).filter((k) => Number.isFinite(wanted[k])).sort((a, b) => wanted[a] - wanted[b]);
  const found = wanted.map((value) => clamp(value, low, high));
  for (let k = 1; k < order.length; k++) found[order[k]] = Math.max(found[order[k]], found[order[k - 1]] + apart);
  order.reverse().forEach((at, k) => (found[at] = Math.min(found[at], k ? found[order[k - 1]] - apart : high)));
  return found;
}

/** A sign around each value of a curve, the largest at step t. */
function signs({ sign, colour, values }, t, T, x, y) {
  return values.map((value, step) => {
    const radius = step === t ? 5.5 : T <= 24 ? 2.6 : 0;
    if (!sign || !radius || !Number.isFinite(value)) return null;
    const side = sign === "circle" ? 2 * radius : 1.8 * radius; // of a square, which is rounded or stands on its corner
    const look = sign === "circle" ? { rx: radius } : { transform: `rotate(45 ${x(step)} ${y(value)})` };
    return h("rect", { x: x(step) - side / 2, y: y(value) - side / 2, width: side, height: side, ...look, fill: colour });
  });
}

/** The error per step of the run on the screen; a click on a step, which has data-step, goes to it. */
export const ErrorFigure = pure(({ run, t, look, width, height, size, go }) => {
  const { T, errors, reports } = run;
  const levels = run.levels.map(({ name, value }) => ({ name, values: Array(T + 1).fill(value), colour: "currentColor", dash: "2 4" }));
  const shown = errorCurves(run, look.dark);
  const curves = [...shown, ...levels];
  const { x, y, cut } = errorScales(curves, T, width, height, size);
  const [[left, right], [bottom, top], [low]] = [x.range(), y.range(), y.domain()];
  const ticks = range(0, T + 1, every(x(1) - x(0), (reports ? 3 : 1.7) * size));
  const round = reports ? "update" : run.round;
  const whole = `${round}; the axis begins at ${plain(low)}, not at 0`;
  const words = !cut ? round : 0.5 * size * whole.length < width - left ? whole : `axis begins at ${plain(low)}`;
  const ends = spread(curves.map(({ values }) => y(values[T] ?? NaN)), size * 2.3, top + size, bottom - size);
  const half = (x(1) - x(0)) / 2;
  const [ofGiven, ofHidden] = errorNames(run);
  const now = (values, where) => (Number.isFinite(values?.[t]) ? [`${where} ${fixed(values[t])}`] : []);
  return framed("curves", {
    class: "map-curves",
    title: `Error per ${round}`,
    detail: [...now(errors.hidden, ofHidden), ...now(errors.given, ofGiven)].join(", "),
    plot: h("div.map-plot", {
      role: "img",
      "aria-label": altCurves(run, t),
      style: { width: `${width}px`, height: `${height}px` },
      onclick: ({ target }) => target.dataset.step && go(Number(target.dataset.step)),
    }, drawing(width, height, {},
      axisNodes(x, y, ticks, words, size, cut, (tick) => String(reports?.updates[tick] ?? tick)),
      h("path", { d: `M${x(t)} ${top}V${bottom}`, stroke: "currentColor", "stroke-dasharray": "2 3", "stroke-opacity": 0.55 }),
      curves.map(({ name, colour, dash, sign, values }, k) => [
        h("path", { d: curvePath(values, x, y), fill: "none", stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash }),
        signs({ sign, colour, values }, t, T, x, y),
        Number.isFinite(ends[k]) && [
          textAt(right + 6, ends[k] - 0.5 * size, size, name, { fill: colour }),
          textAt(right + 6, ends[k] + 0.6 * size, size, fixed(values[T]), { fill: colour, "font-weight": 600 }),
        ],
      ]),
      range(T + 1).map((step) =>
        h("rect", { x: x(step) - half, y: top, width: 2 * half, height: height - top, fill: "transparent", "data-step": step })))),
    numbers: numbersIn(() => [{
      caption: "RMSE, in rating units",
      cols: shown.map(({ name }) => name),
      rows: errors.given.map((_, step) => [stepName(run, step), ...shown.map(({ values }) => fixed(values[step]))]),
    }]),
  });
});
