/** One figure on the page: heading, cells on a canvas, names and lit lines over them as SVG, legend, numbers. */
import { legendColours } from "./colour.js";
import { Details, drawing, h, pure, table, textAt } from "./html.js";
import { axesOf, boxOn, cellOn, finestOf } from "./layout.js";
import { blockNumbers, digitsOf, plain, signed } from "./numbers.js";
import { MARK_LEAST, paintBlock } from "./paint.js";
import { coordinateName } from "./run.js";
import { cellKind, namesOf } from "./words.js";

const MOST_ROWS = 60; // of a table on the page, and as many columns; a browser lays out 3,600 cells at once

/** A figure: a plot between its heading and what is below it, such as numbers as tables. @param {string} id @param {any} given */
export const framed = (id, { title, detail, plot, below, numbers, ...props }) =>
  h("figure.map-figure", { "data-figure": id, key: id, ...props },
    h("figcaption.map-head", h("b", title), h("span", detail)),
    plot,
    below,
    numbers && h("div.map-foot", numbers));

/** Tables, which are made when they are opened. @param {() => NumberTable[]} tables */
export const numbersIn = (tables) => h(Details, {
  class: "map-numbers",
  summary: "Numbers as a table",
  content: () => h("div.map-tables", tables().map(({ caption, cols, rows }) =>
    h("div.map-scroller", { tabIndex: 0, role: "region", "aria-label": `Numbers: ${caption}` },
      table("map-table", ["", ...cols], rows, caption)))),
});

const Numbers = pure(({ run, picture }) => numbersIn(() => numberTables(run, picture)));

/** Paints the cells of a picture. @param {HTMLCanvasElement} canvas @param {Look} look */
export function paint(canvas, run, picture, layout, look) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(look.density, 0, 0, look.density, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  for (const block of picture.blocks) {
    paintBlock(context, block, axesOf(layout, block.part), look, blockNumbers(layout, block, digitsOf(run)));
  }
}

const Cells = pure(({ run, picture, layout, look }) => h("canvas", {
  width: Math.round(layout.width * look.density),
  height: Math.round(layout.height * look.density),
  style: { width: `${layout.width}px`, height: `${layout.height}px` },
  ref: (canvas) => canvas && paint(canvas, run, picture, layout, look),
}));

/**
 * The figure of a picture; `layout` is null for one of words. `edited` and `influential` are cells; `pointed`: what
 * follows the pointer and the keys on its cells.
 */
export function figureOf({ run, picture, layout, look, state, parts, edited, influential, pointed }) {
  const { id, title, detail, legend, form } = picture;
  if (!layout) return framed(id, { title, detail, below: h(Legend, { items: legend, dark: look.dark }) });
  const { width, height } = layout;
  const size = { width: `${width}px`, height: `${height}px` };
  const further = form === "product" ? ", to the left into U and up into V transposed" : "";
  const { hover, cell } = state;
  const small = finestOf(layout.rows, layout.cols) < MARK_LEAST; // for marks
  const items = small ? legend.map((item) => ({ ...item, keys: item.keys.filter(({ mark }) => mark === "constant") })) : legend;
  return framed(id, {
    title,
    detail,
    style: { width: size.width, "--map-left": `${layout.cols.start}px` }, // where the heading of maps side by side begins
    plot: h("div.map-plot", { style: size, "data-numbers": layout.numberSize }, // of cells, in pixels; 0: none is written
      h("div.map-image", { role: "img", "aria-label": picture.alt },
        h(Cells, { run, picture, layout, look }),
        drawing(width, height, { class: "map-lines" },
          h(Names, { layout, row: hover?.row ?? cell?.[0], col: hover?.col ?? cell?.[1] }),
          h(Corner, { layout, picture, run }),
          markNodes(layout, run.mark, look, id === "given"),
          lights(picture, layout, state, edited, influential))),
      // Arrow keys move between cells: a screen reader has to hand them over, as it does to an application.
      h("div.map-grid", {
        tabIndex: 0,
        role: "application",
        "aria-roledescription": "grid of cells",
        "aria-label": `Cells of ${title}: arrow keys move${further}${parts.inspected ? "; Enter explains a cell" : ""}`,
        ...pointed,
      })),
    below: h(Legend, { items, dark: look.dark }),
    numbers: h(Numbers, { run, picture }),
  });
}

/** @param {{items: LegendItem[], dark: boolean}} given */
const Legend = pure(({ items, dark }) => h("div.map-legend", items.map(({ scale, name, low, high, words, keys }) => {
  const colours = scale ? legendColours(scale, dark) : [];
  const bar = low || high
    ? h("span.map-range",
      name && h("span.map-legend-name", name),
      h("span", low),
      h("i.map-bar", { style: { background: `linear-gradient(to right, ${colours.join(", ")})` } }),
      h("span", high))
    : h("i.map-swatch", { style: { background: colours[0] } });
  return h("div.map-legend-line",
    scale && bar,
    words && h("span.map-legend-words", words),
    keys.map(({ mark, text }) => h("span.map-key", markSign(mark), h("span", text))));
})));

