/**
 * Three pictures of a cell in the inspector: its estimate as a sum over the factors, and step by step; and the ratings'
 * pull against the prior's on the factors of its row or column, Eqs. (6) and (7), with the numbers of one factor.
 */
import { extent, range } from "d3-array";
import { line as curveOf } from "d3-shape";

import { spread } from "./chart.js";
import { fromPrior, letter, math, ratingsPull, ROUNDS, SYMBOLS, vector } from "./equations.js";
import { choice, Details, drawing, h, table } from "./html.js";
import { capital, clamp, counted, exact, fixed, plain, rounded, signed } from "./numbers.js";
import { coordinateName, isWhole, largestMove, once, ratingTerms } from "./run.js";
import { colName, rowName, startName } from "./words.js";

const FARTHEST = 0.6; // how far beyond the bars a known rating is drawn, in shares of their extent
const APART = 13; // percent of the height of a picture, about that of a line of text
const WORDS = { row: { word: "row", others: "column", name: rowName }, col: { word: "column", others: "row", name: colName } };

/** The factor whose bar an event comes from; null outside all bars. */
function factorOf({ target }) {
  const bar = target.closest("[data-factor]");
  return bar && Number(bar.dataset.factor);
}

const formulas = (...children) => h("details.mfc-table", h("summary", "Formula"), children);

/** What is known of a cell. @param {Path} path */
const knownOf = ({ given, truth }) => [
  ...(given === null ? [] : [{ key: "given", label: `given ${plain(given)}`, value: given }]),
  ...(truth === null ? [] : [{ key: "truth", label: `true ${plain(truth)}`, value: truth }]),
];

/** Labelled lines, whose labels are moved apart; `at`: percent from below. */
function lines(marks) {
  const places = spread(marks.map(({ at }) => at), APART, 0, 100);
  return h("div.mfc-lines", { "aria-hidden": "true" }, marks.map(({ key, label, at }, k) =>
    h(`div.mfc-line.mfc-line-${key}`,
      h("i", { style: `bottom: ${at}%` }),
      h("span", { style: `bottom: ${places[k]}%` }, label))));
}

/**
 * u_n . v_m factor by factor: bars, each of which begins where the one before it ends, up to the estimate; `choose` is
 * called with the factor that the visitor points at, or null, `onkeydown` for keys on the bars.
 */
export function sumOfCell({ run, sum, factor, path, choose, onkeydown }) {
  const known = knownOf(path);
  const toZ = (rating) => (rating - run.mean) / (run.std || 1);
  const room = FARTHEST * (sum.high - sum.low || 1);
  const all = known.map(({ value }) => toZ(value));
  const low = Math.max(Math.min(sum.low, ...all), sum.low - room); // known ratings as far as the bars stay readable
  const high = Math.min(Math.max(sum.high, ...all), sum.high + room);
  const place = (z) => clamp((100 * (z - low)) / (high - low), 0, 100);
  const bars = sum.bars.map(({ from, to, term, name, u, v, effect }, k) => {
    const bottom = place(Math.min(from, to));
    const style = `bottom: ${bottom}%; height: max(1px, ${place(Math.max(from, to)) - bottom}%)`;
    return h("div.mfc-bar", {
      class: effect ? "mfc-effect" : "",
      role: "option",
      id: `mfc-bar-${k}`,
      "data-factor": k,
      "aria-selected": String(k === factor),
      "aria-label": `${name}: ${rounded(u)} times ${rounded(v)} is ${rounded(term)}`,
    }, h(term < 0 ? "i.mfc-down" : "i.mfc-up", { style }));
  });
  const pointed = (event) => {
    const found = factorOf(event);
    if (found !== null) choose(found);
  };
  const left = () => choose(null);
  const mean = { paper: "training mean", nmf: "lowest rating" }[run.model.kind] ?? "mean";
  const marks = [
    { key: "mean", label: `${mean} ${fixed(run.mean)}`, value: run.mean },
    ...known,
    { key: "now", label: `estimate ${fixed(sum.value)}`, value: sum.value },
  ];
  const beyond = (z) => (z > high ? " ↑" : z < low ? " ↓" : ""); // an arrow to what is not drawn
  const { name, u, v, term, effect } = sum.bars[factor];
  const parts = effect ? `${rounded(term)} × 1` : `u × v = ${rounded(u)} × ${rounded(v)} = ${signed(term)}`;
  const cut = sum.estimate === sum.value ? "" : `, cut to ${plain(sum.estimate)} where the scale ends`;
  const product = `${rounded(run.mean)} + ${rounded(run.std)} × ${rounded(sum.sum)}`;
  return h("section.mfc-of-sum",
    h("h3", "The estimate is a sum over the factors"),
    h("div.mfc-fallframe",
      lines(marks.map(({ key, label, value }) => ({ key, label: label + beyond(toZ(value)), at: place(toZ(value)) }))),
      h("div.mfc-fall", {
        role: "listbox",
        tabIndex: 0,
        "aria-label": "Factor by factor; the arrow keys move between them",
        "aria-activedescendant": `mfc-bar-${factor}`,
        onpointermove: pointed,
        onpointerdown: pointed,
        onpointerleave: left,
        onblur: left,
        onkeydown,
      }, bars)),
    h("p.mfc-detail", `${capital(name)} adds ${signed(run.std * term, fixed)}`),
    formulas(
      h("p.mfc-total", `${capital(name)}: ${parts}, times the spread ${rounded(run.std)}`),
      h("p.mfc-total", `${mean} + spread × u·v = ${product} = ${rounded(sum.value)}${cut}`)));
}

