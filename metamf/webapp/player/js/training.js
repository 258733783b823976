/**
 * A meta-training as it goes on: its learning curve, and beside it one held-out matrix that becomes clearer.
 *
 * Streamlit calls the default export when the component appears, and again whenever there is more to show.
 *
 * @typedef {import("./trainingcurve.js").Curve} Curve
 * @typedef {import("./trainingmaps.js").Matrix} Matrix
 * @typedef {{curve: Curve, matrix: Matrix, trail: string[], lecture: boolean}} Training  trail: the estimates at every report
 */
import { dom, write } from "./dom.js";
import { fileStem, saveSheet, sheetOf } from "./export.js";
import { saveButtons } from "./foot.js";
import { drawLegend } from "./legend.js";
import { lookOf, requestOf } from "./surroundings.js";
import { mountSvg, svgNode } from "./svg.js";
import { drawTables } from "./table.js";
import { curveDrawing, milestone, STROKES } from "./trainingcurve.js";
import { curveFile, mapFiles } from "./trainingfiles.js";
import { linesOf, mapLegend, TrainingMaps, trainingLayouts } from "./trainingmaps.js";
import { reportName, sentEstimates, TrainingTrail } from "./trainingtrail.js";
import { typeSizes } from "./typesizes.js";

const SHARE = 0.28; // of the width, for the curve beside the maps: these have room for numbers then
const BESIDE = 700; // pixels of the maps from which they stand beside the curve: three in a row, as layout.js has it
const BETWEEN = 32; // pixels between curve and maps
const [LOW, HIGH] = [330, 460]; // pixels of the curve beside the maps, which is as high as these
const CURVE = "Error on held-out matrices (RMSE)";

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
    this.drawn = { width: 300, height: 260, size: 13 }; // the curve
    /** @type {import("./layout.js").Row|null} */
    this.row = null; // of the maps
    this.screen = { width: 0, height: 0 };
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
      dom("figure", { className: "mft-curve" }, dom("figcaption", {}, CURVE), this.plot, this.key, saveButtons("the learning curve", (kind) => this.save("curve", kind))),
      dom("div", {}, maps, this.legend, saveButtons("the maps", (kind) => this.save("maps", kind))),
      this.numbers,
      this.spoken,
    );
    parent.append(this.root);
    this.maps = new TrainingMaps(maps, data.matrix);
    this.trail = new TrainingTrail(trail, () => this.draw());
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.root);
    document.fonts?.ready.then(() => this.root.isConnected && this.draw()); // names are measured
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
    // The height counts only together with a width: a phone changes it whenever its bars slide away.
    if (this.screen.width !== innerWidth) this.screen = { width: innerWidth, height: innerHeight };
    const { beside, curve: across, maps } = widthsIn(width);
    this.root.style.gridTemplateColumns = beside ? `${across}px minmax(0, 1fr)` : "";
    this.root.classList.toggle("mft-lecture", this.data.lecture);
    const look = lookOf(this.root);
    const row = (this.row = trainingLayouts(requestOf(linesOf(matrix), this.data.lecture, maps, this.screen, look, false)));
    const size = typeSizes(this.screen.width, this.data.lecture).name;
    const height = beside ? Math.min(HIGH, Math.max(LOW, row.named.height)) : 20 * size;
    this.drawn = { width: across, height, size };
    const attributes = { width: across, height, viewBox: `0 0 ${across} ${height}`, "aria-hidden": "true" };
    this.plot.replaceChildren(mountSvg(svgNode("svg", attributes, ...curveDrawing(curve, across, height, size, at))));
    this.plot.setAttribute("aria-label", curveWords(curve));
    this.lines(curve, at);
    this.trail.draw(curve);
    this.maps.draw(matrix, row, look);
    drawLegend(this.legend, mapLegend(matrix), look.dark);
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
    const items = strokesOf(curve, at);
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

  /**
   * Hands the curve or the maps over as a file, as they stand on the page.
   * @param {"curve"|"maps"} what
   * @param {"svg"|"png"} kind
   */
  save(what, kind) {
    if (!this.row) return; // nothing is drawn yet
    const { curve } = this.data;
    const at = this.trail.at(curve);
    const look = lookOf(this.root);
    const figures =
      what === "curve"
        ? [curveFile(curve, strokesOf(curve, at), at, { ...this.drawn, heading: CURVE }, (name) => this.colour(name))]
        : mapFiles(this.matrixAt(at), this.row, look);
    const source = `MetaMF: meta-training, ${reportName(curve, this.trail.chosen)}`;
    const sheet = sheetOf(figures, { title: source, source, background: look.page, text: look.text, font: look.font });
    void saveSheet(sheet, fileStem(`metamf training ${what} ${curve.update[at]}`), kind);
  }

  /** @param {string} name of the style sheet's @returns {string} the colour as it is on the page */
  colour(name) {
    const probe = dom("span", { hidden: true });
    probe.style.color = `var(${name})`;
    this.root.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  destroy() {
    this.watch.disconnect();
    this.root.remove();
  }
}

/** @param {number} width of the picture @returns {{beside: boolean, curve: number, maps: number}} whether curve and maps stand side by side, and their widths */
export function widthsIn(width) {
  const curve = Math.round(SHARE * width);
  const maps = width - curve - BETWEEN;
  return maps >= BESIDE ? { beside: true, curve, maps } : { beside: false, curve: width, maps: width };
}

/** @param {Curve} curve @param {number} at  the report @returns {import("./trainingfiles.js").Stroke[]} the lines of the curve, and what each is */
function strokesOf(curve, at) {
  const said = (/** @type {number} */ value) => value.toFixed(3);
  return [
    { colour: "var(--mft-error)", dash: "", width: 2.5, words: `this network ${said(curve.error[at])}` },
    ...curve.lines.map((line, k) => ({ ...STROKES[k], width: 2, words: `${line.name} ${said(line.error)}` })),
    { colour: "var(--mft-loss)", dash: "0 6", width: 3.2, words: "on the episodes that it learns from, smoothed" },
  ];
}

/** @param {Curve} curve @returns {string} what the curve shows */
export function curveWords(curve) {
  const now = curve.error.length - 1;
  const others = curve.lines.map((line) => `${line.name} ${line.error.toFixed(3)}`).join(", ");
  return `Learning curve: the error goes from ${curve.error[0].toFixed(3)} with random weights to ${curve.error[now].toFixed(3)} after ${curve.update[now]} updates; ${others}.`;
}
