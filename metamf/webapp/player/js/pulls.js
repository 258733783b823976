/**
 * The ratings' pull against the prior's pull on the factors of a row or a column, Eqs. (6) and (7) of the paper, with
 * the numbers of one factor at this step.
 */
import { factorOf } from "./cell.js";
import { choice, dom, table, write } from "./dom.js";
import { fromPrior, letter, math, ratingsPull, SYMBOLS, vector } from "./equations.js";
import { exact, plain, rounded, signed } from "./numbers.js";
import { coordinateName, isWhole, largestMove, once, ratingTerms } from "./run.js";
import { colName, rowName } from "./words.js";

const WORDS = { row: { word: "row", others: "column", name: rowName }, col: { word: "column", others: "row", name: colName } };
const SWEEPS =
  "This model takes no steps of a length: each sweep gives every row its best values, given the columns, so there are no " +
  "two pulls to compare. Models of the paper have them.";

/** Sizes a bar; `share`: of the half height, −1 to 1. @param {HTMLElement} bar */
function sizeBar(bar, share) {
  const size = Math.min(1, Math.abs(share) || 0) * 50;
  bar.style.height = `max(1px, ${size}%)`;
  bar.style.bottom = share >= 0 ? "50%" : `${50 - size}%`;
}

/**
 * Writes Eq. (6) or (7): symbols above, their numbers below, and a word for each.
 * @param {HTMLElement} root
 * @param {Side} side
 * @returns {Record<string, HTMLElement>} where the numbers are
 */
function writeEquation(root, side) {
  const symbols = SYMBOLS[side];
  const step = () => letter("t");
  const mine = (when) => vector(symbols.own, symbols.at, letter(when));
  /** @type {Record<string, HTMLElement>} */
  const numbers = {};
  const part = (key, label, mark, symbol) => {
    numbers[key] = dom("b");
    numbers[`${key}Label`] = dom("small", {}, label);
    const above = dom("span", { className: "mfc-symbols" }, math(symbol));
    return dom("span", { className: `mfc-part ${mark}` }, above, numbers[key], numbers[`${key}Label`]);
  };
  const op = (text, more = "") => dom("span", { className: `mfc-symbols${more}` }, text);
  numbers.prior = dom("small", { className: "mfc-prior" });
  root.replaceChildren(
    part("next", "next", "", mine("t+1")),
    op("="),
    part("now", "now", "", mine("t")),
    op("−"),
    part("step", "step size", "", letter("η")),
    op("× ("),
    part("data", "ratings’ pull", "mfc-data", ratingsPull(symbols, step)),
    op("+"),
    dom("span", { className: "mfc-product" },
      dom("span", { className: "mfc-factors" },
        part("lambda", "prior’s weight", "mfc-prior", letter("λ")),
        op("×"),
        part("from", "way from the prior", "mfc-prior", fromPrior(symbols, step()))),
      numbers.prior),
    op(")"),
    op(symbols.number, " mfc-number"),
  );
  return numbers;
}

/**
 * @param {HTMLElement} root
 * @param {(factor: number|null) => void} choose  called with the factor that the visitor points at
 * @param {(side: string) => void} turn  called with the side that is asked for
 * @param {Terms} terms
 */
