/**
 * What a picture shows, in words: alternative texts, the text beside the pointer.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {Pick<Run, "n"|"m"|"top"|"left"|"rows"|"cols">} Named  rows and columns, with their names
 * @typedef {"given"|"hidden"|"unknown"} CellKind  hidden: its true rating is known here, and was kept from the model
 */
import { clipped, estimate, product } from "./run.js";
import { spanOf } from "./colour.js";
import { cleanNames, isolated } from "./names.js";

/** @type {WeakMap<Named, {rows: string[], cols: string[]}>} */
const namesOfRuns = new WeakMap();

/** @param {Named} run @returns {{rows: string[], cols: string[]}} cleaned names; positions where there are none */
export function namesOf(run) {
  let names = namesOfRuns.get(run);
  if (!names) {
    names = { rows: cleanNames(run.rows, run.top, run.n), cols: cleanNames(run.cols, run.left, run.m) };
    namesOfRuns.set(run, names);
  }
  return names;
}

/** @param {Run} run @param {number} i @returns {string} "Adila" or "row 3" */
const rowWords = (run, i) => (run.rows?.[i] ? isolated(namesOf(run).rows[i]) : `${run.nouns[0]} ${namesOf(run).rows[i]}`);

/** @param {Run} run @param {number} j @returns {string} */
const colWords = (run, j) => (run.cols?.[j] ? isolated(namesOf(run).cols[j]) : `${run.nouns[1]} ${namesOf(run).cols[j]}`);

/** @param {Run} run @param {number} at @returns {string} names of its row and its column */
export const cellName = (run, at) => `${rowWords(run, Math.floor(at / run.m))}, ${colWords(run, at % run.m)}`;

/** @param {Run} run @param {number} at @returns {CellKind} */
export function cellKind(run, at) {
  if (!Number.isNaN(run.X[at])) return "given";
  return run.truth && !Number.isNaN(run.truth[at]) ? "hidden" : "unknown";
}

/** @param {number} value @param {boolean} [signed] @returns {string} two digits, for sentences and legends */
export function exactNumber(value, signed = false) {
  if (!Number.isFinite(value)) return "not a number";
  const text = Math.abs(value) >= 1000 ? Math.abs(value).toPrecision(4) : Math.abs(value).toFixed(2);
  const short = text.replace(/^(\d+)\.00$/, "$1");
  if (Number(short) === 0) return "0";
  return `${value < 0 ? "−" : signed ? "+" : ""}${short}`;
}

/** @param {number} value @returns {string} an error: always two digits, so that 1.04 stands beside 1.00 */
export const errorNumber = (value) => (Math.abs(value) >= 1000 || !Number.isFinite(value) ? exactNumber(value) : value.toFixed(2));

/** @param {number} count @param {string} noun @returns {string} */
export const countedWords = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** @param {number|null|undefined} value @returns {string} */
const errorWords = (value) => (value === null || value === undefined || !Number.isFinite(value) ? "" : `typical error ${errorNumber(value)}`);

/** @param {Run} run @param {number} t @returns {string} */
export const afterStep = (run, t) => `after ${run.round} ${t} of ${run.T}`;

/** @param {Run} run @returns {string} says that a window is not all of the matrix */
export function windowWords(run) {
  if (run.n === run.totalRows && run.m === run.totalCols) return "";
  return ` Rows ${run.top + 1} to ${run.top + run.n} of ${run.totalRows.toLocaleString("en")}, columns ${run.left + 1} to ${run.left + run.m} of ${run.totalCols.toLocaleString("en")}.`;
}

/** @param {ArrayLike<number>} values @param {(value: number) => number} by @returns {number} where it is largest; -1 */
export function largestAt(values, by) {
  let best = -1;
  for (let at = 0; at < values.length; at++) {
    if (Number.isFinite(values[at]) && (best < 0 || by(values[at]) > by(values[best]))) best = at;
  }
  return best;
}

