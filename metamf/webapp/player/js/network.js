/**
 * The paper's model in the page: Eqs. (4) to (7), to read next to `metamf/network/`, whose names it has. Matrices are
 * Float64Array, row by row. Its steps are held against torch's by `tests/webapp/player/test_network.py`.
 */
const OVERSHOOT = 0.01; // as in meta_mf.py: the share of the variance per entry by which a squared error may rise

const zeros = (length) => new Float64Array(length);

/** out (n, b) + scale * A (n, a) W (a, b), written into `out`. */
function addmm(out, A, W, n, a, b, scale = 1) {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < a; k++) {
      const value = A[i * a + k] * scale;
      if (value === 0) continue; // after a ReLU half of the values are
      for (let j = 0; j < b; j++) out[i * b + j] += value * W[k * b + j];
    }
  }
  return out;
}

/** @returns {Batch} */
export function batchOf({ N, M, row, col, x, rowFeatures = null, colFeatures = null }) {
  const ones = zeros(x.length).fill(1);
  return { N, M, row, col, x, rowCount: sums(ones, 1, row, N), colCount: sums(ones, 1, col, M), rowFeatures, colFeatures };
}

/** (count, C) sums over the entries of each row, or column, which is `at` (nnz,). */
function sums(values, C, at, count) {
  const found = zeros(count * C);
  for (let e = 0; e < at.length; e++) {
    for (let c = 0; c < C; c++) found[at[e] * C + c] += values[e * C + c];
  }
  return found;
}

/** (n, C) of values (n, C), each row divided by its count, at least 1: the mean of nothing is 0. */
const means = (values, C, count) => values.map((value, k) => value / Math.max(count[Math.floor(k / C)], 1));

/** (n, C) a vector (C,) for each of n rows. */
const repeated = (vector, n) => zeros(n * vector.length).map((_, k) => vector[k % vector.length]);

/** (C,) the sum of all rows of values (n, C). */
const total = (values, C) => sums(values, C, new Uint8Array(values.length / C), 1);

/** `ExchangeableLayer` without the term of the entries: the terms of rows (N, D) and columns (M, D), and sums of z. */
function rowAndColumnTerms(layer, z, C, batch) {
  const { N, M, row, col, x, rowCount, colCount, rowFeatures, colFeatures } = batch;
  const D = layer.bias.length;
  const rowSum = sums(z, C, row, N); // (N, C)
  const colSum = sums(z, C, col, M); // (M, C)
  const whole = addmm(Float64Array.from(layer.bias), total(rowSum, C), layer.matrix, 1, C, D, 1 / Math.max(x.length, 1));
  const cols = addmm(repeated(whole, M), means(colSum, C, colCount), layer.column, M, C, D);
  const rows = addmm(zeros(N * D), means(rowSum, C, rowCount), layer.row, N, C, D);
  if (rowFeatures && layer.of_row_features) addmm(rows, rowFeatures, layer.of_row_features, N, rowFeatures.length / N, D);
  if (colFeatures && layer.of_col_features) addmm(cols, colFeatures, layer.of_col_features, M, colFeatures.length / M, D);
  return { rowSum, colSum, rows, cols, D };
}

/** Eq. (4) and a ReLU: the output of a layer at the given entries, (nnz, D). */
function atObserved(layer, z, C, batch) {
  const { rows, cols, D } = rowAndColumnTerms(layer, z, C, batch);
  const found = addmm(zeros(batch.x.length * D), z, layer.entry, batch.x.length, C, D);
  for (let e = 0; e < batch.x.length; e++) {
    for (let d = 0; d < D; d++) {
      found[e * D + d] = Math.max(0, found[e * D + d] + rows[batch.row[e] * D + d] + cols[batch.col[e] * D + d]);
    }
  }
  return found;
}

/** The last layer of Eq. (4), linear, averaged over all cells of each row (N, D) and column (M, D): what Eq. (5) takes. */
function averages(layer, z, C, batch) {
  const { N, M } = batch;
  const { rowSum, colSum, rows, cols, D } = rowAndColumnTerms(layer, z, C, batch);
  const ofCols = total(cols, D);
  const ofRows = total(rows, D);
  const overRow = addmm(rows.map((value, k) => value + ofCols[k % D] / M), rowSum, layer.entry, N, C, D, 1 / M);
  const overCol = addmm(cols.map((value, k) => value + ofRows[k % D] / N), colSum, layer.entry, M, C, D, 1 / N);
  return { overRow, overCol, D };
}

/** Features (n, P) beside values (n, D), zeros where a matrix has none. */
function beside(values, D, features, P, n) {
  if (!P) return values;
  const found = zeros(n * (D + P));
  for (let i = 0; i < n; i++) {
    found.set(values.subarray(i * D, (i + 1) * D), i * (D + P));
    if (features) found.set(features.subarray(i * P, (i + 1) * P), i * (D + P) + D);
  }
  return found;
}

/** f_U or f_V of Eq. (5): linear layers (out, in) with ReLUs in between. */
function feedForward(layers, x, n) {
  let values = x;
  layers.forEach(({ weight, bias }, l) => {
    const size = bias.length;
    const from = values.length / n;
    const next = zeros(n * size);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < size; j++) {
        let sum = bias[j];
        for (let k = 0; k < from; k++) sum += values[i * from + k] * weight[j * from + k];
        next[i * size + j] = l < layers.length - 1 ? Math.max(sum, 0) : sum;
      }
    }
    values = next;
  });
  return values;
}

