/**
 * Values to colours, by lookup tables, and black or white on top of them. Three palettes: ratings on viridis, signed
 * values from blue over a shade of the page to orange, widths of intervals from a pale to a strong rose. All keep their
 * order for every common colour vision.
 */
import { extent, range } from "d3-array";
import { rgb } from "d3-color";
import { interpolateLab, piecewise } from "d3-interpolate";

import { clamp } from "./numbers.js";

export const SHADES = 255; // odd: zero has a colour of its own in the middle of the signed palette

/** The stops of each palette on a light and on a dark page; those of ratings are viridis, as in metamf/figures. */
const VIRIDIS = ["#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#f2e51d"];
const STOPS = {
  rating: [VIRIDIS, VIRIDIS],
  signed: [["#0072b2", "#edeae2", "#d55e00"], ["#7cc8fa", "#2c3541", "#ff9a4d"]], // after Okabe and Ito
  width: [["#f3e6ee", "#dba6c6", "#b0578f", "#6d1f58"], ["#3a2b38", "#7a4569", "#c4789f", "#ffd0e6"]],
};
/** Colours of two lines or kinds of points on a light and on a dark page. */
const PAIRS = [["#0072b2", "#b84e00"], ["#7cc8fa", "#ff9a4d"]];
const palettes = new Map();

export const pairOf = (dark) => PAIRS[dark ? 1 : 0];

/** The colours of a palette on a light or on a dark page. @returns {Palette} */
export function paletteOf(kind, dark) {
  const stops = STOPS[kind][dark ? 1 : 0];
  const known = palettes.get(stops);
  if (known) return known;
  const colourAt = piecewise(interpolateLab, stops);
  const css = range(SHADES).map((shade) => colourAt(shade / (SHADES - 1)));
  const palette = {
    css,
    rgb: Uint8Array.from(css.flatMap((colour) => [rgb(colour).r, rgb(colour).g, rgb(colour).b])),
    bright: Uint8Array.from(css, (colour) => (isDark(colour) ? 0 : 1)),
  };
  palettes.set(stops, palette);
  return palette;
}

/** Whether white has more contrast to a colour than black has (WCAG 2). */
export function isDark(colour) {
  const { r, g, b } = rgb(colour);
  const linear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = [r, g, b].map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179; // its luminance, at which both contrasts are 4.6
}

/** From 0 to SHADES - 1; -1 for what is not a number. @param {Scale} scale */
export function shadeOf({ low, high }, value) {
  if (!Number.isFinite(value)) return -1;
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return Math.round(clamp(part, 0, 1) * (SHADES - 1));
}

/** @returns {Scale} from minus to plus `limit` */
export function signedScale(limit) {
  const end = Number.isFinite(limit) && limit > 0 ? limit : 1;
  return { kind: "signed", low: -end, high: end };
}

/** Colours for a legend, first to last. @param {Scale} scale @returns {string[]} */
export function legendColours(scale, dark) {
  const { css } = paletteOf(scale.kind, dark);
  if (scale.low === scale.high) return [css[(SHADES - 1) / 2]];
  return range(17).map((k) => css[Math.round((k / 16) * (SHADES - 1))]);
}

/** @param {Iterable<number>} values @returns {Span|null} the smallest and the largest number */
export function spanOf(values) {
  const [low, high] = extent(values, (value) => (Number.isFinite(value) ? value : NaN));
  return low === undefined ? null : [low, high];
}
