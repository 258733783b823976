/**
 * One figure on the page: heading, cells on a canvas, names and lit lines over them as SVG, legend, table of numbers.
 *
 * Pointer and keyboard report where they are; what is lit is drawn from the state, so all figures light the same line.
 *
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./paint.js").Look} Look
 * @typedef {import("./run.js").Run} Run
 * @typedef {{part: "UV"|"U"|"V", row: number|null, col: number|null, position: number|null}} Place  position: along the factors
 * @typedef {import("./state.js").Hover} Hover
 * @typedef {import("./drawing.js").Factors} Factors
 * @typedef {import("./walk.js").Spot} Spot
 *
 * @typedef {Object} FigureHost
 * @property {(figure: Figure, place: Place|null, x: number, y: number) => void} point  pointer, in pixels of the figure's plot
 * @property {(figure: Figure, place: Place) => void} choose
 * @property {(figure: Figure, event: KeyboardEvent) => void} key
 * @property {(figure: Figure, focused: boolean) => void} focus
 * @property {(figure: Figure) => void} open  its table was opened
 * @property {(figure: Figure, kind: "svg"|"png") => void} save
 * @property {boolean} explains  whether a chosen cell is explained
 * @property {import("./terms.js").Terms} terms
 */
import { dom } from "./dom.js";
import { Foot } from "./foot.js";
import { cellOn, cellUnder } from "./axes.js";
import { blockNumbers } from "./cellnumbers.js";
import { nameUnder } from "./labels.js";
import { MARK_LEAST, paintBlock } from "./paint.js";
import { axesOf, cornerNodes, nameNodes } from "./drawing.js";
import { drawLegend } from "./legend.js";
import { markNodes } from "./marked.js";
import { mountSvg, svgNode } from "./svg.js";

export class Figure {
  /** @param {string} id @param {FigureHost} host */
  constructor(id, host) {
    this.id = id;
    this.host = host;
    /** @type {Layout|null} */
    this.layout = null;
    /** @type {Picture|null} */
    this.picture = null;
    /** @type {Picture|null} */
    this.painted = null; // on the canvas: the same picture is not painted twice
    this.cornerDrawn = "";
    this.lit = "";
    this.title = dom("b");
    this.detail = dom("span");
    this.canvas = dom("canvas");
    this.image = dom("div", { className: "map-image", role: "img" }, this.canvas);
    // Arrow keys move between cells: a screen reader has to hand them over, as it does to an application.
    this.grid = dom("div", { className: "map-grid", tabIndex: 0, role: "application", "aria-roledescription": "grid of cells" });
    this.plot = dom("div", { className: "map-plot" }, this.image, this.grid);
    this.legend = dom("div", { className: "map-legend" });
    this.foot = new Foot(id, () => host.open(this), (kind) => host.save(this, kind));
    this.root = dom("figure", { className: "map-figure" }, dom("figcaption", { className: "map-head" }, this.title, this.detail), this.plot, this.legend, this.foot.root);
    this.root.dataset.figure = id;
    this.listen();
  }

