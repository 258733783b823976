/**
 * Figures as files. A file is one SVG drawing; its cells are the picture on the canvas, or in a saved SVG of few cells
 * rectangles. A PNG is that drawing, rasterized.
 */
import { legendColours, paletteOf } from "./colour.js";
import { button, dom } from "./dom.js";
import { axesOf } from "./layout.js";
import { blockNumbers } from "./numbers.js";
import { cellsOf, inkOn } from "./paint.js";
import { picture, svg, textAt } from "./svg.js";

const MARGIN = 20; // pixels around the figures of a file
const ROW_SPACE = 24; // and between their rows
const PNG_SCALE = 2; // pixels of a PNG for one of the screen
const MOST_PIXELS = 30e6; // of a PNG: what all browsers can draw
const MOST_CELLS = 60; // rows and columns of a map whose cells are rectangles in an SVG
const SIGNS = { given: "●", hidden: "○", empty: "□", constant: "▨" };

/** Whether the maps of a run can be saved as SVG. @param {Run} run */
export const fewCells = ({ n, m }) => n <= MOST_CELLS && m <= MOST_CELLS;

/** Cells as rectangles with their numbers. @param {Layout} layout @param {Block} block @param {Look} look */
export function cellNodes(layout, block, look, digits) {
  const palette = paletteOf(block.scale.kind, look.dark);
  const numbers = blockNumbers(layout, block, digits);
  const nodes = [];
  for (const { at, x, y, width, height, shade, mark } of cellsOf(block, ...axesOf(layout, block.part))) {
    const paint = shade < 0 ? { fill: "none", stroke: "#808080", "stroke-opacity": 0.4 } : { fill: palette.css[shade] };
    nodes.push(svg("rect", { x, y, width, height, ...paint }));
    const ink = inkOn(palette, shade, look);
    if (mark) nodes.push(svg("circle", { cx: x + 3, cy: y + 3, r: 2, fill: mark === 1 ? "#fff" : "none", stroke: ink }));
    if (!numbers.size || shade < 0) continue;
    const style = { "text-anchor": "middle", "font-weight": mark === 1 ? 700 : 400, fill: ink };
    nodes.push(textAt(x + width / 2, y + height / 2, numbers.size, numbers.text(block.values[at]), style));
  }
  return nodes;
}

/** A legend from y on, a line an item. @param {LegendItem[]} legend @param {Look} look */
export function legendNodes(legend, look, y, size) {
  return legend.flatMap(({ scale, name, low, high, words, keys }, k) => {
    const at = y + (k + 0.6) * 1.6 * size;
    const signs = keys.map(({ mark, text }) => `${SIGNS[mark]} ${text}`);
    const said = [name, scale && `${low} to ${high}`, words, ...signs].filter(Boolean).join("   ");
    const colours = scale ? legendColours(scale, look.dark) : [];
    const bar = colours.map((fill, c) => svg("rect", { x: c * 5, y: at - 0.4 * size, width: 5.5, height: 0.8 * size, fill }));
    return [...bar, textAt(scale ? 94 : 0, at, size, said)];
  });
}

/**
 * Figures as one drawing, in the rows in which they are on the page and without what is between these, with the title as
 * a line below them.
 * @param {Placed[]} figures
 */
export function sheetOf(figures, { title, page, text, font }) {
  const left = Math.min(...figures.map(({ x }) => x));
  const tops = [...new Set(figures.map(({ y }) => Math.round(y)))].sort((a, b) => a - b);
  let bottom = MARGIN;
  let right = 320;
  const groups = tops.flatMap((top) => {
    const row = figures.filter(({ y }) => Math.round(y) === top);
    const drawn = row.map(({ nodes, x, width }) => {
      right = Math.max(right, x - left + width);
      return svg("g", { transform: `translate(${x - left + MARGIN} ${bottom})` }, ...nodes);
    });
    bottom += Math.max(...row.map(({ height }) => height)) + ROW_SPACE;
    return drawn;
  });
  const width = Math.ceil(right + 2 * MARGIN);
  const height = Math.ceil(bottom + MARGIN);
  const source = textAt(MARGIN, bottom, 12, title, { class: "map-quiet" });
  return picture(width, height, { role: "img", "aria-hidden": "false" },
    svg("title", {}, title),
    svg("style", {}, ".map-quiet { opacity: 0.75 }"),
    svg("rect", { width, height, fill: page }),
    svg("g", { fill: text, color: text, "font-family": font }, ...groups, source));
}

/** A name for a file: letters, digits and hyphens. */
export const fileStem = (text) =>
  text.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase().slice(0, 80) || "figure";

/** Hands a drawing over as a file; `stem`: its name without ending. @param {FileKind} kind */
export async function saveSheet(sheet, stem, kind) {
  const markup = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(sheet)}\n`;
  const drawing = new Blob([markup], { type: "image/svg+xml;charset=utf-8" });
  const content = kind === "svg" ? drawing : await rasterized(sheet, drawing);
  const link = dom("a", { href: URL.createObjectURL(content), download: `${stem}.${kind}`, hidden: true });
  document.body.append(link); // some browsers follow only links that are on the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function rasterized(sheet, drawing) {
  const image = dom("img", { src: URL.createObjectURL(drawing) });
  await image.decode();
  URL.revokeObjectURL(image.src);
  const [width, height] = ["width", "height"].map((side) => Number(sheet.getAttribute(side)));
  const scale = Math.min(PNG_SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = dom("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the PNG could not be drawn"))), "image/png"));
}

/** The buttons that save all figures as SVG and as PNG. */
export function saveButtons(save) {
  const buttons = ["SVG", "PNG"].map((kind) => {
    const made = button("map-button", "", () => save(kind.toLowerCase()), kind);
    made.setAttribute("aria-label", `Save all figures as ${kind}`);
    return made;
  });
  return dom("span", { className: "map-save" }, "Save", ...buttons);
}
