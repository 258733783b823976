/**
 * Cells on a canvas. All cells of a block are one small picture, a pixel a cell, which is drawn large; numbers and
 * dots are copied from a sheet where each was drawn once. So 900 cells with numbers take a few milliseconds, as do
 * 90,000 without.
 */
import { paletteOf, SHADES, shadeOf } from "./colour.js";
import { dom } from "./dom.js";
import { cellOn, finestOf } from "./layout.js";

const SHEET_WIDTH = 1024; // device pixels
export const MARK_LEAST = 5; // pixels that a cell needs for a dot
const OUTLINE_LEAST = 8;

/**
 * A sheet of small pictures, each drawn once: numbers in black and white, plain and bold, and the dots of given cells.
 */
export class GlyphSheet {
  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    this.canvas = dom("canvas", { width: SHEET_WIDTH, height: 64 });
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.x = this.y = this.line = 0; // where the next picture goes, and how high those beside it are
    /** @type {Map<string, {x: number, y: number, w: number, h: number}>} */
    this.places = new Map();
  }

  /** The place of a picture of `width` x `height` CSS pixels; `draw` has (0, 0) in its middle. */
  place(key, width, height, draw) {
    const known = this.places.get(key);
    if (known) return known;
    const { density } = this.look;
    const [w, h] = [Math.ceil(width * density), Math.ceil(height * density)];
    if (this.x + w > SHEET_WIDTH) [this.x, this.y, this.line] = [0, this.y + this.line, 0];
    if (this.y + h > this.canvas.height) this.grow(this.y + h);
    const found = { x: this.x, y: this.y, w, h };
    this.context.setTransform(density, 0, 0, density, this.x + w / 2, this.y + h / 2);
    draw(this.context);
    this.x += w;
    this.line = Math.max(this.line, h);
    this.places.set(key, found);
    return found;
  }

  grow(needed) {
    const before = dom("canvas", { width: this.canvas.width, height: this.canvas.height });
    before.getContext("2d")?.drawImage(this.canvas, 0, 0);
    this.canvas.height = Math.max(needed, 2 * this.canvas.height);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.drawImage(before, 0, 0);
  }

  number(text, bright, bold, size) {
    return this.place(`${text}|${bright}|${bold}|${size}`, size * (0.72 * text.length + 0.4), size * 1.3, (context) => {
      context.font = `${bold ? 700 : 400} ${size}px ${this.look.font}`;
      context.textAlign = "center";
      context.fillStyle = bright ? "#000" : "#fff";
      context.fillText(text, 0, 0.36 * size + 0.5);
    });
  }

  /** A dot, or a ring in `ink`. */
  mark(radius, ink) {
    return this.place(`${radius} ${ink}`, 2 * radius + 4, 2 * radius + 4, (context) => {
      context.beginPath();
      context.arc(0, 0, radius, 0, 2 * Math.PI);
      context.lineWidth = ink ? 1.4 : radius < 2.5 ? 1 : 1.25;
      context.fillStyle = "#fff";
      if (!ink) context.fill();
      context.strokeStyle = ink || "#141414";
      context.stroke();
    });
  }

  /** Copies a picture to whole device pixels around (x, y), so that what was sharp stays sharp. */
  copy(context, { x: fromX, y: fromY, w, h }, x, y) {
    const { density } = this.look;
    const [left, top] = [Math.round(x * density - w / 2) / density, Math.round(y * density - h / 2) / density];
    context.drawImage(this.canvas, fromX, fromY, w, h, left, top, w / density, h / density);
  }
}

/**
 * The cells of a block: position, place and shade, which is -1 without a value.
 * @param {Block} block
 * @param {Axis} rows
 */
export function* cellsOf(block, rows, cols) {
  for (let at = 0; at < block.values.length; at++) {
    const [y, height] = cellOn(rows, Math.floor(at / cols.count));
    const [x, width] = cellOn(cols, at % cols.count);
    yield { at, x, y, width, height, shade: shadeOf(block.scale, block.values[at]), mark: block.marks?.[at] ?? 0 };
  }
}

