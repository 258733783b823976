/**
 * Cells on a canvas. All cells of a block are one small picture, a pixel a cell, which is drawn large; numbers and dots are
 * copied from a sheet where each was drawn once. So 900 cells with numbers take a few milliseconds, 90,000 without, too.
 *
 * @typedef {import("./parts.js").Block} Block
 * @typedef {import("./axes.js").Axis} Axis
 *
 * @typedef {Object} Look  of the page
 * @property {boolean} dark
 * @property {string} text  colour of text
 * @property {string} page  colour of the page
 * @property {string} font  family
 * @property {number} density  device pixels for a CSS pixel
 */
import { dom } from "./dom.js";
import { SHADES, paletteOf, shadeOf } from "./colour.js";
import { cellOn } from "./axes.js";

const SHEET_WIDTH = 1024; // device pixels
export const MARK_LEAST = 5; // pixels that a cell needs for a dot
const OUTLINE_LEAST = 8;

/** A sheet of small pictures, each drawn once: numbers in black and white, plain and bold, and the dots of given cells. */
export class GlyphSheet {
  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    this.canvas = dom("canvas");
    this.canvas.width = SHEET_WIDTH;
    this.canvas.height = 64;
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.x = 0;
    this.y = 0;
    this.line = 0;
    /** @type {Map<string, {x: number, y: number, w: number, h: number}>} */
    this.places = new Map();
  }

  /**
   * @param {string} key
   * @param {number} width in CSS pixels
   * @param {number} height
   * @param {(context: CanvasRenderingContext2D) => void} draw  with (0, 0) in the middle
   */
  place(key, width, height, draw) {
    const known = this.places.get(key);
    if (known) return known;
    const w = Math.ceil(width * this.look.density);
    const h = Math.ceil(height * this.look.density);
    if (this.x + w > SHEET_WIDTH) [this.x, this.y, this.line] = [0, this.y + this.line, 0];
    if (this.y + h > this.canvas.height) this.grow(this.y + h);
    const found = { x: this.x, y: this.y, w, h };
    this.context.setTransform(this.look.density, 0, 0, this.look.density, this.x + w / 2, this.y + h / 2);
    draw(this.context);
    this.x += w;
    this.line = Math.max(this.line, h);
    this.places.set(key, found);
    return found;
  }

  /** @param {number} needed device pixels */
  grow(needed) {
    const before = dom("canvas", { width: this.canvas.width, height: this.canvas.height });
    /** @type {CanvasRenderingContext2D} */ (before.getContext("2d")).drawImage(this.canvas, 0, 0);
    this.canvas.height = Math.max(needed, 2 * this.canvas.height);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.drawImage(before, 0, 0);
  }

  /** @param {string} text @param {boolean} bright black ink @param {boolean} bold @param {number} size */
  number(text, bright, bold, size) {
    return this.place(`${text}|${bright}|${bold}|${size}`, size * (0.72 * text.length + 0.4), size * 1.3, (context) => {
      context.font = `${bold ? 700 : 400} ${size}px ${this.look.font}`;
      context.textAlign = "center";
      context.textBaseline = "alphabetic";
      context.fillStyle = bright ? "#000" : "#fff";
      context.fillText(text, 0, 0.36 * size + 0.5);
    });
  }

  /** @param {number} radius */
  dot(radius) {
    return this.place(`dot ${radius}`, 2 * radius + 4, 2 * radius + 4, (context) => {
      disc(context, radius);
      context.fillStyle = "#fff";
      context.fill();
      context.lineWidth = radius < 2.5 ? 1 : 1.25;
      context.strokeStyle = "rgb(20, 20, 20)";
      context.stroke();
    });
  }

  /** @param {number} radius @param {string} ink */
  ring(radius, ink) {
    return this.place(`ring ${radius} ${ink}`, 2 * radius + 4, 2 * radius + 4, (context) => {
      disc(context, radius);
      context.lineWidth = 1.4;
      context.strokeStyle = ink;
      context.stroke();
    });
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} radius */
function disc(context, radius) {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
}

/** @type {HTMLCanvasElement|null} */
let pixels = null; // one for all blocks

/**
 * @param {CanvasRenderingContext2D} context  in CSS pixels
 * @param {Block} block
 * @param {Axis} rows
 * @param {Axis} cols
 * @param {Look} look
 * @param {GlyphSheet} sheet
 * @param {{size: number, text: (value: number) => string}} numbers  of size 0: none
 */