export function createPulls(root, choose, turn, terms) {
  const title = dom("h3");
  const names = [dom("span"), dom("span")];
  const look = { className: "mfc-sides", legend: "Whose factors", name: "mfc-side", hidden: true };
  const sides = choice(look, [["row", names[0]], ["col", names[1]]], turn);
  const bars = dom("div", { className: "mfc-pulls", role: "img" });
  const priorKey = dom("span", { className: "mfc-prior" });
  const key = dom("p", { className: "mfc-key" }, dom("span", { className: "mfc-data" }, "ratings move it"), priorKey);
  const equation = dom("div", { className: "mfc-equation", "aria-hidden": "true" });
  const [heard, said] = [dom("p", { className: "mfp-spoken" }), dom("p", { className: "mfc-said" })];
  const [summary, ratings] = [dom("summary"), dom("div")];
  const one = dom("details", { className: "mfc-table" }, summary, ratings);
  const sweeps = dom("p", { className: "mfc-said" }, SWEEPS);
  const all = dom("div", {}, sides.root, bars, key, equation, heard, said, one);
  root.append(title, sweeps, all);
  bars.addEventListener("pointermove", (event) => choose(factorOf(event)));
  bars.addEventListener("pointerleave", () => choose(null));
  let drawnFor = "";
  /** @type {Record<string, HTMLElement>} */
  let numbers = {};

  return {
    /** @param {Run} run @param {Pulls|null} pulls @param {number} factor @param {[number, number]} cell */
    update(run, pulls, factor, t, cell) {
      sweeps.hidden = pulls !== null;
      all.hidden = pulls === null;
      terms.write(title, pulls === null ? "No pulls here" : "Two pulls on its factors");
      if (pulls === null) return;
      terms.write(priorKey, "prior moves it");
      const { side, at, data, step, next, now, prior, start, taken } = pulls;
      const { word, others, name } = WORDS[side];
      for (const input of sides.inputs) input.checked = input.value === side;
      write(names[0], `row ${rowName(run, cell[0])}, u`);
      write(names[1], `column ${colName(run, cell[1])}, v`);
      if (`${side} ${run.K}` !== drawnFor) {
        drawnFor = `${side} ${run.K}`;
        bars.replaceChildren(...Array.from({ length: run.K }, (_, k) => {
          const bar = dom("div", {}, dom("i", { className: "mfc-data" }), dom("i", { className: "mfc-prior" }));
          bar.dataset.factor = String(k);
          return bar;
        }));
        numbers = writeEquation(equation, side);
      }
      const whole = data !== null && step !== null && next !== null;
      bars.hidden = key.hidden = equation.hidden = !whole;
      if (!whole) {
        one.hidden = true;
        write(heard, "");
        const unknown = `Not all ratings of this ${word} are on the screen, so the next move of its factors is not known here.`;
        write(said, `${unknown} Go back a step to see the one before.`);
        return;
      }
      const end = once(run, `largest move ${side} ${at}`, () => largestMove(run, side, at));
      [...bars.children].forEach((bar, k) => {
        bar.classList.toggle("mfc-chosen", k === factor);
        [data, prior].forEach((pull, which) => sizeBar(/** @type {HTMLElement} */ (bar.children[which]), (-step * pull[k]) / end));
      });
      const [from, to, pulled] = [now[factor], next[factor], data[factor]];
      const values = { next: to, now: from, step, data: pulled, lambda: run.lambda, from: from - start[factor] };
      for (const [part, value] of Object.entries(values)) write(numbers[part], exact(value));
      const found = isWhole(run, side) ? ratingTerms(run, t, side, at, factor) : null;
      const [count, pull, line] = [found?.length, prior[factor], name(run, at)];
      write(numbers.dataLabel, found ? `ratings’ pull: sum over ${count}` : "ratings’ pull");
      write(numbers.prior, `prior’s pull ${exact(pull)}`);
      const what = `${coordinateName(run, factor)} of ${line}`;
      const sumOfPulls = `the sum of the ratings’ pull, ${exact(pulled)}, and the prior’s, ${exact(pull)}`;
      const equals = `${exact(to)} = ${exact(from)} minus ${exact(step)} times ${sumOfPulls}`;
      write(heard, `Equation ${SYMBOLS[side].number} for ${what}: ${equals}.`);
      const mover = taken ? `Step ${t + 1} moves` : "One more step would move";
      const moves = `${mover} ${what} by ${signed(-step * pulled)} for the ratings and by ${signed(-step * pull)} for the prior.`;
      write(said, count === 0 ? `${line} has no ratings, so nothing pulls its factors away from the prior.` : moves);
      const label = `Two bars for each of ${run.K} factors: how far the ratings and the prior move it in the next step.`;
      bars.setAttribute("aria-label", `${label} ${said.textContent}`);
      one.hidden = found === null;
      write(summary, `The ${count ?? ""} rating${count === 1 ? "" : "s"} of this ${word}, one by one`);
      if (!found || !one.open) return;
      const rows = found.map(({ other, rating, off, factor: value, term }) =>
        [WORDS[side === "row" ? "col" : "row"].name(run, other), plain(rating), ...[off, value, term].map(rounded)]);
      const sum = rounded(found.reduce((total, { term }) => total + term, 0));
      const head = [others, "rating", "u·v − x", SYMBOLS[side].other, "product"];
      ratings.replaceChildren(table("", head, [...rows, ["sum", "", "", "", sum]]));
    },
  };
}
