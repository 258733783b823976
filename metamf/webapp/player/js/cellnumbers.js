/**
 * Numbers in cells: their texts, and how large they are where cells are large enough for them.
 *
 * A number with a sign is wider. Where only that is too wide it has one digit: +.4 and −2 instead of +0.4 and −1.7; the
 * text beside the pointer and the table below have all digits. A map of small numbers has a digit more, +.04, or none at
 * all: +.1 and 0 would say less than the colours do. Whole numbers, as most people give, stand in cells that are too small
 * for estimates.
 *
 * @typedef {import("./typesizes.js").TypeSizes} TypeSizes
 * @typedef {{numberWidth: number, wholeWidth: number, signedWidth: number, briefWidth: number}} NumberWidths  of the widest
 *   number, of the widest whole one, of the widest with a sign, and of that with one digit, in a font of size 1
 * @typedef {{numberSize: number, wholeSize: number, signedSize: number, brief: boolean}} NumberSizes  0: cells are too small;
 *   `brief`: numbers with a sign have one digit
 */

const MARGIN = 2.5; // pixels beside a number
const BESIDE = 0.2; // sizes of the type beside a number that is larger than it has to be
const SIGNED_MARGIN = 1.5; // the same with a sign, which parts numbers, too

/** @param {{low: number, high: number}} run @returns {number} digits after the point that numbers in cells of this scale have */
export function digitsOf(run) {
  const span = run.high - run.low;
  return span <= 1.5 ? 2 : span >= 60 ? 0 : 1;
}

/** @param {number} value @param {number} digits @param {boolean} [signed] @returns {string} as cells show it: 4, 3.6, +0.4 */
export function shownNumber(value, digits, signed = false) {
  if (!Number.isFinite(value)) return "";
  const whole = Math.abs(value - Math.round(value)) < 1e-6;
  const text = Math.abs(value).toFixed(whole && !signed ? 0 : digits);
  if (Number(text) === 0) return "0";
  return `${value < 0 ? "−" : signed ? "+" : ""}${text}`;
}

/** @param {number} value @param {number} digits @returns {string} with a sign, and a digit less: +.4, −2 */
export function briefNumber(value, digits) {
  const text = shownNumber(value, digits, true);
  const [, sign, below] = /^([+−])0(\..+)$/.exec(text) ?? [];
  return below ? `${sign}${below}` : text === "0" ? text : shownNumber(value, Math.max(digits - 1, 0), true);
}

/** @param {{low: number, high: number}} run @param {(text: string) => number} measure @returns {NumberWidths} */
export function numberWidths(run, measure) {
  const digits = digitsOf(run);
  const largest = Math.max(Math.abs(run.low), Math.abs(run.high)) - 1 / 3;
  const plain = shownNumber(-largest, digits).replace("−", run.low < 0 ? "−" : "");
  const brief = [briefNumber(-largest, digits), briefNumber(-2 / 3, digits)].map(measure);
  const whole = measure(shownNumber(-Math.round(largest), 0).replace("−", run.low < 0 ? "−" : ""));
  return { numberWidth: measure(plain), wholeWidth: whole, signedWidth: measure(shownNumber(-largest, digits, true)), briefWidth: Math.max(...brief) };
}

/** @param {NumberWidths} widths @param {TypeSizes} type @returns {number} pixels that a cell needs for a number */
export const leastCell = ({ numberWidth }, type) => type.number * numberWidth + MARGIN;

/** @param {NumberWidths} widths @param {TypeSizes} type @param {number} cell  its width @param {number} pitch of the rows @returns {NumberSizes} */
export function numberSizes({ numberWidth, wholeWidth, signedWidth, briefWidth }, type, cell, pitch) {
  const fitting = (/** @type {number} */ width, /** @type {number} */ margin) => {
    const most = Math.min(type.number + 3, (cell - margin) / width, 0.74 * pitch);
    const roomy = Math.min(most, cell / (width + BESIDE)); // numbers grow no further than they stay apart
    return most < type.number ? 0 : Math.max(type.number, Math.floor(2 * roomy) / 2);
  };
  const full = fitting(signedWidth, SIGNED_MARGIN);
  const numberSize = fitting(numberWidth, MARGIN);
  const wholeSize = numberSize || (fitting(wholeWidth, MARGIN) && type.number);
  return { numberSize, wholeSize, signedSize: full || fitting(briefWidth, MARGIN), brief: !full };
}

/**
 * @param {NumberSizes} sizes
 * @param {import("./parts.js").Block} block
 * @param {number} digits
 * @returns {{size: number, text: (value: number) => string}} of the numbers in a block; of size 0 where there are none
 */
export function blockNumbers({ numberSize, wholeSize, signedSize, brief }, block, digits) {
  if (block.part !== "UV") return { size: 0, text: () => "" };
  if (block.scale.kind !== "signed") {
    const whole = !numberSize && block.values.every((value) => Number.isNaN(value) || Number.isInteger(value));
    return { size: whole ? wholeSize : numberSize, text: (value) => shownNumber(value, digits) };
  }
  const small = digits > 0 && block.scale.high < 5 * 10 ** -digits;
  if (small) return { size: brief ? 0 : signedSize, text: (value) => shownNumber(value, digits + 1, true).replace(/^(.)0(?=\.)/, "$1") };
  return { size: signedSize, text: (value) => (brief ? briefNumber(value, digits) : shownNumber(value, digits, true)) };
}
