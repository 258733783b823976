/**
 * What the address of the page says of the player's state, and back: the step as `t`; the chosen cell as `cell`, row and
 * column of the matrix counted from 1; the factor that was chosen in it as `factor`, counted from 1, and `side=column`
 * where those of its column come first; the colours of the estimates as `colours` and the pace of a play as `pace`, where
 * they are not the usual ones; `difference=1` for the difference to the run on the data. A link is text from outside:
 * what cannot be shown is left as it is, and said.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").PlayerEvent} PlayerEvent
 * @typedef {(name: string) => string|null} Say  the text of a parameter, null where there is none
 */
import { COLOURINGS, differs, PACES, SIDES } from "./state.js";
import { missedStep } from "./wording.js";

export const PARAMETERS = ["t", "cell", "factor", "side", "colours", "pace", "difference"];
const SIDE_WORDS = { row: "row", col: "column" };
const LONGEST = 12; // characters of a text from outside that are repeated

/**
 * @param {Run} run
 * @param {State} state
 * @param {State["pace"]} usual  the pace of this browser
 * @returns {Record<string, string|null>} the text of each of `PARAMETERS`, null where it needs none, as maps that follow no
 *   step need only the cell
 */
export function written(run, state, usual) {
  return {
    t: run.maps.length ? null : String(state.t),
    cell: state.cell && `${run.top + state.cell[0] + 1},${run.left + state.cell[1] + 1}`,
    factor: state.factor === null ? null : String(Math.min(state.factor, run.K - 1) + 1),
    side: state.side === SIDES[0] ? null : SIDE_WORDS[state.side],
    colours: state.colours === COLOURINGS[0] ? null : state.colours,
    pace: state.pace === usual ? null : state.pace,
    difference: differs(state) ? "1" : null,
  };
}

/**
 * The events that lead to what an address asks for; none for what it does not name, or what is not to be had.
 * @param {Run} run
 * @param {Say} say
 * @returns {PlayerEvent[]}
 */
export function asked(run, say) {
  const [t, colours, pace, cell] = [say("t"), say("colours"), say("pace"), linkedCell(run, say("cell"))];
  /** @type {PlayerEvent[]} */
  const events = [];
  if (t !== null && missedStep(run, t) === "") events.push({ type: "go", t: Number(t) });
  if (cell) events.push({ type: "select", cell });
  const [factor, side] = [cell && linkedFactor(run, say("factor")), linkedSide(say("side"))];
  if (factor !== null) events.push({ type: "factor", factor });
  if (side) events.push({ type: "side", side });
  const colouring = COLOURINGS.find((known) => known === colours);
  if (colouring) events.push({ type: "colours", colours: colouring });
  if (isPace(pace)) events.push({ type: "pace", pace });
  if (say("difference") === "1") events.push({ type: "difference", on: true });
  return events;
}

/**
 * What is said of a link that asks for something that is not to be had.
 * @param {Run} run
 * @param {Say} say
 * @returns {string} empty where there is nothing to say
 */
export function missed(run, say) {
  const [cell, colours, pace, difference] = [say("cell"), say("colours"), say("pace"), say("difference")];
  const [factor, side] = [say("factor"), say("side")];
  const rest = [
    cell !== null && !linkedCell(run, cell) && `the cell ${quoted(cell)}, which is not among those that are shown`,
    factor !== null && (linkedFactor(run, factor) === null || !linkedCell(run, cell)) && `the factor ${quoted(factor)}, which no chosen cell has`,
    side !== null && !linkedSide(side) && `the side ${quoted(side)}, which does not exist`,
    colours !== null && !COLOURINGS.some((known) => known === colours) && `the colours ${quoted(colours)}, which do not exist`,
    pace !== null && !isPace(pace) && `the pace ${quoted(pace)}, which does not exist`,
    difference !== null && (difference !== "1" || !run.pinned) && `the difference ${quoted(difference)} to the data, and nothing is edited`,
  ].filter(Boolean);
  const others = rest.length ? `The link asks for ${rest.join("; for ")}.` : "";
  return [missedStep(run, say("t")), others].filter(Boolean).join(" ");
}

/** @param {Run} run @param {string|null} text @returns {[number, number]|null} row and column of the window */
function linkedCell(run, text) {
  const found = /^(\d{1,7}),(\d{1,7})$/.exec(text ?? "");
  if (!found) return null;
  const [i, j] = [Number(found[1]) - 1 - run.top, Number(found[2]) - 1 - run.left];
  return i >= 0 && i < run.n && j >= 0 && j < run.m ? [i, j] : null;
}

/** @param {Run} run @param {string|null} text @returns {number|null} counted from 0 */
function linkedFactor(run, text) {
  const number = /^\d{1,4}$/.test(text ?? "") ? Number(text) : 0;
  return number >= 1 && number <= run.K ? number - 1 : null;
}

/** @param {string|null} text @returns {State["side"]|undefined} */
const linkedSide = (text) => SIDES.find((side) => SIDE_WORDS[side] === text);

/** @param {string|null} text @returns {text is State["pace"]} */
const isPace = (text) => text !== null && Object.hasOwn(PACES, text);

/** @param {string} text */
const quoted = (text) => `“${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}”`;
