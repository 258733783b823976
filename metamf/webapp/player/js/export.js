/**
 * Figures as files: SVG built from the same description as the picture on the screen, PNG drawn from that SVG.
 *
 * @typedef {import("./svg.js").SvgNode} SvgNode
 * @typedef {{nodes: SvgNode[], width: number, height: number, x: number, y: number}} Placed  a figure on the sheet
 */
import { dom } from "./dom.js";
import { svgFile, svgNode } from "./svg.js";

const MARGIN = 20;
const PNG_SCALE = 2; // pixels of a PNG for one of the screen
const MOST_PIXELS = 30e6; // of a PNG; what all browsers can draw

/**
 * @param {Placed[]} figures
 * @param {{title: string, source: string, background: string, text: string, font: string}} sheet  `source`: the line below
 * @returns {{markup: string, width: number, height: number}} a file
 */
export function sheetOf(figures, { title, source, background, text, font }) {
  const width = Math.max(320, ...figures.map((figure) => figure.x + figure.width)) + 2 * MARGIN;
  const bottom = Math.max(0, ...figures.map((figure) => figure.y + figure.height)) + MARGIN;
  const height = bottom + 2 * MARGIN;
  const style = ".map-quiet { opacity: 0.75 }";
  const all = svgNode(
    "g",
    { fill: text, color: text, "font-family": font },
    ...figures.map(({ nodes, x, y }) => svgNode("g", { transform: `translate(${x + MARGIN} ${y + MARGIN})` }, ...nodes)),
    svgNode("text", { x: MARGIN, y: bottom + MARGIN, "font-size": 12, class: "map-quiet" }, source),
  );
  const parts = [svgNode("style", {}, style), svgNode("rect", { width, height, fill: background }), all];
  return { markup: svgFile(width, height, title, parts), width, height };
}

/** @param {string} text @returns {string} a name for a file: letters, digits, hyphens */
export const fileStem = (text) => text.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase().slice(0, 80) || "figure";

/**
 * Hands a drawing over as a file.
 * @param {{markup: string, width: number, height: number}} sheet
 * @param {string} stem  name without ending
 * @param {"svg"|"png"} kind
 * @returns {Promise<void>}
 */
export async function saveSheet(sheet, stem, kind) {
  const svg = new Blob([sheet.markup], { type: "image/svg+xml;charset=utf-8" });
  download(kind === "svg" ? svg : await rasterized(sheet, svg), `${stem}.${kind}`);
}

/** @param {Blob} content @param {string} file */
function download(content, file) {
  const link = dom("a", { href: URL.createObjectURL(content), download: file, hidden: true });
  document.body.append(link); // some browsers follow only links that are on the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {{width: number, height: number}} sheet @param {Blob} svg @returns {Promise<Blob>} */
async function rasterized({ width, height }, svg) {
  const image = dom("img", { src: URL.createObjectURL(svg) });
  await image.decode();
  URL.revokeObjectURL(image.src);
  const scale = Math.min(PNG_SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = dom("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG"))), "image/png"));
}