/** The estimate at the prior and after every step as a small curve; `interval`: after the last step, or null. */
export function pathOfCell({ run, path, t, interval, go }) {
  const { T, round } = run;
  const estimates = path.values;
  const [low, high] = extent([path.low, path.high, ...(interval ?? [])]);
  const place = (value) => (100 * (value - low)) / (high - low);
  const across = (step) => (T ? (100 * step) / T : 50);
  const d = curveOf((_, step) => across(step), (value) => 100 - place(value)).defined(Number.isFinite)(estimates) ?? "";
  const known = knownOf(path);
  const start = startName(run);
  const [first, last] = [fixed(estimates[0]), fixed(estimates[T])];
  const now = [`${fixed(estimates[t])} at ${t}`, ...known.map(({ label }) => label)].join(", ");
  const [from, to] = (interval ?? []).map(place);
  function onclick({ currentTarget, clientX }) {
    const { left, width } = currentTarget.getBoundingClientRect();
    go(Math.round((T * (clientX - left)) / width));
  }
  const steps = estimates.map((_, step) => (step ? String(step) : start));
  return h("section.mfc-of-path",
    h("h3", "Its estimate, step by step"),
    h("div.mfc-curve", {
      role: "img",
      "aria-label": `The estimate goes from ${first} at the ${start} to ${last} after ${round} ${T}; ${now}.`,
    },
    lines(known.map((mark) => ({ ...mark, at: place(mark.value) }))),
    h("div.mfc-plot", { onclick },
      drawing(100, 100, { preserveAspectRatio: "none" }, h("path", { d })),
      interval && h("i.mfc-band", { style: `bottom: ${from}%; height: ${to - from}%` }),
      Number.isFinite(estimates[t]) && h("i.mfc-dot", { style: `left: ${across(t)}%; bottom: ${place(estimates[t])}%` }))),
    h("p.mfc-axis", h("span", `${start}: ${first}`), h("span", `${round} ${T}: ${last}`)),
    h(Details, {
      class: "mfc-table",
      summary: "Its values as a table",
      content: () => table("", [round, ...steps], [["estimate", ...estimates.map(fixed)]]),
    }));
}

/** A bar up or down from the middle; `share`: of the half height, −1 to 1. */
function pullBar(className, share) {
  const size = Math.min(1, Math.abs(share) || 0) * 50;
  return h(`i.${className}`, { style: `height: max(1px, ${size}%); bottom: ${share >= 0 ? 50 : 50 - size}%` });
}

/** The parts of Eq. (6) or (7): symbols above, their numbers below, and a word for each. */
function equationOf(side, { next, now, step, data, lambda, from, prior, pull }) {
  const symbols = SYMBOLS[side];
  const time = letter("t");
  const mine = (when) => vector(symbols.own, symbols.at, letter(when));
  const part = (value, label, mark, symbol) =>
    h("span.mfc-part", { class: mark }, h("span.mfc-symbols", math(symbol)), h("b", exact(value)), h("small", label));
  const op = (text) => h("span.mfc-symbols", text);
  return h("div.mfc-equation", { "aria-hidden": "true" },
    part(next, "next", "", mine("t+1")),
    op("="),
    part(now, "now", "", mine("t")),
    op("−"),
    part(step, "step size", "", letter("η")),
    op("× ("),
    part(data, pull, "mfc-data", ratingsPull(symbols, time)),
    op("+"),
    h("span.mfc-product",
      h("span.mfc-factors",
        part(lambda, "prior’s weight", "mfc-prior", letter("λ")),
        op("×"),
        part(from, "way from the prior", "mfc-prior", fromPrior(symbols, time))),
      h("small.mfc-prior", `prior’s pull ${exact(prior)}`)),
    op(")"),
    h("span.mfc-symbols.mfc-number", symbols.tag));
}

