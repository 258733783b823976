/**
 * A run in the browser, and every matrix that follows from it, computed here and kept.
 *
 * The file's own symbols: n, m rows and columns of the window; i, j one of them; K factors; T the last step, 0 the
 * prior. All matrices are Float32Array(n * m), row by row, in rating units, NaN where a cell has no value. Nothing here
 * knows a document: node tests it.
 *
 * @typedef {import("./payload.js").EditsSaid} EditsSaid
 * @typedef {import("./payload.js").Lean} Lean
 *
 * @typedef {Omit<import("./payload.js").SentMap, "values"> & {values: Float32Array}} StillMap
 *
 * @typedef {Object} Run
 * @property {string} id
 * @property {{name: string, description: string}} matrix
 * @property {{name: string, title: string, kind: "paper"|"universal"|"mf", rule: "paper"|"safe"|"exact"}} model
 * @property {"step"|"sweep"} round
 * @property {number} n
 * @property {number} m
 * @property {number} K
 * @property {number} T
 * @property {number} top
 * @property {number} left
 * @property {number} totalRows
 * @property {number} totalCols
 * @property {string[]|null} rows
 * @property {string[]|null} cols
 * @property {number} mean
 * @property {number} std
 * @property {number} low
 * @property {number} high
 * @property {boolean} clip
 * @property {Float32Array} X  given ratings
 * @property {Float32Array|null} truth  true ratings of the hidden cells
 * @property {Float32Array} U  (T + 1) * n * K, standardised units
 * @property {Float32Array} V  (T + 1) * m * K
 * @property {{U: number[], V: number[]}} constants
 * @property {{U: number[], V: number[]}} effects
 * @property {number|null} eta
 * @property {number|null} lambda
 * @property {Float32Array|null} lower  ends of the intervals after the last step
 * @property {Float32Array|null} upper
 * @property {number|null} level
 * @property {number} nGiven
 * @property {number} nHidden
 * @property {{given: (number|null)[], hidden: (number|null)[]|null}} errors
 * @property {{data: (number|null)[], prior: (number|null)[]}|null} pulls
 * @property {{factor: number, residual: number, change: number}} limits
 * @property {Run|null} pinned  the run on the data, where this one is on edited ratings: differences are drawn to it
 * @property {EditsSaid|null} edits
 * @property {Lean|null} lean
 * @property {import("./marked.js").Mark|null} mark
 * @property {{name: string, value: number}[]} levels
 * @property {StillMap[]} maps  those that follow no step
 * @property {[string, string]} nouns  what a row and a column is called
 * @property {Map<number, Float32Array>} products  kept by `product`
 */

const KEPT_VALUES = 4_000_000; // numbers of products that are kept, 16 MB; 44 steps of 300 x 300

/** @param {Run} run @param {number} t @param {number} i @returns {Float32Array} u_i(t), K numbers */
export const rowFactors = (run, t, i) => run.U.subarray((t * run.n + i) * run.K, (t * run.n + i + 1) * run.K);

/** @param {Run} run @param {number} t @param {number} j @returns {Float32Array} v_j(t), K numbers */
export const colFactors = (run, t, j) => run.V.subarray((t * run.m + j) * run.K, (t * run.m + j + 1) * run.K);

/**
 * U(t) V(t)^T in rating units, not clipped; kept, so do not write into it.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function product(run, t) {
  const kept = run.products.get(t);
  if (kept) return kept;
  const { n, m, K, mean, std, U, V } = run;
  const found = new Float32Array(n * m);
  const u0 = t * n * K;
  const v0 = t * m * K;
  for (let i = 0; i < n; i++) {
    const u = u0 + i * K;
    for (let j = 0; j < m; j++) {
      const v = v0 + j * K;
      let sum = 0;
      for (let k = 0; k < K; k++) sum += U[u + k] * V[v + k];
      found[i * m + j] = mean + std * sum;
    }
  }
  const room = Math.max(1, Math.floor(KEPT_VALUES / Math.max(1, n * m)));
  if (run.products.size >= room) run.products.delete(/** @type {number} */ (run.products.keys().next().value));
  run.products.set(t, found);
  return found;
}

/** @param {Run} run @param {number} value in rating units @returns {number} clipped to the scale, where there is one */
export const clipped = (run, value) => (run.clip ? Math.min(run.high, Math.max(run.low, value)) : value);

/** @type {WeakMap<Run, {t: number, values: Float32Array}>} */
const estimates = new WeakMap(); // of the step that was asked for last: map, words and errors of a step share it

/**
 * U(t) V(t)^T, clipped to the scale; kept, so do not write into it.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function estimate(run, t) {
  const found = product(run, t);
  if (!run.clip) return found;
  const kept = estimates.get(run);
  if (kept?.t === t) return kept.values;
  const values = found.map((value) => clipped(run, value));
  estimates.set(run, { t, values });
  return values;
}

/**
 * The given ratings as they are, and the estimates of all other cells.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function filled(run, t) {
  return estimate(run, t).map((value, at) => (Number.isNaN(run.X[at]) ? value : run.X[at]));
}

/**
 * Estimate minus rating on the given cells, not clipped: what drives the next step.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function residual(run, t) {
  return product(run, t).map((value, at) => value - run.X[at]);
}

/**
 * What step t changed in the product; zero for step 0.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function change(run, t) {
  const before = product(run, Math.max(t - 1, 0));
  return product(run, t).map((value, at) => value - before[at]);
}

/**
 * Estimate minus true rating on the hidden cells.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function error(run, t) {
  const { truth } = run;
  return estimate(run, t).map((value, at) => (truth ? value - truth[at] : NaN));
}

/**
 * The estimate minus that on the data, at the same step; nothing is different where nothing is edited.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function difference(run, t) {
  const before = estimate(run.pinned ?? run, t);
  return estimate(run, t).map((value, at) => value - before[at]);
}

/**
 * One cell as a sum over the factors.
 * @param {Run} run
 * @param {number} t
 * @param {number} i
 * @param {number} j
 * @returns {{terms: Float64Array, sum: number, estimate: number}} terms u_ik v_jk and their sum in standardised units,
 *   the estimate in rating units, clipped
 */
export function cellTerms(run, t, i, j) {
  const u = rowFactors(run, t, i);
  const v = colFactors(run, t, j);
  const terms = Float64Array.from(u, (value, k) => value * v[k]);
  const sum = terms.reduce((total, term) => total + term, 0);
  return { terms, sum, estimate: clipped(run, run.mean + run.std * sum) };
}

/** @param {Run} run @param {number} i @returns {string} the name of a row, or its number in the whole matrix */
export const rowName = (run, i) => run.rows?.[i] ?? String(run.top + i + 1);

/** @param {Run} run @param {number} j @returns {string} */
export const colName = (run, j) => run.cols?.[j] ?? String(run.left + j + 1);
