/**
 * A run as the server sends it (`metamf/webapp/run/replay.py`), and what follows from it: every matrix, and the
 * arithmetic of one cell, which is its inner product and the two pulls of Eqs. (6) and (7) on its row and its column.
 *
 * n, m: rows and columns of the window; i, j: one of them; K factors; T the last step, 0 the prior. Matrices are
 * Float32Array(n * m), row by row, in rating units, NaN where a cell has no value. Nothing here knows a document.
 */
import { cumsum, extent, max, range, sum as total } from "d3-array";

import { clamp } from "./numbers.js";

const VERSION = 2;
const KEPT_VALUES = 4_000_000; // numbers of products that are kept, 16 MB; 44 steps of 300 x 300
const NONE = { U: [], V: [] };
/** What a payload may leave out, as that of maps that follow no step does. */
const DEFAULTS = {
  ...{ round: "step", K: 0, T: 0, top: 0, left: 0, mean: 0, std: 1, clip: false, nouns: ["row", "column"] },
  ...{ model: { name: "", title: "", kind: "mf", rule: "exact" }, constants: NONE, effects: NONE, levels: [], maps: [] },
  ...{ U: "", V: "", errors: { given: [null], hidden: null } },
};
/** What is null unless a payload has it. */
const OPTIONAL = [
  ...["truth", "lower", "upper", "level", "eta", "lambda", "edits", "influence", "mark", "features", "groups", "mf"],
  ...["answers", "reports"],
];

/** @param {string} text  base64 */
export const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

const floats = (text) => (text === null ? null : new Float32Array(bytes(text))); // of little-endian float32

/** The largest number of two bytes: what the highest rating of a report is sent as. */
const LARGEST = 65_535;

/**
 * The estimates of every report of a training, report by report, or their errors on the hidden cells; a report is base64
 * of two bytes a cell, from the lowest rating to the highest.
 */
function reported({ reports, kind }, { n, m, low, high, truth }) {
  const values = new Float32Array(reports.length * n * m);
  reports.forEach((report, t) => {
    new Uint16Array(bytes(report)).forEach((value, at) => {
      const rating = low + ((high - low) / LARGEST) * value;
      values[t * n * m + at] = kind === "signed" ? rating - truth[at] : rating;
    });
  });
  return values;
}

/** @returns {Run} */
export function decodeRun(payload) {
  if (payload.version !== VERSION) throw new Error(`payload of version ${payload.version}`);
  const run = { ...Object.fromEntries(OPTIONAL.map((name) => [name, null])), ...DEFAULTS, ...payload, kept: new Map() };
  for (const name of ["X", "truth", "U", "V", "lower", "upper", "answers"]) run[name] = floats(run[name]);
  run.maps = run.maps.map((map) => ({ ...map, values: map.reports ? reported(map, run) : floats(map.values) }));
  const beside = (other) => other && { ...run, ...other, U: floats(other.U), V: floats(other.V), mf: null, pinned: null, kept: new Map() };
  return { ...run, mf: beside(payload.mf ?? null), pinned: beside(payload.pinned ?? null) }; // of the same window and number of steps
}

/** What `make` returns, made once for a run. @template Value @param {() => Value} make @returns {Value} */
export function once(run, name, make) {
  if (!run.kept.has(name)) run.kept.set(name, make());
  return run.kept.get(name);
}

/** u_i(t) or v_j(t), K numbers. @param {Run} run @param {Side} side */
export function factorsAt(run, t, side, at) {
  const [count, all] = side === "row" ? [run.n, run.U] : [run.m, run.V];
  return all.subarray((t * count + at) * run.K, (t * count + at + 1) * run.K);
}

/** U(t) V(t)^T in rating units, not clipped; kept, so do not write into it. @param {Run} run @returns {Float32Array} */
export function product(run, t) {
  const products = once(run, "products", () => new Map());
  const kept = products.get(t);
  if (kept) return kept;
  const { n, m, K, mean, std, U, V } = run;
  const found = new Float32Array(n * m);
  for (let i = 0; i < n; i++) {
    const u = (t * n + i) * K;
    for (let j = 0; j < m; j++) {
      const v = (t * m + j) * K;
      let sum = 0;
      for (let k = 0; k < K; k++) sum += U[u + k] * V[v + k];
      found[i * m + j] = mean + std * sum;
    }
  }
  if ((products.size + 1) * n * m > KEPT_VALUES) products.delete(products.keys().next().value);
  products.set(t, found);
  return found;
}

/** A rating clipped to the scale, where there is one. @param {Run} run */
export const clipped = (run, value) => (run.clip ? clamp(value, run.low, run.high) : value);

/** U(t) V(t)^T, clipped to the scale; do not write into it. @param {Run} run @returns {Float32Array} */
export function estimate(run, t) {
  if (!run.clip) return product(run, t);
  let last = run.kept.get("estimate"); // of the step that was asked for last: map, words and errors of a step share it
  if (last?.t !== t) run.kept.set("estimate", (last = { t, values: product(run, t).map((value) => clipped(run, value)) }));
  return last.values;
}