/** @param {Run} run @returns {string} */
export function altGiven(run) {
  const count = run.X.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
  const span = spanOf(run.X);
  if (!span) return `Given: none of ${countedWords(run.n * run.m, "cell")}.${windowWords(run)}`;
  const perRow = Array.from({ length: run.n }, (_, i) => run.X.subarray(i * run.m, (i + 1) * run.m).reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0));
  const most = perRow.indexOf(Math.max(...perRow));
  const none = perRow.filter((given) => given === 0).length;
  const without = none ? `; ${none === 1 ? "one row has" : `${none} rows have`} none` : "";
  return (
    `Given: ${count.toLocaleString("en")} of ${countedWords(run.n * run.m, "cell")}, ratings from ${exactNumber(span[0])} to ${exactNumber(span[1])}; ` +
    `most for ${rowWords(run, most)}, ${perRow[most]}${without}.${windowWords(run)}`
  );
}

/** @param {Run} run @returns {string} */
export function altEpisode(run) {
  const kinds = Array.from({ length: run.n * run.m }, (_, at) => cellKind(run, at));
  const [support, query] = ["given", "hidden"].map((kind) => kinds.filter((one) => one === kind).length);
  return `Episode, ${countedWords(run.n, "row")} and ${countedWords(run.m, "column")}: ${countedWords(support, "rating")} given, the support; ${query.toLocaleString("en")} held back, the query.${windowWords(run)}`;
}

/** @param {Run} run @returns {string} what is marked, after a sentence */
export function altMark(run) {
  if (!run.mark) return "";
  const { row, col, text } = run.mark;
  const names = [...(row === null ? [] : [rowWords(run, row)]), ...(col === null ? [] : [colWords(run, col)])];
  return ` Marked${text ? ` with “${text}”` : ""}: ${names.join(", ")}.`;
}

/** @param {Run} run @param {number} t @returns {string} */
export function altFilled(run, t) {
  const estimates = estimate(run, t).map((value, at) => (Number.isNaN(run.X[at]) ? value : NaN));
  const span = spanOf(estimates);
  if (!span) return `Filled in: every cell is given.${windowWords(run)}`;
  const count = estimates.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
  const error = errorWords(run.errors.hidden?.[t]);
  return (
    `Filled in ${afterStep(run, t)}: ${countedWords(count, "estimate")} between ${exactNumber(span[0])} and ${exactNumber(span[1])}, ` +
    `highest for ${cellName(run, largestAt(estimates, (value) => value))}${error ? `; ${error}` : ""}.${windowWords(run)}`
  );
}

/**
 * A map of signed values.
 * @param {Run} run
 * @param {string} what  such as "Error on hidden cells after step 3 of 10"
 * @param {Float32Array} values
 * @param {string} [error]
 * @returns {string}
 */
export function altSigned(run, what, values, error = "") {
  const at = largestAt(values, Math.abs);
  if (at < 0) return `${what}: no cells.`;
  const count = values.reduce((sum, value) => sum + (Number.isFinite(value) ? 1 : 0), 0);
  const below = values.reduce((sum, value) => sum + (value < 0 ? 1 : 0), 0);
  const largest = Math.abs(values[at]) < 0.005 ? "nothing is larger than 0.005" : `largest ${exactNumber(values[at], true)} at ${cellName(run, at)}`;
  return `${what}: ${countedWords(count, "cell")}, ${below.toLocaleString("en")} of them below zero, ${largest}${error ? `; ${error}` : ""}.${windowWords(run)}`;
}

/** @param {Run} run @param {number} t @returns {string} */
export const altError = (run, t, /** @type {Float32Array} */ values) => altSigned(run, `Error on hidden cells ${afterStep(run, t)}`, values, errorWords(run.errors.hidden?.[t]));

/** @param {Run} run @param {number} t @param {Float32Array} values @returns {string} */
export const altResidual = (run, t, values) => altSigned(run, `Residual on the given cells ${afterStep(run, t)}`, values, errorWords(run.errors.given[t]));

/** @param {Run} run @param {Float32Array} widths @param {string} words  what the legend says @returns {string} */
export function altWidths(run, widths, words) {
  const span = spanOf(widths);
  const level = run.level === null ? "" : `${Math.round(100 * run.level)} % `;
  if (!span) return `How sure it is: every cell is given.`;
  const between = span[1] - span[0] < 0.005 ? `all ${level}intervals are ${exactNumber(span[0])} wide` : `${level}intervals between ${exactNumber(span[0])} and ${exactNumber(span[1])} wide, widest for ${cellName(run, largestAt(widths, (value) => value))}`;
  return `How sure it is: ${between}${words ? `; ${words.replace(/\.$/, "")}` : ""}.${windowWords(run)}`;
}

