/**
 * The ratings' pull against the prior's pull on the factors of a row or a column, Eqs. (6) and (7) of the paper, with the
 * numbers of one factor at this step.
 */
import { dom, write } from "./dom.js";
import { asRating, coordinateName, exact, isWhole, largestMove, ratingTerms, signed, spoken } from "./formula.js";
import { indexed, letter, math, row, sign, sumOver } from "./mathml.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./formula.js").Side} Side
 * @typedef {import("./formula.js").Pulls} Pulls
 */

const SIDES = /** @type {const} */ ({
  row: { own: "u", other: "v", at: "n", over: "m", equation: "(6)", word: "row", others: "column" },
  col: { own: "v", other: "u", at: "m", over: "n", equation: "(7)", word: "column", others: "row" },
});

/**
 * @param {HTMLElement} root
 * @param {{choose: (factor: number|null) => void, turn: (side: Side) => void}} visitor  told which factor is pointed at,
 *   and which side is asked for
 * @param {import("./terms.js").Terms} terms
 */
export function createPulls(root, { choose, turn }, terms) {
  const title = dom("h3");
  const radios = /** @type {Side[]} */ (["row", "col"]).map((side) =>
    dom("input", { type: "radio", name: "mfc-side", value: side, onchange: () => turn(side) }));
  const names = radios.map(() => dom("span"));
  const sides = dom("fieldset", { className: "mfc-sides" }, dom("legend", { className: "mfc-heard" }, "Whose factors"),
    ...radios.map((radio, k) => dom("label", {}, radio, names[k])));
  const bars = dom("div", { className: "mfc-pulls", role: "img" });
  const key = dom("p", { className: "mfc-key" }, dom("span", { className: "mfc-data" }, "ratings move it"), dom("span", { className: "mfc-prior" }));
  const equation = dom("div", { className: "mfc-equation", "aria-hidden": "true" });
  const heard = dom("p", { className: "mfc-heard" });
  const said = dom("p", { className: "mfc-said" });
  const rows = dom("tbody");
  const tableHead = dom("tr");
  const summary = dom("summary");
  const table = dom("details", { className: "mfc-table" }, summary, dom("table", {}, dom("thead", {}, tableHead), rows));
  const lesson = dom("p", { className: "mfc-said" }, "This model takes no steps of a length: each sweep sets every row to its best values, given the columns, so there are no two pulls to compare. Models of the paper show them.");
  const all = dom("div", {}, sides, bars, key, equation, heard, said, table);
  root.append(title, lesson, all);

  bars.addEventListener("pointermove", (event) => {
    const bar = event.composedPath().find((part) => part instanceof HTMLElement && part.dataset.factor !== undefined);
    if (bar) choose(Number(/** @type {HTMLElement} */ (bar).dataset.factor));
  });
  bars.addEventListener("pointerleave", () => choose(null));
  let drawnFor = "";
  /** @type {{run: Run|null, side: string, at: number, largest: number}} */
  let scale = { run: null, side: "", at: -1, largest: 1 };
  /** @type {Record<string, HTMLElement>} */
  let numbers = {};

  /** @param {Run} run @param {Side} side @param {number} at */
  function largest(run, side, at) {
    if (scale.run !== run || scale.side !== side || scale.at !== at) scale = { run, side, at, largest: largestMove(run, side, at) };
    return scale.largest;
  }

  return {
    /**
     * @param {Run} run
     * @param {Pulls|null} pulls
     * @param {number} factor
     * @param {number} t
     * @param {{row: string, col: string}} name
     */
    update(run, pulls, factor, t, name) {
      lesson.hidden = pulls !== null;
      all.hidden = pulls === null;
      terms.write(title, pulls === null ? "No pulls here" : "Two pulls on its factors");
      if (pulls === null) return;
      terms.write(/** @type {HTMLElement} */ (key.lastChild), "prior moves it");
      const side = SIDES[pulls.side];
      radios.forEach((radio) => (radio.checked = radio.value === pulls.side));
      write(names[0], `row ${name.row}, u`);
      write(names[1], `column ${name.col}, v`);
      const { data, step, next } = pulls;
      const shape = `${pulls.side} ${run.K}`;
      if (shape !== drawnFor) {
        drawnFor = shape;
        bars.replaceChildren(...Array.from({ length: run.K }, (_, k) => {
          const bar = dom("div", {}, dom("i", { className: "mfc-data" }), dom("i", { className: "mfc-prior" }));
          bar.dataset.factor = String(k);
          return bar;
        }));
        numbers = writeEquation(equation, side);
      }
      const whole = data !== null && step !== null && next !== null;
      bars.hidden = key.hidden = equation.hidden = table.hidden = !whole;
      if (!whole) {
        write(heard, "");
        write(said, `Not all ratings of this ${side.word} are on the screen, so the next move of its factors is not known here. Go one step back to see the one before.`);
        return;
      }
      const end = largest(run, pulls.side, pulls.at);
      /** @type {Element[]} */ ([...bars.children]).forEach((bar, k) => {
        bar.classList.toggle("mfc-chosen", k === factor);
        [data, pulls.prior].forEach((pull, which) => place(/** @type {HTMLElement} */ (bar.children[which]), (-step * pull[k]) / end));
      });
      const numbersOf = { next: next[factor], now: pulls.now[factor], step, data: data[factor], lambda: run.lambda ?? 0, from: pulls.now[factor] - pulls.prior0[factor] };
      for (const [part, value] of Object.entries(numbersOf)) write(numbers[part], exact(value));
      const count = isWhole(run, pulls.side) ? ratingLines(run, pulls, t, factor, side) : null;
      write(numbers.dataLabel, count === null ? "ratings’ pull" : `ratings’ pull: sum over ${count}`);
      write(numbers.prior, `prior’s pull ${exact(pulls.prior[factor])}`);
      table.hidden = count === null;
      write(summary, `The ${count ?? ""} rating${count === 1 ? "" : "s"} of this ${side.word}, one by one`);
      const pull = pulls.prior[factor];
      const what = `${coordinateName(run, factor)} of ${pulls.side === "row" ? name.row : name.col}`;
      write(heard, `Equation ${side.equation} for ${what}: ${exact(next[factor])} = ${exact(pulls.now[factor])} minus ${exact(step)} times the sum of the ratings’ pull, ${exact(data[factor])}, and the prior’s, ${exact(pull)}.`);
      if (count === 0) write(said, `${pulls.side === "row" ? name.row : name.col} has no ratings: nothing pulls its factors away from the prior.`);
      else write(said, `${pulls.taken ? `Step ${t + 1} moves` : "One more step would move"} ${what} by ${signed(-step * data[factor])} for the ratings and by ${signed(-step * pull)} for the prior.`);
      bars.setAttribute("aria-label", `Two bars for each of ${run.K} factors: how far the ratings and the prior move it in the next step. ${said.textContent}`);
    },
  };

  /** @param {Run} run @param {Pulls} pulls @param {number} t @param {number} factor @param {(typeof SIDES)[Side]} side */
  function ratingLines(run, pulls, t, factor, side) {
    const found = ratingTerms(run, t, pulls.side, pulls.at, factor);
    if (!table.open) return found.length;
    tableHead.replaceChildren(...[side.others, "rating", "u·v − x", side.other, "product"].map((text) => dom("th", { scope: "col" }, text)));
    const called = pulls.side === "row" ? run.cols : run.rows;
    const first = pulls.side === "row" ? run.left : run.top;
    const lines = found.map(({ other, rating, off, factor: value, term }) =>
      dom("tr", {}, dom("th", { scope: "row" }, called?.[other] || String(first + other + 1)), dom("td", {}, asRating(rating)), ...[off, value, term].map((number) => dom("td", {}, spoken(number)))));
    const sum = found.reduce((total, { term }) => total + term, 0);
    rows.replaceChildren(...lines, dom("tr", { className: "mfc-sumrow" }, dom("th", { scope: "row", colSpan: 4 }, "sum"), dom("td", {}, spoken(sum))));
    return found.length;
  }
}