/**
 * The two pulls at step t on the factors of the row, or the column, of a cell. `choose` is called with the factor that
 * the visitor points at, or null, `turn` with the side that is asked for.
 * @param {{run: Run, pulls: Pulls|null, factor: number, t: number, cell: Span, choose: any, turn: any}} given
 */
export function pullsOfCell({ run, pulls, factor, t, cell, choose, turn }) {
  if (pulls === null) {
    const none = "This model takes no steps of a length, so there are no two pulls to compare, as in models of the paper.";
    return [h("h3", "No pulls here"), h("p.mfc-said", `${none} ${ROUNDS[run.model.kind] ?? ""}`)];
  }
  const { side, at, data, step, next, now, prior, start } = pulls;
  const { word, others, name } = WORDS[side];
  const sides = choice("mfc-sides", { legend: h("legend.mfp-spoken", "Show"), name: "mfc-side", value: side, choose: turn }, [
    ["row", `factors of ${rowName(run, cell[0])}`],
    ["col", `factors of ${colName(run, cell[1])}`],
  ]);
  const head = [h("h3", "Two pulls on its factors"), sides];
  if (data === null || step === null || next === null) {
    return [head, h("p.mfc-said", `Not all ratings of this ${word} are on the screen, so the move of its factors is not known here.`)];
  }
  const end = once(run, `largest move ${side} ${at}`, () => largestMove(run, side, at));
  const [to, from, pulled, pull] = [next, now, data, prior].map((values) => values[factor]);
  const found = isWhole(run, side) ? ratingTerms(run, t, side, at, factor) : null;
  const line = name(run, at);
  const what = `${coordinateName(run, factor)} of ${line}`;
  const sumOfPulls = `the sum of the ratings’ pull, ${exact(pulled)}, and the prior’s, ${exact(pull)}`;
  const equals = `${exact(to)} = ${exact(from)} minus ${exact(step)} times ${sumOfPulls}`;
  const said = found?.length === 0
    ? `${line} has no ratings, so nothing pulls its factors away from the prior.`
    : `Step ${t + 1} moves ${what}: the ratings by ${signed(-step * pulled)}, the prior by ${signed(-step * pull)}.`;
  const ratings = () => {
    const rows = (found ?? []).map(({ other, rating, off, factor: value, term }) =>
      [WORDS[side === "row" ? "col" : "row"].name(run, other), plain(rating), ...[off, value, term].map(rounded)]);
    const sum = rounded((found ?? []).reduce((total, { term }) => total + term, 0));
    return table("", [others, "rating", "u·v − x", SYMBOLS[side].other, "product"], [...rows, ["sum", "", "", "", sum]]);
  };
  return [
    head,
    h("div.mfc-pulls", {
      role: "img",
      "aria-label": `Two bars for each of ${run.K} factors: how far the ratings and the prior move it in step ${t + 1}. ${said}`,
      onpointermove: (event) => choose(factorOf(event)),
      onpointerleave: () => choose(null),
    }, range(run.K).map((k) => h("div", { class: k === factor ? "mfc-chosen" : "", "data-factor": k },
      pullBar("mfc-data", (-step * data[k]) / end),
      pullBar("mfc-prior", (-step * prior[k]) / end)))),
    h("p.mfc-key", h("span.mfc-data", "ratings move it"), h("span.mfc-prior", "prior moves it")),
    h("p.mfc-said", said),
    formulas(equationOf(side, {
      next: to,
      now: from,
      step,
      data: pulled,
      lambda: run.lambda,
      from: from - start[factor],
      prior: pull,
      pull: found ? `ratings’ pull: sum over ${found.length}` : "ratings’ pull",
    })),
    h("p.mfp-spoken", `Equation ${SYMBOLS[side].tag} for ${what}: ${equals}.`),
    found && h(Details, { class: "mfc-table", summary: `The ${counted(found.length, "rating")} of this ${word}, one by one`, content: ratings }),
  ];
}
