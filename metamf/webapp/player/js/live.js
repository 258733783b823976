/**
 * Runs that the page computes: the network of `network.js` on what is given now, so that the share of the ratings, the
 * way they are given, the night, a rating and the number of steps are followed in a frame, without the server.
 *
 * What a page needs is a `Live`: the weights of a checkpoint, and tables with every rating, the order in which they are
 * given and names (`metamf/webapp/player/live.py`). It travels once; a run refers to it by its id.
 */
import { extent, max, mean, range } from "d3-array";

import { adapt, batchOf, factorizeBySteps } from "./network.js";
import { clamp } from "./numbers.js";
import { bytes, estimate } from "./run.js";

export const MF_RANK = 4; // as in metamf/baselines/factorization.py

const floats = (text) => new Float32Array(bytes(text));

/** A network from what the server sends: `names` are [name, shape] of the parameters, which `values` has in turn. */
export function networkOf({ config, names, values: text }) {
  const values = floats(text);
  const parameters = { layers: [], f_U: [], f_V: [] };
  let from = 0;
  for (const [name, shape] of names) {
    const size = shape.reduce((all, length) => all * length, 1);
    const part = values.subarray(from, from + size);
    from += size;
    const [, group, at, leaf] = /^prior\.(layers|f_U|f_V)\.(\d+)\.(\w+)$/.exec(name) ?? [];
    if (group) (parameters[group][at] ??= {})[leaf] = part;
    else parameters[name] = part;
  }
  for (const group of ["layers", "f_U", "f_V"]) parameters[group] = parameters[group].filter(Boolean); // ReLUs have none
  return { config, parameters };
}

/** What is sent, decoded. @returns {Live} */
export function decodeLive({ id, weights, start, tables, measured = null }) {
  return {
    id,
    measured,
    network: networkOf(weights),
    trained: weights.units,
    trainedScale: weights.scale,
    start: start.map((side) => Float64Array.from(floats(side))),
    tables: tables.map((table) => ({ ...table, values: floats(table.values), truth: table.truth && floats(table.truth) })),
  };
}

const kept = new Map(); // what was sent, by id
const waiting = new Set(); // functions that are called when something is sent

/** Keeps what the server has sent, once, for all players of the page. */
export function keepLive(sent) {
  if (kept.has(sent.id)) return;
  kept.set(sent.id, decodeLive(sent));
  for (const call of waiting) call();
}

export const liveOf = (id) => kept.get(id) ?? null;

/** Calls `call` whenever something is sent, until the function that is returned is called. */
export function whenSent(call) {
  waiting.add(call);
  return () => waiting.delete(call);
}

/** How many of `count` ratings are given at `percent`, as `divide` in metamf/answer/division.py counts. */
export function givenCount(percent, count, by) {
  const found = Math.ceil((percent / 100) * count - 1e-9);
  return by === "at random" && percent < 100 && count > 1 ? Math.min(found, count - 1) : found;
}

/** The ratings that are given: of a share of them in their order, with the edits that were made. @param {LiveTable} table */
export function givenOf(table, { keep, by, made }) {
  const { n, m, values, orders } = table;
  const order = orders[by];
  const X = new Float32Array(n * m).fill(NaN);
  for (const at of order.slice(0, givenCount(keep, order.length, by))) X[at] = values[at];
  for (const [i, j, value] of made) X[i * m + j] = value ?? NaN;
  return X;
}

/**
 * Mean and size of a standardised unit, and the ends of the scale, as `unit_rule` in metamf/ratings/units.py: those of the
 * training where the ratings fill half of its scale and do not leave it, otherwise the table's own.
 */
function unitsOf({ trained, trainedScale }, scale, given) {
  const [low, high] = scale ?? extent(given);
  const fits = trained && trainedScale[0] <= low && high <= trainedScale[1] && high - low >= (trainedScale[1] - trainedScale[0]) / 2;
  if (fits) return { mean: trained[0], std: trained[1], ends: trainedScale };
  return { ...momentsOf(given), ends: [low, high] };
}

/** Mean and standard deviation, 0 where nothing varies. @param {number[]} given */
function momentsOf(given) {
  const middle = mean(given) ?? NaN;
  const std = Math.sqrt(mean(given, (value) => (value - middle) ** 2) ?? NaN);
  return { mean: middle, std: std > 1e-6 * Math.max(...given.map(Math.abs)) ? std : 0 };
}