/** The prior means U(0) (N, K) and V(0) (M, K), Eqs. (4) and (5). @param {Network} network @param {Batch} batch */
export function priorMeans({ config, parameters }, batch) {
  const { N, M } = batch;
  let z = Float64Array.from(batch.x); // (nnz, C), C = 1 at first
  let C = 1;
  for (const layer of parameters.layers.slice(0, -1)) {
    z = atObserved(layer, z, C, batch);
    C = layer.bias.length;
  }
  const { overRow, overCol, D } = averages(parameters.layers[parameters.layers.length - 1], z, C, batch);
  const U0 = feedForward(parameters.f_U, beside(overRow, D, batch.rowFeatures, config.row_features ?? 0, N), N);
  const V0 = feedForward(parameters.f_V, beside(overCol, D, batch.colFeatures, config.col_features ?? 0, M), M);
  return { U0, V0 };
}

/** u_n . v_m - x_nm at the given entries, (nnz,). */
const residuals = (U, V, K, { row, col, x }) => Float64Array.from(x, (value, e) => {
  let sum = -value;
  for (let k = 0; k < K; k++) sum += U[row[e] * K + k] * V[col[e] * K + k];
  return sum;
});

/** `map_gradient` of one side, the bracket of Eq. (6) or (7); `at` its rows or columns, `far` the others. */
function mapGradient(own, start, partner, residual, K, at, far, lambda) {
  const gradient = own.map((value, k) => lambda * (value - start[k]));
  for (let e = 0; e < at.length; e++) {
    for (let k = 0; k < K; k++) gradient[at[e] * K + k] += residual[e] * partner[far[e] * K + k];
  }
  return gradient;
}

/** `safe_step`: min(eta, 1 / (2 L)) of each of `count` rows or columns, L its largest curvature. */
function safeStep(partner, K, at, far, count, eta, lambda) {
  const squares = zeros(partner.length / K);
  partner.forEach((value, k) => (squares[Math.floor(k / K)] += value * value));
  const curvature = zeros(count).fill(lambda);
  for (let e = 0; e < at.length; e++) curvature[at[e]] += squares[far[e]];
  return curvature.map((L) => Math.min(eta, 0.5 / L));
}

/** T MAP steps, Eqs. (6) and (7), from U and V towards prior means U0 and V0: [U(t), V(t)] for t = 0 ... T. */
export function mapSteps([U, V], [U0, V0], K, batch, { eta, lambda, T, safe }) {
  const { N, M, row, col } = batch;
  const path = [[U, V]];
  for (let t = 0; t < T; t++) {
    const [u, v] = path[t];
    const residual = residuals(u, v, K, batch);
    const ofU = safe ? safeStep(v, K, row, col, N, eta, lambda) : zeros(N).fill(eta);
    const ofV = safe ? safeStep(u, K, col, row, M, eta, lambda) : zeros(M).fill(eta);
    const onU = mapGradient(u, U0, v, residual, K, row, col, lambda);
    const onV = mapGradient(v, V0, u, residual, K, col, row, lambda);
    const moved = (values, sizes, gradient) => values.map((value, k) => value - sizes[Math.floor(k / K)] * gradient[k]);
    path.push([moved(u, ofU, onU), moved(v, ofV, onV)]);
  }
  return path;
}

/** Whether the paper's fixed steps fail, as `MetaMF.adapt` asks: the objective rises, or a row or column overshoots. */
function fails(path, K, batch, lambda) {
  const [U0, V0] = path[0];
  const [U, V] = path[path.length - 1];
  const squares = (u, v) => residuals(u, v, K, batch).map((value) => value * value);
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const moved = sum(U.map((value, k) => (value - U0[k]) ** 2)) + sum(V.map((value, k) => (value - V0[k]) ** 2));
  const after = squares(U, V);
  if (!(sum(after) + lambda * moved <= sum(squares(U0, V0)))) return true;
  const overshoots = (before, at, count) => {
    const first = sums(before, 1, at, count.length);
    return sums(after, 1, at, count.length).some((value, n) => !(value <= first[n] + OVERSHOOT * count[n]));
  };
  return overshoots(squares(U0, V), batch.row, batch.rowCount) || overshoots(squares(U, V0), batch.col, batch.colCount);
}

/** Algorithm 1: [U(t), V(t)] for t = 0 ... T, and the rule of the steps. @param {Network} network @param {Batch} batch */
export function adapt(network, batch, T = network.config.steps) {
  const { rank: K } = network.config;
  const eta = Math.exp(network.parameters.log_step_size[0]);
  const lambda = Math.exp(network.parameters.log_prior_precision[0]);
  const { U0, V0 } = priorMeans(network, batch);
  const steps = (safe) => mapSteps([U0, V0], [U0, V0], K, batch, { eta, lambda, T, safe });
  const paper = network.config.safe_steps ? null : steps(false);
  const safe = paper === null || fails(paper, K, batch, lambda);
  return { path: safe ? steps(true) : paper, rule: safe ? "safe" : "paper", eta, lambda, K };
}

/** Matrix factorization, `factorize_by_steps`: the same steps from random numbers U and V, towards zero. */
export const factorizeBySteps = (U, V, K, batch, T) =>
  mapSteps([U, V], [zeros(U.length), zeros(V.length)], K, batch, { eta: 1, lambda: 1, T, safe: true });
