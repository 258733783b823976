/**
 * Where the visitor is in a figure, by pointer or by keyboard, and what is written next to it. The arrow keys lead from
 * cell to cell of a map, and in a product to the left into U and up into V^T.
 */
import { axesOf, boxOn, cellUnder, nameUnder } from "./layout.js";
import { signed, within } from "./numbers.js";
import { coordinateName } from "./run.js";
import { cellWords, colName, rowName } from "./words.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Where a key leads, null for one that does not move. @param {Spot} spot @param {Field} field @returns {Spot|null} */
export function walked(spot, key, field) {
  const at = landed(spot, field);
  const { n, m, K } = field;
  if (key === "Home" || key === "End") {
    const first = key === "Home";
    return at.part === "U" ? { ...at, position: first ? 0 : K - 1 } : { ...at, col: first ? 0 : m - 1 };
  }
  if (!(key in ARROWS)) return null;
  const [down, right] = ARROWS[key];
  if (at.part === "U") {
    if (at.position + right >= K) return { ...at, part: "UV", col: 0, position: K - 1 };
    return { ...at, row: within(at.row + down, n), position: within(at.position + right, K) };
  }
  if (at.part === "V") {
    if (at.position + down >= K) return { ...at, part: "UV", row: 0, position: K - 1 };
    return { ...at, col: within(at.col + right, m), position: within(at.position + down, K) };
  }
  if (K && at.col + right < 0) return { ...at, part: "U", position: K - 1 };
  if (K && at.row + down < 0) return { ...at, part: "V", position: K - 1 };
  return { ...at, row: within(at.row + down, n), col: within(at.col + right, m) };
}

/** The same spot in another figure: one without factors has the row and the column alone. @returns {Spot} */
export function landed(spot, { n, m, K }) {
  const part = spot.part !== "UV" && spot.position < K ? spot.part : "UV";
  return { part, row: within(spot.row, n), col: within(spot.col, m), position: within(spot.position, Math.max(K, 1)) };
}

/** The cell at a pixel of a figure, or the row or column whose name is there. @returns {Place|null} */
function placeAt(picture, layout, x, y) {
  for (const { part } of picture.blocks) {
    const [rows, cols] = axesOf(layout, part);
    const i = cellUnder(rows, y);
    const j = cellUnder(cols, x);
    if (i < 0 || j < 0) continue;
    if (part === "U") return { part, row: i, col: null, position: j };
    if (part === "V") return { part, row: null, col: j, position: i };
    return { part, row: i, col: j, position: null };
  }
  const [row, col] = nameUnder(layout, x, y).map((at) => (at < 0 ? null : at));
  return row === null && col === null ? null : { part: "UV", row, col, position: null };
}

/** What is said of a place in a picture; null where there is nothing. @param {Run} run @returns {Words|null} */
export function wordsAt(run, t, picture, { part, row, col, position }, told) {
  const block = picture.blocks.find((one) => one.part === part);
  if (!block || (row ?? 0) >= run.n || (col ?? 0) >= run.m) return null;
  const head = [row === null ? colName(run, col) : rowName(run, row)];
  if (part !== "UV" && position !== null) {
    const value = block.values[part === "U" ? (row ?? 0) * run.K + position : position * run.m + (col ?? 0)];
    const what = coordinateName(run, picture.factorOrder[position], part);
    return { head, lines: [Number.isNaN(value) ? what : `${what}: ${signed(value)}`] };
  }
  if (row === null || col === null) return { head, lines: [] };
  return cellWords(run, picture.id === "prior" ? 0 : t, picture, row, col, told);
}

/**
 * What follows the pointer and the keys on the cells of a figure; `scene.last` is the spot that keys go on from.
 * @param {import("./scene.js").Scene} scene @param {Picture} picture @param {Layout} layout
 */
export function pointing(scene, picture, layout) {
  const { dispatch, parts } = scene;
  const field = { n: layout.rows.count, m: layout.cols.count, K: layout.across?.count ?? 0 };
  const spot = () => landed(scene.last, field);
  function moved(at) {
    const { row = null, col = null, position = null } = at?.place ?? {};
    const factor = picture.factorOrder[position ?? -1];
    dispatch({ type: "hover", row, col, factor, at: at?.place ? { id: picture.id, ...at } : null });
  }
  function under({ currentTarget, clientX, clientY }) {
    const { left, top } = currentTarget.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    return { place: placeAt(picture, layout, x, y), x, y };
  }
  /** Moves to a cell by keyboard; a factor of U has no column, one of V no row. @param {Spot} next */
  function stand(next) {
    scene.last = next;
    const { part, row, col, position } = next;
    const place = { part, row: part === "V" ? null : row, col: part === "U" ? null : col, position: part === "UV" ? null : position };
    const [rows, cols] = axesOf(layout, part);
    const { x, y, width, height } = boxOn(rows, cols, part === "V" ? position : row, part === "U" ? position : col);
    moved({ place, x: x + width / 2, y: y + height / 2, keyboard: true });
  }
  const onpointer = (event) => moved(under(event));
  return {
    onpointermove: onpointer,
    onpointerdown: onpointer,
    onpointerleave: () => moved(null),
    onclick: (event) => scene.choose(under(event).place),
    onfocus: ({ target }) => target.matches(":focus-visible") && stand(spot()),
    onblur: () => scene.state.pointer?.keyboard && moved(null),
    onkeydown(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const next = walked(spot(), event.key, field);
      const chosen = next ?? spot();
      if (!next && (event.key !== "Enter" || !parts.inspected)) return;
      if (!next || scene.state.cell) dispatch({ type: "select", cell: [chosen.row, chosen.col] });
      if (next) stand(next);
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
