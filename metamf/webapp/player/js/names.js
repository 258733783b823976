/**
 * Names of rows and columns in the room that there is: cut, and never cut to the same text. Names come from outside:
 * they may be empty, long, written from right to left, or equal to each other.
 */
import { bisector, group, range } from "d3-array";

const ELLIPSIS = "…";
// Control characters, and marks that would turn the direction of what stands next to a name.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/** `count` names; where there is none, the position in the matrix from 1. `first`: that of the first one, from 0. */
export function cleanNames(names, first, count) {
  return range(count).map((at) => {
    const name = String(names?.[at] ?? "").replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
    return name || String(first + at + 1);
  });
}

/** A name inside a sentence: its direction ends with it. */
export const isolated = (text) => (/^[\u0020-\u02ff]*$/.test(text) ? text : `\u2068${text}\u2069`);

/**
 * Names that fit and differ. A name that fits stays as it is; others lose their end or, where that would make names
 * equal, the words that these have in common at their beginning; names that are equal then get their position.
 * `room` is in the units of `measure`, `first` the position of the first name in the matrix, from 0.
 */
export function shortened(names, room, measure, first = 0) {
  const cut = (text, most = room) => endCut(text, most, measure);
  const found = names.map((name) => cut(name));
  for (const same of equalOnes(found)) {
    const words = same.map((at) => names[at].split(" "));
    const begin = words[0].findIndex((word, k) => words.some((other) => other[k] !== word || k === other.length - 1));
    if (begin > 0) same.forEach((at, k) => (found[at] = cut(ELLIPSIS + words[k].slice(begin).join(" "))));
  }
  const repeated = equalOnes(found).flat();
  const taken = new Set(found.filter((_, at) => !repeated.includes(at)));
  for (const at of repeated) {
    const mark = ` ${first + at + 1}`;
    let text = cut(found[at].replace(/…$/, ""), room - measure(mark)) + mark;
    if (measure(text) > room || taken.has(text)) text = mark.trim();
    for (let again = 2; taken.has(text); again++) text = `${first + at + 1}/${again}`;
    taken.add(text);
    found[at] = text;
  }
  return found;
}

/** A text without the letters at its end that do not fit; a letter is what a reader takes for one. */
function endCut(text, room, measure) {
  if (measure(text) <= room) return text;
  const parts = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  const letters = Array.from(parts, ({ segment }) => segment);
  const begin = (count) => letters.slice(0, count).join("").trimEnd() + ELLIPSIS;
  const fitting = bisector((count) => measure(begin(count))).right(range(letters.length), room) - 1;
  return begin(Math.max(fitting, 0));
}

/** Positions of texts that are equal, those of each text together. */
const equalOnes = (texts) => [...group(texts.keys(), (at) => texts[at]).values()].filter((same) => same.length > 1);
