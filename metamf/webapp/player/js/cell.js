/**
 * Three pictures of a cell in the inspector: its estimate as a sum over the factors, and step by step; and the ratings'
 * pull against the prior's on the factors of its row or column, Eqs. (6) and (7), with the numbers of one factor.
 */
import { extent, range } from "d3-array";
import { line as curveOf } from "d3-shape";

import { spread } from "./chart.js";
import { choice, dom, table, write } from "./dom.js";
import { fromPrior, letter, math, ratingsPull, ROUNDS, SYMBOLS, vector } from "./equations.js";
import { capital, clamp, counted, exact, fixed, plain, rounded, signed } from "./numbers.js";
import { coordinateName, isWhole, largestMove, once, ratingTerms } from "./run.js";
import { picture, svg } from "./svg.js";
import { colName, rowName, startName } from "./words.js";

const FARTHEST = 0.6; // how far beyond the bars a known rating is drawn, in shares of their extent
const APART = 13; // percent of the height of a picture, about that of a line of text
const WORDS = { row: { word: "row", others: "column", name: rowName }, col: { word: "column", others: "row", name: colName } };
const NO_PULLS = "This model takes no steps of a length, so there are no two pulls to compare, as in models of the paper.";

/** The factor whose bar an event comes from; null outside all bars. */
function factorOf({ target }) {
  const bar = target.closest("[data-factor]");
  return bar && Number(bar.dataset.factor);
}

const details = (summary, ...children) =>
  dom("details", { className: "mfc-table" }, dom("summary", {}, summary), ...children);

/** What is known of a cell. @param {Path} path */
const knownOf = ({ given, truth }) => [
  ...(given === null ? [] : [{ key: "given", label: `given ${plain(given)}`, value: given }]),
  ...(truth === null ? [] : [{ key: "truth", label: `true ${plain(truth)}`, value: truth }]),
];

/** Labelled lines, whose labels are moved apart; `at`: percent from below. */
function drawLines(root, marks) {
  const places = spread(marks.map(({ at }) => at), APART, 0, 100);
  root.replaceChildren(...marks.map(({ key, label, at }, k) =>
    dom("div", { className: `mfc-line mfc-line-${key}` },
      dom("i", { style: `bottom: ${at}%` }),
      dom("span", { style: `bottom: ${places[k]}%` }, label))));
}

/**
 * u_n . v_m factor by factor: bars, each of which begins where the one before it ends, up to the estimate; `choose` is
 * called with the factor that the visitor points at, or null.
 */