/** The given ratings as they are, and the estimates of all other cells. @param {Run} run */
export const filled = (run, t) => estimate(run, t).map((value, at) => (Number.isNaN(run.X[at]) ? value : run.X[at]));

/** The estimates of the cells that are not given. @param {Run} run */
export const estimated = (run, t) => estimate(run, t).map((value, at) => (Number.isNaN(run.X[at]) ? value : NaN));

/** Values minus others, NaN where one of both has none. */
const minus = (values, others) => values.map((value, at) => value - (others?.[at] ?? NaN));

/** Estimate minus rating on the given cells, not clipped: what drives the next step. @param {Run} run */
export const residual = (run, t) => minus(product(run, t), run.X);

/** What step t changed in the product; zero for step 0. @param {Run} run */
export const change = (run, t) => minus(product(run, t), product(run, stepBefore(t)));

/** Estimate minus true rating on the hidden cells. @param {Run} run */
export const error = (run, t) => minus(estimate(run, t), run.truth);

/** The estimate minus that of the pinned run, at the same step. @param {Run} run */
export const difference = (run, t) => minus(estimate(run, t), estimate(run.pinned ?? run, t));

/** Estimate minus row and column level: the mean of each row and of each column is taken out. @param {Run} run */
export function interaction(run, t) {
  const { n, m } = run;
  const values = estimate(run, t);
  const rows = new Float64Array(n);
  const cols = new Float64Array(m);
  values.forEach((value, at) => {
    rows[Math.floor(at / m)] += value / m;
    cols[at % m] += value / n;
  });
  const mean = total(rows) / n;
  return values.map((value, at) => value - rows[Math.floor(at / m)] - cols[at % m] + mean);
}

/** The terms u_ik v_jk of a cell, in standardised units. @param {Run} run */
function termsOf(run, t, i, j) {
  const v = factorsAt(run, t, "col", j);
  return Float64Array.from(factorsAt(run, t, "row", i), (value, k) => value * v[k]);
}

/** Positions of the ratings of a row, or of a column, along it. @param {Run} run @param {Side} side */
export function ratedIn(run, side, at) {
  const count = side === "row" ? run.m : run.n;
  const given = (other) => run.X[side === "row" ? at * run.m + other : other * run.m + at];
  return range(count).filter((other) => !Number.isNaN(given(other)));
}

/**
 * The ratings of a row or a column at step t: rating, u . v - x in standardised units, and factors of the other side.
 * @param {Run} run
 */
function ratingsAt(run, t, side, at) {
  return ratedIn(run, side, at).map((other) => {
    const [i, j] = side === "row" ? [at, other] : [other, at];
    const rating = run.X[i * run.m + j];
    const off = total(termsOf(run, t, i, j)) - (rating - run.mean) / (run.std || 1);
    return { other, rating, off, factors: factorsAt(run, t, side === "row" ? "col" : "row", other) };
  });
}

/**
 * The two terms of Eq. (6) for a row, or of Eq. (7) for a column, in standardised units: step t + 1 moves its factors by
 * minus eta times their sum. Of row i: data, sum_m b_im (u_i . v_m - x_im) v_m, and prior, lambda (u_i - u_i(0)).
 * @param {Run} run
 */
export function pullsOf(run, t, side, at) {
  const data = new Float64Array(run.K);
  for (const { off, factors } of ratingsAt(run, t, side, at)) factors.forEach((value, k) => (data[k] += off * value));
  const start = factorsAt(run, 0, side, at);
  const prior = Float64Array.from(factorsAt(run, t, side, at), (value, k) => (run.lambda ?? 0) * (value - start[k]));
  return { data, prior };
}

/** What coordinate k of the factors is; `part`: in U or in V alone. @param {Run} run */
export function coordinateName(run, k, part = "") {
  if (run.constants[part]?.includes(k)) return "always 1";
  if (run.effects.U.includes(k)) return "effect of the row";
  return run.effects.V.includes(k) ? "effect of the column" : `factor ${k + 1}`;
}

/**
 * u . v as bars, each of which begins where the one before ends, in standardised units; `value` is the estimate in
 * rating units, `estimate` the same clipped to the scale, `low` and `high` what the bars reach at any step.
 * @param {Run} run
 */
export function sumOf(run, t, i, j) {
  const u = factorsAt(run, t, "row", i);
  const v = factorsAt(run, t, "col", j);
  const terms = termsOf(run, t, i, j);
  const ends = cumsum(terms);
  const effects = [...run.effects.U, ...run.effects.V];
  const bars = Array.from(terms, (term, k) =>
    ({ name: coordinateName(run, k), effect: effects.includes(k), u: u[k], v: v[k], term, from: ends[k - 1] ?? 0, to: ends[k] }));
  const [low = 0, high = 0] = extent([0, ...range(run.T + 1).flatMap((step) => [...cumsum(termsOf(run, step, i, j))])]);
  const sum = total(terms);
  const value = run.mean + run.std * sum;
  return { bars, sum, value, estimate: clipped(run, value), low, high };
}