/** The factors of a side at all steps in turn, as a run has them. */
function together(path, side) {
  const size = path[0][side].length;
  const found = new Float32Array(path.length * size);
  path.forEach((factors, t) => found.set(factors[side], t * size));
  return found;
}

/** Root mean squared errors of a run after each step, on the cells that are not NaN. @param {Run} run */
const errorsOf = (run, known) => range(run.T + 1).map((t) => {
  const values = estimate(run, t);
  const square = mean(known, (value, at) => (values[at] - value) ** 2);
  return square === undefined ? null : Math.sqrt(square);
});

/**
 * The run of what is chosen, with matrix factorization by the same steps beside it as `mf`. `base` has all that does not
 * depend on it.
 * @param {Run} base
 * @param {Live} live
 * @param {LiveTable} table
 * @param {Choices} choices
 * @returns {Run}
 */
export function liveRun(base, live, table, choices) {
  const { n, m } = table;
  const X = givenOf(table, choices);
  const cells = range(n * m).filter((at) => !Number.isNaN(X[at]));
  const given = cells.map((at) => X[at]);
  const { mean: middle, std, ends } = unitsOf(live, table.scale, given);
  const entries = { N: n, M: m, row: cells.map((at) => Math.floor(at / m)), col: cells.map((at) => at % m) };
  const standardised = (units) => batchOf({ ...entries, x: given.map((value) => (value - units.mean) / (units.std || 1)) });
  const T = choices.steps;
  const { path, rule, eta, lambda, K } = adapt(live.network, standardised({ mean: middle, std }), T);
  const own = momentsOf(given);
  const start = live.start.map((side, k) => side.slice(0, (k ? m : n) * MF_RANK));
  const factorized = factorizeBySteps(start[0], start[1], MF_RANK, standardised(own), T);
  const known = table.truth ?? table.values;
  const truth = Float32Array.from(X, (value, at) => (Number.isNaN(value) ? known[at] : NaN));
  const hidden = truth.filter((value) => !Number.isNaN(value));
  const clip = ends[1] > ends[0];
  const [low, high] = clip ? ends : [ends[0] - 1, ends[1] + 1];
  const { rows, cols, groups } = table;
  const shared = {
    ...base,
    ...{ n, m, top: 0, left: 0, total_rows: n, total_cols: m, rows, cols, groups, T, X, low, high, clip },
    ...{ truth: hidden.length ? truth : null, answers: table.truth, lower: null, upper: null, mf: null, pinned: null },
  };
  const runOf = (found, more) => {
    const run = { ...shared, U: together(found, 0), V: together(found, 1), ...more, kept: new Map() };
    run.errors = { given: errorsOf(run, X), hidden: hidden.length ? errorsOf(run, truth) : null };
    return run;
  };
  const run = runOf(path, { K, mean: middle, std, model: { ...base.model, rule }, eta, lambda });
  const offAt = (t) => max(X, (value, at) => Math.abs(estimate(run, t)[at] - value)) ?? 0;
  return {
    ...run,
    id: [live.id, table.seed, choices.keep, choices.by, T, choices.made].join(" "),
    mf: runOf(factorized, { K: MF_RANK, ...own, model: { name: "mf", title: "Matrix factorization", kind: "mf", rule: "safe" } }),
    n_given: cells.length,
    n_hidden: hidden.length,
    // Where the colours of factors and residuals end: the largest of all steps.
    limits: {
      factor: Math.max(...[run.U, run.V].map((values) => max(values, Math.abs) ?? 0)),
      residual: Math.max(...range(T + 1).map(offAt)),
    },
    meanError: hidden.length ? Math.sqrt(mean(hidden, (value) => (clamp(own.mean, low, high) - value) ** 2) ?? 0) : null,
  };
}

/** A run that the page computes, next to the one without the edits where there are some. */
export function liveRuns(base, live, table, choices) {
  const run = liveRun(base, live, table, choices);
  if (choices.made.length) run.pinned = { ...liveRun(base, live, table, { ...choices, made: [] }), by: "your edits" };
  return run;
}

/** A table of one's own: all its ratings are given, and nobody knows the others. */
export function ownTable({ rows, cols, values }) {
  const at = range(values.length).filter((cell) => !Number.isNaN(values[cell]));
  const orders = { "at random": at, "what people like": at };
  return { seed: "own", n: rows.length, m: cols.length, rows, cols, values, truth: null, scale: null, groups: null, orders };
}