function markSign(mark) {
  const rated = mark === "given" || mark === "hidden"; // a dot or a ring on the colour of a rating
  const line = { stroke: "currentColor", "stroke-opacity": 0.55 };
  return drawing(14, 14, {},
    h("rect", { x: 0.5, y: 0.5, width: 13, height: 13, rx: 1, fill: rated ? "#2c728e" : "none", ...line }),
    rated && h("circle", { cx: 7, cy: 7, r: 3, stroke: "#fff", "stroke-width": 1.4, fill: mark === "given" ? "#fff" : "none" }),
    mark === "constant" && h("path", { d: "M1 7L7 1M1 13L13 1M7 13L13 7", ...line }));
}

/** The numbers of a picture as tables, one for each block; a given cell has "given" next to its number. */
export function numberTables(run, picture) {
  const { rows, cols } = namesOf(run);
  const cut = rows.length > MOST_ROWS || cols.length > MOST_ROWS ? `; the first ${MOST_ROWS} rows and columns` : "";
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
    return {
      caption: [name || picture.title, picture.detail].filter(Boolean).join(", ") + cut,
      cols: shown,
      rows: down.slice(0, MOST_ROWS).map((label, i) => [label, ...shown.map((_, j) => text(i, j))]),
    };
  });
}

const MARK_LINE = 3; // pixels of the frame of a marked cell

