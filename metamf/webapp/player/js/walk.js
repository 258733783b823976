/**
 * Where the arrow keys lead in a figure: from cell to cell of the map, and in a product to the left into U and up into
 * V^T. Nothing here knows a document: node tests it.
 *
 * @typedef {Object} Spot  a cell of a figure
 * @property {"UV"|"U"|"V"} part  V: transposed, factors by columns
 * @property {number} row  in V the row where the map is entered again
 * @property {number} col  in U the column
 * @property {number} position  along the factors; in the map that where U and V were left
 *
 * @typedef {{n: number, m: number, K: number}} Field  K: 0 for a map without factors
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {Spot} spot
 * @param {string} key  as in KeyboardEvent.key
 * @param {Field} field
 * @returns {Spot|null} null for a key that does not move
 */
export function walked(spot, key, field) {
  const at = landed(spot, field);
  if (key === "Home" || key === "End") return toTheEnd(at, key === "Home", field);
  if (!(key in ARROWS)) return null;
  const [down, right] = ARROWS[key];
  const { n, m, K } = field;
  if (at.part === "U") {
    if (at.position + right >= K) return { ...at, part: "UV", col: 0, position: K - 1 };
    return { ...at, row: clamp(at.row + down, n), position: clamp(at.position + right, K) };
  }
  if (at.part === "V") {
    if (at.position + down >= K) return { ...at, part: "UV", row: 0, position: K - 1 };
    return { ...at, col: clamp(at.col + right, m), position: clamp(at.position + down, K) };
  }
  if (K && at.col + right < 0) return { ...at, part: "U", position: K - 1 };
  if (K && at.row + down < 0) return { ...at, part: "V", position: K - 1 };
  return { ...at, row: clamp(at.row + down, n), col: clamp(at.col + right, m) };
}

/** @param {Spot} at @param {boolean} first @param {Field} field @returns {Spot} the first or last cell of the line, of its own block */
function toTheEnd(at, first, { m, K }) {
  if (at.part === "U") return { ...at, position: first ? 0 : K - 1 };
  return { ...at, col: first ? 0 : m - 1 };
}

/**
 * The same spot in another figure: one without factors has the row and the column alone.
 * @param {Spot} spot
 * @param {Field} field
 * @returns {Spot}
 */
export function landed(spot, { n, m, K }) {
  const part = spot.part !== "UV" && spot.position < K ? spot.part : "UV";
  return { part, row: clamp(spot.row, n), col: clamp(spot.col, m), position: clamp(spot.position, Math.max(K, 1)) };
}

/** @param {number} at @param {number} count */
const clamp = (at, count) => Math.max(0, Math.min(at, count - 1));
