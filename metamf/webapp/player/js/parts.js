/**
 * What all pictures are made of: the form of a picture, marks of given and hidden cells, legends, colours of the estimates.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./colour.js").Scale} Scale
 * @typedef {import("./state.js").Colouring} Colouring
 *
 * @typedef {Object} Block  one matrix of a picture, in the order in which its axes are drawn
 * @property {"UV"|"U"|"V"} part  V: transposed, factors by columns
 * @property {string} name
 * @property {Float32Array} values
 * @property {Scale} scale
 * @property {Uint8Array|null} marks  1 where a dot says "given", 2 where a ring says "hidden"
 * @property {number[]} constant  positions along the factors that are always 1
 *
 * @typedef {Object} LegendItem
 * @property {Scale|null} scale
 * @property {string} name  what the colours mean
 * @property {string} low  what stands at the ends
 * @property {string} high
 * @property {string} words  a sentence, or nothing
 * @property {{mark: "given"|"hidden"|"empty"|"constant", text: string}[]} keys
 *
 * @typedef {Object} Picture
 * @property {string} id
 * @property {"map"|"product"|"words"} form
 * @property {string} title
 * @property {string} detail
 * @property {string} alt
 * @property {Block[]} blocks  the map itself, or U, V and U V^T
 * @property {LegendItem[]} legend
 * @property {number[]} factorOrder  which factor stands where: those that are set apart come first
 * @property {number} special  how many are set apart
 */
import { difference, estimate } from "./run.js";
import { signedScale, spanOf } from "./colour.js";
import { cellKind, exactNumber } from "./alttext.js";

/** @param {Run} run @returns {Uint8Array} */
function marksOf(run) {
  const marks = new Uint8Array(run.n * run.m);
  const mixed = marks.some((_, at) => cellKind(run, at) === "hidden") && marks.some((_, at) => cellKind(run, at) === "unknown");
  for (let at = 0; at < marks.length; at++) {
    const kind = cellKind(run, at);
    marks[at] = kind === "given" ? 1 : kind === "hidden" && mixed ? 2 : 0;
  }
  return marks;
}

/** @type {WeakMap<Run, Map<string, any>>} */
const keptOfRuns = new WeakMap();

/**
 * @template Value
 * @param {Run} run
 * @param {string} name
 * @param {() => Value} make
 * @returns {Value} made once for a run
 */
export function once(run, name, make) {
  let kept = keptOfRuns.get(run);
  if (!kept) keptOfRuns.set(run, (kept = new Map()));
  if (!kept.has(name)) kept.set(name, make());
  return kept.get(name);
}

/** @param {Run} run */
export const runMarks = (run) => once(run, "marks", () => marksOf(run));

/** @param {Run} run @param {boolean} empty  whether the cells that are not given are empty @returns {LegendItem["keys"]} */
export function markKeys(run, empty) {
  const kinds = once(run, "kinds", () => new Set(Array.from({ length: run.n * run.m }, (_, at) => cellKind(run, at))));
  const keys = [];
  if (kinds.has("given")) keys.push({ mark: /** @type {const} */ ("given"), text: "given" });
  if (kinds.has("hidden") && kinds.has("unknown")) {
    keys.push({ mark: /** @type {const} */ ("hidden"), text: "hidden: rated, and kept from the model" });
    if (empty) keys.push({ mark: /** @type {const} */ ("empty"), text: "nobody rated it" });
  } else if (!empty) return keys;
  else if (kinds.has("hidden")) keys.push({ mark: /** @type {const} */ ("empty"), text: "hidden from the model" });
  else if (kinds.has("unknown")) keys.push({ mark: /** @type {const} */ ("empty"), text: "missing" });
  return keys;
}

/** @param {Scale} scale @param {string} name @param {LegendItem["keys"]} [keys] @returns {LegendItem} */
export function ratingLegend(scale, name, keys = []) {
  return { scale, name, low: exactNumber(scale.low), high: exactNumber(scale.high), words: "", keys };
}

/** @param {Scale} scale @param {string} low @param {string} high @param {LegendItem["keys"]} [keys] @returns {LegendItem} */
export function signedLegend(scale, low, high, keys = []) {
  return { scale, name: "", low: `${low} ${exactNumber(scale.low, true)}`.trim(), high: `${exactNumber(scale.high, true)} ${high}`.trim(), words: "", keys };
}

/** @param {Run} run @returns {Scale} */
export const ratingScale = (run) => ({ kind: "rating", low: run.low, high: run.high });

/**
 * Values and colours of the estimates, as the visitor chose.
 * @param {Run} run
 * @param {number} t
 * @param {Colouring} colouring
 * @param {Float32Array} plain  what is shown of them on the scale of the ratings
 * @returns {{values: Float32Array, scale: Scale, legend: LegendItem}}
 */
export function coloured(run, t, colouring, plain) {
  if (colouring === "levels") {
    const scale = signedScale(once(run, "largest interaction", () => largestOf(run, interaction)));
    const legend = signedLegend(scale, "less", "more", []);
    return { values: interaction(run, t), scale, legend: { ...legend, name: "estimate minus row and column level" } };
  }
  if (colouring === "span") {
    const [low, high] = once(run, "span", () => estimateSpan(run));
    const scale = /** @type {Scale} */ ({ kind: "rating", low, high });
    return { values: plain, scale, legend: ratingLegend(scale, "what the estimates span") };
  }
  return { values: plain, scale: ratingScale(run), legend: ratingLegend(ratingScale(run), "rating") };
}

/** @param {Run} run @returns {Scale} of what the edits changed, at all steps */
export const differenceScale = (run) => once(run, "difference", () => signedScale(largestOf(run, difference)));

/** @param {Run} run @returns {[number, number]} of the cells that are not given, over all steps */
function estimateSpan(run) {
  let low = Infinity;
  let high = -Infinity;
  for (let t = 0; t <= run.T; t++) {
    const span = spanOf(estimate(run, t).map((value, at) => (Number.isNaN(run.X[at]) ? value : NaN)));
    if (span) [low, high] = [Math.min(low, span[0]), Math.max(high, span[1])];
  }
  return low <= high ? [low, high] : [run.low, run.high];
}

/**
 * Estimate minus row and column level: what is left of the matrix when the mean of each row and of each column is gone.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function interaction(run, t) {
  const values = estimate(run, t);
  const { n, m } = run;
  const rows = new Float64Array(n);
  const cols = new Float64Array(m);
  for (let at = 0; at < values.length; at++) {
    rows[Math.floor(at / m)] += values[at] / m;
    cols[at % m] += values[at] / n;
  }
  const mean = rows.reduce((sum, value) => sum + value, 0) / n;
  return values.map((value, at) => value - rows[Math.floor(at / m)] - cols[at % m] + mean);
}

/** @param {Run} run @param {(run: Run, t: number) => Float32Array} of @returns {number} the largest size over all steps */
export function largestOf(run, of) {
  let largest = 0;
  for (let t = 0; t <= run.T; t++) {
    const span = spanOf(of(run, t));
    if (span) largest = Math.max(largest, -span[0], span[1]);
  }
  return largest;
}
