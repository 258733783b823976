/**
 * The state of the player: one plain object, and one function from a state and an event to the next state.
 *
 * Everything on the screen is drawn from this object, so slider, picture, sentence and address cannot disagree. No event
 * but the visitor's own begins a play.
 *
 *                    play                     tick: one step on
 *       at rest ---------------> playing  ---------------------+
 *          ^                      |    ^                       |
 *          |  pause, back, ...    |    +-----------------------+
 *          +----------------------+  ... and at rest when that was the last step
 *
 * Another run (another seed, model, T) leaves the step where it is, within its T. Which step that is: `asked`, the step
 * that the visitor last asked for, or null while nobody has asked; then it is the last one, the result.
 *
 * @typedef {{row: number|null, col: number|null, factor: number|null}} Hover
 * @typedef {import("./formula.js").Side} Side
 * @typedef {"scale"|"span"|"levels"} Colouring  on the scale of the ratings, stretched to what the estimates span, or estimate
 *   minus row and column level
 * @typedef {Object} State
 * @property {number} t  the step on the screen, 0 to T
 * @property {number} T
 * @property {number|null} asked
 * @property {boolean} playing
 * @property {keyof typeof PACES} pace
 * @property {Hover|null} hover  what the pointer is on, in the whole scene
 * @property {[number, number]|null} cell  the cell that is inspected, as row and column of the window
 * @property {number|null} factor  the factor of it that was pointed at last; null: the one with the largest term
 * @property {Side} side  whose factors come first in it
 * @property {number} n  rows and columns of the window, which `cell` lies in
 * @property {number} m
 * @property {boolean} lecture
 * @property {Colouring} colours  of the estimates
 * @property {boolean} edited  whether the run is on edited ratings, and there is a run on the data beside it
 * @property {boolean} difference  whether the visitor asks for the difference to the run on the data instead of the estimates
 *
 * @typedef {{type: "play"}|{type: "pause"}|{type: "tick"}|{type: "back"}|{type: "forward"}|{type: "first"}
 *   |{type: "last"}|{type: "go", t: number}|{type: "pace", pace: keyof typeof PACES}
 *   |{type: "hover", row?: number|null, col?: number|null, factor?: number|null}
 *   |{type: "select", cell: [number, number]|null}|{type: "move", di: number, dj: number}
 *   |{type: "factor", factor: number}|{type: "side", side: Side}
 *   |{type: "run", T: number, n: number, m: number, edited?: boolean}|{type: "lecture", on: boolean}
 *   |{type: "colours", colours: Colouring}|{type: "difference", on?: boolean}} PlayerEvent  without `on`: the other one
 */

/** @type {Side[]} */
export const SIDES = ["row", "col"];
/** @type {Colouring[]} */
export const COLOURINGS = ["scale", "span", "levels"];
export const PACES = { slow: 1, normal: 3, fast: 10 }; // steps a second

/**
 * The state at first: at rest at the step that the address names, or else at the last one. A result is on the screen
 * before anybody has touched anything, and Play starts from the prior.
 * @param {{T: number, n: number, m: number, edited?: boolean}} run
 * @param {string|null} linked  what the address says of the step
 * @param {{lecture?: boolean, pace?: keyof typeof PACES, cell?: [number, number]|null, colours?: string|null, difference?: boolean}} [options]
 *   colours: what the address says of them
 * @returns {State}
 */
export function openingState(run, linked, options = {}) {
  const asked = linked !== null && /^\d{1,6}$/.test(linked) && Number(linked) <= run.T ? Number(linked) : null;
  return {
    t: asked ?? run.T,
    T: run.T,
    asked,
    playing: false,
    pace: options.pace ?? "normal",
    hover: null,
    cell: within(options.cell ?? null, run.n, run.m),
    factor: null,
    side: "row",
    n: run.n,
    m: run.m,
    lecture: options.lecture ?? false,
    colours: COLOURINGS.find((known) => known === options.colours) ?? "scale",
    edited: run.edited ?? false,
    difference: options.difference ?? false,
  };
}

/**
 * @param {State} state
 * @param {PlayerEvent} event
 * @returns {State} the next state; the same object if nothing changes
 */
