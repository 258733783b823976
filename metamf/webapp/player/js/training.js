/**
 * A meta-training as it goes on: its learning curve, and beside it one held-out matrix that becomes clearer, with a
 * slider back to earlier reports.
 */
import { scaleLinear, scaleSymlog } from "d3-scale";

import { axisNodes, ChartFigure, curveNode, uprightNode } from "./chart.js";
import { dom, write } from "./dom.js";
import { typeSizes } from "./layout.js";
import { bytes, decodeRun } from "./run.js";
import { lookOf, Scene } from "./scene.js";
import { openingState, reduce } from "./state.js";
import { fileStem, saveButtons, saveSheet, sheetOf, svg, textAt } from "./svg.js";

const SHARE = 0.28; // of the width, for the curve beside the maps: these have room for numbers then
const BESIDE = 700; // pixels of the maps from which they are beside the curve
const BETWEEN = 32; // pixels between curve and maps
const [LOW, HIGH] = [330, 460]; // pixels of the curve beside the maps, which is as high as these
const ENDS = [100, 300, 1000, 3000, 10_000, 30_000]; // of the axis: it grows in steps, so that the curve rarely jumps
const TICKS = [0, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000];
const BEND = 10; // updates up to which the axis is nearly even, before it is logarithmic
const KEPT = 0.85; // of the mean before, in a smoothed one
const LARGEST = 65_535; // of two bytes: what the highest rating is sent as
const TITLE = "Error on held-out matrices (RMSE)";
const COLOURS = {
  light: { error: "#b84e00", loss: "#b9a38c", lines: ["#5c6470", "#0072b2"] },
  dark: { error: "#ff9a4d", loss: "#7a6a58", lines: ["#aab3bf", "#7cc8fa"] },
};

export class TrainingPicture {
  /** @type {number|null} */ chosen = null; // of the reports; null: the latest

  /** @param {ParentNode} parent @param {Training} data */
  constructor(parent, data) {
    this.data = data;
    this.slider = dom("input", { type: "range", min: "0", step: "1", className: "mft-slider" });
    this.name = dom("output");
    this.trail = dom("label", { className: "mft-trail" }, dom("span", {}, "Back through the training"), this.slider, this.name);
    this.figure = new ChartFigure();
    this.figure.foot.append(saveButtons("the learning curve", (kind) => this.save(kind)));
    this.figure.numbers = () => [this.table()];
    this.maps = dom("div", { className: "mft-maps" });
    this.spoken = dom("p", { className: "mfp-spoken", role: "status" });
    const trails = dom("div", { className: "mft-trails" }, this.trail);
    this.root = dom("div", { className: "mft" }, trails, this.figure.root, this.maps, this.spoken);
    parent.append(this.root);
    this.run = runOf(data.matrix, data.matrix.filled);
    this.state = openingState(this.run);
    this.scene = new Scene(this.maps, "map", (event) => {
      this.state = reduce(this.state, event);
      this.scene.update(this.run, this.state);
    });
    this.slider.addEventListener("input", () => {
      this.chosen = this.slider.value === this.slider.max ? null : this.slider.valueAsNumber;
      this.draw();
    });
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root);
    this.scene.box.addEventListener("transitionrun", () => this.draw()); // another theme
  }

  update(data) {
    this.data = data;
    this.draw();
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const { curve, matrix, trail, lecture } = this.data;
    const last = curve.update.length - 1;
    const at = this.chosen === null ? last : Math.min(this.chosen, last);
    this.run = runOf(matrix, at === last ? matrix.filled : sentEstimates(trail[at], matrix));
    this.state = { ...this.state, n: this.run.n, m: this.run.m, lecture };
    const { beside, across } = widthsIn(width);
    this.root.style.gridTemplateColumns = beside ? `${across}px minmax(0, 1fr)` : "";
    this.root.classList.toggle("mft-lecture", lecture);
    this.scene.update(this.run, this.state);
    this.look = lookOf(this.root);
    const size = typeSizes(innerWidth, lecture).name;
    const strokes = strokesOf(curve, at, this.look.dark);
    const maps = this.maps.querySelector(".map-plot")?.clientHeight ?? 0;
    const plot = beside ? Math.min(HIGH, Math.max(LOW, maps)) : 20 * size;
    this.figure.place(across, plot + (strokes.length + 0.5) * 1.5 * size, size);
    this.figure.draw(TITLE, "", curveWords(curve), curveNodes(curve, strokes, across, plot, size, at));
    const name = reportName(curve, this.chosen);
    this.trail.hidden = last < 1;
    this.slider.max = String(last);
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", name);
    write(this.name, name);
    write(this.spoken, milestone(curve));
    this.root.dataset.update = String(curve.update[last]);
    this.root.dataset.shown = String(curve.update[at]);
  }

  table() {
    const { update, error, loss, rate } = this.data.curve;
    const exact = (value) => (value === null ? "" : value.toFixed(4));
    const rows = update.map((count, at) => [`update ${count}`, exact(error[at]), exact(loss[at]), String(rate[at])]);
    return { caption: "RMSE in rating units", cols: ["held-out matrices", "episodes", "learning rate"], rows };
  }

  save(kind) {
    if (!this.look) return;
    const title = `MetaMF: meta-training, ${reportName(this.data.curve, this.chosen)}`;
    const stem = fileStem(`metamf training curve ${this.root.dataset.shown}`);
    saveSheet(sheetOf([this.figure.placed()], { ...this.look, title }), stem, kind);
  }

  destroy() {
    this.watch.disconnect();
    this.scene.destroy();
    this.root.remove();
  }
}

