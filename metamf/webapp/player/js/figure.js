/** One figure on the page: heading, cells on a canvas, names and lit lines over them as SVG, legend, numbers. */
import { legendColours } from "./colour.js";
import { dom, table } from "./dom.js";
import { cellNodes, fewCells, legendNodes } from "./files.js";
import { axesOf, boxOn, cellUnder, finestOf, nameUnder } from "./layout.js";
import { blockNumbers, digitsOf, plain, signed } from "./numbers.js";
import { cornerNodes, markNodes, nameNodes } from "./overlay.js";
import { MARK_LEAST, paintBlock } from "./paint.js";
import { coordinateName } from "./run.js";
import { picture as drawing, svg, textAt } from "./svg.js";
import { cellKind, namesOf } from "./words.js";

const MOST_ROWS = 60; // of a table on the page, and as many columns; a browser lays out 3,600 cells at once

/** A plot between its heading and its numbers as tables, which are made when they are opened. */
export class Frame {
  constructor(id, ...below) {
    this.title = dom("b");
    this.detail = dom("span");
    this.plot = dom("div", { className: "map-plot" });
    this.tables = dom("div", { className: "map-tables" });
    this.details = dom("details", { className: "map-numbers", ontoggle: () => this.drawTables() },
      dom("summary", {}, "Numbers as a table"), this.tables);
    this.foot = dom("div", { className: "map-foot" }, this.details);
    const head = dom("figcaption", { className: "map-head" }, this.title, this.detail);
    this.root = dom("figure", { className: "map-figure", "data-figure": id }, head, this.plot, ...below, this.foot);
  }

  /** @returns {NumberTable[]} */
  numbers() {
    return [];
  }

  /** Writes the tables where they are open; the boxes that scroll stay. */
  drawTables() {
    if (!this.details.open) return;
    this.numbers().forEach(({ caption, cols, rows }, k) => {
      const box = this.tables.children[k] ?? dom("div", { className: "map-scroller", tabIndex: 0, role: "region" });
      box.setAttribute("aria-label", `Numbers: ${caption}`);
      box.replaceChildren(table("map-table", ["", ...cols], rows, caption));
      if (!box.isConnected) this.tables.append(box);
    });
  }

  /** Nodes as a part of a file, below the heading. @returns {Placed} */
  placedAs(nodes, size, width, height) {
    const { x, y } = this.root.getBoundingClientRect();
    const heading = textAt(0, 0.75 * size, size * 1.1, this.title.textContent, { "font-weight": 600 });
    const detail = textAt(0, 2.15 * size, size, this.detail.textContent, { class: "map-quiet" });
    const moved = svg("g", { transform: `translate(0 ${3.4 * size})` }, ...nodes);
    return { nodes: [heading, detail, moved], width, height: height + 3.4 * size, x, y };
  }
}

/** A figure whose plot is one drawing. */
export class Plot extends Frame {
  width = 0;
  height = 0;
  size = 0; // of type

  place(width, height, size) {
    Object.assign(this, { width, height, size });
    Object.assign(this.plot.style, { width: `${width}px`, height: `${height}px` });
  }

  /** The figure as a part of a file. @returns {Placed[]} */
  placed() {
    const copy = /** @type {SVGElement} */ (this.plot.firstElementChild?.cloneNode(true));
    for (const part of copy.querySelectorAll("[data-step]")) part.remove();
    return [this.placedAs([copy], this.size, this.width, this.height)];
  }
}

export class Figure extends Frame {
  /** @type {Run} */ run; // these are there from when it is placed
  /** @type {Layout} */ layout;
  /** @type {Look} */ look;
  /** @type {Picture} */ picture; // from when it is drawn

