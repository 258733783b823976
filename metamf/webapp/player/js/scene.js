/** A scene: the figures of a run, aligned, drawn from the run and the state, linked by what the state says is lit. */
import { ErrorFigure } from "./chart.js";
import { isDark } from "./colour.js";
import { arrange, choice, dom, write } from "./dom.js";
import { Figure } from "./figure.js";
import { fewCells, fileStem, saveButtons, saveSheet, sheetOf } from "./files.js";
import { layoutsOf, typeSizes } from "./layout.js";
import { clamp, numberWidths } from "./numbers.js";
import { picturesOf } from "./pictures.js";
import { Pointer } from "./pointer.js";
import { hasPoints, PointsFigure } from "./points.js";
import { differs } from "./state.js";
import { afterStep, namesOf } from "./words.js";

const OFF = { before: false, equations: false, curves: false, points: false, tells: false, above: 0 };
const STEPS = { ...OFF, steps: true, inspected: true, coloured: true, told: true, across: 3 };
const STILL = { ...STEPS, steps: false, inspected: false, coloured: false, across: 1 };

/** @type {Record<SceneName, SceneParts>} */
export const SCENES = {
  fill: { ...STEPS, points: true, above: 3 }, // given, filled in, truth; error
  watch: { ...STEPS, equations: true, curves: true, points: true }, // the factors and their product, at the prior and now
  fit: { ...STEPS, coloured: false, curves: true, across: 1 }, // the errors per step, and the factors
  alone: { ...STEPS, coloured: false, curves: true }, // the same next to its error on the hidden cells
  train: { ...STEPS, inspected: false, coloured: false, curves: true }, // the reports of a training as steps
  prior: { ...STILL, before: true, inspected: true }, // the product before the first step
  given: { ...STILL, told: false }, // what is given, and nothing of what is estimated
  maps: { ...STILL, inspected: true, across: 3 }, // maps that follow no step
  map: STILL,
  pick: { ...STILL, inspected: true, tells: true }, // a map whose cells the page explains
};

/** @type {[Colouring, string][]} */
const COLOUR_WORDS = [["scale", "rating scale"], ["span", "full colour range"], ["levels", "taste only"]];
const SHOWN = [["estimate", "estimates"], ["difference", "what changed"]];
const BELOW = 600; // pixels of width below which the choices are under the maps: a phone's first screen is for a map