/** Whether curve and maps are side by side, and how wide the curve is. */
export function widthsIn(width) {
  const across = Math.round(SHARE * width);
  const beside = width - across - BETWEEN >= BESIDE;
  return { beside, across: beside ? across : width };
}

/** The held-out matrix as a run of three maps: ratings, estimates, errors on the hidden cells. @returns {Run} */
export function runOf({ rows, cols, low, high, given, hidden }, filled) {
  const [n, m] = [rows.length, cols.length];
  const matrixOf = (ratings) => {
    const values = new Float32Array(n * m).fill(NaN);
    for (const [i, j, rating] of ratings) values[i * m + j] = rating;
    return values;
  };
  const truth = matrixOf(hidden);
  const estimates = Float32Array.from(filled.flat());
  const rating = { kind: "rating", low, high, detail: "", below: "", above: "" };
  const end = (high - low) / 2; // larger errors have the colour of that
  const signs = { kind: "signed", low: -end, high: end, below: "too low", above: "too high" };
  /** @type {any[]} */
  const maps = [
    { ...rating, title: "The ratings", noun: "rating", values: matrixOf([...given, ...hidden]) },
    { ...rating, title: "Estimates", noun: "estimate", values: estimates },
    { ...rating, ...signs, title: "Errors on the hidden ones", noun: "", values: estimates.map((value, at) => value - truth[at]) },
  ];
  const still = decodeRun({ version: 2, X: "", id: "training", matrix: { name: "meta-training" } });
  return { ...still, rows, cols, n, m, total_rows: n, total_cols: m, low, high, X: matrixOf(given), truth, maps };
}

/** The estimates of a report; `sent`: base64 of two bytes a cell, from the lowest rating to the highest. */
export function sentEstimates(sent, { rows, cols, low, high }) {
  const values = Array.from(new Uint16Array(bytes(sent)), (value) => low + ((high - low) / LARGEST) * value);
  return rows.map((_, i) => values.slice(i * cols.length, (i + 1) * cols.length));
}

/** Which report it is; null: where the training is. @param {LearningCurve} curve */
export function reportName({ kept, update, error }, chosen) {
  if (chosen === null && kept !== null) return `the best, kept: after update ${kept}`;
  const at = chosen ?? update.length - 1;
  return `after update ${update[at]}: error ${error[at].toFixed(3)}`;
}