  /** @param {string} id @param {import("./scene.js").Scene} scene */
  constructor(id, scene) {
    const legend = dom("div", { className: "map-legend" });
    super(id, legend);
    this.id = id;
    this.scene = scene;
    this.legend = legend;
    this.canvas = dom("canvas");
    this.image = dom("div", { className: "map-image", role: "img" }, this.canvas);
    this.names = svg("g", { class: "map-names" });
    this.corner = svg("g", { class: "map-corner" });
    this.mark = svg("g", { class: "map-mark" });
    this.lights = svg("g", { class: "map-lights" });
    this.over = [this.names, this.corner, this.mark]; // what a file has over the cells
    const { pointer } = scene;
    const at = ({ clientX, clientY }) => {
      const { left, top } = this.plot.getBoundingClientRect();
      return { place: this.placeAt(clientX - left, clientY - top), x: clientX - left, y: clientY - top };
    };
    const pointed = (event) => pointer.moved(this, at(event));
    // Arrow keys move between cells: a screen reader has to hand them over, as it does to an application.
    this.grid = dom("div", {
      className: "map-grid",
      tabIndex: 0,
      role: "application",
      "aria-roledescription": "grid of cells",
      onpointermove: pointed,
      onpointerdown: pointed,
      onpointerleave: () => pointer.moved(this, null),
      onclick: (event) => pointer.choose(at(event).place),
      onkeydown: (event) => pointer.key(this, event),
      onfocus: () => pointer.focused(this, true),
      onblur: () => pointer.focused(this, false),
    });
    this.plot.append(this.image, this.grid);
  }

  /** The cell at a pixel, or the row or column whose name is there. @returns {Place|null} */
  placeAt(x, y) {
    const { layout, picture } = this;
    if (!picture) return null;
    for (const { part } of picture.blocks) {
      const [rows, cols] = axesOf(layout, part);
      const i = cellUnder(rows, y);
      const j = cellUnder(cols, x);
      if (i < 0 || j < 0) continue;
      if (part === "U") return { part, row: i, col: null, position: j };
      if (part === "V") return { part, row: null, col: j, position: i };
      return { part, row: i, col: j, position: null };
    }
    const [row, col] = nameUnder(layout, x, y).map((at) => (at < 0 ? null : at));
    return row === null && col === null ? null : { part: "UV", row, col, position: null };
  }

  /** Sizes, names and lines: what the step does not change. @param {Run} run @param {Layout} layout @param {Look} look */
  place(run, layout, look) {
    Object.assign(this, { run, layout, look, painted: null });
    const { width, height } = layout;
    this.root.style.width = `${width}px`;
    for (const { style } of [this.plot, this.canvas]) Object.assign(style, { width: `${width}px`, height: `${height}px` });
    this.plot.dataset.numbers = String(layout.numberSize); // of cells, in pixels; 0: none is written
    this.canvas.width = Math.round(width * look.density);
    this.canvas.height = Math.round(height * look.density);
    this.names.replaceChildren(...nameNodes(layout));
    this.mark.replaceChildren(...markNodes(layout, run.mark, look, this.id === "given"));
    this.image.replaceChildren(this.canvas, drawing(width, height, { class: "map-lines" }, ...this.over, this.lights));
  }

  draw(picture) {
    if (this.painted === picture) return; // the same picture is not painted twice
    this.painted = this.picture = picture;
    const { look, scene: { explain, parts } } = this;
    explain(this.title, picture.title);
    explain(this.detail, picture.detail);
    this.image.setAttribute("aria-label", picture.alt);
    const further = picture.form === "product" ? ", to the left into U and up into V transposed" : "";
    const label = `Cells of ${picture.title}: arrow keys move${further}${parts.inspected ? "; Enter explains a cell" : ""}`;
    this.grid.setAttribute("aria-label", label);
    this.plot.hidden = this.foot.hidden = picture.form === "words";
    drawLegend(this.legend, this.legendOf(picture), look?.dark, explain);
    if (picture.form === "words") return;
    this.paint(this.canvas, look);
    this.corner.replaceChildren(...cornerNodes(this.layout, picture, this.run));
    this.drawTables();
  }

  /** Paints the cells. @param {HTMLCanvasElement} canvas @param {Look} look */
  paint(canvas, look) {
    const { layout, picture } = this;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.setTransform(look.density, 0, 0, look.density, 0, 0);
    context.clearRect(0, 0, layout.width, layout.height);
    for (const block of picture.blocks) {
      paintBlock(context, block, axesOf(layout, block.part), look, blockNumbers(layout, block, digitsOf(this.run)));
    }
  }

