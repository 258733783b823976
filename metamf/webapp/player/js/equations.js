/**
 * Eqs. (6) and (7) of the paper as MathML, with the numbers of the step, or the steps of positive factors
 * (`metamf/network/nmf_steps.py`); and what a sweep does, in words.
 */
import { dom, parsed } from "./dom.js";
import { rounded } from "./numbers.js";
import { nextStep } from "./run.js";

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

export const letter = (text) => `<mi>${text}</mi>`;
const sign = (text) => `<mo>${text}</mo>`;
const number = (value) => `<mn>${value}</mn>`;
const row = (...parts) => `<mrow>${parts.join("")}</mrow>`;
const START = number(0);

/** A sign at the edge of a part, of the size of a letter. */
const edge = (text, form) => `<mo stretchy="false" form="${form}">${text}</mo>`;

/** A part of an equation; a narrow screen has one below the other. */
export const math = (...parts) => parsed(`<math displaystyle="true">${parts.join("")}</math>`);

const powered = (base, index, step) => `<msubsup>${base}${index}${row(sign("("), step, sign(")"))}</msubsup>`;

/** A vector at a step, such as u_n^(t). */
export const vector = (name, index, step) =>
  powered(`<mi class="mfp-vector" mathvariant="normal">${name}</mi>`, letter(index), step);

const cell = (name) => `<msub>${letter(name)}${row(letter("n"), letter("m"))}</msub>`;
const sum = (over) => `<munder>${sign("∑")}${letter(over)}</munder>${cell("b")}`;

/** The ratings' pull: the sum of b_nm (u_n . v_m - x_nm) v_m. */
export function ratingsPull({ other, over }, step) {
  const inner = row(vector("u", "n", step), sign("·"), vector("v", "m", step));
  return sum(over) + row(sign("("), inner, sign("−"), cell("x"), sign(")")) + vector(other, over, step);
}

/** The way from the prior, u_n^(t) - u_n^(0). */
export const fromPrior = ({ own, at }, step) =>
  row(sign("("), vector(own, at, step), sign("−"), vector(own, at, START), sign(")"));

/** One of the equations, to step `next`. */
function equation(symbols, now, next) {
  const { own, at, tag } = symbols;
  return [
    math(vector(own, at, next), sign("="), vector(own, at, now), sign("−"), letter("η"), edge("(", "prefix")),
    math(`<mrow class="mfp-data">${ratingsPull(symbols, now)}</mrow>`),
    math(
      edge("+", "infix"),
      `<mrow class="mfp-prior">${letter("λ")}${fromPrior(symbols, now)}</mrow>`,
      edge(")", "postfix")),
    dom("span", { className: "mfp-tag" }, tag),
  ];
}

/** The step of a positive factor k; V follows the new U. */
function positiveEquation({ own, other, at, over }, now, next) {
  const factor = (name, index, step) => powered(letter(name), row(letter(index), letter("k")), step);
  const theirs = factor(other, over, own === "u" ? now : next);
  const fraction = (above, below) => `<mfrac>${row(above)}${row(below)}</mfrac>`;
  const share = fraction(cell("y") + theirs, cell("ŷ"));
  const above = letter("a") + sign("+") + factor(own, at, now) + sum(over) + share;
  const below = fraction(letter("a"), factor(own, at, START)) + sign("+") + sum(over) + theirs;
  return [math(factor(own, at, next), sign("="), fraction(above, below))];
}

export function createEquations(root, explain) {
  const words = ["", "mfp-norms", ""].map((className) => dom("span", { className }));
  const equations = dom("div", { className: "mfp-equations" });
  root.append(equations, dom("p", { className: "mfp-small" }, ...words));
  return {
    update(run, state) {
      const t = nextStep(run, state.t);
      const { kind } = run.model;
      const written = { paper: equation, nmf: positiveEquation }[kind];
      const shown = written ? Object.values(SYMBOLS).map((symbols) => written(symbols, number(t), number(t + 1))) : [];
      equations.replaceChildren(...shown.map((parts) => dom("div", { className: "mfp-equation" }, ...parts)));
      const texts = kind === "paper" ? stepWords(run, t) : [roundWords(run, t), "", ""];
      words.forEach((element, k) => explain(element, texts[k]));
    },
  };
}

/** @param {Run} run @returns {string[]} the second: what the numbers are, where there is room */
function stepWords({ pulls, eta, lambda, model }, t) {
  const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));
  const step = `η = ${short(eta)}${model.rule === "safe" ? " or less where that is too long" : ""}`;
  return [
    `Step ${t + 1}: pull of the ratings ${rounded(pulls?.data[t])}, pull back of the prior ${rounded(pulls?.prior[t])}`,
    " (Frobenius norms of the two terms, in standardised units)",
    `; ${step}, λ = ${short(lambda)}.`,
  ];
}

function roundWords({ U, V, n, m, K, model }, t) {
  const rows = rounded(distance(U, n * K, t));
  const cols = rounded(distance(V, m * K, t));
  const moved = `To reach t = ${t}, U moved by ${rows} and V by ${cols} (Frobenius norms of what is shown, in standardised`;
  const letters = model.kind === "nmf" ? LETTERS : "";
  return `${ROUNDS[model.kind]}${letters} ${moved} units). There is no step size, so nothing can diverge.`;
}

/** |W(t) - W(t - 1)|, 0 for t = 0; `size`: numbers of one step. @param {Float32Array} path */
export function distance(path, size, t) {
  let squares = 0;
  for (let k = t ? 0 : size; k < size; k++) squares += (path[t * size + k] - path[(t - 1) * size + k]) ** 2;
  return Math.sqrt(squares);
}
