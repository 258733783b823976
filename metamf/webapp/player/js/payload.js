/**
 * What the server sends of a run, and the run that is made of it when it arrives.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./marked.js").Mark} Mark
 *
 * @typedef {Object} Payload What `metamf/webapp/experiments/replay.py` sends; arrays are base64 of little-endian float32.
 * @property {number} version
 * @property {string} id  another run, another id; edits, lean and the pinned run do not count
 * @property {{name: string, description: string}} matrix
 * @property {{name: string, title: string, kind: "paper"|"universal"|"mf", rule: "paper"|"safe"|"exact"}} model
 * @property {"step"|"sweep"} round
 * @property {number} n
 * @property {number} m
 * @property {number} K
 * @property {number} T
 * @property {number} top  position of the window's first row in the matrix, from 0
 * @property {number} left
 * @property {number} total_rows
 * @property {number} total_cols
 * @property {string[]|null} rows
 * @property {string[]|null} cols
 * @property {number} mean  rating = mean + std * standardised value
 * @property {number} std  0 where all ratings are one value
 * @property {number} low  ends of the colour scale of ratings, and of the scale that estimates are clipped to
 * @property {number} high
 * @property {boolean} clip
 * @property {string} X
 * @property {string|null} truth
 * @property {string} U
 * @property {string} V
 * @property {{U: number[], V: number[]}} constants  coordinates that are always 1
 * @property {{U: number[], V: number[]}} effects  coordinates that hold the effect of a row or column
 * @property {number|null} eta  null for sweeps
 * @property {number|null} lambda
 * @property {string|null} lower
 * @property {string|null} upper
 * @property {number|null} level
 * @property {number} n_given  in the whole matrix
 * @property {number} n_hidden
 * @property {{given: (number|null)[], hidden: (number|null)[]|null}} errors  RMSE after each step, whole matrix
 * @property {{data: (number|null)[], prior: (number|null)[]}|null} pulls  norms of the two terms of Eq. (6)
 * @property {{factor: number, residual: number, change: number}} limits
 * @property {Pinned|null} pinned  the run on the data, where this one is on edited ratings
 * @property {EditsSaid|null} edits  null where nothing can be edited
 * @property {Lean|null} lean
 * @property {Mark|null} [mark]  a cell, row or column that is pointed out
 * @property {{name: string, value: number}[]} [levels]  errors on the hidden cells that the curves are compared with
 * @property {SentMap[]} [maps]  maps that follow no step (`metamf/webapp/player/still.py`); then there are no factors
 * @property {[string, string]} [nouns]  what a row and a column is called where it has no name
 *
 * @typedef {{U: string, V: string, mean: number, std: number}} Pinned  of as many steps, on the same window
 *
 * @typedef {Object} EditsSaid  what `metamf/webapp/matrix/what_if.py` says of the edits
 * @property {[number, number, number|null][]} made  those in the window: row, column, rating or null where it is hidden
 * @property {number} count  all of them
 * @property {boolean} can_undo
 * @property {boolean} can_redo
 * @property {[number, number, number|null]|null} scale  lowest and highest rating and the step between two, if known
 * @property {number} seen  number of the last edit that the server has heard of
 * @property {string} note  why the last one was refused, and the like
 *
 * @typedef {Object} SentMap
 * @property {string} title  no two maps have the same
 * @property {string} detail
 * @property {"rating"|"signed"|"width"} kind
 * @property {string} noun  what a number of it is called, such as "estimate"
 * @property {string} values  n * m, row by row
 * @property {number} low  ends of its colours
 * @property {number} high
 * @property {string} below  words at the ends; none of a map of widths that are all alike
 * @property {string} above
 * @property {string} words  a sentence on its colours, or nothing
 *
 * @typedef {[number, number, number, number, string, string]} LeanItem  row and column, which count in the window and
 *   may lie outside of it; how far the rating moves the estimate, in rating units; the rating; names of row and column
 * @typedef {{cell: [number, number], items: LeanItem[], examined: number, note: string}} Lean  what the estimate of a
 *   cell leans on, most first
 */

export const PAYLOAD_VERSION = 2;

/**
 * @param {string|null} text
 * @returns {Float32Array|null}
 */
export function decodeArray(text) {
  if (text === null) return null;
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  return new Float32Array(bytes.buffer);
}

/**
 * @param {Payload} payload
 * @returns {Run}
 */
export function decodeRun(payload) {
  if (payload.version !== PAYLOAD_VERSION) throw new Error(`payload of version ${payload.version}`);
  /** @type {Run} */
  const run = {
    id: payload.id,
    matrix: payload.matrix,
    model: payload.model,
    round: payload.round,
    n: payload.n,
    m: payload.m,
    K: payload.K,
    T: payload.T,
    top: payload.top,
    left: payload.left,
    totalRows: payload.total_rows,
    totalCols: payload.total_cols,
    rows: payload.rows,
    cols: payload.cols,
    mean: payload.mean,
    std: payload.std,
    low: payload.low,
    high: payload.high,
    clip: payload.clip,
    X: /** @type {Float32Array} */ (decodeArray(payload.X)),
    truth: decodeArray(payload.truth),
    U: /** @type {Float32Array} */ (decodeArray(payload.U)),
    V: /** @type {Float32Array} */ (decodeArray(payload.V)),
    constants: payload.constants,
    effects: payload.effects,
    eta: payload.eta,
    lambda: payload.lambda,
    lower: decodeArray(payload.lower),
    upper: decodeArray(payload.upper),
    level: payload.level,
    nGiven: payload.n_given,
    nHidden: payload.n_hidden,
    errors: payload.errors,
    pulls: payload.pulls,
    limits: payload.limits,
    pinned: null,
    edits: payload.edits,
    lean: payload.lean,
    mark: payload.mark ?? null,
    levels: payload.levels ?? [],
    maps: (payload.maps ?? []).map((map) => ({ ...map, values: /** @type {Float32Array} */ (decodeArray(map.values)) })),
    nouns: payload.nouns ?? ["row", "column"],
    products: new Map(),
  };
  return { ...run, pinned: payload.pinned && pinnedRun(run, payload.pinned) };
}

/** @param {Run} run @param {Pinned} pinned @returns {Run} that on the data: its own factors and units, all else is the same */
function pinnedRun(run, { U, V, mean, std }) {
  const factors = { U: /** @type {Float32Array} */ (decodeArray(U)), V: /** @type {Float32Array} */ (decodeArray(V)) };
  return { ...run, ...factors, mean, std, products: new Map() };
}
