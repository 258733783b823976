/**
 * The arithmetic of one cell, ready to be drawn: the inner product as a sum of bars, the estimate step by step, and the
 * two pulls of Eqs. (6) and (7) on its row and its column. Nothing here knows a document: node tests it.
 *
 * A pull is a term of the gradient. Step t + 1 moves the factors by minus the step size times the sum of both, so a
 * bar is drawn as that move: minus step size times pull.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {"row"|"col"} Side
 *
 * @typedef {Object} Bar  one factor of u . v
 * @property {number} factor
 * @property {string} name  "factor 3"; the extension's effects have names of their own
 * @property {"factor"|"row effect"|"column effect"} kind
 * @property {number} u  standardised units, as all but `value`
 * @property {number} v
 * @property {number} term  u times v
 * @property {number} from  the sum of the terms before it
 * @property {number} to
 *
 * @typedef {Object} Sum  bars that add up to the estimate of a cell
 * @property {Bar[]} bars
 * @property {number} sum  of all terms
 * @property {number} value  mean + std * sum, rating units
 * @property {number} estimate  the same, clipped to the scale
 * @property {number} low  ends of what the bars need at any step
 * @property {number} high
 *
 * @typedef {Object} Pulls  on a row or a column at step t; Float64Array(K) in standardised units
 * @property {Side} side
 * @property {number} at  which row or column
 * @property {Float64Array} now  its factors at t
 * @property {Float64Array} prior0  its factors at 0
 * @property {Float64Array|null} data  the ratings' pull; null where ratings outside of the window would be needed
 * @property {Float64Array} prior  the prior's pull
 * @property {number|null} step  eta, or what a safe step makes of it; null with `data`
 * @property {Float64Array|null} next  now - step * (data + prior)
 * @property {boolean} taken  whether that step is part of the run
 *
 * @typedef {Object} RatingTerm  what one rating adds to the ratings' pull on one factor
 * @property {number} other  its column, for a row
 * @property {number} rating  rating units
 * @property {number} off  u . v - x, standardised units
 * @property {number} factor  of the other side
 * @property {number} term  off times factor
 */
import { colPulls, rowPulls } from "./pulls.js";
import { cellTerms, clipped, colFactors, product, rowFactors } from "./run.js";

/**
 * A number as a sentence holds it, as `rounded` of metamf/wording.py: two decimals, or three significant digits where
 * that says more or less.
 * @param {number} value
 * @returns {string}
 */
export function spoken(value) {
  if (!Number.isFinite(value)) return "not a number";
  const size = Math.abs(value);
  if (size > 0 && size < 1e-4) return withSign(value.toExponential(1));
  return withSign((size >= 0.1 && size < 100) || size === 0 ? value.toFixed(2) : String(Number(value.toPrecision(3))));
}

/** @param {string} text @returns {string} with the minus sign of typography */
const withSign = (text) => text.replace("-", "\u2212");

/** @param {number} value @returns {string} a rating: 4, 3.5, 3.62 */
export const asRating = (value) => withSign(String(Number(Math.abs(value) < 1000 ? value.toFixed(2) : value.toPrecision(6))));

/** @param {number} value @returns {string} four digits, with which an equation can be checked: −0.4062 */
export const exact = (value) => (Number.isFinite(value) ? withSign(String(Number(value.toPrecision(4)))) : "not a number");

/** @param {number} value @returns {string} with its sign: +0.31, −0.20 */
export const signed = (value) => (value > 0 ? "+" : "") + spoken(value);

/** @param {Run} run @param {number} k @returns {Bar["kind"]} */
function kindOf(run, k) {
  if (run.effects.U.includes(k)) return "row effect";
  return run.effects.V.includes(k) ? "column effect" : "factor";
}

/** @param {Run} run @param {number} k @returns {string} what a coordinate is called */
export function coordinateName(run, k) {
  const kind = kindOf(run, k);
  return kind === "factor" ? `factor ${k + 1}` : `effect of the ${kind === "row effect" ? "row" : "column"}`;
}

/**
 * @param {Run} run
 * @param {number} t
 * @param {number} i
 * @param {number} j
 * @returns {Sum}
 */
export function sumOf(run, t, i, j) {
  const u = rowFactors(run, t, i);
  const v = colFactors(run, t, j);
  const { terms, sum, estimate } = cellTerms(run, t, i, j);
  let reached = 0;
  const bars = Array.from(terms, (term, k) => {
    const from = reached;
    reached += term;
    return { factor: k, name: coordinateName(run, k), kind: kindOf(run, k), u: u[k], v: v[k], term, from, to: reached };
  });
  return { bars, sum, value: run.mean + run.std * sum, estimate, ...endsOf(run, i, j) };
}

/** The lowest and highest sum that is reached on the way, at any step: so nothing moves but the bars. */
/** @param {Run} run @param {number} i @param {number} j */
function endsOf(run, i, j) {
  let low = 0;
  let high = 0;
  for (let t = 0; t <= run.T; t++) {
    let sum = 0;
    for (const term of cellTerms(run, t, i, j).terms) {
      sum += term;
      if (sum < low) low = sum;
      if (sum > high) high = sum;
    }
  }
  return { low, high };
}

