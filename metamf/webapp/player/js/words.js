/**
 * What a picture shows, in words: names of rows and columns, alternative texts, the text next to the pointer. Names come
 * from outside: they may be empty, long, written from right to left, or equal to each other.
 */
import { bisector, group, maxIndex, minIndex, range } from "d3-array";

import { spanOf } from "./colour.js";
import { counted, fixed, plain, signed } from "./numbers.js";
import { clipped, once, product, ratedIn } from "./run.js";

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

/** Cleaned names, and positions where there are none. @param {Run} run @returns {{rows: string[], cols: string[]}} */
export const namesOf = (run) => once(run, "names", () => ({
  rows: cleanNames(run.rows, run.top, run.n),
  cols: cleanNames(run.cols, run.left, run.m),
}));

const named = (has, noun, name) => (has ? isolated(name) : `${noun} ${name}`);

/** "Adila", or "row 3" where it has no name. @param {Run} run */
export const rowName = (run, i) => named(run.rows?.[i], run.nouns[0], namesOf(run).rows[i]);

export const colName = (run, j) => named(run.cols?.[j], run.nouns[1], namesOf(run).cols[j]);

/** What is known of a cell: "hidden" has a true rating that the model does not see. @param {Run} run */
export function cellKind(run, at) {
  if (!Number.isNaN(run.X[at])) return "given";
  return run.truth && !Number.isNaN(run.truth[at]) ? "hidden" : "missing";
}

export const roundName = (run) => ({ sweep: "Sweep", report: "Training" })[run.round] ?? "Step";

/** What the factors before the first step are: a factorization alone has no prior. @param {Run} run */
export const startName = (run) => (run.model.kind === "mf" ? "start" : "prior");

/** "prior, 0 of 10", "step 3 of 10", "update 40" @param {Run} run */
export function stepName(run, t) {
  if (run.reports) return updateName(run, t);
  return t === 0 ? `${startName(run)}, 0 of ${run.T}` : `${run.round} ${t} of ${run.T}`;
}

/** @param {Run} run */
function updateName({ reports }, t) {
  const update = reports?.updates[t];
  return typeof update === "number" ? `update ${update.toLocaleString("en")}` : `the ${update}`;
}

export const afterStep = (run, t) => `after ${run.reports ? updateName(run, t) : `${run.round} ${t} of ${run.T}`}`;

/** A step as a screen reader says it, with its errors. @param {Run} run */
export function spokenStep(run, t) {
  if (run.reports) return `${updateName(run, t)}: ${run.reports.names[1]} ${fixed(run.errors.hidden?.[t])}.`;
  const start = startName(run) === "prior" ? "Prior" : "Start";
  const step = t ? `${roundName(run)} ${t} of ${run.T}` : `${start}, before the first ${run.round}`;
  const hidden = run.errors.hidden ? `typical error on hidden cells ${fixed(run.errors.hidden[t])}, on` : "typical error on";
  return `${step}: ${hidden} given cells ${fixed(run.errors.given[t])}.`;
}

export const typicalError = (value) => (Number.isFinite(value) ? `; typical error ${fixed(value)}` : "");

/** Says which part of a larger matrix the window is. @param {Run} run */
export function windowWords(run) {
  const { n, m, top, left, total_rows, total_cols } = run;
  if (n === total_rows && m === total_cols) return "";
  const part = (what, first, count, all) => `${what} ${first + 1} to ${first + count} of ${all.toLocaleString("en")}`;
  return ` ${part("Rows", top, n, total_rows)}, ${part("columns", left, m, total_cols)}.`;
}

/** Says what is pointed out, after another sentence. @param {Run} run */
export function markWords(run) {
  if (!run.mark) return "";
  const { row, col, text } = run.mark;
  return ` Marked${text ? ` with “${text}”` : ""}: ${rowName(run, row)}, ${colName(run, col)}.`;
}