  listen() {
    const { grid } = this;
    const at = (/** @type {PointerEvent|MouseEvent} */ event) => {
      const box = this.plot.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const point = (/** @type {PointerEvent} */ event) => {
      const [x, y] = at(event);
      this.host.point(this, this.placeAt(x, y), x, y);
    };
    grid.addEventListener("pointermove", point);
    grid.addEventListener("pointerdown", point);
    grid.addEventListener("pointerleave", () => this.host.point(this, null, 0, 0));
    grid.addEventListener("click", (event) => {
      const [x, y] = at(event);
      const place = this.placeAt(x, y);
      if (place) this.host.choose(this, place);
    });
    grid.addEventListener("keydown", (event) => this.host.key(this, event));
    grid.addEventListener("focus", () => this.host.focus(this, true));
    grid.addEventListener("blur", () => this.host.focus(this, false));
  }

  /** @param {number} x @param {number} y @returns {Place|null} the cell there, or the row or column whose name is there */
  placeAt(x, y) {
    const { layout, picture } = this;
    if (!layout || !picture) return null;
    for (const block of picture.blocks) {
      const [rows, cols] = axesOf(layout, block);
      const i = cellUnder(rows, y);
      const j = cellUnder(cols, x);
      if (i < 0 || j < 0) continue;
      if (block.part === "U") return { part: "U", row: i, col: null, position: j };
      if (block.part === "V") return { part: "V", row: null, col: j, position: i };
      return { part: "UV", row: i, col: j, position: null };
    }
    const [row, col] = nameUnder(layout, x, y);
    return row < 0 && col < 0 ? null : { part: "UV", row: row < 0 ? null : row, col: col < 0 ? null : col, position: null };
  }

  /**
   * Sizes, names and lines: where the step does not matter.
   * @param {Layout} layout
   * @param {Picture} picture
   * @param {Look} look
   * @param {Factors} factors
   * @param {import("./marked.js").Mark|null} mark
   */
  place(layout, picture, look, factors, mark) {
    this.layout = layout;
    this.painted = null;
    const { width, height } = layout;
    this.plot.style.width = `${width}px`;
    this.plot.style.height = `${height}px`;
    this.plot.dataset.numbers = String(layout.numberSize); // of cells, in pixels; 0: none is written
    this.canvas.width = Math.round(width * look.density);
    this.canvas.height = Math.round(height * look.density);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.svg?.remove();
    const attributes = { class: "map-lines", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" };
    this.svg = mountSvg(svgNode("svg", attributes, svgNode("g", { class: "map-names" }, ...nameNodes(layout)), svgNode("g", { class: "map-corner" }), svgNode("g", { class: "map-mark" }, ...this.marks(layout, mark, look)), svgNode("g", { class: "map-lights" })));
    this.lights = /** @type {SVGGElement} */ (this.svg.querySelector(".map-lights"));
    /** @type {Map<string, SVGElement>} */
    this.names = new Map();
    for (const text of /** @type {NodeListOf<SVGElement>} */ (this.svg.querySelectorAll(".map-names text"))) this.names.set(`${text.dataset.axis} ${text.dataset.at}`, text);
    this.cornerDrawn = "";
    this.drawCorner(picture, factors);
    this.image.append(this.svg);
    this.lit = "";
  }

  /**
   * @param {Layout} layout
   * @param {import("./marked.js").Mark|null} mark  its text stands where what is given is shown alone
   * @param {{text: string, page: string}} colours
   */
  marks(layout, mark, colours) {
    return markNodes(layout, mark, colours, this.id === "given");
  }

  /**
   * @param {Picture} picture
   * @param {Look} look
   * @param {import("./paint.js").GlyphSheet} sheet
   * @param {number} digits
   * @param {Factors} factors
   */
  draw(picture, look, sheet, digits, factors) {
    if (this.painted === picture) return;
    this.painted = picture;
    this.picture = picture;
    this.host.terms.write(this.title, picture.title);
    this.host.terms.write(this.detail, picture.detail);
    this.image.setAttribute("aria-label", picture.alt);
    const further = picture.form === "product" ? ", to the left into U and up into V transposed" : "";
    const explains = this.host.explains ? "; Enter explains a cell" : "";
    this.grid.setAttribute("aria-label", `Cells of ${picture.title}: arrow keys move${further}${explains}`);
    drawLegend(this.legend, this.legendOf(picture), look.dark, this.host.terms);
    const empty = picture.form === "words";
    this.plot.hidden = empty;
    this.foot.root.hidden = empty;
    const { layout } = this;
    if (!layout || empty) return;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.setTransform(look.density, 0, 0, look.density, 0, 0);
    context.clearRect(0, 0, layout.width, layout.height);
    for (const block of picture.blocks) {
      const [rows, cols] = axesOf(layout, block);
      paintBlock(context, block, rows, cols, look, sheet, blockNumbers(layout, block, digits));
    }
    this.drawCorner(picture, factors);
  }

  /** @param {Picture} picture @returns {Picture["legend"]} without marks that cells are too small for */
  legendOf(picture) {
    const { layout } = this;
    const pitch = layout ? Math.min(layout.rows.segments[0].pitch, layout.cols.segments[0].pitch) : 0;
    if (pitch >= MARK_LEAST) return picture.legend;
    return picture.legend.map((item) => ({ ...item, keys: item.keys.filter(({ mark }) => mark === "constant") }));
  }

  /** @param {Picture} picture @param {Factors} factors */
  drawCorner(picture, factors) {
    const wanted = picture.blocks.map((block) => block.name).join();
    if (!this.layout || wanted === this.cornerDrawn) return;
    this.cornerDrawn = wanted;
    const nodes = cornerNodes(this.layout, picture, factors);
    this.svg?.querySelector(".map-corner")?.replaceChildren(...nodes.map(mountSvg));
  }

  /**
   * Lights a row, a column and a factor wherever they are, and frames the chosen cell.
   * @param {Hover|null} hover
   * @param {[number, number]|null} cell
   * @param {{edited: [number, number][], leaned: [number, number, number][]}} signs  cells that were edited; what the chosen cell leans on, with a weight of 0 to 1
   */
  light(hover, cell, signs) {
    const wanted = JSON.stringify([hover, cell, signs]);
    if (wanted === this.lit || !this.layout || !this.picture || !this.lights) return;
    this.lit = wanted;
    const position = hover?.factor === null || hover?.factor === undefined ? -1 : this.picture.factorOrder.indexOf(hover.factor);
    const nodes = [];
    for (const block of this.picture.blocks) {
      const [rows, cols] = axesOf(this.layout, block);
      const across = block.part === "U" ? position : hover?.col ?? -1; // the column of this block that is lit
      const along = block.part === "V" ? position : hover?.row ?? -1;
      if (along >= 0 && along < rows.count) nodes.push(...band(cols.start, cols.end - cols.start, ...cellOn(rows, along), true, cols.gap));
      if (across >= 0 && across < cols.count) nodes.push(...band(rows.start, rows.end - rows.start, ...cellOn(cols, across), false, rows.gap));
      if (block.part !== "UV") {
        if (along >= 0 && across >= 0) nodes.push(...frame(rows, cols, along, across, 2, "map-pointed"));
        continue;
      }
      for (const [i, j, weight] of signs.leaned) nodes.push(...frame(rows, cols, i, j, 1 + 3 * weight, "map-leaned"));
      for (const [i, j] of signs.edited) nodes.push(corner(rows, cols, i, j));
      if (along >= 0 && across >= 0) nodes.push(...frame(rows, cols, along, across, 2, "map-pointed"));
      if (cell) nodes.push(...frame(rows, cols, ...cell, 2.5, "map-chosen"));
    }
    this.lights.replaceChildren(...nodes.map(mountSvg));
    for (const text of this.lightNames ?? []) text.classList.remove("map-lit");
    this.lightNames = [this.names?.get(`row ${hover?.row ?? cell?.[0]}`), this.names?.get(`col ${hover?.col ?? cell?.[1]}`)].filter((text) => text !== undefined);
    for (const text of this.lightNames) text.classList.add("map-lit");
  }

  /** @returns {import("./walk.js").Field} what the arrow keys walk on */
  get field() {
    const { rows, cols, across } = /** @type {Layout} */ (this.layout);
    return { n: rows.count, m: cols.count, K: across?.count ?? 0 };
  }

  /** @param {Spot} spot @returns {[number, number]} the middle of a cell, in pixels of the plot */
  middleOf({ part, row, col, position }) {
    const { rows, cols, across, down } = /** @type {Layout} */ (this.layout);
    const [y, height] = part === "V" && down ? cellOn(down, position) : cellOn(rows, row);
    const [x, width] = part === "U" && across ? cellOn(across, position) : cellOn(cols, col);
    return [x + width / 2, y + height / 2];
  }
}

/** @param {number} start @param {number} length @param {number} at @param {number} size @param {boolean} flat @param {number} gap */
function band(start, length, at, size, flat, gap) {
  const box = flat ? { x: start - 1, y: at - 1, width: length + 2 - gap, height: size + 2 } : { x: at - 1, y: start - 1, width: size + 2, height: length + 2 - gap };
  return [svgNode("rect", { ...box, class: "map-halo" }), svgNode("rect", { ...box, class: "map-band" })];
}

/**
 * @param {import("./axes.js").Axis} rows @param {import("./axes.js").Axis} cols
 * @param {number} i @param {number} j @param {number} width of the line @param {string} name
 */
function frame(rows, cols, i, j, width, name) {
  if (i >= rows.count || j >= cols.count) return [];
  const [y, height] = cellOn(rows, i);
  const [x, w] = cellOn(cols, j);
  const box = { x: x - 0.5, y: y - 0.5, width: w + 1, height: height + 1 };
  return [svgNode("rect", { ...box, class: "map-halo", "stroke-width": width + 2 }), svgNode("rect", { ...box, class: name, "stroke-width": width })];
}

/** @param {import("./axes.js").Axis} rows @param {import("./axes.js").Axis} cols @param {number} i @param {number} j */
function corner(rows, cols, i, j) {
  const [y, height] = cellOn(rows, i);
  const [x, width] = cellOn(cols, j);
  const side = Math.max(3, 0.36 * Math.min(width, height));
  return svgNode("path", { d: `M${x + width} ${y}h${-side}l${side} ${side}z`, class: "map-edited" });
}