/**
 * The estimate of a cell at the prior and after every step.
 * @param {Run} run
 * @param {number} i
 * @param {number} j
 * @returns {{values: number[], given: number|null, truth: number|null, low: number, high: number}} rating units, values
 *   clipped to the scale; null for what nobody knows
 */
export function pathOf(run, i, j) {
  const at = i * run.m + j;
  const values = Array.from({ length: run.T + 1 }, (_, t) => clipped(run, product(run, t)[at]));
  const given = known(run.X[at]);
  const truth = known(run.truth ? run.truth[at] : NaN);
  const all = [...values, given, truth].filter((value) => value !== null && Number.isFinite(value));
  const low = Math.min(.../** @type {number[]} */ (all));
  const high = Math.max(.../** @type {number[]} */ (all));
  const room = high > low ? 0.1 * (high - low) : 0.5;
  return { values, given, truth, low: low - room, high: high + room };
}

/** @param {number} value @returns {number|null} */
const known = (value) => (Number.isNaN(value) ? null : value);

/**
 * What pulls at a row or at a column; null for a model that takes no steps.
 * @param {Run} run
 * @param {number} t
 * @param {Side} side
 * @param {number} at
 * @returns {Pulls|null}
 */
export function pullsOn(run, t, side, at) {
  if (run.eta === null || run.lambda === null) return null;
  const factors = side === "row" ? rowFactors : colFactors;
  const now = Float64Array.from(factors(run, t, at));
  const prior0 = Float64Array.from(factors(run, 0, at));
  const taken = t < run.T;
  const { data, prior } = (side === "row" ? rowPulls : colPulls)(run, t, at);
  const shared = { side, at, now, prior0, prior, taken };
  if (isWhole(run, side)) {
    const step = stepSize(run, t, side, at);
    return { ...shared, data, step, next: now.map((value, k) => value - step * (data[k] + prior[k])) };
  }
  if (!taken || run.model.rule !== "paper") return { ...shared, data: null, step: null, next: null };
  const { eta } = run; // ratings outside of the window pull, too: what they all did is what the step did, less the prior
  const next = Float64Array.from(factors(run, t + 1, at));
  return { ...shared, data: now.map((value, k) => (value - next[k]) / eta - prior[k]), step: eta, next };
}

/** @param {Run} run @param {Side} side @returns {boolean} whether all ratings of a row, or a column, lie in the window */
export const isWhole = (run, side) => (side === "row" ? run.m === run.totalCols : run.n === run.totalRows);

/**
 * eta; for safe steps min(eta, 1 / (2 L)), L the curvature of the row or column: `safe_step` of map_steps.py.
 * @param {Run} run
 * @param {number} t
 * @param {Side} side
 * @param {number} at
 * @returns {number}
 */
export function stepSize(run, t, side, at) {
  const eta = run.eta ?? 0;
  if (run.model.rule !== "safe") return eta;
  let curvature = run.lambda ?? 0;
  for (const other of othersOf(run, side, at)) {
    const factors = side === "row" ? colFactors(run, t, other) : rowFactors(run, t, other);
    for (const value of factors) curvature += value * value;
  }
  return Math.min(eta, 0.5 / curvature);
}

/**
 * The ratings behind the ratings' pull on factor k, one by one.
 * @param {Run} run
 * @param {number} t
 * @param {Side} side
 * @param {number} at
 * @param {number} k
 * @returns {RatingTerm[]}
 */
export function ratingTerms(run, t, side, at, k) {
  return othersOf(run, side, at).map((other) => {
    const [i, j] = side === "row" ? [at, other] : [other, at];
    const rating = run.X[i * run.m + j];
    const off = cellTerms(run, t, i, j).sum - (rating - run.mean) / (run.std || 1);
    const factor = (side === "row" ? colFactors(run, t, other) : rowFactors(run, t, other))[k];
    return { other, rating, off, factor, term: off * factor };
  });
}

/** @param {Run} run @param {Side} side @param {number} at @returns {number[]} columns that a row has ratings in */
export function othersOf(run, side, at) {
  const count = side === "row" ? run.m : run.n;
  const given = (/** @type {number} */ other) => run.X[side === "row" ? at * run.m + other : other * run.m + at];
  return Array.from({ length: count }, (_, other) => other).filter((other) => !Number.isNaN(given(other)));
}

/**
 * The largest move of a single pull at any step that was taken: the fixed end of the bars of this row or column.
 * @param {Run} run
 * @param {Side} side
 * @param {number} at
 * @returns {number}
 */
export function largestMove(run, side, at) {
  let largest = 0;
  for (let t = 0; t <= run.T; t++) {
    const pulls = pullsOn(run, t, side, at);
    if (pulls === null || pulls.data === null || pulls.step === null) continue;
    for (let k = 0; k < run.K; k++) {
      const move = pulls.step * Math.max(Math.abs(pulls.data[k]), Math.abs(pulls.prior[k]));
      if (Number.isFinite(move) && move > largest) largest = move;
    }
  }
  return largest || 1;
}

/** @param {ArrayLike<number>} values @returns {number} where the largest size stands */
export function largestAt(values) {
  let found = 0;
  for (let k = 1; k < values.length; k++) if (Math.abs(values[k]) > Math.abs(values[found])) found = k;
  return found;
}