/** @param {HTMLElement} bar @param {number} share  −1 to 1 of the half height */
function place(bar, share) {
  const size = Math.min(1, Math.abs(share) || 0) * 50;
  bar.style.height = `max(1px, ${size}%)`;
  bar.style.bottom = share >= 0 ? "50%" : `${50 - size}%`;
}

/**
 * Writes Eq. (6) or (7): symbols above, their numbers below, and a word for each.
 * @param {HTMLElement} root
 * @param {(typeof SIDES)[Side]} side
 * @returns {Record<string, HTMLElement>} where the numbers stand
 */
function writeEquation(root, { own, other, at, over, equation }) {
  const mine = (/** @type {string} */ when) => indexed(letter(own, `mfc-${own}`), at, when);
  /** @type {Record<string, HTMLElement>} */
  const numbers = {};
  /** @param {string} key @param {string} label @param {string} mark @param {...Element} symbols */
  const part = (key, label, mark, ...symbols) => {
    numbers[key] = dom("b");
    numbers[`${key}Label`] = dom("small", {}, label);
    return dom("span", { className: `mfc-part ${mark}` }, dom("span", { className: "mfc-symbols" }, math(row(...symbols))), numbers[key], numbers[`${key}Label`]);
  };
  const op = (/** @type {string} */ text) => dom("span", { className: "mfc-symbols" }, text);
  const ratings = [
    sumOver(over),
    indexed(letter("b"), "nm"),
    sign("("),
    indexed(letter("u", "mfc-u"), "n"),
    sign("·"),
    indexed(letter("v", "mfc-v"), "m"),
    sign("−"),
    indexed(letter("x"), "nm"),
    sign(")"),
    indexed(letter(other, `mfc-${other}`), over),
  ];
  root.replaceChildren(
    part("next", "next", "", mine("(t+1)")),
    op("="),
    part("now", "now", "", mine("(t)")),
    op("−"),
    part("step", "step size", "", letter("η")),
    op("× ("),
    part("data", "ratings’ pull", "mfc-data", ...ratings),
    op("+"),
    dom("span", { className: "mfc-product" },
      dom("span", { className: "mfc-factors" },
        part("lambda", "prior’s weight", "mfc-prior", letter("λ")),
        op("×"),
        part("from", "way from the prior", "mfc-prior", sign("("), mine("(t)"), sign("−"), mine("(0)"), sign(")"))),
      (numbers.prior = dom("small", { className: "mfc-prior" }))),
    op(")"),
    dom("span", { className: "mfc-symbols mfc-number" }, equation),
  );
  return numbers;
}