  /** The legend, without marks that cells are too small for. @param {Picture} picture */
  legendOf({ legend }) {
    if (this.layout && finestOf(this.layout.rows, this.layout.cols) >= MARK_LEAST) return legend;
    return legend.map((item) => ({ ...item, keys: item.keys.filter(({ mark }) => mark === "constant") }));
  }

  numbers() {
    return numberTables(this.run, this.picture);
  }

  /**
   * Lights a row, a column and a factor wherever they are, and frames the chosen cell, those that were edited, and those
   * that the chosen one depends on, which have a weight of 0 to 1.
   * @param {Hover|null} hover
   * @param {Span|null} cell
   */
  light(hover, cell, edited, leaned) {
    if (!this.picture || !this.layout) return;
    const position = this.picture.factorOrder.indexOf(hover?.factor ?? -1);
    const nodes = [];
    for (const { part } of this.picture.blocks) {
      const [rows, cols] = axesOf(this.layout, part);
      const across = part === "U" ? position : (hover?.col ?? -1); // the column of this block that is lit
      const along = part === "V" ? position : (hover?.row ?? -1);
      const inRows = isOn(rows, along);
      const inCols = isOn(cols, across);
      const box = (i, j) => boxOn(rows, cols, i, j);
      if (inRows) nodes.push(...frame(box(along, null), 1, "map-band"));
      if (inCols) nodes.push(...frame(box(null, across), 1, "map-band"));
      if (part === "UV") {
        for (const [i, j, weight] of leaned) {
          if (isOn(rows, i) && isOn(cols, j)) nodes.push(...frame(box(i, j), 0.5, "map-leaned", 1 + 3 * weight));
        }
        for (const [i, j] of edited) nodes.push(corner(box(i, j)));
      }
      if (inRows && inCols) nodes.push(...frame(box(along, across), 0.5, "map-pointed", 2));
      if (cell && part === "UV") nodes.push(...frame(box(...cell), 0.5, "map-chosen", 2.5));
    }
    this.lights.replaceChildren(...nodes);
    const names = { row: hover?.row ?? cell?.[0], col: hover?.col ?? cell?.[1] };
    for (const text of this.names.children) {
      text.classList.toggle("map-lit", text.getAttribute("data-at") === String(names[text.getAttribute("data-axis") ?? ""]));
    }
  }

  /** What the arrow keys walk on. @returns {Field} */
  get field() {
    const { rows, cols, across } = this.layout;
    return { n: rows.count, m: cols.count, K: across?.count ?? 0 };
  }

  /** The middle of a cell, in pixels of the plot. @param {Spot} spot @returns {Span} */
  middleOf({ part, row, col, position }) {
    const [rows, cols] = axesOf(this.layout, part);
    const { x, y, width, height } = boxOn(rows, cols, part === "V" ? position : row, part === "U" ? position : col);
    return [x + width / 2, y + height / 2];
  }

  /** The figure as a part of a file. @param {FileKind} kind @returns {Placed[]} */
  placed(kind) {
    const { layout, picture, look, run } = this;
    if (!layout || picture.form === "words") return [];
    const size = layout.nameSize;
    const cells = kind === "svg" && fewCells(run)
      ? picture.blocks.flatMap((block) => cellNodes(layout, block, look, digitsOf(run)))
      : [this.imageNode(layout.width, layout.height)];
    const over = this.over.map((part) => part.cloneNode(true));
    const legend = this.legendOf(picture);
    const below = legendNodes(legend, look, layout.height + 0.6 * size, size);
    const width = Math.max(layout.width, layout.cols.end + layout.overhang);
    const height = layout.height + (0.6 + 1.6 * legend.length) * size;
    return [this.placedAs([...cells, ...over, ...below], size, width, height)];
  }

