/**
 * A meta-training as it goes on: its learning curve, and beside it one held-out matrix that becomes clearer.
 *
 * Streamlit calls the default export when the component appears, and again whenever there is more to show.
 *
 * @typedef {import("./trainingcurve.js").Curve} Curve
 * @typedef {import("./trainingmaps.js").Matrix} Matrix
 * @typedef {{curve: Curve, matrix: Matrix, trail: string[]}} Training  trail: the estimates at every report
 */
import { luminance, parseColour, signedScale } from "./colour.js";
import { dom, write } from "./dom.js";
import { drawLegend } from "./legend.js";
import { mountSvg, svgNode } from "./svg.js";
import { drawTables } from "./table.js";
import { curveDrawing, milestone, STROKES } from "./trainingcurve.js";
import { MAP_TYPE, NAMES, TrainingMaps } from "./trainingmaps.js";
import { reportName, sentEstimates, TrainingTrail } from "./trainingtrail.js";

const WIDE = 1000; // pixels from which the maps stand beside the curve; chosen by hand
const TYPE = 13;

/** @type {WeakMap<Node, {picture: TrainingPicture, calls: number}>} */
const mounted = new WeakMap();

/**
 * @param {{data: Training, parentElement: ParentNode & Node}} mount
 * @returns {() => void}
 */
export default function mountTraining({ data, parentElement }) {
  const there = mounted.get(parentElement) ?? { picture: new TrainingPicture(parentElement, data), calls: 0 };
  mounted.set(parentElement, there);
  const call = (there.calls += 1);
  there.picture.update(data);
  return () => {
    if (call !== there.calls) return; // the data changed meanwhile: a later call has taken over
    there.picture.destroy();
    mounted.delete(parentElement);
  };
}

