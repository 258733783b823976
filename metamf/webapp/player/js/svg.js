/** Drawings as SVG, on the page and as files; a PNG is drawn from the SVG. */
import { dom } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const MARGIN = 20; // pixels around the figures of a file
const ROW_SPACE = 24; // and between their rows
const PNG_SCALE = 2; // pixels of a PNG for one of the screen
const MOST_PIXELS = 30e6; // of a PNG: what all browsers can draw

/** An SVG element; attributes that are null or undefined are left out, numbers are rounded to a hundredth. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    made.setAttribute(name, String(typeof value === "number" ? Math.round(100 * value) / 100 : value));
  }
  made.append(...children);
  return made;
}

/** A text at (x, y), which is the middle of its height. */
export const textAt = (x, y, size, words, attributes = {}) =>
  svg("text", { x, y, dy: "0.35em", "font-size": size, ...attributes }, words);

/** An icon of 24 x 24, filled in the colour of the text. */
export const icon = (d) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));

/** A picture of its own, whose children are drawn in pixels. */
export const picture = (width, height, attributes, ...children) =>
  svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", ...attributes }, ...children);

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
  const [width, height] = [Math.ceil(right + 2 * MARGIN), Math.ceil(bottom + MARGIN)];
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

/** The buttons that save `what` as SVG and as PNG. */
export function saveButtons(what, save, lead = "") {
  const buttons = ["SVG", "PNG"].map((kind) => {
    const properties = { className: "map-button", type: "button", "aria-label": `Save ${what} as ${kind}` };
    return dom("button", { ...properties, onclick: () => save(kind.toLowerCase()) }, kind);
  });
  return dom("span", { className: "map-save" }, lead, ...buttons);
}
