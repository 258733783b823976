/**
 * What pulls at the factors of a row or a column: the two terms of Eqs. (6) and (7) of the paper.
 *
 * @typedef {import("./run.js").Run} Run
 */
import { cellTerms, colFactors, rowFactors } from "./run.js";

/**
 * The two terms of Eq. (6) for row i: step t + 1 moves u_i(t) by minus eta times their sum.
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
 * The two terms of Eq. (7) for column j, as `rowPulls`.
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
