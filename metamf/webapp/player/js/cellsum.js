/** u_n . v_m factor by factor: bars, each of which begins where the one before it ends, up to the estimate. */
import { dom, write } from "./dom.js";
import { asRating, signed, spoken } from "./formula.js";

/**
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./formula.js").Sum} Sum
 * @typedef {{key: string, label: string, value: number}} Line  a rating that is drawn across the bars
 */

const FARTHEST = 0.6; // how far beyond the bars a known rating is drawn, in shares of their extent

/**
 * @param {HTMLElement} root
 * @param {(factor: number|null) => void} choose  called with the factor that the visitor points at
 * @param {import("./terms.js").Terms} terms
 */
export function createSum(root, choose, terms) {
  const field = dom("div", { className: "mfc-fall", role: "listbox", tabIndex: 0, "aria-label": "Factor by factor; the arrow keys go through them" });
  const lines = dom("div", { className: "mfc-lines", "aria-hidden": "true" });
  const frame = dom("div", { className: "mfc-fallframe" }, lines, field);
  const detail = dom("p", { className: "mfc-detail" });
  const total = dom("p", { className: "mfc-total" });
  const title = dom("h3");
  root.append(title, frame, detail, total);
  /** @type {HTMLElement[]} */
  let options = [];
  let chosen = 0;

  field.addEventListener("pointermove", (event) => pointed(event));
  field.addEventListener("pointerdown", (event) => pointed(event));
  field.addEventListener("pointerleave", () => choose(null));
  field.addEventListener("blur", () => choose(null));
  field.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -options.length, End: options.length };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    chosen = Math.max(0, Math.min(options.length - 1, chosen + step)); // at once: the next key may come before the picture
    choose(chosen);
  });

  /** @param {PointerEvent} event */
  function pointed(event) {
    const option = event.composedPath().find((part) => part instanceof HTMLElement && part.dataset.factor !== undefined);
    if (option) choose(Number(/** @type {HTMLElement} */ (option).dataset.factor));
  }

  /** @param {Sum} sum */
  function rebuild(sum) {
    options = sum.bars.map((bar) => {
      const option = dom("div", { className: "mfc-bar", role: "option", id: `mfc-bar-${bar.factor}` }, dom("i"));
      option.dataset.factor = String(bar.factor);
      option.classList.toggle("mfc-effect", bar.kind !== "factor");
      return option;
    });
    field.replaceChildren(...options);
  }

  return {
    /**
     * @param {Run} run
     * @param {Sum} sum
     * @param {number} factor  the chosen one
     * @param {Line[]} known  ratings of the cell that are known
     */
    update(run, sum, factor, known) {
      terms.write(title, "The estimate is a sum over the factors");
      if (options.length !== sum.bars.length) rebuild(sum);
      chosen = factor;
      const toZ = (/** @type {number} */ rating) => (rating - run.mean) / (run.std || 1);
      const marks = [{ key: "mean", label: `mean ${spoken(run.mean)}`, value: run.mean }, ...known, { key: "now", label: `estimate ${spoken(sum.value)}`, value: sum.value }];
      const [low, high] = reached(sum, known.map(({ value }) => toZ(value)));
      const span = high - low;
      const place = (/** @type {number} */ z) => Math.max(0, Math.min(100, (100 * (z - low)) / span));
      sum.bars.forEach((bar, k) => {
        const [from, to] = [place(Math.min(bar.from, bar.to)), place(Math.max(bar.from, bar.to))];
        const shape = /** @type {HTMLElement} */ (options[k].firstChild);
        shape.style.bottom = `${from}%`;
        shape.style.height = `max(1px, ${to - from}%)`;
        shape.className = bar.term < 0 ? "mfc-down" : "mfc-up";
        options[k].setAttribute("aria-selected", String(k === factor));
        options[k].setAttribute("aria-label", `${bar.name}: ${spoken(bar.u)} times ${spoken(bar.v)} is ${spoken(bar.term)}`);
      });
      field.setAttribute("aria-activedescendant", `mfc-bar-${factor}`);
      drawLines(lines, marks.map(({ key, label, value }) => ({ key, label: label + beyond(toZ(value), low, high), at: place(toZ(value)) })));
      const bar = sum.bars[factor];
      const name = bar.name[0].toUpperCase() + bar.name.slice(1);
      write(detail, bar.kind === "factor"
        ? `${name}: u × v = ${spoken(bar.u)} × ${spoken(bar.v)} = ${signed(bar.term)}, that is ${signed(run.std * bar.term)} in ratings`
        : `${name}: ${spoken(bar.term)} × 1, that is ${signed(run.std * bar.term)} in ratings`);
      const cut = sum.estimate === sum.value ? "" : `, cut to ${asRating(sum.estimate)} where the scale ends`;
      write(total, `mean + spread × u·v = ${spoken(run.mean)} + ${spoken(run.std)} × ${spoken(sum.sum)} = ${spoken(sum.value)}${cut}`);
      total.dataset.sum = String(sum.bars.reduce((all, { term }) => all + term, 0));
      total.dataset.estimate = String(sum.estimate);
    },
  };
}

/**
 * The ends of the drawing: all bars, and the known ratings as far as the bars stay readable beside them.
 * @param {Sum} sum
 * @param {number[]} known  standardised units
 * @returns {[number, number]}
 */
function reached({ low, high }, known) {
  const room = FARTHEST * (high - low || 1);
  return [Math.max(Math.min(low, ...known), low - room), Math.min(Math.max(high, ...known), high + room)];
}

/** @param {number} value @param {number} low @param {number} high @returns {string} an arrow to what is not drawn */
const beyond = (value, low, high) => (value > high ? " ↑" : value < low ? " ↓" : "");

/**
 * Labelled lines; labels that would cover each other are moved apart.
 * @param {HTMLElement} root
 * @param {{key: string, label: string, at: number}[]} marks  `at`: percent from below
 */
export function drawLines(root, marks) {
  const apart = 13; // percent, about the height of a line of text
  const sorted = [...marks].sort((a, b) => a.at - b.at);
  let lowest = -Infinity;
  const labelAt = new Map();
  for (const { key, at } of sorted) {
    lowest = Math.max(at, lowest + apart);
    labelAt.set(key, lowest);
  }
  const over = Math.max(0, lowest - 100);
  const wanted = sorted.map(({ key, label, at }) => ({ key, label, at, text: labelAt.get(key) - over }));
  while (root.children.length > wanted.length) root.lastChild?.remove();
  wanted.forEach(({ key, label, at, text }, k) => {
    if (!root.children[k]) root.append(dom("div", {}, dom("i"), dom("span")));
    const mark = /** @type {HTMLElement} */ (root.children[k]);
    const [line, name] = /** @type {HTMLCollectionOf<HTMLElement>} */ (mark.children);
    mark.className = `mfc-line mfc-line-${key}`;
    line.style.bottom = `${at}%`;
    name.style.bottom = `${text}%`;
    write(name, label);
  });
}
