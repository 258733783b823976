/**
 * A run in the browser: what the server sent, and every matrix that follows from it, computed here and kept.
 *
 * The file's own symbols: n, m rows and columns of the window; i, j one of them; K factors; T the last step, 0 the
 * prior. All matrices are Float32Array(n * m), row by row, in rating units, NaN where a cell has no value. Nothing here
 * knows a document: node tests it.
 *
 * @typedef {Object} Payload What `metamf/tasks/replay.py` sends; arrays are base64 of little-endian float32.
 * @property {number} version
 * @property {string} id  another run, another id; edits, lean and the pinned run do not count
 * @property {{name: string, description: string}} matrix
 * @property {{name: string, title: string, kind: "paper"|"universal", rule: "paper"|"safe"|"exact"}} model
 * @property {"step"|"sweep"} round
 * @property {number} n
 * @property {number} m
 * @property {number} K
 * @property {number} T
 * @property {number} top  position of the window's first row in the matrix, from 0
 * @property {number} left
 * @property {number} total_rows
 * @property {number} total_cols
 * @property {string[]|null} rows
 * @property {string[]|null} cols
 * @property {number} mean  rating = mean + std * standardised value
 * @property {number} std  0 where all ratings are one value
 * @property {number} low  ends of the colour scale of ratings, and of the scale that estimates are clipped to
 * @property {number} high
 * @property {boolean} clip
 * @property {string} X
 * @property {string|null} truth
 * @property {string} U
 * @property {string} V
 * @property {{U: number[], V: number[]}} constants  coordinates that are always 1
 * @property {{U: number[], V: number[]}} effects  coordinates that hold the effect of a row or column
 * @property {number|null} eta  null for sweeps
 * @property {number|null} lambda
 * @property {string|null} lower
 * @property {string|null} upper
 * @property {number|null} level
 * @property {number} n_given  in the whole matrix
 * @property {number} n_hidden
 * @property {{given: (number|null)[], hidden: (number|null)[]|null}} errors  RMSE after each step, whole matrix
 * @property {{data: (number|null)[], prior: (number|null)[]}|null} pulls  norms of the two terms of Eq. (5)
 * @property {{factor: number, residual: number, change: number}} limits
 * @property {string|null} pinned
 * @property {EditsSaid|null} edits  null where nothing can be edited
 * @property {Lean|null} lean
 *
 * @typedef {Object} EditsSaid  what `metamf/webapp/matrix/what_if.py` says of the edits
 * @property {[number, number, number|null][]} made  those in the window: row, column, rating or null where it is hidden
 * @property {number} count  all of them
 * @property {boolean} can_undo
 * @property {boolean} can_redo
 * @property {[number, number, number|null]|null} scale  lowest and highest rating and the step between two, if known
 * @property {number} seen  number of the last edit that the server has heard of
 * @property {string} note  why the last one was refused, and the like
 *
 * @typedef {[number, number, number, number, string, string]} LeanItem  row and column, which count in the window and
 *   may lie outside of it; how far the rating moves the estimate, in rating units; the rating; names of row and column
 * @typedef {{cell: [number, number], items: LeanItem[], examined: number, note: string}} Lean  what the estimate of a
 *   cell leans on, most first
 */

/**
 * @typedef {Object} Run
 * @property {string} id
 * @property {{name: string, description: string}} matrix
 * @property {{name: string, title: string, kind: "paper"|"universal", rule: "paper"|"safe"|"exact"}} model
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
 * @property {Float32Array|null} pinned  estimates of the pinned run after its last step
 * @property {EditsSaid|null} edits
 * @property {Lean|null} lean
 * @property {Map<number, Float32Array>} products  kept by `product`
 */

export const PAYLOAD_VERSION = 1;
const KEPT_VALUES = 4_000_000; // numbers of products that are kept, 16 MB; chosen by hand: 44 steps of 300 x 300

/**
 * @param {string|null} text
 * @returns {Float32Array|null}
 */
export function decodeArray(text) {
  if (text === null) return null;
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  return new Float32Array(bytes.buffer);
}

/**
 * @param {Payload} payload
 * @returns {Run}
 */