export function reduce(state, event) {
  switch (event.type) {
    case "play":
      if (state.T === 0 || state.playing) return state;
      return { ...goTo(state, state.t === state.T ? 0 : state.t), playing: true };
    case "pause":
      return state.playing ? { ...state, playing: false } : state;
    case "tick":
      if (!state.playing) return state;
      return { ...goTo(state, state.t + 1), playing: state.t + 1 < state.T };
    case "back":
      return goTo(state, state.t - 1);
    case "forward":
      return goTo(state, state.t + 1);
    case "first":
      return goTo(state, 0);
    case "last":
      return goTo(state, state.T);
    case "go":
      return goTo(state, event.t);
    case "pace":
      return event.pace in PACES && event.pace !== state.pace ? { ...state, pace: event.pace } : state;
    case "hover":
      return hovered(state, event);
    case "select": {
      const cell = within(event.cell, state.n, state.m);
      return sameCell(cell, state.cell) ? state : { ...state, cell, ...pointedAt(state, cell) };
    }
    case "factor":
      return state.cell === null || !Number.isInteger(event.factor) || event.factor < 0 || event.factor === state.factor ? state : { ...state, factor: event.factor };
    case "side":
      return SIDES.includes(event.side) && event.side !== state.side ? { ...state, side: event.side } : state;
    case "move": {
      const [i, j] = state.cell ?? [0, 0];
      const cell = state.cell === null ? [0, 0] : [clampTo(i + event.di, state.n - 1), clampTo(j + event.dj, state.m - 1)];
      return reduce(state, { type: "select", cell: /** @type {[number, number]} */ (cell) });
    }
    case "run":
      return followed(state, event);
    case "lecture":
      return event.on === state.lecture ? state : { ...state, lecture: event.on };
    case "colours":
      return COLOURINGS.includes(event.colours) && event.colours !== state.colours ? { ...state, colours: event.colours } : state;
    case "difference": {
      const difference = event.on ?? !state.difference;
      return state.edited && difference !== state.difference ? { ...state, difference } : state;
    }
    default:
      return state;
  }
}

/**
 * Whether the difference is on the screen: asked for, and there is one. What was asked for outlasts an undo.
 * @param {State} state
 */
export const differs = (state) => state.edited && state.difference;

/** @param {number} value @param {number} last @returns {number} */
const clampTo = (value, last) => Math.max(0, Math.min(Math.round(value), last));

/** @param {State} state @param {number} t @returns {State} at rest at step t, as the visitor asked */
function goTo(state, t) {
  if (!Number.isFinite(t)) return state;
  const step = clampTo(t, state.T);
  if (step === state.t && step === state.asked && !state.playing) return state;
  return { ...state, t: step, asked: step, playing: false };
}

/** @param {State} state @param {{row?: number|null, col?: number|null, factor?: number|null}} event @returns {State} */
function hovered(state, event) {
  const row = event.row ?? null;
  const col = event.col ?? null;
  const factor = event.factor ?? null;
  if (row === null && col === null && factor === null) return state.hover === null ? state : { ...state, hover: null };
  const { hover } = state;
  if (hover && hover.row === row && hover.col === col && hover.factor === factor) return state;
  const kept = state.cell === null || factor === null ? state.factor : factor;
  return { ...state, hover: { row, col, factor }, factor: kept };
}

/**
 * Factor and side of a cell that is chosen: another cell keeps the factor that was shown; where a factor of a row or of a
 * column is pointed at, that one comes first.
 * @param {State} state @param {[number, number]|null} cell @returns {{factor: number|null, side: Side}}
 */
function pointedAt({ hover, factor, side, cell: before }, cell) {
  if (cell === null) return { factor: null, side };
  const kept = before === null ? null : factor;
  if (!hover || hover.factor === null) return { factor: kept, side };
  if ((hover.row === null) === (hover.col === null)) return { factor: hover.factor, side };
  return { factor: hover.factor, side: hover.row === null ? "col" : "row" };
}

/** @param {State} before @param {{T: number, n: number, m: number, edited?: boolean}} run @returns {State} */
function followed(before, { T, n, m, edited = false }) {
  const state = edited === before.edited ? before : { ...before, edited };
  if (T === state.T && n === state.n && m === state.m) return state;
  const t = state.playing ? Math.min(state.t, T) : Math.min(state.asked ?? T, T);
  const cell = within(state.cell, n, m);
  return { ...state, T, n, m, t, playing: state.playing && t < T, hover: null, cell, factor: cell && state.factor };
}

/** @param {[number, number]|null} cell @param {number} n @param {number} m @returns {[number, number]|null} */
function within(cell, n, m) {
  if (!cell || !cell.every(Number.isInteger)) return null;
  return cell[0] >= 0 && cell[0] < n && cell[1] >= 0 && cell[1] < m ? cell : null;
}

/** @param {[number, number]|null} a @param {[number, number]|null} b */
const sameCell = (a, b) => a === b || (a !== null && b !== null && a[0] === b[0] && a[1] === b[1]);
