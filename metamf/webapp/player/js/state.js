/**
 * The state of the player: one plain object, and one function from a state and an event to the next state. Everything
 * on the screen is drawn from it, so slider, picture, sentence and address cannot disagree.
 *
 * Another run (another seed, model, T) leaves the step where it is, within its T. `asked` is the step that the visitor
 * last asked for, or null; then the last step, the result, is shown.
 */
import { clamp, within } from "./numbers.js";

const PAUSES = [1800, 1300, 900]; // milliseconds after steps 0, 1 and 2, which change most and have a line to read
const PAUSE = 333; // after the others

const WAYS = { first: -Infinity, back: -1, forward: 1, last: Infinity }; // how many steps each event goes

/** At first it rests at the last step. @returns {State} */
export function openingState({ T, n, m, edited = false }, { lecture = false } = {}) {
  return {
    T,
    n,
    m,
    edited,
    t: T,
    asked: null,
    playing: false,
    lecture,
    hover: null,
    pointer: null,
    cell: null,
    factor: null,
    side: "row",
    factors: false,
    colours: "scale",
    difference: false,
  };
}

/**
 * The next state; the same object if nothing changes.
 * @param {State} state
 * @param {PlayerEvent} event
 * @returns {State}
 */
export function reduce(state, event) {
  const changed = (name, value) => (state[name] === value ? state : { ...state, [name]: value });
  if (event.type in WAYS) return goTo(state, state.t + WAYS[event.type]);
  switch (event.type) {
    case "play":
      if (state.T === 0 || state.playing) return state;
      return { ...goTo(state, state.t === state.T ? 0 : state.t), playing: true, factors: true };
    case "pause":
      return state.playing ? goTo(state, state.t) : state;
    case "tick":
      return state.playing ? ticked(state) : state;
    case "go":
      return goTo(state, event.t);
    case "factor":
    case "factors":
    case "side":
    case "colours":
    case "lecture":
      return changed(event.type, event[event.type]);
    case "hover":
      return hovered(state, event);
    case "select":
      if (String(event.cell) === String(state.cell)) return state;
      return { ...state, cell: event.cell, ...pointedAt(state, event.cell) };
    case "move": {
      const [i, j] = state.cell ?? [-event.di, -event.dj];
      return reduce(state, { type: "select", cell: [within(i + event.di, state.n), within(j + event.dj, state.m)] });
    }
    case "run":
      return followed(state, event);
    case "difference":
      return state.edited ? changed("difference", event.on ?? !state.difference) : state;
    default:
      return state;
  }
}

/** Whether the difference is on the screen: what was asked for outlasts an undo. @param {State} state */
export const differs = (state) => state.edited && state.difference;

/** The milliseconds from one step to the next in a play. @param {State} state */
export const pauseOf = ({ t }) => PAUSES[t] ?? PAUSE;

/** At rest at step t, as the visitor asked; the last step is the result. @param {State} state @returns {State} */
function goTo(state, t) {
  const step = clamp(Math.round(t), 0, state.T);
  const asked = step === state.T ? null : step;
  if (step === state.t && asked === state.asked && !state.playing) return state;
  return { ...state, t: step, asked, playing: false };
}

/** A step further in a play. @param {State} state @returns {State} */
function ticked(state) {
  const t = Math.min(state.t + 1, state.T);
  const playing = t < state.T;
  return { ...state, t, asked: playing ? t : null, playing };
}

/** @param {State} state @param {PlayerEvent} event @returns {State} */
function hovered(state, { row = null, col = null, factor = null, at = null }) {
  const hover = row === null && col === null && factor === null ? null : { row, col, factor };
  const same = JSON.stringify(hover) === JSON.stringify(state.hover);
  if (same && at === state.pointer) return state;
  return { ...state, hover, pointer: at, factor: state.cell && factor !== null ? factor : state.factor };
}

/**
 * Factor and side of a cell that is chosen: where a factor of a row or of a column is pointed at, that is shown;
 * otherwise the factor of the cell before.
 * @param {State} state
 * @returns {{factor: number|null, side: Side}}
 */
function pointedAt({ hover, factor, side, cell: before }, cell) {
  if (cell === null) return { factor: null, side };
  if (!hover || hover.factor === null) return { factor: before && factor, side };
  if ((hover.row === null) === (hover.col === null)) return { factor: hover.factor, side };
  return { factor: hover.factor, side: hover.row === null ? "col" : "row" };
}

/** @param {State} before @param {PlayerEvent} run @returns {State} the same step of another run */
function followed(before, { T, n, m, edited = false }) {
  const state = edited === before.edited ? before : { ...before, edited };
  if (T === state.T && n === state.n && m === state.m) return state;
  const t = Math.min(state.playing ? state.t : (state.asked ?? T), T);
  const playing = state.playing && t < T;
  const cell = state.cell && state.cell[0] < n && state.cell[1] < m ? state.cell : null;
  return { ...state, T, n, m, t, playing, hover: null, pointer: null, cell, factor: cell && state.factor };
}
