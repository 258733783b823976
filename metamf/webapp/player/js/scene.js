/**
 * A scene: the figures of a run, aligned, drawn from the run and the state, linked by what the state says is lit.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").PlayerEvent} PlayerEvent
 * @typedef {import("./state.js").Colouring} Colouring
 * @typedef {import("./parts.js").Picture} Picture
 * @typedef {import("./maps.js").Figure} FigureView
 * @typedef {import("./scenes.js").SceneName} SceneName
 */
import { dom } from "./dom.js";
import { digitsOf } from "./cellnumbers.js";
import { saveButtons } from "./foot.js";
import { CurvesFigure } from "./curvesfigure.js";
import { placedFigure, saveFigures } from "./saving.js";
import { gridColumns, mapLayouts, productLayouts } from "./layout.js";
import { Figure } from "./maps.js";
import { GlyphSheet } from "./paint.js";
import { picturesOf } from "./pictures.js";
import { Pointer } from "./pointer.js";
import { SCENES } from "./scenes.js";
import { COLOURINGS, differs } from "./state.js";
import { stillsAcross } from "./stills.js";
import { factorsOfRun, lookOf, pageColour, requestOf } from "./surroundings.js";
import { drawTables, numberTables } from "./table.js";
import { NO_TERMS } from "./terms.js";

/** @type {Record<Colouring, string>} */
const COLOUR_WORDS = { scale: "rating scale", span: "stretched", levels: "minus row and column level" };
/** @type {[string, string][]} */
const SIDES = [["estimate", "estimates"], ["difference", "what your edits changed"]];
const ONE_BELOW = 600; // pixels below which the choices stand under the maps: a phone's first screen is for a map

/**
 * @param {HTMLElement} root  what the scene may fill
 * @param {{scene: SceneName, dispatch: (event: PlayerEvent) => void, terms?: import("./terms.js").Terms}} options
 */
export function createScene(root, { scene, dispatch, terms = NO_TERMS }) {
  const drawn = new Scene(root, scene, dispatch, terms);
  return {
    /** @param {Run} run @param {State} state */
    update: (run, state) => drawn.update(run, state),
    destroy: () => drawn.destroy(),
  };
}

