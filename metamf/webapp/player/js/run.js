/**
 * A run as the server sends it (`metamf/webapp/experiments/replay.py`), and every matrix that follows from it,
 * computed here.
 *
 * n, m: rows and columns of the window; i, j: one of them; K factors; T the last step, 0 the prior. Matrices are
 * Float32Array(n * m), row by row, in rating units, NaN where a cell has no value. Nothing here knows a document.
 */

const VERSION = 2;
const KEPT_VALUES = 4_000_000; // numbers of products that are kept, 16 MB; 44 steps of 300 x 300
const NONE = { U: [], V: [] };
/** What a payload may leave out, as that of maps that follow no step does. */
const DEFAULTS = {
  ...{ round: "step", K: 0, T: 0, top: 0, left: 0, mean: 0, std: 1, clip: false, nouns: ["row", "column"] },
  ...{ model: { name: "", title: "", kind: "mf", rule: "exact" }, constants: NONE, effects: NONE, levels: [], maps: [] },
  ...{ truth: null, U: "", V: "", lower: null, upper: null, level: null, eta: null, lambda: null },
  ...{ pulls: null, pinned: null, edits: null, lean: null, mark: null, errors: { given: [null], hidden: null } },
};

/** @param {string|null} text  base64 of little-endian float32 */
function floats(text) {
  return text === null ? null : new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

/** @returns {Run} */
export function decodeRun(payload) {
  if (payload.version !== VERSION) throw new Error(`payload of version ${payload.version}`);
  const run = { ...DEFAULTS, ...payload, pinned: null, kept: new Map() };
  for (const name of ["X", "truth", "U", "V", "lower", "upper"]) run[name] = floats(run[name]);
  run.maps = run.maps.map((map) => ({ ...map, values: floats(map.values) }));
  if (payload.pinned) {
    const { U, V, mean, std } = payload.pinned; // the window and the number of steps are the same
    run.pinned = { ...run, U: floats(U), V: floats(V), mean, std, kept: new Map() };
  }
  return run;
}

/**
 * @template Value
 * @param {Run} run
 * @param {string} name
 * @param {() => Value} make
 * @returns {Value} made once for a run
 */
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
export const clipped = (run, value) => (run.clip ? Math.min(run.high, Math.max(run.low, value)) : value);

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

/** Estimate minus rating on the given cells, not clipped: what drives the next step. @param {Run} run */
export const residual = (run, t) => product(run, t).map((value, at) => value - run.X[at]);

/** What step t changed in the product; zero for step 0. @param {Run} run */
export function change(run, t) {
  const before = product(run, Math.max(t - 1, 0));
  return product(run, t).map((value, at) => value - before[at]);
}

/** Estimate minus true rating on the hidden cells. @param {Run} run */
export const error = (run, t) => estimate(run, t).map((value, at) => (run.truth ? value - run.truth[at] : NaN));

/** The estimate minus that on the data, at the same step. @param {Run} run */
export function difference(run, t) {
  const before = estimate(run.pinned ?? run, t);
  return estimate(run, t).map((value, at) => value - before[at]);
}

/** Estimate minus row and column level: the mean of each row and of each column is taken out. @param {Run} run */
export function interaction(run, t) {
  const { n, m } = run;
  const values = estimate(run, t);
  const [rows, cols] = [new Float64Array(n), new Float64Array(m)];
  values.forEach((value, at) => {
    rows[Math.floor(at / m)] += value / m;
    cols[at % m] += value / n;
  });
  const mean = rows.reduce((sum, value) => sum + value, 0) / n;
  return values.map((value, at) => value - rows[Math.floor(at / m)] - cols[at % m] + mean);
}

/**
 * One cell as a sum over the factors: the terms u_ik v_jk and their sum in standardised units, the estimate in rating
 * units.
 * @param {Run} run
 */
export function cellTerms(run, t, i, j) {
  const v = factorsAt(run, t, "col", j);
  const terms = Float64Array.from(factorsAt(run, t, "row", i), (value, k) => value * v[k]);
  const sum = terms.reduce((total, term) => total + term, 0);
  return { terms, sum, estimate: clipped(run, run.mean + run.std * sum) };
}

/**
 * Positions of the ratings of a row, or of a column, along it.
 * @param {Run} run
 * @param {Side} side
 * @returns {number[]}
 */
export function ratedIn(run, side, at) {
  const count = side === "row" ? run.m : run.n;
  const given = (other) => run.X[side === "row" ? at * run.m + other : other * run.m + at];
  return Array.from({ length: count }, (_, other) => other).filter((other) => !Number.isNaN(given(other)));
}

/**
 * The ratings of a row or a column at step t: rating, u . v - x in standardised units, and the factors of the other
 * side.
 * @param {Run} run
 * @param {Side} side
 */
export function ratingsAt(run, t, side, at) {
  return ratedIn(run, side, at).map((other) => {
    const [i, j] = side === "row" ? [at, other] : [other, at];
    const rating = run.X[i * run.m + j];
    const off = cellTerms(run, t, i, j).sum - (rating - run.mean) / (run.std || 1);
    return { other, rating, off, factors: factorsAt(run, t, side === "row" ? "col" : "row", other) };
  });
}

/**
 * The two terms of Eq. (6) for a row, or of Eq. (7) for a column, in standardised units: step t + 1 moves its factors
 * by minus eta times their sum. For row i, `data` is sum_m b_im (u_i . v_m - x_im) v_m and `prior` is lambda (u_i -
 * u_i(0)).
 * @param {Run} run
 * @param {Side} side
 */
export function pullsOf(run, t, side, at) {
  const data = new Float64Array(run.K);
  for (const { off, factors } of ratingsAt(run, t, side, at)) factors.forEach((value, k) => (data[k] += off * value));
  const start = factorsAt(run, 0, side, at);
  const prior = Float64Array.from(factorsAt(run, t, side, at), (value, k) => (run.lambda ?? 0) * (value - start[k]));
  return { data, prior };
}
