/**
 * Eqs. (6) and (7) of the paper as MathML, with the numbers of the step, or the steps of positive factors
 * (`metamf/network/nmf_steps.py`); and what a sweep does, in words.
 */
import { h, pure } from "./html.js";
import { pullNorms, stepBefore, stepSizes } from "./run.js";

/** The symbols of each side's equation: its factors, the others, their indices, and its number in the paper. */
export const SYMBOLS = {
  row: { own: "u", other: "v", at: "n", over: "m", tag: "(6)" },
  col: { own: "v", other: "u", at: "m", over: "n", tag: "(7)" },
};
/** What a round does that has no step size, by the kind of the model. */
export const ROUNDS = {
  universal:
    "A sweep gives every row its best values given the columns and how uncertain they are, then every column its best " +
    "values given the rows.",
  nmf:
    "A step makes a factor of a row larger where it counts in ratings that are estimated too low, and smaller where too " +
    "high, but never negative; then it does so for the columns, given the new rows.",
};
const LETTERS = " Here y is how far a rating is above the lowest, ŷ = u·v its estimate, and a says how firmly the prior holds.";

export const letter = (text) => h("mi", text);
const sign = (text) => h("mo", text);
const row = (...parts) => h("mrow", parts);
const START = h("mn", "0");

/** A sign at the edge of a part, of the size of a letter. */
const edge = (text, form) => h("mo", { stretchy: "false", form }, text);

/** A part of an equation; a narrow screen has one below the other. */
export const math = (...parts) => h("math", { displaystyle: "true" }, parts);

const powered = (base, index, step) => h("msubsup", base, index, row(sign("("), step, sign(")")));

/** A vector at a step, such as u_n^(t). */
export const vector = (name, index, step) => powered(h("mi.mfp-vector", { mathvariant: "normal" }, name), letter(index), step);

const cell = (name) => h("msub", letter(name), row(letter("n"), letter("m")));
const sum = (over) => [h("munder", sign("∑"), letter(over)), cell("b")];

/** The ratings' pull: the sum of b_nm (u_n . v_m - x_nm) v_m. */
export function ratingsPull({ other, over }, step) {
  const inner = row(vector("u", "n", step), sign("·"), vector("v", "m", step));
  return [sum(over), row(sign("("), inner, sign("−"), cell("x"), sign(")")), vector(other, over, step)];
}

/** The way from the prior, u_n^(t) - u_n^(0). */
export const fromPrior = ({ own, at }, step) =>
  row(sign("("), vector(own, at, step), sign("−"), vector(own, at, START), sign(")"));

/** One of the equations, to step `next`; `safe`: each row and column has a step size of its own. */
function equation(symbols, now, next, safe) {
  const { own, at, tag } = symbols;
  const eta = safe ? h("msub", letter("η"), letter(at)) : letter("η");
  return [
    math(vector(own, at, next), sign("="), vector(own, at, now), sign("−"), eta, edge("(", "prefix")),
    math(h("mrow.mfp-data", ratingsPull(symbols, now))),
    math(edge("+", "infix"), h("mrow.mfp-prior", letter("λ"), fromPrior(symbols, now)), edge(")", "postfix")),
    h("span.mfp-tag", tag),
  ];
}

/** The step of a positive factor k; V follows the new U. */
function positiveEquation({ own, other, at, over }, now, next) {
  const factor = (name, index, step) => powered(letter(name), row(letter(index), letter("k")), step);
  const theirs = factor(other, over, own === "u" ? now : next);
  const fraction = (above, below) => h("mfrac", row(above), row(below));
  const above = [letter("a"), sign("+"), factor(own, at, now), sum(over), fraction([cell("y"), theirs], cell("ŷ"))];
  const below = [fraction(letter("a"), factor(own, at, START)), sign("+"), sum(over), theirs];
  return math(factor(own, at, next), sign("="), fraction(above, below));
}

export const Equations = pure(({ run, t }) => {
  const { kind, rule } = run.model;
  const written = { paper: equation, nmf: positiveEquation }[kind];
  const [now, next] = [stepBefore(t), stepBefore(t) + 1].map((step) => h("mn", String(step)));
  return h("div.mfp-formulas",
    h("div.mfp-equations", written && Object.values(SYMBOLS).map((symbols) =>
      h("div.mfp-equation", written(symbols, now, next, rule === "safe")))),
    h("p.mfp-small", kind === "paper" ? stepWords(run, t) : roundWords(run)));
});

/**
 * The step that led to step t, or at the start the first one: its sizes, and how the two terms pulled on U and on V.
 * @param {Run} run
 */
export function stepWords(run, t) {
  const { eta, lambda, model } = run;
  const before = stepBefore(t);
  const sizes = stepSizes(run, before);
  const own = sizes ? `: ${short(sizes[0])} to ${short(sizes[1])} here` : "";
  const safe = `Learned η = ${short(eta)}; each row and column takes min(η, 1 / (2 L)), L its largest curvature${own}.`;
  const size = model.rule === "safe" ? safe : `η = ${short(eta)} for every row and column.`;
  const [onU, onV] = [pullNorms(run, before, "row"), pullNorms(run, before, "col")].map((norms) => norms?.map(short));
  const pulled = onU && onV
    ? ` On U the ratings pull with ${onU[0]}, the prior pulls back with ${onU[1]}; on V: ${onV[0]} and ${onV[1]} (norms).`
    : "";
  return `Step ${before + 1}${t ? "" : ", which comes first"}: λ = ${short(lambda)}. ${size}${pulled}`;
}

const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));

const roundWords = ({ model: { kind } }) =>
  `${ROUNDS[kind]}${kind === "nmf" ? LETTERS : ""} There is no step size, so nothing can diverge.`;
