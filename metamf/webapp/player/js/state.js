/**
 * The state of the player: one plain object, and one function from a state and an event to the next state. Everything
 * on the screen is drawn from it, so slider, picture, sentence and address cannot disagree.
 *
 * Another run (another seed, model, T) leaves the step where it is, within its T. `asked` is the step that the visitor
 * last asked for, or null; then the last step, the result, is shown.
 */

/** @type {Side[]} */
export const SIDES = ["row", "col"];
/** @type {Colouring[]} */
export const COLOURINGS = ["scale", "span", "levels"];
export const PACES = { slow: 1, normal: 3, fast: 10 }; // steps a second

/** At first it rests at the last step. @returns {State} */
export function openingState({ T, n, m, edited = false }, { lecture = false, pace = "normal" } = {}) {
  const view = { cell: null, factor: null, side: SIDES[0], hover: null, colours: COLOURINGS[0], difference: false };
  return { t: T, T, n, m, edited, asked: null, playing: false, pace: /** @type {Pace} */ (pace), lecture, ...view };
}

/**
 * The next state; the same object if nothing changes.
 * @param {State} state
 * @param {PlayerEvent} event
 * @returns {State}
 */
export function reduce(state, event) {
  const changed = (name, value) => (state[name] === value ? state : { ...state, [name]: value });
  switch (event.type) {
    case "play":
      if (state.T === 0 || state.playing) return state;
      return { ...goTo(state, state.t === state.T ? 0 : state.t), playing: true };
    case "pause":
      return changed("playing", false);
    case "tick":
      return state.playing ? { ...goTo(state, state.t + 1), playing: state.t + 1 < state.T } : state;
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
      return Object.hasOwn(PACES, event.pace) ? changed("pace", event.pace) : state;
    case "hover":
      return hovered(state, event);
    case "select": {
      const cell = within(event.cell, state.n, state.m);
      return String(cell) === String(state.cell) ? state : { ...state, cell, ...pointedAt(state, cell) };
    }
    case "move": {
      const [i, j] = state.cell ?? [-event.di, -event.dj];
      return reduce(state, { type: "select", cell: [clamp(i + event.di, state.n - 1), clamp(j + event.dj, state.m - 1)] });
    }
    case "factor":
      return state.cell && Number.isInteger(event.factor) && event.factor >= 0 ? changed("factor", event.factor) : state;
    case "side":
      return SIDES.includes(event.side) ? changed("side", event.side) : state;
    case "run":
      return followed(state, event);
    case "lecture":
      return changed("lecture", event.on);
    case "colours":
      return COLOURINGS.includes(event.colours) ? changed("colours", event.colours) : state;
    case "difference":
      return state.edited ? changed("difference", event.on ?? !state.difference) : state;
    default:
      return state;
  }
}

/** Whether the difference is on the screen: what was asked for outlasts an undo. @param {State} state */
export const differs = (state) => state.edited && state.difference;

const clamp = (value, last) => Math.max(0, Math.min(Math.round(value), last));

/** At rest at step t, as the visitor asked. @param {State} state @returns {State} */
function goTo(state, t) {
  if (!Number.isFinite(t)) return state;
  const step = clamp(t, state.T);
  if (step === state.t && step === state.asked && !state.playing) return state;
  return { ...state, t: step, asked: step, playing: false };
}

/** @param {State} state @param {PlayerEvent} event @returns {State} */
function hovered(state, { row = null, col = null, factor = null }) {
  const { hover } = state;
  if (row === null && col === null && factor === null) return hover === null ? state : { ...state, hover: null };
  if (hover && hover.row === row && hover.col === col && hover.factor === factor) return state;
  return { ...state, hover: { row, col, factor }, factor: state.cell && factor !== null ? factor : state.factor };
}

/**
 * Factor and side of a cell that is chosen: where a factor of a row or of a column is pointed at, that is shown;
 * otherwise the factor of the cell before.
 * @param {State} state
 */
function pointedAt({ hover, factor, side, cell: before }, cell) {
  if (cell === null) return { factor: null, side };
  if (!hover || hover.factor === null) return { factor: before && factor, side };
  if ((hover.row === null) === (hover.col === null)) return { factor: hover.factor, side };
  return { factor: hover.factor, side: hover.row === null ? SIDES[1] : SIDES[0] };
}

/** @param {State} before @param {PlayerEvent} run @returns {State} the same step of another run */
function followed(before, { T, n, m, edited = false }) {
  const state = edited === before.edited ? before : { ...before, edited };
  if (T === state.T && n === state.n && m === state.m) return state;
  const t = Math.min(state.playing ? state.t : (state.asked ?? T), T);
  const cell = within(state.cell, n, m);
  return { ...state, T, n, m, t, playing: state.playing && t < T, hover: null, cell, factor: cell && state.factor };
}

/** @returns {[number, number]|null} the cell, if the window has it */
function within(cell, n, m) {
  if (!cell || !cell.every(Number.isInteger)) return null;
  return cell[0] >= 0 && cell[0] < n && cell[1] >= 0 && cell[1] < m ? cell : null;
}
