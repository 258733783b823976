/**
 * The figure of the error curves on the page. A click on a step goes to it.
 *
 * @typedef {import("./run.js").Run} Run
 */
import { dom, write } from "./dom.js";
import { altCurves, errorNumber } from "./alttext.js";
import { Foot } from "./foot.js";
import { curveLines, curveNodes } from "./curves.js";
import { mountSvg, svgNode } from "./svg.js";
import { drawTables } from "./table.js";

export class CurvesFigure {
  /** @param {(t: number) => void} go @param {(kind: "svg"|"png") => void} save */
  constructor(go, save) {
    this.title = dom("b");
    this.detail = dom("span");
    this.plot = dom("div", { className: "map-plot", role: "img" });
    this.plot.addEventListener("click", (event) => {
      const step = /** @type {Element} */ (event.target).getAttribute("data-step");
      if (step !== null) go(Number(step));
    });
    this.foot = new Foot("the error curves", () => this.openTable(), save);
    this.root = dom("figure", { className: "map-figure map-curves" }, dom("figcaption", { className: "map-head" }, this.title, this.detail), this.plot, this.foot.root);
    this.root.dataset.figure = "curves";
    this.width = 300;
    this.height = 280;
    this.size = 13;
    /** @type {Run|null} */
    this.run = null;
    /** @type {import("./svg.js").SvgNode[]} */
    this.nodes = [];
  }

  /** @param {number} width @param {number} height @param {number} size of type */
  place(width, height, size) {
    Object.assign(this, { width, height, size });
    this.plot.style.width = `${width}px`;
    this.plot.style.height = `${height}px`;
  }

  /** @param {Run} run @param {number} t @param {boolean} dark */
  draw(run, t, dark) {
    this.run = run;
    write(this.title, `Error per ${run.round}`);
    const now = (/** @type {(number|null)[]|null} */ errors, /** @type {string} */ where) => (errors && errors[t] !== null ? [`${errorNumber(/** @type {number} */ (errors[t]))} ${where}`] : []);
    write(this.detail, [...now(run.errors.given, "given"), ...now(run.errors.hidden, "hidden")].join(", "));
    this.plot.setAttribute("aria-label", altCurves(run, t));
    this.nodes = curveNodes(run, t, this.width, this.height, this.size, dark);
    const attributes = { width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true" };
    this.plot.replaceChildren(mountSvg(svgNode("svg", attributes, ...this.nodes)));
    this.openTable();
  }

  openTable() {
    if (!this.foot.open || !this.run) return;
    const { run } = this;
    const lines = curveLines(run, false);
    const rows = Array.from({ length: run.T + 1 }, (_, t) => `${run.round} ${t}`);
    const cells = rows.map((_, t) => lines.map(({ values }) => errorNumber(values[t])));
    drawTables(this.foot.tables, [{ caption: `RMSE per ${run.round}`, rows, cols: lines.map(({ name }) => name), cells }]);
  }

  /** @param {DOMRect} base  of the scene @returns {import("./export.js").Placed} */
  placed(base) {
    const box = this.root.getBoundingClientRect();
    const size = this.size;
    const title = svgNode("text", { x: 0, y: 1.1 * size, "font-size": size * 1.1, "font-weight": 600 }, `${this.title.textContent}`);
    const detail = svgNode("text", { x: 0, y: 2.5 * size, "font-size": size, class: "map-quiet" }, `${this.detail.textContent}`);
    const plot = svgNode("g", { transform: `translate(0 ${3.4 * size})` }, ...this.nodes.filter((node) => !("data-step" in node.attributes)));
    return { nodes: [title, detail, plot], width: this.width, height: this.height + 3.4 * size, x: box.left - base.left, y: box.top - base.top };
  }
}