/** A text at (x, y) that is turned by an angle, in degrees. */
const turnedAt = (x, y, angle, size, words, look) =>
  textAt(0, 0, size, words, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${angle})`, ...look });

/** One text for each name, those of `row` and `col` lit; data-axis and data-at say whose it is. */
export const Names = pure(({ layout, row, col }) => {
  const text = (axis, size, lit) => ({ x, y, angle, anchor, at, text: words }) => turnedAt(x, y, angle, size, words, {
    class: at === lit ? "map-lit" : undefined,
    "text-anchor": anchor,
    "data-axis": axis,
    "data-at": at,
    style: "unicode-bidi: plaintext",
  });
  const { rowLabels, colLabels, nameSize, colSize } = layout;
  return h("g.map-names", rowLabels.map(text("row", nameSize, row)), colLabels.map(text("col", colSize, col)), groupNodes(layout));
});

/** The names of groups of rows and columns, with a line along each. @param {Layout} layout */
function groupNodes({ groups = { rows: [], cols: [] } }, height = 18) {
  const line = (d) => h("path", { d, fill: "none", stroke: "currentColor", "stroke-opacity": 0.45 });
  const look = { "text-anchor": "middle", "font-weight": 600 };
  return [
    groups.cols.map(({ text, start, end }) => [
      line(`M${start} ${height - 1}V${height - 4}H${end}V${height - 1}`),
      textAt((start + end) / 2, height - 11, 12.5, text, look),
    ]),
    groups.rows.map(({ text, start, end }) => [
      line(`M${height - 1} ${start}H${height - 4}V${end}H${height - 1}`),
      turnedAt(height - 11, (start + end) / 2, -90, 12.5, text, look),
    ]),
  ];
}

/** The names of U and V^T in the corner of a product, and of effects and constants. */
export const Corner = pure(({ layout, picture, run }) => {
  const { across, down, rows, cols } = layout;
  if (!across || !down) return null;
  const [u, v] = picture.blocks;
  const size = Math.max(11, layout.nameSize * 0.9);
  const first = across.segments[across.segments.length - 1].start; // of the factors that do not stand apart
  const fits = (text, room) => 0.46 * size * text.length < room;
  const middle = (first + across.end) / 2;
  const besideV = cols.start - 0.6 * size;
  const narrow = !fits(u.name, 0.8 * (across.end - first)); // both names end at the same edge, one above the other
  const centre = (axis, at) => cellOn(axis, at)[0] + cellOn(axis, at)[1] / 2;
  const text = (x, y, type, anchor, words, look = {}) => textAt(x, y, type, words, { "text-anchor": anchor, ...look });
  const small = (x, y, anchor, words) => text(x, y, Math.min(size, 12), anchor, words);
  const upright = (x, y, anchor, words) => turnedAt(x, y, -90, Math.min(size, 12), words, { "text-anchor": anchor });
  const title = { "font-weight": 600 };
  const quiet = { class: "map-quiet" };
  const factors = run.K - picture.special;
  const ofU = `${run.n} rows × ${factors} factors`;
  const ofV = `${factors} factors × ${run.m} columns`;
  const room = fits(ofU, across.end - first + size) && fits(ofV, cols.start - across.start) && down.end - down.start > 9 * size;
  const places = (effects) => effects.map((k) => picture.factorOrder.indexOf(k));
  return h("g.map-corner",
    text(narrow ? besideV : middle, rows.start - 1.1 * size, size * 1.15, narrow ? "end" : "middle", u.name, title),
    text(besideV, Math.min((down.start + down.end) / 2, rows.start - 2.3 * size), size * 1.15, "end", v.name, title),
    room && text(middle, rows.start - 2.4 * size, size * 0.92, "middle", ofU, quiet),
    room && text(besideV, (down.start + down.end) / 2 - 1.4 * size, size * 0.92, "end", ofV, quiet),
    places(run.effects.U).map((at) => upright(centre(across, at), rows.start - 5, "start", "effect")),
    places(run.effects.V).map((at) => small(cols.start - 6, centre(down, at), "end", "effect")),
    u.constant.map((at) => [
      hatched(across, at, rows, false),
      upright(centre(across, at), (rows.start + rows.end) / 2, "middle", "always 1"),
    ]),
    v.constant.map((at) => [
      hatched(down, at, cols, true),
      small((cols.start + cols.end) / 2, centre(down, at), "middle", "always 1"),
    ]));
});

/** Pale lines over a coordinate that is a constant, with room for its words in the middle. */
function hatched(axis, position, other, flat) {
  const [start, size] = cellOn(axis, position);
  const middle = (other.start + other.end) / 2;
  const parts = [];
  for (let along = other.start; along + size <= other.end; along += 7) {
    if (Math.abs(along + size / 2 - middle) < 32) continue;
    const [x, y] = flat ? [along, start + size] : [start, along + size];
    parts.push(`M${x.toFixed(1)} ${y.toFixed(1)}l${size} ${-size}`);
  }
  const length = other.end - other.start;
  const [x, y, width, height] = flat ? [other.start, start, length, size] : [start, other.start, size, length];
  const line = { fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 };
  return [h("rect", { x, y, width, height, ...line }), h("path", { d: parts.join(""), ...line })];
}

/** A frame around a marked cell, with its text where `written`. @param {Layout} layout */
export function markNodes({ rows, cols }, mark, { text, page }, written) {
  if (!mark) return null;
  const { x, y, width, height } = boxOn(rows, cols, mark.row, mark.col);
  const around = { x: x - 1.5, y: y - 1.5, width: width + 3, height: height + 3, rx: 2 };
  const shown = written && mark.text;
  const size = Math.max(9, Math.min(0.72 * height, (1.5 * width) / (mark.text.length || 1), 26));
  return h("g.map-mark",
    h("rect", { ...around, fill: "none", stroke: page, "stroke-width": MARK_LINE + 3 }),
    h("rect", { ...around, fill: shown ? page : "none", stroke: text, "stroke-width": MARK_LINE }),
    shown && textAt(x + width / 2, y + height / 2, size, mark.text, { "text-anchor": "middle", "font-weight": 700, fill: text }));
}

/** A frame `by` pixels around a box, on one in the colour of the page; its width is that of the style sheet, or `width`. */
function frame(box, by, name, width) {
  const around = { x: box.x - by, y: box.y - by, width: box.width + 2 * by, height: box.height + 2 * by };
  return [
    h("rect.map-halo", { ...around, "stroke-width": width && width + 2 }),
    h("rect", { ...around, class: name, "stroke-width": width }),
  ];
}

function corner({ x, y, width, height }) {
  const side = Math.max(3, 0.36 * Math.min(width, height));
  return h("path.map-edited", { d: `M${x + width} ${y}h${-side}l${side} ${side}z` });
}

/**
 * Lights a row, a column and a factor wherever they are, and frames the chosen cell, those that were edited, and those
 * that the chosen one depends on, which have a weight of 0 to 1.
 * @param {Picture} picture @param {Layout} layout @param {State} state
 */
export function lights(picture, layout, { hover, cell }, edited, influential) {
  const position = picture.factorOrder.indexOf(hover?.factor ?? -1);
  const nodes = picture.blocks.map(({ part }) => {
    const [rows, cols] = axesOf(layout, part);
    const across = part === "U" ? position : (hover?.col ?? -1); // the column of this block that is lit
    const along = part === "V" ? position : (hover?.row ?? -1);
    const isOn = (axis, at) => at >= 0 && at < axis.count;
    const inRows = isOn(rows, along);
    const inCols = isOn(cols, across);
    const box = (i, j) => boxOn(rows, cols, i, j);
    const bands = [inRows && frame(box(along, null), 1, "map-band"), inCols && frame(box(null, across), 1, "map-band")];
    const pointed = inRows && inCols && frame(box(along, across), 0.5, "map-pointed", 2);
    if (part !== "UV") return [bands, pointed];
    return [
      bands,
      influential.filter(([i, j]) => isOn(rows, i) && isOn(cols, j)).map(([i, j, weight]) =>
        frame(box(i, j), 0.5, "map-influential", 1 + 3 * weight)),
      edited.map(([i, j]) => corner(box(i, j))),
      pointed,
      cell && frame(box(...cell), 0.5, "map-chosen", 2.5),
    ];
  });
  return h("g.map-lights", nodes);
}