export function createSum(root, choose, explain) {
  const pointed = (event) => {
    const factor = factorOf(event);
    if (factor !== null) choose(factor);
  };
  const left = () => choose(null);
  const field = dom("div", {
    className: "mfc-fall",
    role: "listbox",
    tabIndex: 0,
    "aria-label": "Factor by factor; the arrow keys move between them",
    onpointermove: pointed,
    onpointerdown: pointed,
    onpointerleave: left,
    onblur: left,
    onkeydown: pressed,
  });
  const lines = dom("div", { className: "mfc-lines", "aria-hidden": "true" });
  const detail = dom("p", { className: "mfc-detail" });
  const total = dom("p", { className: "mfc-total" });
  const title = dom("h3");
  const formula = dom("p", { className: "mfc-total" });
  const frame = dom("div", { className: "mfc-fallframe" }, lines, field);
  root.append(title, frame, detail, details("Formula", formula, total));
  let chosen = 0;

  function pressed(event) {
    const count = field.children.length;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    chosen = clamp(chosen + step, 0, count - 1); // at once: the next key may come before the picture
    choose(chosen);
  }

  /** The bar of a factor, which stays the same element: a screen reader stands on it. */
  const barOf = (k) => field.children[k] ??
    field.appendChild(dom("div", { role: "option", id: `mfc-bar-${k}`, "data-factor": k }));

  return {
    /** @param {Run} run @param {Sum} sum @param {Path} path */
    update(run, sum, factor, path) {
      explain(title, "The estimate is a sum over the factors");
      while (field.children.length > sum.bars.length) field.lastElementChild?.remove();
      chosen = factor;
      const known = knownOf(path);
      const toZ = (rating) => (rating - run.mean) / (run.std || 1);
      const room = FARTHEST * (sum.high - sum.low || 1);
      const all = known.map(({ value }) => toZ(value));
      const low = Math.max(Math.min(sum.low, ...all), sum.low - room); // known ratings as far as the bars stay readable
      const high = Math.min(Math.max(sum.high, ...all), sum.high + room);
      const place = (z) => clamp((100 * (z - low)) / (high - low), 0, 100);
      sum.bars.forEach(({ from, to, term, name, u, v, effect }, k) => {
        const option = barOf(k);
        const bottom = place(Math.min(from, to));
        const style = `bottom: ${bottom}%; height: max(1px, ${place(Math.max(from, to)) - bottom}%)`;
        option.className = effect ? "mfc-bar mfc-effect" : "mfc-bar";
        option.replaceChildren(dom("i", { className: term < 0 ? "mfc-down" : "mfc-up", style }));
        option.setAttribute("aria-selected", String(k === factor));
        option.setAttribute("aria-label", `${name}: ${rounded(u)} times ${rounded(v)} is ${rounded(term)}`);
      });
      field.setAttribute("aria-activedescendant", `mfc-bar-${factor}`);
      const beyond = (z) => (z > high ? " ↑" : z < low ? " ↓" : ""); // an arrow to what is not drawn
      const now = { key: "now", label: `estimate ${fixed(sum.value)}`, value: sum.value };
      const mean = { paper: "training mean", nmf: "lowest rating" }[run.model.kind] ?? "mean";
      const marks = [{ key: "mean", label: `${mean} ${fixed(run.mean)}`, value: run.mean }, ...known, now];
      drawLines(lines, marks.map((mark) => {
        const z = toZ(mark.value);
        return { key: mark.key, label: mark.label + beyond(z), at: place(z) };
      }));
      const { name, u, v, term, effect } = sum.bars[factor];
      const parts = effect ? `${rounded(term)} × 1` : `u × v = ${rounded(u)} × ${rounded(v)} = ${signed(term)}`;
      write(detail, `${capital(name)} adds ${signed(run.std * term, fixed)}`);
      write(formula, `${capital(name)}: ${parts}, times the spread ${rounded(run.std)}`);
      const cut = sum.estimate === sum.value ? "" : `, cut to ${plain(sum.estimate)} where the scale ends`;
      const product = `${rounded(run.mean)} + ${rounded(run.std)} × ${rounded(sum.sum)}`;
      write(total, `${mean} + spread × u·v = ${product} = ${rounded(sum.value)}${cut}`);
    },
  };
}