/** The value of a colour of the style sheet, such as --map-page, where an element is. */
function colourAt(box, name) {
  const probe = dom("span", { hidden: true });
  probe.style.color = `var(${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe); // whatever light-dark() or color-mix() it is made of
  probe.remove();
  return color;
}

/** @returns {Look} */
function lookOf(box) {
  const { color: text, fontFamily: font } = getComputedStyle(box);
  const page = colourAt(box, "--map-page");
  return { dark: isDark(page), text, page, font, density: devicePixelRatio || 1, measure: measurer(font) };
}

/** Widths of texts in a font of size 1. */
function measurer(font) {
  const context = /** @type {CanvasRenderingContext2D} */ (dom("canvas").getContext("2d"));
  context.font = `100px ${font}`;
  const known = new Map();
  return (text) => {
    if (!known.has(text)) known.set(text, context.measureText(text).width / 100);
    return known.get(text);
  };
}

/** @param {({root: HTMLElement}|null|undefined)[]} figures  null for one that the scene does not have */
const rootsOf = (figures) => figures.flatMap((figure) => figure?.root ?? []);

export class Scene {
  /** @type {Map<string, Figure>} */ figures = new Map();
  /** @type {Run} */ run; // of the last update, as is the state
  /** @type {State} */ state;
  /** @type {Picture[]} */ pictures = [];
  /** @type {Look|null} */ look = null;
  width = 0;
  screen = { width: 0, height: 0 };

  /** @param {HTMLElement} root @param {SceneName} scene @param {Dispatch} dispatch @param {Write} [explain] @param {boolean} [menu]  the page has one to save */
  constructor(root, scene, dispatch, explain = write, menu = false) {
    this.scene = scene;
    this.parts = SCENES[scene];
    this.dispatch = dispatch;
    this.explain = explain;
    this.box = dom("div", { className: `map-scene map-scene-${scene}` });
    this.pictured = this.placed = ""; // what the pictures and the layout were made for
    this.grids = [dom("div", { className: "map-row" }), dom("div", { className: "map-row" })];
    this.pointer = new Pointer(this);
    const go = (t) => dispatch({ type: "go", t });
    this.curves = this.parts.curves ? new ErrorFigure(go) : null;
    this.points = this.parts.points ? new PointsFigure(this) : null;
    this.line = dom("div", { className: "map-controls" });
    if (!menu) this.line.append(saveButtons((kind) => this.save(kind)));
    if (this.parts.coloured) {
      const className = "map-choice";
      const show = (value) => dispatch({ type: "difference", on: value === "difference" });
      this.shown = choice({ className, legend: "Show (D)", name: "map shown" }, SHOWN, show);
      const colour = (colours) => dispatch({ type: "colours", colours });
      this.colours = choice({ className, legend: "Colours of the estimates", name: "map colours" }, COLOUR_WORDS, colour);
      this.line.prepend(this.shown.root, this.colours.root);
    }
    this.box.append(this.line, ...this.grids);
    root.append(this.box);
    this.observer = new ResizeObserver(() => Math.floor(this.box.clientWidth) !== this.width && this.redraw());
    this.observer.observe(this.box);
    // The page's theme is known by its variables only: a colour that follows them has a transition, which tells.
    this.box.addEventListener("transitionrun", ({ target }) => target === this.box && this.redraw());
    document.fonts?.ready.then(() => this.box.isConnected && this.redraw());
  }

  /** @param {Run} run @param {State} state */
  update(run, state) {
    if (run !== this.run) this.pictured = this.placed = "";
    this.run = run;
    this.state = state;
    this.refresh();
  }

  refresh() {
    const { run, state, box, screen } = this;
    const width = (this.width = Math.floor(box.clientWidth));
    if (!run || !width) return; // not on the page yet: the observer tells when
    // The height counts only together with a width: a phone changes it whenever its bars slide away.
    if (screen.width !== innerWidth) this.screen = { width: innerWidth, height: innerHeight };
    box.classList.toggle("map-lecture", state.lecture);
    const other = differs(state);
    const pictured = [state.t, state.colours, other].join();
    const otherPictures = pictured !== this.pictured;
    if (otherPictures) this.pictures = picturesOf(this.scene, run, state.t, state.colours, other);
    this.pictured = pictured;
    this.colours?.check(state.colours);
    this.shown?.check(other ? "difference" : "estimate");
    if (this.shown) this.shown.root.hidden = !state.edited;
    const look = (this.look ??= lookOf(box));
    const forms = this.pictures.map(({ id, form }) => `${id} ${form}`);
    const placed = JSON.stringify([forms, width, this.screen, state.lecture, look]);
    const otherPlaces = placed !== this.placed;
    if (otherPlaces) this.place(width, look);
    this.placed = placed;
    if (otherPictures || otherPlaces) {
      for (const picture of this.pictures) this.figures.get(picture.id)?.draw(picture);
      this.curves?.draw(run, state.t, look);
      if (this.points && hasPoints(run)) this.points.draw(run, state.t, look);
    }
    this.light(run, state);
  }

  /** @param {Look} look */
  place(width, look) {
    const { run, state: { lecture }, pictures, curves, points, line, pointer } = this;
    const { above: first } = this.parts;
    const last = width < BELOW || lecture || !this.colours;
    arrange(this.box, [...(last ? [] : [line]), ...this.grids, pointer.tip, pointer.spoken, ...(last ? [line] : [])]);
    for (const id of [...this.figures.keys()]) {
      if (!pictures.some((picture) => picture.id === id)) this.figures.delete(id);
    }
    const isAbove = ({ form }, k) => (first ? k < first : form === "product");
    const above = pictures.filter(isAbove);
    const below = pictures.filter((picture, k) => !isAbove(picture, k));
    const still = run.maps.length === 4 ? 2 : Math.min(run.maps.length, 3);
    this.row(above, width, first || 2, look);
    const [wide] = this.row(below, width, still || this.parts.across, look);
    const [top, bottom] = [above, below].map((row) => row.map(({ id }) => this.figures.get(id)));
    arrange(this.grids[0], rootsOf(top));
    arrange(this.grids[1], rootsOf([points, ...bottom, curves]));
    this.grids[0].hidden = above.length === 0;
    const size = typeSizes(lecture).name;
    if (curves) {
      curves.place(Math.min(width, Math.max(wide?.width ?? 0, 420)), clamp(wide?.height ?? 300, 260, 460), size);
    }
    if (!points) return;
    points.root.hidden = !hasPoints(run);
    const side = Math.min(width, lecture ? 620 : 440);
    points.place(side, side, size);
  }

  /**
   * Says where everything in the figures of a row is.
   * @param {Picture[]} pictures
   * @param {Look} look
   * @returns {Layout[]}
   */
  row(pictures, width, across, look) {
    const { run, state: { lecture } } = this;
    const drawn = pictures.filter(({ form }) => form !== "words");
    const factors = drawn.map(({ form }) => (form === "product" ? run.K : 0));
    const { rows: rowNames, cols: colNames } = namesOf(run);
    const layouts = !drawn.length ? [] : layoutsOf({
      n: run.n,
      m: run.m,
      top: run.top,
      left: run.left,
      rowNames,
      colNames,
      rowsNamed: run.rows !== null,
      colsNamed: run.cols !== null,
      width,
      screenHeight: this.screen.height,
      lecture,
      density: look.density,
      measure: look.measure,
      widths: numberWidths(run, look.measure),
      whole: this.scene === "given",
      special: Math.max(0, ...drawn.map((picture) => picture.special)),
    }, factors, across);
    for (const picture of pictures) {
      const figure = this.figures.get(picture.id) ?? new Figure(picture.id, this);
      this.figures.set(picture.id, figure);
      if (picture.form !== "words") figure.place(run, layouts[drawn.indexOf(picture)], look);
    }
    return layouts;
  }

  light({ edits, lean }, { hover, cell }) {
    if (cell) this.pointer.last = { ...this.pointer.last, row: cell[0], col: cell[1] }; // where keys go on
    const edited = (edits?.made ?? []).map(([i, j]) => [i, j]);
    const items = lean && String(lean.cell) === String(cell) ? lean.items : [];
    const most = Math.max(...items.map(([, , change]) => Math.abs(change)), 1e-9);
    const leaned = items.map(([i, j, change]) => [i, j, Math.abs(change) / most]);
    for (const figure of this.figures.values()) {
      const given = figure.id === "given";
      figure.light(hover, cell, given || figure.id === "filled" ? edited : [], given ? leaned : []);
    }
    if (this.points && hasPoints(this.run)) this.points.light(hover, cell);
    this.pointer.show();
  }

  /** Saves all figures as one file; where there are many cells, as a PNG. @param {FileKind} asked */
  save(asked) {
    const { run, state, look } = this;
    if (!look) return;
    const kind = asked === "svg" && fewCells(run) ? "svg" : "png";
    const points = this.points && hasPoints(run) ? [this.points] : [];
    const drawn = [...this.figures.values(), ...points, ...(this.curves ? [this.curves] : [])];
    const figures = drawn.flatMap((figure) => figure.placed(kind));
    if (!figures.length) return;
    const still = run.maps.length > 0;
    const title = `MetaMF: ${run.matrix.name}${still ? "" : `, ${run.model.title}, ${afterStep(run, state.t)}`}`;
    const stem = `metamf ${run.matrix.name} ${this.scene}${still ? "" : ` ${run.round} ${state.t}`}`;
    saveSheet(sheetOf(figures, { ...look, title }), fileStem(stem), kind);
  }

  redraw() {
    this.placed = "";
    this.look = null;
    this.refresh();
  }

  destroy() {
    this.observer.disconnect();
    this.box.remove();
  }
}