export function decodeRun(payload) {
  if (payload.version !== PAYLOAD_VERSION) throw new Error(`payload of version ${payload.version}`);
  return {
    id: payload.id,
    matrix: payload.matrix,
    model: payload.model,
    round: payload.round,
    n: payload.n,
    m: payload.m,
    K: payload.K,
    T: payload.T,
    top: payload.top,
    left: payload.left,
    totalRows: payload.total_rows,
    totalCols: payload.total_cols,
    rows: payload.rows,
    cols: payload.cols,
    mean: payload.mean,
    std: payload.std,
    low: payload.low,
    high: payload.high,
    clip: payload.clip,
    X: /** @type {Float32Array} */ (decodeArray(payload.X)),
    truth: decodeArray(payload.truth),
    U: /** @type {Float32Array} */ (decodeArray(payload.U)),
    V: /** @type {Float32Array} */ (decodeArray(payload.V)),
    constants: payload.constants,
    effects: payload.effects,
    eta: payload.eta,
    lambda: payload.lambda,
    lower: decodeArray(payload.lower),
    upper: decodeArray(payload.upper),
    level: payload.level,
    nGiven: payload.n_given,
    nHidden: payload.n_hidden,
    errors: payload.errors,
    pulls: payload.pulls,
    limits: payload.limits,
    pinned: decodeArray(payload.pinned),
    edits: payload.edits,
    lean: payload.lean,
    products: new Map(),
  };
}

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

/**
 * U(t) V(t)^T, clipped to the scale.
 * @param {Run} run
 * @param {number} t
 * @returns {Float32Array}
 */
export function estimate(run, t) {
  const found = product(run, t);
  return run.clip ? found.map((value) => clipped(run, value)) : found.slice();
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

/**
 * The two terms of Eq. (5) for row i: step t + 1 moves u_i(t) by minus eta times their sum.
 * @param {Run} run
 * @param {number} t
 * @param {number} i
 * @returns {{data: Float64Array, prior: Float64Array}} sum_m b_im (u_i . v_m - x_im) v_m and lambda (u_i - u_i(0)), in
 *   standardised units; without lambda (sweeps) the second is zero
 */
export function rowPulls(run, t, i) {
  const data = new Float64Array(run.K);
  const std = run.std || 1;
  for (let j = 0; j < run.m; j++) {
    const x = run.X[i * run.m + j];
    if (Number.isNaN(x)) continue;
    const v = colFactors(run, t, j);
    const off = cellTerms(run, t, i, j).sum - (x - run.mean) / std;
    for (let k = 0; k < run.K; k++) data[k] += off * v[k];
  }
  return { data, prior: priorPull(run, rowFactors(run, t, i), rowFactors(run, 0, i)) };
}

/**
 * The two terms of Eq. (6) for column j, as `rowPulls`.
 * @param {Run} run
 * @param {number} t
 * @param {number} j
 * @returns {{data: Float64Array, prior: Float64Array}}
 */
export function colPulls(run, t, j) {
  const data = new Float64Array(run.K);
  const std = run.std || 1;
  for (let i = 0; i < run.n; i++) {
    const x = run.X[i * run.m + j];
    if (Number.isNaN(x)) continue;
    const u = rowFactors(run, t, i);
    const off = cellTerms(run, t, i, j).sum - (x - run.mean) / std;
    for (let k = 0; k < run.K; k++) data[k] += off * u[k];
  }
  return { data, prior: priorPull(run, colFactors(run, t, j), colFactors(run, 0, j)) };
}

/**
 * @param {Run} run
 * @param {Float32Array} now
 * @param {Float32Array} before  the prior
 */
function priorPull(run, now, before) {
  return Float64Array.from(now, (value, k) => (run.lambda ?? 0) * (value - before[k]));
}

/** @param {Run} run @param {number} i @returns {string} the name of a row, or its number in the whole matrix */
export const rowName = (run, i) => run.rows?.[i] ?? String(run.top + i + 1);

/** @param {Run} run @param {number} j @returns {string} */
export const colName = (run, j) => run.cols?.[j] ?? String(run.left + j + 1);
