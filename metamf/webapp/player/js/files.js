/** The maps of a view as one PNG, three times as fine as on the page. */
import { legendColours } from "./colour.js";
import { paint } from "./figure.js";

const FINER = 3; // pixels of the file for one of the page
const MARGIN = 20; // pixels of the page around the maps
const MOST_PIXELS = 30e6; // what all browsers can draw

/** A name for a file: letters, digits and hyphens. */
export const fileStem = (text) =>
  text.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase().slice(0, 80) || "figure";

/** @returns {any[]} the elements that match */
const all = (root, selector) => [...root.querySelectorAll(selector)];

/** A canvas of this many pixels, and what draws on it. @returns {[HTMLCanvasElement, CanvasRenderingContext2D]} */
function canvasOf(width, height) {
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(width), height: Math.round(height) });
  return [canvas, /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))];
}

/**
 * Saves figures as a file, each where it is on the page; `stem`: the name of the file without its ending.
 * @param {{root: HTMLElement, run: Run, picture: Picture, layout: Layout}[]} figures
 * @param {Look} look
 */
export async function savePicture(figures, look, stem) {
  const boxes = figures.map(({ root }) => root.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - MARGIN;
  const top = Math.min(...boxes.map((box) => box.top)) - MARGIN;
  const width = Math.max(...boxes.map((box) => box.right)) + MARGIN - left;
  const height = Math.max(...boxes.map((box) => box.bottom)) + MARGIN - top;
  const scale = Math.min(FINER, Math.sqrt(MOST_PIXELS / (width * height)));
  const [canvas, context] = canvasOf(width * scale, height * scale);
  context.fillStyle = look.page;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
  const toFile = context.getTransform();
  context.textBaseline = "middle";
  for (const { root, run, picture, layout } of figures) {
    const [cells] = canvasOf(layout.width * scale, layout.height * scale);
    paint(cells, run, picture, layout, { ...look, density: scale });
    const place = all(root, ".map-plot")[0].getBoundingClientRect();
    context.drawImage(cells, place.left, place.top, layout.width, layout.height);
    for (const text of all(root, ".map-plot svg text")) {
      context.setTransform(toFile.multiply(text.getScreenCTM())); // turned as on the page
      write(context, text, text.getAttribute("x"), text.getAttribute("y"));
    }
    context.setTransform(toFile);
    for (const words of all(root, ".map-head > *, .map-legend span")) {
      const box = words.getBoundingClientRect();
      if (!words.childElementCount) write(context, words, box.left, (box.top + box.bottom) / 2);
    }
    const scales = picture.legend.flatMap(({ scale: colours }) => colours ?? []);
    all(root, ".map-bar, .map-swatch").forEach((bar, k) => drawBar(context, bar, legendColours(scales[k], look.dark)));
  }
  const file = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!file) throw new Error("the PNG could not be drawn");
  const link = document.createElement("a");
  Object.assign(link, { href: URL.createObjectURL(file), download: `${stem}.png` });
  document.body.append(link); // some browsers follow only links that are on the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const ALIGNED = { start: "left", middle: "center", end: "right" };

/** Writes what an element says, as it does. */
function write(context, element, x, y) {
  const style = getComputedStyle(element);
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = element instanceof SVGElement ? style.fill : style.color;
  context.textAlign = ALIGNED[style.textAnchor];
  context.fillText(element.textContent, Number(x), Number(y));
}

/** Draws the colours of a legend. */
function drawBar(context, bar, colours) {
  const box = bar.getBoundingClientRect();
  const each = box.width / colours.length;
  colours.forEach((colour, at) => {
    context.fillStyle = colour;
    context.fillRect(box.left + at * each, box.top, each + 0.5, box.height);
  });
}
