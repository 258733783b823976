/**
 * Where the visitor is in a scene, by pointer or by keyboard: reports it, and writes beside it what is there.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./maps.js").Figure} Figure
 * @typedef {import("./maps.js").Place} Place
 * @typedef {import("./walk.js").Spot} Spot
 */
import { dom } from "./dom.js";
import { cellWords, exactNumber, givenWords, namesOf } from "./alttext.js";
import { factorWords } from "./factors.js";
import { differs } from "./state.js";
import { stillWords } from "./stills.js";
import { landed, walked } from "./walk.js";

const OWN = ["filled", "prior", "now"]; // maps of estimates, which have other names than their titles where they are signed

export class Pointer {
  /**
   * @param {HTMLElement} box  the scene
   * @param {import("./scenes.js").SceneParts} parts
   * @param {(event: import("./state.js").PlayerEvent) => void} dispatch
   * @param {() => [Run|null, State|null]} now
   */
  constructor(box, parts, dispatch, now) {
    this.box = box;
    this.parts = parts;
    this.dispatch = dispatch;
    this.now = now;
    /** @type {{figure: Figure, place: Place, x: number, y: number, keyboard: boolean}|null} */
    this.at = null;
    /** @type {Spot} */
    this.last = { part: "UV", row: 0, col: 0, position: 0 }; // where keys go on
    this.written = "";
    this.tip = dom("div", { className: "map-tip", hidden: true });
    this.spoken = dom("div", { className: "map-spoken", "aria-live": "polite" }); // read out when a key moves the cell
    box.append(this.tip, this.spoken);
  }

  /** @param {Figure} figure @param {Place|null} place @param {number} x @param {number} y */
  moved(figure, place, x, y) {
    this.at = place ? { figure, place, x, y, keyboard: false } : null;
    this.dispatch({ type: "hover", row: place?.row ?? null, col: place?.col ?? null, factor: this.factorAt(figure, place) });
    this.show(); // an equal hover is not an event, yet the pointer has moved
  }

  /** @param {Place} place  opens the inspector there, on the factor that is pointed at */
  choose({ part, row, col }) {
    const [, state] = this.now();
    if (!state || !this.parts.inspected || (row === null && part !== "V") || (col === null && part !== "U")) return;
    const [lastRow, lastCol] = state.cell ?? [this.last.row, this.last.col];
    this.dispatch({ type: "select", cell: [row ?? clamp(lastRow, state.n), col ?? clamp(lastCol, state.m)] });
  }

  /** @param {Figure} figure @param {KeyboardEvent} event */
  key(figure, event) {
    const [, state] = this.now();
    if (!state || event.altKey || event.ctrlKey || event.metaKey) return;
    const spot = this.spotIn(figure, state);
    const next = walked(spot, event.key, figure.field);
    if (next) {
      if (state.cell) this.dispatch({ type: "select", cell: [next.row, next.col] });
      this.stand(figure, next);
    } else if (event.key === "Enter" && this.parts.inspected) {
      this.dispatch({ type: "select", cell: [spot.row, spot.col] });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Figure} figure @param {State} state @returns {Spot} the cell that keys move from */
  spotIn(figure, state) {
    const [row, col] = state.cell ?? [this.last.row, this.last.col];
    return landed({ ...this.last, row, col }, figure.field);
  }

  /** @param {Figure} figure @param {boolean} focused */
  focused(figure, focused) {
    const [, state] = this.now();
    if (focused && state && figure.grid.matches(":focus-visible")) this.stand(figure, this.spotIn(figure, state));
    else if (!focused && this.at?.keyboard) this.moved(figure, null, 0, 0);
  }

  /** @param {Figure} figure @param {Spot} spot */
  stand(figure, spot) {
    const [run, state] = this.now();
    if (!run || !state || !figure.layout) return;
    this.last = spot;
    const [x, y] = figure.middleOf(spot);
    const place = placeOf(spot);
    this.at = { figure, place, x, y, keyboard: true };
    this.dispatch({ type: "hover", row: place.row, col: place.col, factor: this.factorAt(figure, place) });
    this.show();
    const words = this.words();
    if (words) this.spoken.textContent = [...words.head, ...words.lines].join("; ");
  }

  /** @param {Figure} figure @param {Place|null} place @returns {number|null} */
  factorAt(figure, place) {
    return place?.position === null || place?.position === undefined ? null : figure.picture?.factorOrder[place.position] ?? null;
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
    if (run.maps.length) return stillWords(run, picture, row, col);
    if (!this.parts.told) return givenWords(run, row, col, picture.id === "episode");
    const estimates = block.scale.kind === "rating"; // the map shows what the text says anyway
    const own = estimates ? undefined : { name: !OWN.includes(picture.id) ? picture.title : differs(state) ? "what your edits changed" : "minus row and column level", value: block.values[row * run.m + col], signed: block.scale.kind === "signed" };
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

/** @param {Spot} spot @returns {Place} what is lit: a factor of U has no column, one of V no row */
function placeOf({ part, row, col, position }) {
  return { part, row: part === "V" ? null : row, col: part === "U" ? null : col, position: part === "UV" ? null : position };
}
