/**
 * The arithmetic of one cell, ready to be drawn: the inner product as a sum of bars, the estimate step by step, and the
 * two pulls of Eqs. (6) and (7) on its row and its column. Nothing here knows a document.
 */
import { cellTerms, clipped, factorsAt, product, pullsOf, ratedIn, ratingsAt } from "./run.js";

/** What coordinate k of the factors is in a sentence. @param {Run} run */
export function coordinateName(run, k) {
  if (run.effects.U.includes(k)) return "effect of the row";
  return run.effects.V.includes(k) ? "effect of the column" : `factor ${k + 1}`;
}

/**
 * u . v as bars, each of which begins where the one before ends, in standardised units; `value` is the estimate in
 * rating units, `estimate` the same clipped to the scale, `low` and `high` what the bars reach at any step.
 * @param {Run} run
 */
export function sumOf(run, t, i, j) {
  const [u, v] = [factorsAt(run, t, "row", i), factorsAt(run, t, "col", j)];
  const { terms, sum, estimate } = cellTerms(run, t, i, j);
  let to = 0;
  const bars = Array.from(terms, (term, k) => {
    const from = to;
    to += term;
    const effect = [...run.effects.U, ...run.effects.V].includes(k);
    return { name: coordinateName(run, k), effect, u: u[k], v: v[k], term, from, to };
  });
  let [low, high] = [0, 0];
  for (let step = 0; step <= run.T; step++) {
    let reached = 0;
    for (const term of cellTerms(run, step, i, j).terms) {
      reached += term;
      if (reached < low) low = reached;
      if (reached > high) high = reached;
    }
  }
  return { bars, sum, value: run.mean + run.std * sum, estimate, low, high };
}

/**
 * The estimate of a cell at the prior and after every step, clipped, with what is known of the cell, or null.
 * @param {Run} run
 */
export function pathOf(run, i, j) {
  const at = i * run.m + j;
  const known = (value) => (value === undefined || Number.isNaN(value) ? null : value);
  const values = Array.from({ length: run.T + 1 }, (_, t) => clipped(run, product(run, t)[at]));
  const [given, truth] = [known(run.X[at]), known(run.truth?.[at])];
  const all = [...values, given, truth].filter((value) => value !== null && Number.isFinite(value));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = high > low ? 0.1 * (high - low) : 0.5;
  return { values, given, truth, low: low - room, high: high + room };
}

/** Whether all ratings of a row, or of a column, are in the window. @param {Run} run @param {Side} side */
export const isWhole = (run, side) => (side === "row" ? run.m === run.total_cols : run.n === run.total_rows);

/**
 * What pulls at a row or a column at step t; null for a model that takes no steps. `data` and `next` are null where
 * ratings outside of the window would be needed. A pull is drawn as the move that it makes: minus step size times
 * pull.
 * @param {Run} run
 * @param {Side} side
 */
export function pullsOn(run, t, side, at) {
  if (run.eta === null || run.lambda === null) return null;
  const now = Float64Array.from(factorsAt(run, t, side, at));
  const taken = t < run.T; // whether the step is part of the run
  const { data, prior } = pullsOf(run, t, side, at);
  const shared = { side, at, now, start: factorsAt(run, 0, side, at), prior, taken };
  if (isWhole(run, side)) {
    const step = stepSize(run, t, side, at);
    return { ...shared, data, step, next: now.map((value, k) => value - step * (data[k] + prior[k])) };
  }
  if (!taken || run.model.rule !== "paper") return { ...shared, data: null, step: null, next: null };
  const step = run.eta; // what all ratings did is what the step did, less the prior's part
  const next = Float64Array.from(factorsAt(run, t + 1, side, at));
  return { ...shared, data: now.map((value, k) => (value - next[k]) / step - prior[k]), step, next };
}

/**
 * eta; for safe steps min(eta, 1 / (2 L)), L the curvature of the row or column (`safe_step` of map_steps.py).
 * @param {Run} run
 * @param {Side} side
 */
export function stepSize(run, t, side, at) {
  const eta = run.eta ?? 0;
  if (run.model.rule !== "safe") return eta;
  let curvature = run.lambda ?? 0;
  for (const other of ratedIn(run, side, at)) {
    for (const value of factorsAt(run, t, side === "row" ? "col" : "row", other)) curvature += value * value;
  }
  return Math.min(eta, 0.5 / curvature);
}

/** What each rating adds to the ratings' pull on factor k. @param {Run} run @param {Side} side */
export const ratingTerms = (run, t, side, at, k) =>
  ratingsAt(run, t, side, at).map(({ factors, ...found }) => ({ ...found, factor: factors[k], term: found.off * factors[k] }));

/** The largest move of a single pull at any step: the end of the bars of this row or column. @param {Run} run */
export function largestMove(run, side, at) {
  let largest = 0;
  for (let t = 0; t <= run.T; t++) {
    const pulls = pullsOn(run, t, side, at);
    if (!pulls?.data) continue;
    for (let k = 0; k < run.K; k++) {
      const move = pulls.step * Math.max(Math.abs(pulls.data[k]), Math.abs(pulls.prior[k]));
      if (Number.isFinite(move) && move > largest) largest = move;
    }
  }
  return largest || 1;
}
