/**
 * Values to colours, by lookup tables, and black or white on top of them.
 *
 * Three palettes, so that what is compared looks alike and what is different does not: ratings on viridis, signed values
 * from blue over a shade of the page to orange, widths of intervals from a pale to a strong rose. All keep their order
 * for every common colour vision. A scale whose ends are equal has one colour and no invented end.
 *
 * @typedef {Object} Scale
 * @property {"rating"|"signed"|"width"} kind
 * @property {number} low  value of the first colour
 * @property {number} high  value of the last one
 *
 * @typedef {Object} Palette  `SHADES` colours
 * @property {string[]} css
 * @property {Uint8Array} rgb  three bytes a colour
 * @property {Uint8Array} bright  1 where black is read better than white
 *
 * @typedef {[number, number, number]} Rgb  0 to 255
 */

export const SHADES = 255; // odd: zero has a colour of its own in the middle of the signed palette

/** viridis without its darkest and brightest ends; the same as RATING_COLOURS of metamf/figures/style.py */
export const RATING_STOPS = ["#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#f2e51d"];
/** Okabe and Ito's blue and vermillion, as metamf/figures/style.py has them; on a dark page lighter, so that small values are seen */
const SIGNED_STOPS = {
  light: ["#0072b2", "#edeae2", "#d55e00"],
  dark: ["#7cc8fa", "#2c3541", "#ff9a4d"],
};
/** chosen by hand: no hue of the other two; what is wider stands out more, on a light page and on a dark one */
const WIDTH_STOPS = {
  light: ["#f3e6ee", "#dba6c6", "#b0578f", "#6d1f58"],
  dark: ["#3a2b38", "#7a4569", "#c4789f", "#ffd0e6"],
};

/** @type {Map<string, Palette>} */
const palettes = new Map();

/**
 * @param {Scale["kind"]} kind
 * @param {boolean} dark  whether the page is dark
 * @returns {Palette}
 */
export function paletteOf(kind, dark) {
  const key = `${kind} ${kind === "rating" ? "" : dark}`;
  const known = palettes.get(key);
  if (known) return known;
  const mood = dark ? "dark" : "light";
  const stops = { rating: RATING_STOPS, signed: SIGNED_STOPS[mood], width: WIDTH_STOPS[mood] }[kind];
  const made = interpolated(stops.map(parseColour));
  palettes.set(key, made);
  return made;
}

/** @param {Rgb[]} stops @returns {Palette} */
function interpolated(stops) {
  const labs = stops.map(toOklab);
  const palette = { css: /** @type {string[]} */ ([]), rgb: new Uint8Array(3 * SHADES), bright: new Uint8Array(SHADES) };
  for (let shade = 0; shade < SHADES; shade++) {
    const at = (shade / (SHADES - 1)) * (stops.length - 1);
    const below = Math.min(Math.floor(at), stops.length - 2);
    const part = at - below;
    const lab = labs[below].map((value, c) => value + part * (labs[below + 1][c] - value));
    const colour = fromOklab(/** @type {Rgb} */ (lab));
    palette.rgb.set(colour, 3 * shade);
    palette.css.push(`rgb(${colour.join(",")})`);
    palette.bright[shade] = contrast(colour, [0, 0, 0]) >= contrast(colour, [255, 255, 255]) ? 1 : 0;
  }
  return palette;
}

/**
 * Where a value stands in a palette.
 * @param {Scale} scale
 * @param {number} value
 * @returns {number} 0 to SHADES - 1; -1 for what is not a number
 */
export function shadeOf(scale, value) {
  if (!Number.isFinite(value)) return -1;
  const span = scale.high - scale.low;
  const part = span > 0 ? (value - scale.low) / span : 0.5;
  return Math.round(Math.min(1, Math.max(0, part)) * (SHADES - 1));
}

/** @param {number} limit largest size at the ends @returns {Scale} */
export function signedScale(limit) {
  const end = Number.isFinite(limit) && limit > 0 ? limit : 1;
  return { kind: "signed", low: -end, high: end };
}

/**
 * @param {ArrayLike<number>} values
 * @returns {[number, number]|null} the smallest and the largest number; null where there is none
 */
export function spanOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

/**
 * @param {string} text  #rgb, #rrggbb, rgb(...) or rgba(...)
 * @returns {Rgb}  black for anything else
 */
export function parseColour(text) {
  const hex = /^#([\da-f]{3,8})$/i.exec(text.trim());
  if (hex) {
    const digits = hex[1].length < 6 ? [...hex[1].slice(0, 3)].map((digit) => digit + digit).join("") : hex[1];
    return /** @type {Rgb} */ ([0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16) || 0));
  }
  const numbers = /^rgba?\(([^)]*)\)$/i.exec(text.trim());
  const parts = numbers ? numbers[1].split(/[\s,/]+/).filter(Boolean).slice(0, 3).map(Number) : [];
  return parts.length === 3 && parts.every(Number.isFinite) ? /** @type {Rgb} */ (parts) : [0, 0, 0];
}

/** @param {Rgb} a @param {Rgb} b @returns {number} contrast ratio of WCAG 2, 1 to 21 */
export function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {Rgb} colour @returns {number} relative luminance of WCAG 2, 0 to 1 */
export function luminance(colour) {
  const [r, g, b] = colour.map(toLinear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {number} value 0 to 255 */
const toLinear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);

/** @param {number} value 0 to 1 */
const fromLinear = (value) => Math.round(255 * Math.min(1, Math.max(0, value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)));

// Oklab, a space in which even steps look even: B. Ottosson, "A perceptual color space for image processing" (2020).

/** @param {Rgb} colour @returns {Rgb} */
function toOklab(colour) {
  const [r, g, b] = colour.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @param {Rgb} lab @returns {Rgb} */
function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}