/** The estimate at the prior and after every step as a small curve, with what is known of the cell. */
export function createPath(root, go) {
  const lines = dom("div", { className: "mfc-lines", "aria-hidden": "true" });
  const plot = dom("div", { className: "mfc-plot", onclick: chosen });
  const frame = dom("div", { className: "mfc-curve", role: "img" }, lines, plot);
  const start = dom("span");
  const end = dom("span");
  const written = dom("div");
  const values = details("Its values as a table", written);
  root.append(dom("h3", {}, "Its estimate, step by step"), frame, dom("p", { className: "mfc-axis" }, start, end), values);
  let T = 0;

  function chosen({ clientX }) {
    const { left, width } = plot.getBoundingClientRect();
    go(Math.round((T * (clientX - left)) / width));
  }

  return {
    /** @param {Run} run @param {Path} path @param {Span|null} interval  after the last step */
    update(run, path, t, interval) {
      T = run.T;
      const estimates = path.values;
      const [low, high] = extent([path.low, path.high, ...(interval ?? [])]);
      const place = (value) => (100 * (value - low)) / (high - low);
      const across = (step) => (T ? (100 * step) / T : 50);
      const drawn = curveOf((_, step) => across(step), (value) => 100 - place(value)).defined(Number.isFinite);
      plot.replaceChildren(picture(100, 100, { preserveAspectRatio: "none" }, svg("path", { d: drawn(estimates) ?? "" })));
      if (interval) {
        const [from, to] = interval.map(place);
        plot.append(dom("i", { className: "mfc-band", style: `bottom: ${from}%; height: ${to - from}%` }));
      }
      if (Number.isFinite(estimates[t])) {
        plot.append(dom("i", { className: "mfc-dot", style: `left: ${across(t)}%; bottom: ${place(estimates[t])}%` }));
      }
      const known = knownOf(path);
      drawLines(lines, known.map((mark) => ({ ...mark, at: place(mark.value) })));
      const first = fixed(estimates[0]);
      const last = fixed(estimates[T]);
      write(start, `${startName(run)}: ${first}`);
      write(end, `${run.round} ${T}: ${last}`);
      const now = [`${fixed(estimates[t])} at ${t}`, ...known.map(({ label }) => label)].join(", ");
      const way = `from ${first} at the ${startName(run)} to ${last} after ${run.round} ${T}`;
      frame.setAttribute("aria-label", `The estimate goes ${way}; ${now}.`);
      if (!values.open) return;
      const steps = estimates.map((_, step) => (step ? String(step) : startName(run)));
      written.replaceChildren(table("", [run.round, ...steps], [["estimate", ...estimates.map(fixed)]]));
    },
  };
}

/** A bar up or down from the middle; `share`: of the half height, −1 to 1. */
function pullBar(className, share) {
  const size = Math.min(1, Math.abs(share) || 0) * 50;
  const bottom = share >= 0 ? 50 : 50 - size;
  return dom("i", { className, style: `height: max(1px, ${size}%); bottom: ${bottom}%` });
}

/**
 * The parts of Eq. (6) or (7): symbols above, their numbers below, and a word for each. `count`: how many ratings pull,
 * null where they are not all known.
 */
function equationOf(side, { next, now, step, data, lambda, from, prior, count }) {
  const symbols = SYMBOLS[side];
  const time = letter("t");
  const mine = (when) => vector(symbols.own, symbols.at, letter(when));
  const part = (value, label, mark, symbol) => dom("span", { className: `mfc-part ${mark}` },
    dom("span", { className: "mfc-symbols" }, math(symbol)),
    dom("b", {}, exact(value)),
    dom("small", {}, label));
  const op = (text, more = "") => dom("span", { className: `mfc-symbols${more}` }, text);
  const pull = count === null ? "ratings’ pull" : `ratings’ pull: sum over ${count}`;
  return [
    part(next, "next", "", mine("t+1")),
    op("="),
    part(now, "now", "", mine("t")),
    op("−"),
    part(step, "step size", "", letter("η")),
    op("× ("),
    part(data, pull, "mfc-data", ratingsPull(symbols, time)),
    op("+"),
    dom("span", { className: "mfc-product" },
      dom("span", { className: "mfc-factors" },
        part(lambda, "prior’s weight", "mfc-prior", letter("λ")),
        op("×"),
        part(from, "way from the prior", "mfc-prior", fromPrior(symbols, time))),
      dom("small", { className: "mfc-prior" }, `prior’s pull ${exact(prior)}`)),
    op(")"),
    op(symbols.tag, " mfc-number"),
  ];
}