/** The given and the true rating of a cell, null where it has none. @param {Run} run */
export function knownAt({ X, truth }, at) {
  const known = (values) => (Number.isNaN(values?.[at] ?? NaN) ? null : values[at]);
  return { given: known(X), truth: known(truth) };
}

/** The estimate of a cell at the prior and after every step, clipped, and what is known of it. @param {Run} run */
export function pathOf(run, i, j) {
  const at = i * run.m + j;
  const values = range(run.T + 1).map((t) => clipped(run, product(run, t)[at]));
  const { given, truth } = knownAt(run, at);
  const [low = 0, high = 0] = extent([...values, given, truth].filter(Number.isFinite));
  const room = high > low ? 0.1 * (high - low) : 0.5;
  return { values, given, truth, low: low - room, high: high + room };
}

/** Where the step began that led to step t; at the start where the first one will. */
export const stepBefore = (t) => Math.max(t - 1, 0);

/** Whether all ratings of a row, or of a column, are in the window. @param {Run} run @param {Side} side */
export const isWhole = (run, side) => (side === "row" ? run.m === run.total_cols : run.n === run.total_rows);

/**
 * What pulls at a row or a column at step t; null for a model that takes no steps. `data` and `next` are null where
 * ratings outside of the window would be needed. A pull is drawn as its move: minus step size times pull.
 * @param {Run} run
 */
export function pullsOn(run, t, side, at) {
  if (run.eta === null || run.lambda === null) return null;
  const now = Float64Array.from(factorsAt(run, t, side, at));
  const { data, prior } = pullsOf(run, t, side, at);
  const shared = { side, at, now, start: factorsAt(run, 0, side, at), prior };
  if (isWhole(run, side)) {
    const step = stepSize(run, t, side, at);
    return { ...shared, data, step, next: now.map((value, k) => value - step * (data[k] + prior[k])) };
  }
  if (t === run.T || run.model.rule !== "paper") return { ...shared, data: null, step: null, next: null }; // no step was taken from here
  const step = run.eta; // what all ratings did is what the step did, less the prior's part
  const next = Float64Array.from(factorsAt(run, t + 1, side, at));
  return { ...shared, data: now.map((value, k) => (value - next[k]) / step - prior[k]), step, next };
}

/** eta; for safe steps min(eta, 1 / (2 L)), L the curvature of the row or column (`safe_step`). @param {Run} run */
export function stepSize(run, t, side, at) {
  const eta = run.eta ?? 0;
  if (run.model.rule !== "safe") return eta;
  const squares = total(ratingsAt(run, t, side, at), ({ factors }) => total(factors, (value) => value * value));
  return Math.min(eta, 0.5 / ((run.lambda ?? 0) + squares));
}

/** The smallest and the largest step size at step t; null where the window is not the whole matrix. @param {Run} run */
export function stepSizes(run, t) {
  if (!isWhole(run, "row") || !isWhole(run, "col")) return null;
  const rows = range(run.n).map((at) => stepSize(run, t, "row", at));
  const cols = range(run.m).map((at) => stepSize(run, t, "col", at));
  return /** @type {Span} */ (extent([...rows, ...cols]));
}

/**
 * The norms of both terms of Eq. (6), over all rows, or of Eq. (7), over all columns, at step t in standardised units:
 * of the ratings and of the prior; null where the window is not the whole matrix.
 * @param {Run} run @param {Side} side
 */
export function pullNorms(run, t, side) {
  if (!isWhole(run, "row") || !isWhole(run, "col")) return null;
  const pulls = range(side === "row" ? run.n : run.m).map((at) => pullsOf(run, t, side, at));
  const norm = (of) => Math.sqrt(total(pulls, (pull) => total(of(pull), (value) => value * value)));
  return [norm(({ data }) => data), norm(({ prior }) => prior)];
}

/** What each rating adds to the ratings' pull on factor k. */
export const ratingTerms = (run, t, side, at, k) =>
  ratingsAt(run, t, side, at).map(({ factors, ...found }) => ({ ...found, factor: factors[k], term: found.off * factors[k] }));

/** The largest move of a single pull at any step: the end of the bars of this row or column. @param {Run} run */
export function largestMove(run, side, at) {
  const moves = range(run.T + 1).flatMap((t) => {
    const pulls = pullsOn(run, t, side, at);
    return pulls?.data ? [...pulls.data, ...pulls.prior].map((pull) => Math.abs(pulls.step * pull)) : [];
  });
  return max(moves.filter(Number.isFinite)) || 1;
}
