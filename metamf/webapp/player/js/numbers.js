/** Numbers as texts, with the minus sign of typography, and how large they are in cells. */
import { format } from "d3-format";

const NONE = "–"; // for what is not a number
const MARGIN = 2.5; // pixels next to a number in a cell
const SIGNED_MARGIN = 1.5; // next to one with a sign, which parts numbers, too
const BESIDE = 0.2; // sizes of the type next to a number that is larger than it has to be
const SMALLEST_SIGNED = 0.7; // of the least size of numbers

/** The value, or the end that it is beyond. */
export const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

/** The position `at`, or the first or last of `count`. */
export const within = (at, count) => clamp(at, 0, count - 1);

const made = (pattern) => {
  const write = format(pattern);
  return (value) => (value === null || value === undefined || !Number.isFinite(value) ? NONE : write(value));
};

/** Two decimals, as errors have: 1.00 next to 1.04. */
export const fixed = made(".2f");
/** As people write ratings: 4, 3.5, 3.62. */
export const plain = made(".2~f");
/** Four significant digits, with which an equation can be checked: −0.4062. */
export const exact = made(".4~g");
const three = made(".3~g");

/** Two decimals, or three significant digits where that says more or less: 3.14, −0.0123, 1.23e+4. */
export const rounded = (value) => (value === 0 || (Math.abs(value) >= 0.1 && Math.abs(value) < 100) ? fixed : three)(value);

/** With a plus sign, too, where it is positive. */
export const signed = (value, write = rounded) => (value > 0 && Number(write(value)) !== 0 ? "+" : "") + write(value);

/** With a large letter, as a sentence begins. */
export const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** 1,234 rows */
export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** How many decimals numbers in cells of a scale have. */
export const digitsOf = ({ low, high }) => (high - low <= 1.5 ? 2 : high - low >= 60 ? 0 : 1);

/** A number in a cell: 4, 3.6; with a sign +2.0, −0.4. All numbers with signs of a map have the same decimals. */
export function cellNumber(value, digits, withSign = false) {
  if (!Number.isFinite(value)) return "";
  const text = Math.abs(value).toFixed(Number.isInteger(value) && !withSign ? 0 : digits);
  return Number(text) === 0 ? "0" : `${value < 0 ? "−" : withSign ? "+" : ""}${text}`;
}

/** How wide the widest numbers of a scale are, in a font of size 1. */
export function numberWidths(scale, measure) {
  const digits = digitsOf(scale);
  const largest = Math.max(Math.abs(scale.low), Math.abs(scale.high)) - 1 / 3;
  const sign = scale.low < 0 ? "−" : "";
  return {
    number: measure(sign + cellNumber(largest, digits)),
    whole: measure(sign + cellNumber(Math.round(largest), 0)),
    signed: measure(cellNumber(-largest, digits, true)),
  };
}

/** How wide a cell has to be for a number in the least size of type. */
export const leastCell = (widths, least) => least * widths.number + MARGIN;

/** The sizes of numbers in cells of a width and of a pitch of rows; `least`: size of type. @returns {NumberSizes} */
export function numberSizes(widths, least, cell, pitch) {
  const fitting = (width, margin, smallest) => {
    const most = Math.min(least + 3, (cell - margin) / width, 0.78 * pitch);
    const roomy = Math.min(most, cell / (width + BESIDE)); // numbers grow no further than they stay apart
    return most < smallest ? 0 : Math.max(smallest, Math.floor(2 * roomy) / 2);
  };
  const numberSize = fitting(widths.number, MARGIN, least);
  return {
    numberSize,
    wholeSize: numberSize || (fitting(widths.whole, MARGIN, least) && least),
    signedSize: numberSize && fitting(widths.signed, SIGNED_MARGIN, SMALLEST_SIGNED * least),
  };
}

/**
 * Size and texts of the numbers in a block; size 0 where there are none. A map of small signed numbers has a decimal
 * more, and one of still smaller numbers has none: zeros would say less than the colours do.
 */
export function blockNumbers({ numberSize, wholeSize, signedSize }, block, digits) {
  const withSign = block.scale.kind === "signed";
  const decimals = digits + (withSign && digits > 0 && block.scale.high < 5 * 10 ** -digits ? 1 : 0);
  const text = (value) => cellNumber(value, decimals, withSign);
  if (block.part !== "UV") return { size: 0, text };
  if (withSign && block.scale.high < 5 * 10 ** -decimals) return { size: 0, text };
  if (withSign) return { size: decimals > digits ? 0.8 * signedSize : signedSize, text };
  const shown = block.onlyGiven ? block.values.filter((_, at) => block.marks?.[at] === 1) : block.values;
  const whole = !numberSize && shown.every((value) => Number.isNaN(value) || Number.isInteger(value));
  return { size: whole ? wholeSize : numberSize, text };
}