/** `choose` is called with the factor that the visitor points at, or null, `turn` with the side that is asked for. */
export function createPulls(root, choose, turn, explain) {
  const title = dom("h3");
  const names = [dom("span"), dom("span")];
  const look = { className: "mfc-sides", legend: "Show", name: "mfc-side", hidden: true };
  const sides = choice(look, [["row", names[0]], ["col", names[1]]], turn);
  const bars = dom("div", {
    className: "mfc-pulls",
    role: "img",
    onpointermove: (event) => choose(factorOf(event)),
    onpointerleave: () => choose(null),
  });
  const priorKey = dom("span", { className: "mfc-prior" });
  const key = dom("p", { className: "mfc-key" }, dom("span", { className: "mfc-data" }, "ratings move it"), priorKey);
  const equation = dom("div", { className: "mfc-equation", "aria-hidden": "true" });
  const heard = dom("p", { className: "mfp-spoken" });
  const said = dom("p", { className: "mfc-said" });
  const summary = dom("span");
  const ratings = dom("div");
  const one = details(summary, ratings);
  const sweeps = dom("p", { className: "mfc-said" });
  const formula = details("Formula", equation);
  const all = dom("div", {}, sides.root, bars, key, said, formula, heard, one);
  root.append(title, sweeps, all);

  return {
    /** @param {Run} run @param {Pulls|null} pulls @param {Span} cell */
    update(run, pulls, factor, t, cell) {
      sweeps.hidden = pulls !== null;
      all.hidden = pulls === null;
      explain(title, pulls === null ? "No pulls here" : "Two pulls on its factors");
      if (pulls === null) return write(sweeps, `${NO_PULLS} ${ROUNDS[run.model.kind] ?? ""}`);
      explain(priorKey, "prior moves it");
      const { side, at, data, step, next, now, prior, start } = pulls;
      const { word, others, name } = WORDS[side];
      sides.check(side);
      write(names[0], `factors of ${rowName(run, cell[0])}`);
      write(names[1], `factors of ${colName(run, cell[1])}`);
      const whole = data !== null && step !== null && next !== null;
      bars.hidden = key.hidden = formula.hidden = !whole;
      if (!whole) {
        one.hidden = true;
        write(heard, "");
        write(said, `Not all ratings of this ${word} are on the screen, so the move of its factors is not known here.`);
        return;
      }
      const end = once(run, `largest move ${side} ${at}`, () => largestMove(run, side, at));
      bars.replaceChildren(...range(run.K).map((k) =>
        dom("div", { className: k === factor ? "mfc-chosen" : "", "data-factor": k },
          pullBar("mfc-data", (-step * data[k]) / end),
          pullBar("mfc-prior", (-step * prior[k]) / end))));
      const from = now[factor];
      const to = next[factor];
      const pulled = data[factor];
      const pull = prior[factor];
      const found = isWhole(run, side) ? ratingTerms(run, t, side, at, factor) : null;
      const count = found?.length ?? null;
      const shown = { next: to, now: from, step, data: pulled, lambda: run.lambda, from: from - start[factor], prior: pull, count };
      equation.replaceChildren(...equationOf(side, shown));
      const line = name(run, at);
      const what = `${coordinateName(run, factor)} of ${line}`;
      const sumOfPulls = `the sum of the ratings’ pull, ${exact(pulled)}, and the prior’s, ${exact(pull)}`;
      const equals = `${exact(to)} = ${exact(from)} minus ${exact(step)} times ${sumOfPulls}`;
      write(heard, `Equation ${SYMBOLS[side].tag} for ${what}: ${equals}.`);
      const moves = `Step ${t + 1} moves ${what}: the ratings by ${signed(-step * pulled)}, the prior by ${signed(-step * pull)}.`;
      write(said, count === 0 ? `${line} has no ratings, so nothing pulls its factors away from the prior.` : moves);
      const label = `Two bars for each of ${run.K} factors: how far the ratings and the prior move it in step ${t + 1}.`;
      bars.setAttribute("aria-label", `${label} ${said.textContent}`);
      one.hidden = found === null;
      write(summary, `The ${counted(count ?? 0, "rating")} of this ${word}, one by one`);
      if (!found || !one.open) return;
      const rows = found.map(({ other, rating, off, factor: value, term }) =>
        [WORDS[side === "row" ? "col" : "row"].name(run, other), plain(rating), ...[off, value, term].map(rounded)]);
      const sum = rounded(found.reduce((total, { term }) => total + term, 0));
      const head = [others, "rating", "u·v − x", SYMBOLS[side].other, "product"];
      ratings.replaceChildren(table("", head, [...rows, ["sum", "", "", "", sum]]));
    },
  };
}
