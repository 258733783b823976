/** Eqs. (6) and (7) of the paper with the numbers of the step, and what a sweep does, in words. */
import { dom, write } from "./dom.js";
import { NO_TERMS } from "./terms.js";
import { rounded } from "./wording.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 */

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** @param {string} name @param {...(Node|string)} children @returns {Element} */
function math(name, ...children) {
  const made = document.createElementNS(MATHML, name);
  made.append(...children);
  return made;
}

/** @param {string} text @returns {Element} an operator */
const mo = (text) => math("mo", text);

/** @param {Element} element @param {string} name @returns {Element} */
function classed(element, name) {
  element.setAttribute("class", name);
  return element;
}

/** @param {string} text @returns {Element} an operator at the edge of a part, of the size of a letter */
function fixed(text) {
  const made = mo(text);
  made.setAttribute("stretchy", "false");
  made.setAttribute("form", text === "+" ? "infix" : text === "(" ? "prefix" : "postfix");
  return made;
}

/** @param {...Element} children @returns {Element} a part of an equation: a narrow screen shows one below the other */
function part(...children) {
  const made = math("math", ...children);
  made.setAttribute("displaystyle", "true");
  return made;
}

/** @param {string} letter @returns {Element} a vector */
function bold(letter) {
  const made = math("mi", letter);
  made.setAttribute("mathvariant", "normal");
  return classed(made, "mfp-vector");
}

/** @param {string} letter @param {string} below @param {Element} step @returns {Element} u_n^(t) */
const vector = (letter, below, step) => math("msubsup", bold(letter), math("mi", below), math("mrow", mo("("), step, mo(")")));

/** @returns {Element} the number of the step, filled in by `update` */
const now = () => classed(math("mn", ""), "mfp-t");
const next = () => classed(math("mn", ""), "mfp-next");
const start = () => math("mn", "0");

/**
 * One of the two equations.
 * @param {"u"|"v"} own  the side that moves
 * @param {string} number  of the equation in the paper
 */
function equation(own, number) {
  const [other, at, over] = own === "u" ? ["v", "n", "m"] : ["u", "m", "n"];
  const cell = () => math("mrow", math("mi", "n"), math("mi", "m"));
  const inner = math("mrow", vector("u", "n", now()), mo("·"), vector("v", "m", now()));
  const residual = math("mrow", mo("("), inner, mo("−"), math("msub", math("mi", "x"), cell()), mo(")"));
  const sum = math("munder", mo("∑"), math("mi", over));
  const data = math("mrow", sum, math("msub", math("mi", "b"), cell()), residual, vector(other, over, now()));
  const back = math("mrow", mo("("), vector(own, at, now()), mo("−"), vector(own, at, start()), mo(")"));
  const prior = math("mrow", math("mi", "λ"), back);
  const parts = [
    part(vector(own, at, next()), mo("="), vector(own, at, now()), mo("−"), math("mi", "η"), fixed("(")),
    part(classed(data, "mfp-data")),
    part(fixed("+"), classed(prior, "mfp-prior"), fixed(")")),
  ];
  return dom("div", { className: "mfp-equation" }, ...parts, dom("span", { className: "mfp-tag" }, `(${number})`));
}

/**
 * @param {HTMLElement} root
 * @param {import("./terms.js").Terms} [terms]
 * @returns {{update: (run: Run, state: State) => void}}
 */
export function createEquations(root, terms = NO_TERMS) {
  const [saidBefore, norms, saidAfter] = ["", "mfp-norms", ""].map((className) => dom("span", { className }));
  const numbers = dom("p", { className: "mfp-small" }, saidBefore, norms, saidAfter);
  let kind = "";

  /** @param {Run} run */
  function draw(run) {
    kind = run.model.kind;
    const shown = kind === "paper" ? [equation("u", "6"), equation("v", "7")] : [];
    root.replaceChildren(dom("div", { className: "mfp-equations" }, ...shown), numbers);
  }

  return {
    update(run, { t }) {
      if (kind !== run.model.kind) draw(run);
      for (const element of root.querySelectorAll(".mfp-t")) write(element, String(t));
      for (const element of root.querySelectorAll(".mfp-next")) write(element, String(t + 1));
      const [before, aside, after] = kind === "paper" ? stepNumbers(run, t) : [sweepNumbers(run, t), "", ""];
      terms.write(saidBefore, before);
      terms.write(norms, aside);
      write(saidAfter, after);
    },
  };
}

/** @param {Run} run @param {number} t @returns {[string, string, string]} the second: what the numbers are, where there is room */
function stepNumbers(run, t) {
  const eta = `η = ${short(run.eta)}${run.model.rule === "safe" ? " or, where that is too long, less" : ""}`;
  return [
    `At t = ${t} the ratings pull U with ${rounded(run.pulls?.data[t])}, and the prior pulls it back with ${rounded(run.pulls?.prior[t])}`,
    " (Frobenius norms of the two terms, in standardised units)",
    `; ${eta}, λ = ${short(run.lambda)}.`,
  ];
}

/** @param {number|null} value @returns {string} */
const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));

/** @param {Run} run @param {number} t @returns {string} */
function sweepNumbers(run, t) {
  const moved =
    `To reach t = ${t}, U moved by ${rounded(distance(run.U, run.n * run.K, t))} and V by ` +
    `${rounded(distance(run.V, run.m * run.K, t))} (Frobenius norms of what is shown, in standardised units).`;
  return (
    "A sweep sets every row to its best value given the columns and how uncertain they are, then every column given " +
    `the rows. ${moved} There is no step size, so nothing can diverge.`
  );
}

/** @param {Float32Array} path @param {number} size  of one step @param {number} t @returns {number} |W(t) - W(t - 1)|, 0 for t = 0 */
export function distance(path, size, t) {
  if (t === 0) return 0;
  let squares = 0;
  for (let k = 0; k < size; k++) squares += (path[t * size + k] - path[(t - 1) * size + k]) ** 2;
  return Math.sqrt(squares);
}