/** @param {Run} run @param {number} t @param {Float32Array} values  the product @returns {string} */
export function altProduct(run, t, values) {
  const span = spanOf(values) ?? [NaN, NaN];
  return (
    `U(${t}) at the left, ${run.n} rows by ${run.K} factors; V(${t}) transposed above, ${run.K} factors by ${run.m} columns; ` +
    `where they meet their product, estimates between ${exactNumber(span[0])} and ${exactNumber(span[1])}, highest for ${cellName(run, largestAt(values, (value) => value))}.${windowWords(run)}`
  );
}

/** @param {Run} run @param {number} t @returns {string} */
export function altCurves(run, t) {
  const line = (/** @type {string} */ name, /** @type {(number|null)[]} */ errors) => {
    const numbers = errors.map((value) => value ?? NaN);
    const best = largestAt(numbers, (value) => -value);
    return `${name} from ${errorNumber(numbers[0])} to ${errorNumber(numbers[run.T])}, ${errorNumber(numbers[t])} now, smallest after ${run.round} ${best}`;
  };
  const hidden = run.errors.hidden ? `; ${line("on hidden cells", run.errors.hidden)}` : "";
  const levels = run.levels.map(({ name, value }) => `; ${name} ${errorNumber(value)}`).join("");
  return `RMSE per ${run.round}, ${run.round} ${t} of ${run.T}: ${line("on given cells", run.errors.given)}${hidden}${levels}.`;
}

/**
 * The text beside the pointer.
 * @param {Run} run
 * @param {number} t
 * @param {number} i
 * @param {number} j
 * @param {{name: string, value: number, signed: boolean}} [own]  what the map under the pointer shows
 * @param {boolean} [evidence]  whether to say how many ratings the row and the column have
 * @returns {{head: string[], lines: string[]}}
 */
export function cellWords(run, t, i, j, own, evidence = false) {
  const at = i * run.m + j;
  const kind = cellKind(run, at);
  const lines = [];
  if (own && Number.isFinite(own.value)) lines.push(`${own.name}: ${exactNumber(own.value, own.signed)}`);
  if (kind === "given") lines.push(`given: ${exactNumber(run.X[at])}`);
  lines.push(`estimate ${afterStep(run, t)}: ${exactNumber(clipped(run, product(run, t)[at]))}`);
  if (kind === "hidden" && run.truth) lines.push(`hidden; truth: ${exactNumber(run.truth[at])}`);
  if (kind === "unknown") lines.push("not given; nobody knows the truth");
  if (t === run.T && run.lower && run.upper && run.level !== null && kind !== "given") {
    lines.push(`${Math.round(100 * run.level)} % interval: ${exactNumber(run.lower[at])} to ${exactNumber(run.upper[at])}`);
  }
  if (evidence) {
    const inRow = countedWords(givenIn(run, i * run.m, 1, run.m), "rating");
    const inCol = countedWords(givenIn(run, j, run.m, run.n), "rating");
    lines.push(`to go by: ${inRow} in its row, ${inCol} in its column`);
  }
  return { head: [namesOf(run).rows[i], namesOf(run).cols[j]], lines };
}

/**
 * The text beside the pointer where no estimate is told.
 * @param {Run} run
 * @param {number} i
 * @param {number} j
 * @param {boolean} [episode]  whether ratings that are held back are told
 * @returns {{head: string[], lines: string[]}}
 */
export function givenWords(run, i, j, episode = false) {
  const rating = run.X[i * run.m + j];
  if (episode && run.truth && cellKind(run, i * run.m + j) === "hidden") {
    return { head: [rowWords(run, i), colWords(run, j)], lines: [`held back: ${exactNumber(run.truth[i * run.m + j])}`] };
  }
  const marked = run.mark && run.mark.row === i && run.mark.col === j && run.mark.text ? [`marked with “${run.mark.text}”`] : [];
  return { head: [namesOf(run).rows[i], namesOf(run).cols[j]], lines: [Number.isNaN(rating) ? "not given" : `given: ${exactNumber(rating)}`, ...marked] };
}

/** @param {Run} run @param {number} first @param {number} step @param {number} count @returns {number} given ratings in a row or column of the window */
function givenIn(run, first, step, count) {
  let given = 0;
  for (let k = 0; k < count; k++) if (!Number.isNaN(run.X[first + k * step])) given++;
  return given;
}
