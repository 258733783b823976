/**
 * Where the visitor is in a scene, by pointer or by keyboard: reports it, and writes beside it what is there.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./maps.js").Figure} Figure
 * @typedef {import("./maps.js").Place} Place
 */
import { dom } from "./dom.js";
import { cellWords, exactNumber, namesOf } from "./alttext.js";
import { factorWords } from "./factors.js";

const LEVELS = ["filled", "prior", "now"]; // signed only where levels are taken away
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Pointer {
  /**
   * @param {HTMLElement} box  the scene
   * @param {(event: import("./state.js").PlayerEvent) => void} dispatch
   * @param {() => [Run|null, State|null]} now
   */
  constructor(box, dispatch, now) {
    this.box = box;
    this.dispatch = dispatch;
    this.now = now;
    /** @type {{figure: Figure, place: Place, x: number, y: number, keyboard: boolean}|null} */
    this.at = null;
    this.written = "";
    this.tip = dom("div", { className: "map-tip", hidden: true });
    this.spoken = dom("div", { className: "map-spoken", "aria-live": "polite" }); // read out when a key moves the cell
    box.append(this.tip, this.spoken);
  }

  /** @param {Figure} figure @param {Place|null} place @param {number} x @param {number} y */
  moved(figure, place, x, y) {
    this.at = place ? { figure, place, x, y, keyboard: false } : null;
    const factor = place?.position === null || place?.position === undefined ? null : figure.picture?.factorOrder[place.position] ?? null;
    this.dispatch({ type: "hover", row: place?.row ?? null, col: place?.col ?? null, factor });
    this.show(); // an equal hover is no event, yet the pointer has moved
  }

  /** @param {Figure} figure @param {KeyboardEvent} event */
  key(figure, event) {
    const [, state] = this.now();
    if (!state || event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = this.cellOf(state);
    if (event.key in ARROWS) {
      const [di, dj] = ARROWS[event.key];
      const next = /** @type {[number, number]} */ ([clamp(cell[0] + di, state.n), clamp(cell[1] + dj, state.m)]);
      if (state.cell) this.dispatch({ type: "move", di, dj });
      this.stand(figure, next);
    } else if (event.key === "Enter") {
      this.dispatch({ type: "select", cell });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {State} state @returns {[number, number]} the cell that keys move from */
  cellOf(state) {
    if (state.cell) return state.cell;
    if (this.at?.keyboard && this.at.place.row !== null && this.at.place.col !== null) return [this.at.place.row, this.at.place.col];
    return this.last ?? [0, 0];
  }

  /** @param {Figure} figure @param {boolean} focused */
  focused(figure, focused) {
    const [, state] = this.now();
    if (focused && state && figure.grid.matches(":focus-visible")) this.stand(figure, this.cellOf(state));
    else if (!focused && this.at?.keyboard) this.moved(figure, null, 0, 0);
  }

  /** @param {Figure} figure @param {[number, number]} cell */
  stand(figure, cell) {
    const [run, state] = this.now();
    if (!run || !state || cell[0] >= run.n || cell[1] >= run.m) return;
    this.last = cell;
    const [x, y] = figure.middleOf(...cell);
    this.at = { figure, place: { part: "UV", row: cell[0], col: cell[1], position: null }, x, y, keyboard: true };
    this.dispatch({ type: "hover", row: cell[0], col: cell[1] });
    this.show();
    const words = this.words();
    if (words) this.spoken.textContent = [...words.head, ...words.lines].join("; ");
  }

  /** @returns {{head: string[], lines: string[]}|null} */
  words() {
    const [run, state] = this.now();
    const { at } = this;
    const picture = at?.figure.picture;
    if (!run || !state || !at || !picture) return null;
    const { row, col, position, part } = at.place;
    const block = picture.blocks.find((one) => one.part === part);
    if (!block) return null;
    const names = namesOf(run);
    if (part !== "UV" && position !== null) {
      const side = part === "U" ? "U" : "V";
      const name = side === "U" ? names.rows[row ?? 0] : names.cols[col ?? 0];
      const value = block.values[side === "U" ? (row ?? 0) * run.K + position : position * run.m + (col ?? 0)];
      const what = factorWords(run, picture.factorOrder[position])[side];
      return { head: [name], lines: [Number.isNaN(value) ? what : `${what}: ${exactNumber(value, true)}`] };
    }
    if ((row ?? 0) >= run.n || (col ?? 0) >= run.m) return null;
    if (row === null || col === null) return { head: [row === null ? names.cols[col ?? 0] : names.rows[row]], lines: [] };
    const estimates = block.scale.kind === "rating"; // the map shows what the text says anyway
    const own = estimates ? undefined : { name: LEVELS.includes(picture.id) ? "minus row and column level" : picture.title, value: block.values[row * run.m + col], signed: block.scale.kind === "signed" };
    return cellWords(run, picture.id === "prior" ? 0 : state.t, row, col, own, picture.id === "width");
  }

  /** Writes the text beside the pointer, or takes it away. */
  show() {
    const [, state] = this.now();
    const words = state?.hover ? this.words() : null;
    this.tip.hidden = !words;
    if (!words || !this.at) return;
    const text = JSON.stringify(words);
    if (text !== this.written) {
      this.written = text;
      const head = words.head.map((name) => {
        return dom("b", { dir: "auto" }, name);
      });
      this.tip.replaceChildren(...head, ...words.lines.map((line) => dom("span", {}, line)));
    }
    const box = this.box.getBoundingClientRect();
    const plot = this.at.figure.plot.getBoundingClientRect();
    const width = this.tip.offsetWidth;
    const right = plot.left - box.left + this.at.x + 18;
    const left = right + width > box.width ? Math.max(0, right - width - 36) : right;
    const below = plot.top + this.at.y + 16;
    const top = below + this.tip.offsetHeight > innerHeight ? below - this.tip.offsetHeight - 28 : below;
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top - box.top)}px)`;
  }

  destroy() {
    this.tip.remove();
    this.spoken.remove();
  }
}

/** @param {number} at @param {number} count */
const clamp = (at, count) => Math.max(0, Math.min(at, count - 1));