/**
 * An alternative text: how many numbers a map has, between which ends, and where the largest is; `sign`: the values are
 * signed. The head is such as "Residual on the given cells after step 3 of 10", and `after` follows.
 * @param {Run} run
 * @param {Float32Array} values
 */
export function describe(run, head, values, { noun = "estimate", sign = false, after = "" } = {}) {
  const span = spanOf(values);
  if (!span) return `${head}: no cells.${windowWords(run)}`;
  const numbers = values.filter(Number.isFinite);
  const at = maxIndex(values, sign ? Math.abs : (value) => value);
  const cell = `${rowName(run, Math.floor(at / run.m))}, ${colName(run, at % run.m)}`;
  const found = sign
    ? `${counted(numbers.length, "cell")}, ${numbers.filter((value) => value < 0).length} of them below zero, ` +
      `largest ${signed(values[at], plain)} at ${cell}`
    : `${counted(numbers.length, noun)} between ${plain(span[0])} and ${plain(span[1])}, highest for ${cell}`;
  return `${head}: ${found}${after}.${windowWords(run)}`;
}

/** What the two errors of a step are on. @param {Run} run */
export const errorNames = (run) => run.reports?.names ?? ["given cells", "hidden cells"];

/** @param {Run} run */
export function altCurves(run, t) {
  const line = (name, errors) => {
    const way = `from ${fixed(errors[0])} to ${fixed(errors[run.T])}, ${fixed(errors[t])} now`;
    return `${name} ${way}, smallest after ${run.round} ${minIndex(errors)}`;
  };
  const { given, hidden } = run.errors;
  const [ofGiven, ofHidden] = errorNames(run);
  const all = [line(ofGiven, given), ...(hidden ? [line(ofHidden, hidden)] : [])];
  const levels = run.levels.map(({ name, value }) => `${name} ${fixed(value)}`);
  return `RMSE per ${run.round}, ${run.round} ${t} of ${run.T}: ${[...all, ...levels].join("; ")}.`;
}

/** The text next to the pointer; `told`: estimates and true ratings may be said. @param {Run} run @returns {Words} */
export function cellWords(run, t, picture, i, j, told) {
  const at = i * run.m + j;
  const kind = cellKind(run, at);
  const { values, scale } = picture.blocks[picture.blocks.length - 1];
  const lines = [];
  const number = scale.kind === "signed" ? signed(values[at], plain) : plain(values[at]);
  if (picture.reads) lines.push(`${picture.reads}: ${Number.isNaN(values[at]) ? "no number" : number}`);
  const mine = run.edits?.made.some(([row, col]) => row === i && col === j) ?? false;
  if (kind === "given") lines.push(`${mine ? "you" : "given"}: ${plain(run.X[at])}`);
  if (mine && told && run.answers) lines.push(`true rating: ${plain(run.answers[at])}`);
  if (told && !run.maps.length && picture.id !== "truth") lines.push(`estimate ${afterStep(run, t)}: ${plain(clipped(run, product(run, t)[at]))}`);
  if (run.features) lines.push(`the model was told: ${run.features[j]}`);
  if (!told && kind !== "given") lines.push("not given");
  else if (kind === "hidden") lines.push(`hidden; true rating: ${plain(run.truth?.[at])}`);
  else if (kind === "missing" && !run.maps.length) lines.push("missing; nobody knows its rating");
  const { mark } = run;
  if (!told && mark?.text && mark.row === i && mark.col === j) lines.push(`marked with “${mark.text}”`);
  if (told && t === run.T && run.lower && run.upper && run.level !== null && kind !== "given") {
    lines.push(`${Math.round(100 * run.level)} % interval: ${plain(run.lower[at])} to ${plain(run.upper[at])}`);
  }
  if (picture.id === "width") {
    const row = ratedIn(run, "row", i).length;
    const col = ratedIn(run, "col", j).length;
    lines.push(`to go by: ${counted(row, "rating")} in its row, ${counted(col, "rating")} in its column`);
  }
  return { head: [rowName(run, i), colName(run, j)], lines };
}
