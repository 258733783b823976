/** Cells on a canvas. All cells of a block are one small picture, a pixel a cell, which is drawn large. */
import { range } from "d3-array";

import { paletteOf, shadeOf } from "./colour.js";
import { boxOn, finestOf } from "./layout.js";
import { clamp } from "./numbers.js";

export const MARK_LEAST = 5; // pixels that a cell needs for a dot
const OUTLINE_LEAST = 8;

/** The cells of a block: position, place and shade, which is -1 without a value. @param {Block} block */
function* cellsOf(block, rows, cols) {
  for (let at = 0; at < block.values.length; at++) {
    const box = boxOn(rows, cols, Math.floor(at / cols.count), at % cols.count);
    yield { at, ...box, shade: shadeOf(block.scale, block.values[at]), mark: block.marks?.[at] ?? 0 };
  }
}

/** The colour that is read on a shade, or on the page. @param {Palette} palette @param {Look} look */
const inkOn = (palette, shade, look) => (shade < 0 ? look.text : palette.bright[shade] ? "#000" : "#fff");

/** Where the mark of a cell is, and how large: in the corner of cells with numbers. */
function markPlace(width, height, corner) {
  const least = Math.min(width, height);
  const radius = corner ? clamp(0.085 * least, 1.9, 3) : clamp(0.2 * least, 1.2, 4);
  return corner ? { dx: radius + 0.2, dy: radius + 0.2, radius } : { dx: width / 2, dy: height / 2, radius };
}

/**
 * Paints a block, in CSS pixels, with `numbers` that have a size other than 0.
 * @param {CanvasRenderingContext2D} context
 * @param {Block} block
 * @param {[Axis, Axis]} axes
 * @param {Look} look
 */
export function paintBlock(context, block, [rows, cols], look, numbers) {
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
  const onlyGiven = block.onlyGiven === true && numbers.size > 0;
  const marked = block.marks !== null && finest >= MARK_LEAST && !onlyGiven;
  if (!marked && !numbers.size) return;
  context.textAlign = "center";
  const { density } = look;
  /** The middle of what is so long, moved so that it begins at a whole device pixel: every number is equally sharp. */
  const sharp = (middle, length) => {
    const pixels = Math.ceil(length * density);
    return (Math.round(middle * density - pixels / 2) + pixels / 2) / density;
  };
  for (const given of [false, true]) { // a type at a time
    context.font = `${given ? 700 : 400} ${numbers.size}px ${look.font}`;
    for (const { at, x, y, width, height, shade, mark } of cellsOf(block, rows, cols)) {
      if ((mark === 1) !== given) continue;
      const ink = inkOn(palette, shade, look);
      const numbered = numbers.size > 0 && shade >= 0 && (given || !onlyGiven);
      if (marked && mark) {
        const { dx, dy, radius } = markPlace(width, height, numbered);
        const side = 2 * radius + 4;
        context.beginPath();
        context.arc(sharp(x + dx, side), sharp(y + dy, side), radius, 0, 2 * Math.PI);
        context.lineWidth = given ? (radius < 2.5 ? 1 : 1.25) : 1.4;
        context.fillStyle = "#fff";
        if (given) context.fill();
        context.strokeStyle = given ? "#141414" : ink;
        context.stroke();
      }
      if (numbered) {
        const { size } = numbers;
        const text = numbers.text(block.values[at]);
        const left = sharp(x + width / 2, size * (0.72 * text.length + 0.4));
        const top = sharp(y + height / 2, 1.3 * size);
        context.fillStyle = ink;
        context.fillText(text, left, top + 0.36 * size + 0.5);
      }
    }
  }
}

let small; // a canvas for all blocks

function paintCells(context, block, rows, cols, { rgb }) {
  small ??= document.createElement("canvas");
  if (small.width < cols.count) small.width = cols.count;
  if (small.height < rows.count) small.height = rows.count;
  const cells = small.getContext("2d", { willReadFrequently: true });
  const image = cells.createImageData(cols.count, rows.count);
  block.values.forEach((value, at) => {
    const shade = shadeOf(block.scale, value);
    if (shade >= 0) image.data.set([...rgb.subarray(3 * shade, 3 * shade + 3), 255], 4 * at);
  });
  cells.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  for (const r of rows.segments) {
    for (const c of cols.segments) {
      context.drawImage(small, c.from, r.from, c.count, r.count, c.start, r.start, c.count * c.pitch, r.count * r.pitch);
    }
  }
  const edges = ({ segments, gap }) =>
    segments.flatMap(({ start, count, pitch }) => range(gap ? count : 0).map((k) => start + (k + 1) * pitch - gap));
  for (const x of edges(cols)) context.clearRect(x, rows.start, cols.gap, rows.end - rows.start);
  for (const y of edges(rows)) context.clearRect(cols.start, y, cols.end - cols.start, rows.gap);
}