/** The colour that is read on a shade, or on the page. @param {Palette} palette @param {Look} look */
export const inkOn = (palette, shade, look) => (shade < 0 ? look.text : palette.bright[shade] ? "#000" : "#fff");

/** Where the mark of a cell is, and how large: in the corner of cells with numbers. */
export function markPlace(width, height, corner) {
  const least = Math.min(width, height);
  const radius = corner ? Math.min(3, Math.max(1.9, 0.085 * least)) : Math.max(1.2, Math.min(4, 0.2 * least));
  return corner ? { dx: radius + 0.2, dy: radius + 0.2, radius } : { dx: width / 2, dy: height / 2, radius };
}

/**
 * @param {CanvasRenderingContext2D} context  in CSS pixels
 * @param {Block} block
 * @param {Axis} rows
 * @param {Axis} cols
 * @param {GlyphSheet} sheet
 * @param {{size: number, text: (value: number) => string}} numbers  of size 0: none
 */
export function paintBlock(context, block, rows, cols, sheet, numbers) {
  const { look } = sheet;
  const palette = paletteOf(block.scale.kind, look.dark);
  const finest = finestOf(rows, cols);
  paintCells(context, block, rows, cols, palette);
  context.strokeStyle = "rgba(128, 128, 128, 0.42)"; // a cell without a value is not taken for one near zero
  context.lineWidth = 1;
  context.beginPath();
  if (finest < OUTLINE_LEAST) {
    context.rect(cols.start + 0.5, rows.start + 0.5, cols.end - cols.start - 1, rows.end - rows.start - 1);
  } else {
    for (const { x, y, width, height, shade } of cellsOf(block, rows, cols)) {
      if (shade < 0) context.rect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
  }
  context.stroke();
  const marked = block.marks !== null && finest >= MARK_LEAST;
  if (!marked && !numbers.size) return;
  for (const { at, x, y, width, height, shade, mark } of cellsOf(block, rows, cols)) {
    const ink = inkOn(palette, shade, look);
    if (marked && mark) {
      const { dx, dy, radius } = markPlace(width, height, numbers.size > 0 && shade >= 0);
      sheet.copy(context, sheet.mark(radius, mark === 1 ? "" : ink), x + dx, y + dy);
    }
    if (numbers.size && shade >= 0) {
      const glyph = sheet.number(numbers.text(block.values[at]), ink === "#000", mark === 1, numbers.size);
      sheet.copy(context, glyph, x + width / 2, y + height / 2);
    }
  }
}

/** @type {HTMLCanvasElement|null} */
let pixels = null; // one for all blocks

/** @param {CanvasRenderingContext2D} context @param {Block} block @param {Axis} rows @param {Axis} cols */
function paintCells(context, block, rows, cols, { rgb }) {
  pixels ??= dom("canvas");
  if (pixels.width < cols.count) pixels.width = cols.count;
  if (pixels.height < rows.count) pixels.height = rows.count;
  const small = /** @type {CanvasRenderingContext2D} */ (pixels.getContext("2d", { willReadFrequently: true }));
  const image = small.createImageData(cols.count, rows.count);
  block.values.forEach((value, at) => {
    const shade = shadeOf(block.scale, value);
    if (shade >= 0 && shade < SHADES) image.data.set([rgb[3 * shade], rgb[3 * shade + 1], rgb[3 * shade + 2], 255], 4 * at);
  });
  small.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  for (const r of rows.segments) {
    for (const c of cols.segments) {
      context.drawImage(pixels, c.from, r.from, c.count, r.count, c.start, r.start, c.count * c.pitch, r.count * r.pitch);
    }
  }
  const [width, height] = [cols.end - cols.start, rows.end - rows.start];
  const edges = ({ segments, gap }) =>
    segments.flatMap(({ start, count, pitch }) =>
      Array.from({ length: gap ? count : 0 }, (_, k) => start + (k + 1) * pitch - gap));
  for (const x of edges(cols)) context.clearRect(x, rows.start, cols.gap, height);
  for (const y of edges(rows)) context.clearRect(cols.start, y, width, rows.gap);
}