class Scene {
  /** @param {HTMLElement} root @param {SceneName} scene @param {(event: PlayerEvent) => void} dispatch @param {import("./terms.js").Terms} terms */
  constructor(root, scene, dispatch, terms) {
    this.terms = terms;
    this.scene = scene;
    this.parts = SCENES[scene];
    this.dispatch = dispatch;
    this.box = dom("div", { className: `map-scene map-scene-${scene}` });
    /** @type {Map<string, FigureView>} */
    this.figures = new Map();
    /** @type {HTMLInputElement[]} */
    this.choices = []; // of colours
    /** @type {HTMLInputElement[]} */
    this.sides = []; // the estimates, or what the edits changed in them
    /** @type {HTMLElement|null} */
    this.compared = null; // where that is chosen
    /** @type {Run|null} */
    this.run = null;
    /** @type {State|null} */
    this.state = null;
    /** @type {Picture[]} */
    this.pictures = [];
    this.pictured = ""; // what they were made for
    this.placed = ""; // what the layout was made for
    this.drawn = ""; // what was drawn
    this.width = 0;
    this.screen = { width: 0, height: 0 };
    /** @type {import("./drawing.js").Factors} */
    this.factors = { effect: { U: [], V: [] }, words: { U: "", V: "" } };
    this.grids = [dom("div", { className: "map-row" }), dom("div", { className: "map-row" })];
    this.pointer = new Pointer(this.box, this.parts, dispatch, () => [this.run, this.state]);
    this.curves = this.parts.curves ? new CurvesFigure((t) => dispatch({ type: "go", t }), (kind) => this.save(["curves"], kind)) : null;
    this.line = this.controls();
    this.box.append(this.line, ...this.grids);
    root.append(this.box);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.box);
    // The page's theme is known by its variables only: a colour that follows them has a transition, which tells.
    this.themed = (/** @type {Event} */ event) => event.target === this.box && this.redraw();
    this.box.addEventListener("transitionrun", this.themed);
    document.fonts?.ready.then(() => this.box.isConnected && this.redraw());
  }

  controls() {
    const line = dom("div", { className: "map-controls" });
    if (this.parts.coloured) {
      const colours = choice("Colours of the estimates", COLOURINGS.map((value) => [value, COLOUR_WORDS[value]]), (value) => this.dispatch({ type: "colours", colours: /** @type {Colouring} */ (value) }));
      const shown = choice("Show (D)", SIDES, (value) => this.dispatch({ type: "difference", on: value === "difference" }));
      [this.choices, this.sides, this.compared] = [colours.inputs, shown.inputs, shown.box];
      line.append(shown.box, colours.box);
    }
    const save = saveButtons("all figures", (kind) => this.save(null, kind), "Save");
    save.classList.add("map-save-all");
    line.append(save);
    return line;
  }

  /** @param {Run} run @param {State} state */
  update(run, state) {
    this.run = run;
    this.state = state;
    this.refresh();
  }

  refresh() {
    const { run, state } = this;
    if (!run || !state) return;
    const width = Math.floor(this.box.clientWidth);
    if (!width) return; // not on the page yet: the observer tells when
    // The height counts only together with a width: a phone changes it whenever its bars slide away.
    if (this.screen.width !== innerWidth) this.screen = { width: innerWidth, height: innerHeight };
    this.box.classList.toggle("map-lecture", state.lecture);
    const pictures = this.picturesAt(run, state);
    for (const input of this.choices) input.checked = input.value === state.colours;
    for (const input of this.sides) input.checked = (input.value === "difference") === differs(state);
    if (this.compared) this.compared.hidden = !state.edited;
    const look = lookOf(this.box);
    const ids = pictures.map(({ id, form }) => `${id} ${form}`).join();
    const placed = [runNumber(run), ids, width, this.screen.width, this.screen.height, state.lecture, JSON.stringify(look)].join("|");
    if (placed !== this.placed) this.place(run, state, pictures, width, look);
    const drawn = [placed, state.t, state.colours, differs(state)].join("|");
    if (drawn !== this.drawn) this.draw(run, state, pictures);
    this.placed = placed;
    this.drawn = drawn;
    this.light();
  }

  /** @param {Run} run @param {State} state @returns {Picture[]} made once for a step: a pointer that moves makes none */
  picturesAt(run, state) {
    const { t, colours } = state;
    const wanted = [runNumber(run), t, colours, differs(state)].join();
    if (wanted !== this.pictured) this.pictures = picturesOf(this.scene, run, t, colours, differs(state));
    this.pictured = wanted;
    return this.pictures;
  }

  /** @param {Run} run @param {State} state @param {Picture[]} pictures @param {number} width @param {import("./paint.js").Look} look */
  place(run, state, pictures, width, look) {
    this.sheet = new GlyphSheet(look);
    this.current = look;
    this.factors = factorsOfRun(run, pictures);
    const request = requestOf(run, state.lecture, width, this.screen, look, this.scene === "given");
    if (width < ONE_BELOW) this.box.append(this.line);
    else if (this.box.firstChild !== this.line) this.box.prepend(this.line);
    const shown = pictures.map((picture) => picture.id);
    for (const [id, figure] of [...this.figures]) {
      if (shown.includes(id)) continue;
      figure.root.remove();
      this.figures.delete(id);
    }
    const products = pictures.filter(({ form }) => form === "product");
    const maps = pictures.filter(({ form }) => form !== "product");
    const [above, below] = this.grids;
    above.hidden = products.length === 0;
    if (products.length) {
      const special = { factors: run.K, special: products[0].special };
      this.row(above, products, productLayouts({ ...request, ...special }, products.length), look);
    }
    const row = mapLayouts(request, run.maps.length ? stillsAcross(maps.length) : this.parts.across);
    this.row(below, maps, row, look);
    if (this.curves) {
      const { perRow, named, bare } = row;
      const room = perRow === 1 ? Math.min(width, 640) : maps.length % perRow ? bare.width : named.width;
      this.curves.place(room, Math.max(240, Math.min(perRow === 1 ? 300 : bare.height, 460)), named.nameSize);
      this.curves.root.style.marginLeft = perRow === 1 || maps.length % perRow === 0 ? "" : `${bare.overhang}px`;
      below.append(this.curves.root);
    }
  }

  /**
   * @param {HTMLElement} grid
   * @param {Picture[]} pictures
   * @param {import("./layout.js").Row} row
   * @param {import("./paint.js").Look} look
   */
  row(grid, pictures, row, look) {
    const { perRow, space, named, bare } = row;
    grid.style.gridTemplateColumns = gridColumns(row);
    grid.style.columnGap = `${space}px`;
    pictures.forEach((picture, k) => {
      let figure = this.figures.get(picture.id);
      if (!figure) {
        figure = new Figure(picture.id, this.host());
        this.figures.set(picture.id, figure);
      }
      if (grid.children[k] !== figure.root) grid.insertBefore(figure.root, grid.children[k] ?? null);
      if (picture.form !== "words") figure.place(k % perRow ? bare : named, picture, look, this.factors, this.run?.mark ?? null);
    });
  }

  /** @param {Run} run @param {State} state @param {Picture[]} pictures */
  draw(run, state, pictures) {
    const { current, sheet } = this;
    if (!current || !sheet) return;
    for (const picture of pictures) {
      const figure = this.figures.get(picture.id);
      if (!figure) continue;
      figure.draw(picture, current, sheet, digitsOf(run), this.factors);
      if (figure.foot.open) this.openTable(figure);
    }
    this.curves?.draw(run, state.t, current.dark);
  }

  light() {
    const { run, state } = this;
    if (!run || !state) return;
    if (state.cell) this.pointer.last = { ...this.pointer.last, row: state.cell[0], col: state.cell[1] }; // where keys go on when the inspector has closed
    const edited = (run.edits?.made ?? []).map(([i, j]) => /** @type {[number, number]} */ ([i, j]));
    const lean = run.lean && state.cell && run.lean.cell[0] === state.cell[0] && run.lean.cell[1] === state.cell[1] ? run.lean.items : [];
    const most = Math.max(...lean.map(([, , change]) => Math.abs(change)), 1e-9);
    const leaned = lean.map(([i, j, change]) => /** @type {[number, number, number]} */ ([i, j, Math.abs(change) / most]));
    for (const figure of this.figures.values()) {
      const signs = figure.id === "given" ? { edited, leaned } : { edited: figure.id === "filled" ? edited : [], leaned: [] };
      figure.light(state.hover, state.cell, signs);
    }
    this.pointer.show();
  }

  /** @returns {import("./maps.js").FigureHost} */
  host() {
    return {
      point: (figure, place, x, y) => this.pointer.moved(figure, place, x, y),
      choose: (_figure, place) => this.pointer.choose(place),
      key: (figure, event) => this.pointer.key(figure, event),
      focus: (figure, focused) => this.pointer.focused(figure, focused),
      open: (figure) => this.openTable(figure),
      save: (figure, kind) => this.save([figure.id], kind),
      explains: this.parts.inspected,
      terms: this.terms,
    };
  }

  /** @param {FigureView} figure */
  openTable(figure) {
    if (this.run && figure.picture) drawTables(figure.foot.tables, numberTables(this.run, figure.picture));
  }

  /** @param {string[]|null} ids  null: all figures of the scene @param {"svg"|"png"} kind */
  save(ids, kind) {
    const { run, state, current } = this;
    if (!run || !state || !current) return;
    const base = this.box.getBoundingClientRect();
    const digits = digitsOf(run);
    const wanted = [...this.figures.values()].filter((figure) => !ids || ids.includes(figure.id)).flatMap((figure) => placedFigure(figure, base, current, digits, this.factors, run.mark) ?? []);
    if (this.curves && (!ids || ids.includes("curves"))) wanted.push(this.curves.placed(base));
    saveFigures(wanted, ids ? ids[0] : this.scene, run, state, { ...current, background: pageColour(this.box) }, kind);
  }

  resized() {
    const width = Math.floor(this.box.clientWidth);
    if (width === this.width) return;
    this.width = width;
    this.refresh();
  }

  redraw() {
    this.placed = "";
    this.drawn = "";
    this.refresh();
  }

  destroy() {
    this.observer.disconnect();
    this.box.removeEventListener("transitionrun", this.themed);
    this.pointer.destroy();
    this.box.remove();
  }
}

/**
 * @param {string} title
 * @param {[string, string][]} options  value and words
 * @param {(value: string) => void} choose
 */
function choice(title, options, choose) {
  const inputs = options.map(([value]) => dom("input", { type: "radio", name: `map ${title}`, value, onchange: () => choose(value) }));
  const labels = options.map(([, words], k) => dom("label", {}, inputs[k], dom("span", {}, words)));
  return { inputs, box: dom("fieldset", { className: "map-choice" }, dom("legend", {}, title), ...labels) };
}

/** @type {WeakMap<Run, number>} */
const runNumbers = new WeakMap();
let runsSeen = 0;

/** @param {Run} run @returns {number} another run, another number: an edit makes a run under the same id */
function runNumber(run) {
  if (!runNumbers.has(run)) runNumbers.set(run, ++runsSeen);
  return /** @type {number} */ (runNumbers.get(run));
}