class TrainingPicture {
  /** @param {ParentNode} parent @param {Training} data */
  constructor(parent, data) {
    this.data = data;
    this.plot = dom("div", { className: "mft-plot", role: "img" });
    this.key = dom("ul", { className: "mft-key" });
    this.legend = dom("div", { className: "mft-legend" });
    this.tables = dom("div", { className: "mft-tables" });
    this.numbers = dom("details", { className: "mft-numbers" }, dom("summary", {}, "Numbers as a table"), this.tables);
    this.numbers.addEventListener("toggle", () => this.table());
    this.spoken = dom("p", { className: "mft-spoken", role: "status" });
    const maps = dom("div", { className: "mft-matrix" });
    const trail = dom("div", { className: "mft-trails" });
    this.root = dom(
      "div",
      { className: "mft" },
      trail,
      dom("figure", { className: "mft-curve" }, dom("figcaption", {}, "Error on held-out matrices (RMSE)"), this.plot, this.key),
      dom("div", {}, maps, this.legend),
      this.numbers,
      this.spoken,
    );
    parent.append(this.root);
    this.maps = new TrainingMaps(maps, data.matrix);
    this.trail = new TrainingTrail(trail, () => this.draw());
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root);
  }

  /** @param {Training} data */
  update(data) {
    this.data = data;
    this.draw();
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const { curve } = this.data;
    const at = this.trail.at(curve);
    const matrix = this.matrixAt(at);
    const wide = width >= WIDE;
    this.root.classList.toggle("mft-wide", wide);
    const dark = luminance(parseColour(getComputedStyle(this.root).getPropertyValue("--mft-page").trim())) < 0.2;
    const drawn = wide ? Math.round(0.36 * width) : width;
    const height = wide ? 330 : 260;
    const attributes = { width: drawn, height, viewBox: `0 0 ${drawn} ${height}`, "aria-hidden": "true" };
    this.plot.replaceChildren(mountSvg(svgNode("svg", attributes, ...curveDrawing(curve, drawn, height, TYPE, at))));
    this.plot.setAttribute("aria-label", curveWords(curve));
    this.lines(curve, at);
    this.trail.draw(curve);
    const apart = width < 720;
    const room = apart ? width : ((wide ? 0.6 * width : width) - NAMES * MAP_TYPE - 56) / 3;
    this.maps.draw(matrix, Math.floor(room), apart, dark);
    this.explain(matrix, dark);
    write(this.spoken, milestone(curve));
    this.table();
    this.root.dataset.update = String(curve.update[curve.update.length - 1]);
    this.root.dataset.shown = String(curve.update[at]);
  }

  /** @param {number} at @returns {Matrix} as it was at a report */
  matrixAt(at) {
    const { curve, matrix, trail } = this.data;
    return at === curve.update.length - 1 ? matrix : { ...matrix, filled: sentEstimates(trail[at], matrix) };
  }

  /** @param {Curve} curve @param {number} at */
  lines(curve, at) {
    const last = (/** @type {number} */ value) => value.toFixed(3);
    const items = [
      { colour: "var(--mft-error)", dash: "", width: 2.5, words: `this network ${last(curve.error[at])}` },
      ...curve.lines.map((line, k) => ({ ...STROKES[k], width: 2, words: `${line.name} ${last(line.error)}` })),
      { colour: "var(--mft-loss)", dash: "0 6", width: 3.2, words: "on the episodes that it learns from, smoothed" },
    ];
    if (this.key.children.length !== items.length) {
      this.key.replaceChildren(
        ...items.map(({ colour, dash, width }) => {
          const line = svgNode("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: colour, "stroke-width": width, "stroke-dasharray": dash, "stroke-linecap": dash.startsWith("0") ? "round" : "butt" });
          return dom("li", {}, mountSvg(svgNode("svg", { width: 26, height: 10, "aria-hidden": "true" }, line)), dom("span"));
        }),
      );
    }
    items.forEach(({ words }, k) => write(/** @type {Element} */ (this.key.children[k].lastElementChild), words));
  }

  /** @param {Matrix} matrix @param {boolean} dark */
  explain(matrix, dark) {
    const scale = { kind: /** @type {const} */ ("rating"), low: matrix.low, high: matrix.high };
    const limit = (matrix.high - matrix.low) / 2;
    /** @type {any[]} */
    const items = [
      { scale, low: String(matrix.low), high: String(matrix.high), keys: [{ mark: "given", text: "given" }, { mark: "empty", text: "no rating" }] },
      { scale: signedScale(limit), low: `too low −${limit}`, high: `+${limit} too high`, keys: [] },
    ];
    drawLegend(this.legend, items, dark);
  }

  table() {
    if (!this.numbers.open) return;
    const { curve } = this.data;
    const matrix = this.matrixAt(this.trail.at(curve));
    const exact = (/** @type {number|null} */ value) => (value === null ? "" : value.toFixed(4));
    drawTables(this.tables, [
      {
        caption: "RMSE in rating units",
        rows: curve.update.map((update) => `update ${update}`),
        cols: ["held-out matrices", "episodes", "learning rate"],
        cells: curve.update.map((_, at) => [exact(curve.error[at]), exact(curve.loss[at]), String(curve.rate[at])]),
      },
      { caption: `Estimates, ${reportName(curve, this.trail.chosen)}`, rows: matrix.rows, cols: matrix.cols, cells: matrix.filled.map((line) => line.map((value) => value.toFixed(2))) },
    ]);
  }

  destroy() {
    this.watch.disconnect();
    this.root.remove();
  }
}

/** @param {Curve} curve @returns {string} what the curve shows */
export function curveWords(curve) {
  const now = curve.error.length - 1;
  const others = curve.lines.map((line) => `${line.name} ${line.error.toFixed(3)}`).join(", ");
  return `Learning curve: the error goes from ${curve.error[0].toFixed(3)} with random weights to ${curve.error[now].toFixed(3)} after ${curve.update[now]} updates; ${others}.`;
}