  /** The cells as a picture in a drawing, twice as fine as on the page. */
  imageNode(width, height) {
    const look = { ...this.look, density: 2 };
    const canvas = dom("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
    this.paint(canvas, look);
    return svg("image", { href: canvas.toDataURL(), width, height });
  }
}

const isOn = (axis, at) => at >= 0 && at < axis.count;

/** A frame `by` pixels around a box, on one in the colour of the page; its width is that of the style sheet, or `width`. */
function frame(box, by, name, width) {
  const around = { x: box.x - by, y: box.y - by, width: box.width + 2 * by, height: box.height + 2 * by };
  const halo = svg("rect", { ...around, class: "map-halo", "stroke-width": width && width + 2 });
  return [halo, svg("rect", { ...around, class: name, "stroke-width": width })];
}

function corner({ x, y, width, height }) {
  const side = Math.max(3, 0.36 * Math.min(width, height));
  return svg("path", { d: `M${x + width} ${y}h${-side}l${side} ${side}z`, class: "map-edited" });
}

/** Writes a legend; what is already there and equal stays. @param {LegendItem[]} items */
function drawLegend(box, items, dark, explain) {
  const drawn = JSON.stringify([items.map((item) => ({ ...item, name: item.name !== "" })), dark]);
  if (box.dataset.drawn !== drawn) box.replaceChildren(...items.map((item) => legendLine(item, dark)));
  box.dataset.drawn = drawn;
  items.forEach(({ name }, k) => {
    const label = box.children[k].querySelector(".map-legend-name");
    if (label) explain(label, name); // another name alone leaves the word in it its focus
  });
}

function legendLine({ scale, name, low, high, words, keys }, dark) {
  const line = dom("div", { className: "map-legend-line" });
  if (scale) {
    const colours = legendColours(scale, dark);
    const range = low || high;
    const bar = dom("i", { className: range ? "map-bar" : "map-swatch" });
    bar.style.background = range ? `linear-gradient(to right, ${colours.join(", ")})` : colours[0];
    const label = name ? [dom("span", { className: "map-legend-name" })] : [];
    line.append(range ? dom("span", { className: "map-range" }, ...label, dom("span", {}, low), bar, dom("span", {}, high)) : bar);
  }
  if (words) line.append(dom("span", { className: "map-legend-words" }, words));
  for (const { mark, text } of keys) line.append(dom("span", { className: "map-key" }, markSign(mark), dom("span", {}, text)));
  return line;
}

function markSign(mark) {
  const rated = mark === "given" || mark === "hidden"; // a dot or a ring on the colour of a rating
  const line = { stroke: "currentColor", "stroke-opacity": 0.55 };
  const box = { x: 0.5, y: 0.5, width: 13, height: 13, rx: 1, fill: rated ? "#2c728e" : "none", ...line };
  const circle = { cx: 7, cy: 7, r: 3, stroke: "#fff", "stroke-width": 1.4, fill: mark === "given" ? "#fff" : "none" };
  const inside = rated ? [svg("circle", circle)] : [];
  if (mark === "constant") inside.push(svg("path", { d: "M1 7L7 1M1 13L13 1M7 13L13 7", ...line }));
  return drawing(14, 14, {}, svg("rect", box), ...inside);
}

/** The numbers of a picture as tables, one for each block; a given cell has "given" next to its number. */
export function numberTables(run, picture) {
  const { rows, cols } = namesOf(run);
  return picture.blocks.map(({ part, name, values, scale, constant }) => {
    const factors = picture.factorOrder.map((k) => coordinateName(run, k, part));
    const down = part === "V" ? factors : rows;
    const across = part === "U" ? factors : cols;
    const text = (i, j) => {
      const at = i * across.length + j;
      if (constant.includes(part === "U" ? j : part === "V" ? i : -1)) return "1";
      if (Number.isNaN(values[at])) return "";
      const number = scale.kind === "signed" ? signed(values[at], plain) : plain(values[at]);
      return part === "UV" && picture.id !== "residual" && cellKind(run, at) === "given" ? `${number} given` : number;
    };
    const shown = across.slice(0, MOST_ROWS);
    const cut = rows.length > MOST_ROWS || cols.length > MOST_ROWS ? `; the first ${MOST_ROWS} rows and columns` : "";
    return {
      caption: [name || picture.title, picture.detail].filter(Boolean).join(", ") + cut,
      cols: shown,
      rows: down.slice(0, MOST_ROWS).map((label, i) => [label, ...shown.map((_, j) => text(i, j))]),
    };
  });
}
