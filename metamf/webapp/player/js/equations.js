/**
 * Eqs. (6) and (7) of the paper as MathML, with the numbers of the step, or the steps of positive factors
 * (`metamf/network/nmf_steps.py`); and what a sweep does, in words.
 */
import { dom, write } from "./dom.js";
import { rounded } from "./numbers.js";

const SPACE = "http://www.w3.org/1998/Math/MathML";
/** The symbols of each side's equation: its factors, the others, their indices, and its number in the paper. */
export const SYMBOLS = {
  row: { own: "u", other: "v", at: "n", over: "m", number: "(6)" },
  col: { own: "v", other: "u", at: "m", over: "n", number: "(7)" },
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

function node(name, ...children) {
  const made = document.createElementNS(SPACE, name);
  made.append(...children);
  return made;
}

function attributed(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const classed = (element, name) => attributed(element, { class: name });

/** A part of an equation; a narrow screen has one below the other. */
export const math = (...children) => attributed(node("math", ...children), { displaystyle: "true" });

export const letter = (text) => node("mi", text);
export const sign = (text) => node("mo", text);

/** A sign at the edge of a part, of the size of a letter. */
const edge = (text) =>
  attributed(sign(text), { stretchy: "false", form: text === "+" ? "infix" : text === "(" ? "prefix" : "postfix" });

/** A vector at a step, such as u_n^(t). */
export function vector(name, index, step) {
  const bold = attributed(letter(name), { class: "mfp-vector", mathvariant: "normal" });
  return node("msubsup", bold, letter(index), node("mrow", sign("("), step, sign(")")));
}

const now = () => classed(node("mn", ""), "mfp-t");
const next = () => classed(node("mn", ""), "mfp-next");
const cell = (name) => node("msub", letter(name), node("mrow", letter("n"), letter("m")));

/** The ratings' pull: the sum of b_nm (u_n . v_m - x_nm) v_m; `step` makes the number of the step. */
export function ratingsPull({ other, over }, step) {
  const inner = node("mrow", vector("u", "n", step()), sign("·"), vector("v", "m", step()));
  const off = node("mrow", sign("("), inner, sign("−"), cell("x"), sign(")"));
  return node("mrow", node("munder", sign("∑"), letter(over)), cell("b"), off, vector(other, over, step()));
}

/** The way from the prior, u_n^(t) - u_n^(0). */
export const fromPrior = ({ own, at }, step) =>
  node("mrow", sign("("), vector(own, at, step), sign("−"), vector(own, at, node("mn", "0")), sign(")"));

/** One of the equations; `update` fills in the steps. */
function equation(symbols) {
  const { own, at, number } = symbols;
  const prior = node("mrow", letter("λ"), fromPrior(symbols, now()));
  return dom("div", { className: "mfp-equation" },
    math(vector(own, at, next()), sign("="), vector(own, at, now()), sign("−"), letter("η"), edge("(")),
    math(classed(ratingsPull(symbols, now), "mfp-data")),
    math(edge("+"), classed(prior, "mfp-prior"), edge(")")),
    dom("span", { className: "mfp-tag" }, number));
}

/** The step of a positive factor k; V follows the new U. */
function positiveEquation({ own, other, at, over }) {
  const factor = (name, index, step) =>
    node("msubsup", letter(name), node("mrow", letter(index), letter("k")), node("mrow", sign("("), step, sign(")")));
  const theirs = () => factor(other, over, own === "u" ? now() : next());
  const sum = (...terms) => [node("munder", sign("∑"), letter(over)), cell("b"), ...terms];
  const share = node("mfrac", node("mrow", cell("y"), theirs()), cell("ŷ"));
  const above = node("mrow", letter("a"), sign("+"), factor(own, at, now()), ...sum(share));
  const prior = node("mfrac", letter("a"), factor(own, at, node("mn", "0")));
  const below = node("mrow", prior, sign("+"), ...sum(theirs()));
  return dom("div", { className: "mfp-equation" }, math(factor(own, at, next()), sign("="), node("mfrac", above, below)));
}

export function createEquations(root, terms) {
  const [before, norms, after] = ["", "mfp-norms", ""].map((className) => dom("span", { className }));
  const numbers = dom("p", { className: "mfp-small" }, before, norms, after);
  let kind = "";
  return {
    update(run, state) {
      const t = Math.min(state.t, Math.max(run.T - 1, 0)); // the next step; at the end the last one that was taken
      if (kind !== run.model.kind) {
        kind = run.model.kind;
        const written = { paper: equation, nmf: positiveEquation }[kind];
        const shown = written ? [SYMBOLS.row, SYMBOLS.col].map(written) : [];
        root.replaceChildren(dom("div", { className: "mfp-equations" }, ...shown), numbers);
      }
      for (const element of root.querySelectorAll(".mfp-t")) write(element, String(t));
      for (const element of root.querySelectorAll(".mfp-next")) write(element, String(t + 1));
      const words = kind === "paper" ? stepWords(run, t) : [roundWords(run, t), "", ""];
      [before, norms, after].forEach((element, k) => terms.write(element, words[k]));
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