/** The lines of the curve, and what each is. @param {LearningCurve} curve */
function strokesOf({ error, lines }, at, dark) {
  const colours = COLOURS[dark ? "dark" : "light"];
  return [
    { colour: colours.error, width: 2.5, dash: "", words: `this network ${error[at].toFixed(3)}` },
    ...lines.map(({ name, error: level }, k) =>
      ({ colour: colours.lines[k], width: 2, dash: k ? "9 4" : "2 4", words: `${name} ${level.toFixed(3)}` })),
    { colour: colours.loss, width: 3, dash: "3 3", words: "on the episodes that it learns from, smoothed" },
  ];
}

/** The scales of a learning curve. @param {LearningCurve} curve */
export function curveScales({ update, error, lines }, width, height, size) {
  const reached = update[update.length - 1];
  const last = ENDS.find((end) => end >= reached) ?? reached;
  const all = [...error, ...lines.map((line) => line.error)];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0.08 * (most - least), 0.005 * most);
  return {
    x: scaleSymlog([0, last], [3.4 * size, width - 1.4 * size]).constant(BEND),
    y: scaleLinear([least - room, most + room], [height - 2.9 * size, 0.6 * size]).clamp(true),
  };
}

const strokeNode = ({ colour, dash, width }, x1, x2, y) =>
  svg("line", { x1, x2, y1: y, y2: y, stroke: colour, "stroke-width": width, "stroke-dasharray": dash || undefined });

/** The curve, with a dot at the report that is shown beside it. @param {LearningCurve} curve */
function curveNodes(curve, strokes, width, height, size, now) {
  const { update, error, rate, lines } = curve;
  const { x, y } = curveScales(curve, width, height, size);
  const [[, last], [low, high], [left, right], [, top]] = [x.domain(), y.domain(), x.range(), y.range()];
  const [own, ...others] = strokes;
  const loss = others[others.length - 1];
  const nodes = axisNodes(x, y, TICKS.filter((tick) => tick <= last), "updates of the parameters", size);
  lines.forEach((line, k) => {
    nodes.push(strokeNode(others[k], left, right, y(line.error)));
  });
  rate.forEach((value, at) => { // where another learning rate begins
    if (at === 0 || value === rate[at - 1]) return;
    nodes.push(uprightNode(x, y, update[at], { "stroke-dasharray": "1 3" }));
    nodes.push(textAt(x(update[at]) + 0.3 * size, top + 0.65 * size, size, String(value)));
  });
  smoothed(curve.loss).forEach((value, at) => {
    if (value === null || value < low || value > high) return;
    nodes.push(svg("circle", { cx: x(update[at]), cy: y(value), r: 1.6, fill: loss.colour }));
  });
  nodes.push(curveNode({ values: error, ...own, dash: undefined }, (at) => x(update[at]), y));
  if (now < update.length - 1) nodes.push(uprightNode(x, y, update[now], { stroke: own.colour }));
  nodes.push(svg("circle", { cx: x(update[now]), cy: y(error[now]), r: 5, fill: own.colour }));
  strokes.forEach((stroke, k) => {
    const at = height + (k + 0.75) * 1.5 * size;
    nodes.push(strokeNode(stroke, 0, 26, at), textAt(34, at, size, stroke.words));
  });
  return nodes;
}

/** Errors on different episodes differ by chance: each is drawn as the weighted mean of it and those before. */
export function smoothed(values) {
  /** @type {number|null} */
  let mean = null;
  return values.map((value) => (value === null ? null : (mean = mean === null ? value : KEPT * mean + (1 - KEPT) * value)));
}

export function curveWords({ update, error, lines }) {
  const now = error.length - 1;
  const others = lines.map(({ name, error: level }) => `${name} ${level.toFixed(3)}`).join(", ");
  const way = `from ${error[0].toFixed(3)} with random weights to ${error[now].toFixed(3)} after ${update[now]} updates`;
  return `Learning curve: the error goes ${way}; ${others}.`;
}

/** Which line was crossed last, for a live region. @param {LearningCurve} curve */
export function milestone({ update, error, lines }) {
  const crossed = lines.map((line) => ({ name: line.name, at: error.findIndex((value) => value < line.error) }));
  const [last] = crossed.filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at);
  return last ? `After ${update[last.at]} updates the error is below that of the ${last.name}.` : "";
}
