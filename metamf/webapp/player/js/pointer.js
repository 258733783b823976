/**
 * Where the visitor is in a scene, by pointer or by keyboard: reports it, and writes next to it what is there. The arrow
 * keys lead from cell to cell of a map, and in a product to the left into U and up into V^T.
 */
import { dom } from "./dom.js";
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

export class Pointer {
  /** @type {{figure: Figure, place: Place, x: number, y: number, keyboard: boolean}|null} */ at = null;
  /** @type {Spot} */ last = { part: "UV", row: 0, col: 0, position: 0 }; // where keys go on

  /** @param {import("./scene.js").Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.tip = dom("div", { className: "map-tip", hidden: true });
    this.spoken = dom("div", { className: "map-spoken mfp-spoken", "aria-live": "polite" }); // read out when a key moves the cell
    scene.box.append(this.tip, this.spoken);
  }

  /** @param {Figure} figure @param {{place: Place|null, x: number, y: number}|null} at */
  moved(figure, at, keyboard = false) {
    const place = at?.place;
    this.at = at && place ? { figure, ...at, place, keyboard } : null;
    const factor = figure.picture.factorOrder[place?.position ?? -1];
    this.scene.dispatch({ type: "hover", row: place?.row ?? null, col: place?.col ?? null, factor });
    this.show(); // an equal hover is not an event, yet the pointer has moved
  }

  /** Opens the inspector at a cell, on the factor that is pointed at. @param {Place|null} place */
  choose(place) {
    const { parts, state, dispatch } = this.scene;
    if (!place || !parts.inspected) return;
    const { part, row, col } = place;
    if ((row === null && part !== "V") || (col === null && part !== "U")) return;
    const [lastRow, lastCol] = state.cell ?? [this.last.row, this.last.col];
    dispatch({ type: "select", cell: [row ?? within(lastRow, state.n), col ?? within(lastCol, state.m)] });
  }

  /** @param {Figure} figure */
  key(figure, event) {
    const { parts, state, dispatch } = this.scene;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const spot = this.spotIn(figure);
    const next = walked(spot, event.key, figure.field);
    if (next) {
      if (state.cell) dispatch({ type: "select", cell: [next.row, next.col] });
      this.stand(figure, next);
    } else if (event.key === "Enter" && parts.inspected) {
      dispatch({ type: "select", cell: [spot.row, spot.col] });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The cell that keys move from. @param {Figure} figure */
  spotIn(figure) {
    const [row, col] = this.scene.state.cell ?? [this.last.row, this.last.col];
    return landed({ ...this.last, row, col }, figure.field);
  }

  focused(figure, focused) {
    if (focused && figure.grid.matches(":focus-visible")) this.stand(figure, this.spotIn(figure));
    else if (!focused && this.at?.keyboard) this.moved(figure, null);
  }

  /** Moves to a cell by keyboard. @param {Figure} figure @param {Spot} spot */
  stand(figure, spot) {
    this.last = spot;
    const { part, row, col, position } = spot; // a factor of U has no column, one of V no row
    const lit = { row: part === "V" ? null : row, col: part === "U" ? null : col, position: part === "UV" ? null : position };
    const [x, y] = figure.middleOf(spot);
    this.moved(figure, { place: { part, ...lit }, x, y }, true);
    const words = this.words();
    if (words) this.spoken.textContent = [...words.head, ...words.lines].join("; ");
  }

  /** @returns {Words|null} */
  words() {
    if (!this.at) return null;
    const { run, state, parts } = this.scene;
    const { figure: { picture }, place: { row, col, position, part } } = this.at;
    const block = picture.blocks.find((one) => one.part === part);
    if (!block || (row ?? 0) >= run.n || (col ?? 0) >= run.m) return null;
    const name = row === null ? colName(run, col) : rowName(run, row);
    if (part !== "UV" && position !== null) {
      const value = block.values[part === "U" ? (row ?? 0) * run.K + position : position * run.m + (col ?? 0)];
      const what = coordinateName(run, picture.factorOrder[position], part);
      return { head: [name], lines: [Number.isNaN(value) ? what : `${what}: ${signed(value)}`] };
    }
    if (row === null || col === null) return { head: [name], lines: [] };
    return cellWords(run, picture.id === "prior" ? 0 : state.t, picture, row, col, parts.told);
  }

  /** Writes the text next to the pointer, or takes it away. */
  show() {
    const words = this.scene.state.hover ? this.words() : null;
    this.tip.hidden = !words;
    if (!words || !this.at) return;
    const head = words.head.map((name) => dom("b", { dir: "auto" }, name));
    this.tip.replaceChildren(...head, ...words.lines.map((line) => dom("span", {}, line)));
    const box = this.scene.box.getBoundingClientRect();
    const plot = this.at.figure.plot.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const right = plot.left - box.left + this.at.x + 18;
    const left = right + width > box.width ? Math.max(0, right - width - 36) : right;
    const below = plot.top + this.at.y + 16;
    const top = below + height > innerHeight ? below - height - 28 : below;
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top - box.top)}px)`;
  }
}