export function paintBlock(context, block, rows, cols, look, sheet, numbers) {
  const palette = paletteOf(block.scale.kind, look.dark);
  const shades = new Int16Array(block.values.length);
  for (let at = 0; at < shades.length; at++) shades[at] = shadeOf(block.scale, block.values[at]);
  paintCells(context, palette, shades, rows, cols);
  paintOutlines(context, shades, rows, cols);
  if (block.marks) paintMarks(context, block, shades, rows, cols, palette, look, sheet, numbers.size > 0);
  if (numbers.size > 0) paintNumbers(context, block, shades, rows, cols, palette, sheet, numbers);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./colour.js").Palette} palette
 * @param {Int16Array} shades
 * @param {Axis} rows
 * @param {Axis} cols
 */
function paintCells(context, palette, shades, rows, cols) {
  pixels ??= dom("canvas");
  if (pixels.width < cols.count || pixels.height < rows.count) {
    pixels.width = Math.max(pixels.width, cols.count);
    pixels.height = Math.max(pixels.height, rows.count);
  }
  const small = /** @type {CanvasRenderingContext2D} */ (pixels.getContext("2d", { willReadFrequently: true }));
  const image = small.createImageData(cols.count, rows.count);
  for (let at = 0; at < shades.length; at++) {
    const shade = shades[at];
    if (shade < 0) continue;
    image.data[4 * at] = palette.rgb[3 * shade];
    image.data[4 * at + 1] = palette.rgb[3 * shade + 1];
    image.data[4 * at + 2] = palette.rgb[3 * shade + 2];
    image.data[4 * at + 3] = 255;
  }
  small.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  for (const r of rows.segments) {
    for (const c of cols.segments) {
      context.drawImage(pixels, c.from, r.from, c.count, r.count, c.start, r.start, c.count * c.pitch, r.count * r.pitch);
    }
  }
  if (cols.gap) for (const c of cols.segments) for (let k = 1; k <= c.count; k++) context.clearRect(c.start + k * c.pitch - cols.gap, rows.start, cols.gap, rows.end - rows.start);
  if (rows.gap) for (const r of rows.segments) for (let k = 1; k <= r.count; k++) context.clearRect(cols.start, r.start + k * r.pitch - rows.gap, cols.end - cols.start, rows.gap);
}

/**
 * Cells without a value: a faint outline and no filling, so that none of them is taken for a value near zero.
 * @param {CanvasRenderingContext2D} context
 * @param {Int16Array} shades
 * @param {Axis} rows
 * @param {Axis} cols
 */
function paintOutlines(context, shades, rows, cols) {
  context.strokeStyle = "rgba(128, 128, 128, 0.42)";
  context.lineWidth = 1;
  context.beginPath();
  if (Math.min(rows.segments[0].pitch, cols.segments[0].pitch) < OUTLINE_LEAST) {
    context.rect(cols.start + 0.5, rows.start + 0.5, cols.end - cols.start - 1, rows.end - rows.start - 1);
  } else {
    for (let at = 0; at < shades.length; at++) {
      if (shades[at] >= 0) continue;
      const [y, height] = cellOn(rows, Math.floor(at / cols.count));
      const [x, width] = cellOn(cols, at % cols.count);
      context.rect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
  }
  context.stroke();
}

/**
 * Where the mark of a cell stands, and how large it is: in the corner of cells with numbers.
 * @param {number} width @param {number} height of the cell @param {boolean} corner
 */
export function markPlace(width, height, corner) {
  if (corner) {
    const radius = Math.min(3, Math.max(1.9, 0.085 * Math.min(width, height))); // a bead on the corner, beside the number
    return { dx: radius + 0.2, dy: radius + 0.2, radius };
  }
  return { dx: width / 2, dy: height / 2, radius: Math.max(1.2, Math.min(4, 0.2 * Math.min(width, height))) };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Block} block
 * @param {Int16Array} shades
 * @param {Axis} rows
 * @param {Axis} cols
 * @param {import("./colour.js").Palette} palette
 * @param {Look} look
 * @param {GlyphSheet} sheet
 * @param {boolean} numbered
 */
function paintMarks(context, block, shades, rows, cols, palette, look, sheet, numbered) {
  const marks = /** @type {Uint8Array} */ (block.marks);
  if (Math.min(rows.segments[0].pitch, cols.segments[0].pitch) < MARK_LEAST) return;
  for (const wanted of [1, 2]) {
    for (let at = 0; at < marks.length; at++) {
      if (marks[at] !== wanted) continue;
      const [y, height] = cellOn(rows, Math.floor(at / cols.count));
      const [x, width] = cellOn(cols, at % cols.count);
      const { dx, dy, radius } = markPlace(width, height, numbered && shades[at] >= 0);
      const ink = shades[at] < 0 ? look.text : palette.bright[shades[at]] ? "#000" : "#fff";
      copy(context, sheet, wanted === 1 ? sheet.dot(radius) : sheet.ring(radius, ink), x + dx, y + dy);
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Block} block
 * @param {Int16Array} shades
 * @param {Axis} rows
 * @param {Axis} cols
 * @param {import("./colour.js").Palette} palette
 * @param {GlyphSheet} sheet
 * @param {{size: number, text: (value: number) => string}} numbers
 */
function paintNumbers(context, block, shades, rows, cols, palette, sheet, { size, text }) {
  const places = new Array(shades.length);
  for (let at = 0; at < shades.length; at++) {
    if (shades[at] < 0) continue;
    places[at] = sheet.number(text(block.values[at]), palette.bright[shades[at]] === 1, block.marks?.[at] === 1, size);
  }
  for (let at = 0; at < shades.length; at++) {
    if (!places[at]) continue;
    const [y, height] = cellOn(rows, Math.floor(at / cols.count));
    const [x, width] = cellOn(cols, at % cols.count);
    copy(context, sheet, places[at], x + width / 2, y + height / 2);
  }
}

/**
 * Copies from the sheet to whole device pixels: what was sharp stays sharp.
 * @param {CanvasRenderingContext2D} context
 * @param {GlyphSheet} sheet
 * @param {{x: number, y: number, w: number, h: number}} place
 * @param {number} x of the middle, in CSS pixels
 * @param {number} y
 */
function copy(context, sheet, place, x, y) {
  const { density } = sheet.look;
  const left = Math.round(x * density - place.w / 2) / density;
  const top = Math.round(y * density - place.h / 2) / density;
  context.drawImage(sheet.canvas, place.x, place.y, place.w, place.h, left, top, place.w / density, place.h / density);
}

/** @param {import("./colour.js").Scale} scale @param {boolean} dark @returns {string[]} colours for a legend, first to last */
export function legendColours(scale, dark) {
  const { css } = paletteOf(scale.kind, dark);
  if (scale.low === scale.high) return [css[Math.floor(SHADES / 2)]];
  return Array.from({ length: 17 }, (_, k) => css[Math.round((k / 16) * (SHADES - 1))]);
}
