/** A scene: the figures of a run, aligned, drawn from the run and the state, linked by what the state says is lit. */
import { ErrorFigure } from "./chart.js";
import { isDark } from "./colour.js";
import { figureOf } from "./figure.js";
import { fileStem, savePicture } from "./files.js";
import { button, choice, h, latest } from "./html.js";
import { layoutsOf, sideBySide, typeSizes } from "./layout.js";
import { clamp, numberWidths, within } from "./numbers.js";
import { hasFactors, picturesOf } from "./pictures.js";
import { pointing, wordsAt } from "./pointer.js";
import { hasPoints, PointsFigure } from "./points.js";
import { differs } from "./state.js";
import { namesOf } from "./words.js";

const SHARE = 0.6; // of the width for the factors, where the error per step is at their right
const BESIDE = 560; // pixels of width from which it is
const GAP = 22; // pixels between them
const OFF = { compared: false, before: false, equations: false, curves: false, beside: false, points: false, tells: false };
const STEPS = { ...OFF, steps: true, inspected: true, coloured: true, told: true, across: 3 };
const STILL = { ...STEPS, steps: false, inspected: false, coloured: false, across: 1 };

/** @type {Record<SceneName, SceneParts>} */
export const SCENES = {
  fill: { ...STEPS, points: true, compared: true }, // given, matrix factorization, the model, truth; error
  watch: { ...STEPS, equations: true, curves: true, points: true }, // the factors and their product, at the prior and now
  fit: { ...STEPS, coloured: false, curves: true, beside: true, across: 1 }, // the errors per step, and the factors
  train: { ...STEPS, inspected: false, coloured: false, curves: true }, // the reports of a training as steps
  prior: { ...STILL, before: true, inspected: true }, // the product before the first step
  given: { ...STILL, told: false }, // what is given, and nothing of what is estimated
  maps: { ...STILL, inspected: true, across: 3 }, // maps that follow no step
  map: STILL,
  pick: { ...STILL, inspected: true, tells: true }, // a map whose cells the page explains
};

const COLOUR_WORDS = [["scale", "ratings"], ["levels", "taste only"]];
const SHOWN = [["estimate", "estimates"], ["difference", "what changed"]];
const EDITED = ["given", "mf", "filled", "truth"]; // maps on which edited cells are marked
const HEADING = 46; // pixels of the heading of a map that is compared
const LECTURE_HEADING = 58;
const SETTLES = [300, 1000, 3000]; // milliseconds until what stands above the maps is looked at again
const BELOW = 600; // pixels of width below which the choices are under the maps: a phone's first screen is for a map

/** The page as an element of it has it. @param {HTMLElement} box @param {HTMLElement} page  in the page's colour @returns {Look} */
function lookOf(box, page) {
  const { color: text, fontFamily: font } = getComputedStyle(box);
  const colour = getComputedStyle(page).color; // whatever light-dark() or color-mix() it is made of
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = `100px ${font}`;
  const known = new Map();
  function measure(words) {
    if (!known.has(words)) known.set(words, context.measureText(words).width / 100);
    return known.get(words);
  }
  return { dark: isDark(colour), text, page: colour, font, density: devicePixelRatio || 1, measure };
}

/** Where an element begins on its page, in pixels, wherever the page is scrolled to. */
function topOf(box) {
  let top = box.getBoundingClientRect().top;
  for (let node = box; node; node = node.parentElement ?? node.getRootNode().host) top += node.scrollTop;
  return Math.round(top);
}

/** Whether the error per step is at the right of the factors, which then have their share of the width. */
const isBeside = (parts, width) => parts.beside && width >= BESIDE;

/**
 * Says where everything in the figures is: layouts by the ids of the pictures that are no words. The pictures in the first
 * row are the first `first`.
 * @param {Run} run
 * @param {Picture[]} pictures
 * @param {SceneParts} parts
 * @returns {Map<string, Layout>}
 */
function layoutsIn(run, pictures, first, parts, whole, room, lecture) {
  const { height, above, look } = room;
  const width = isBeside(parts, room.width) ? Math.round(SHARE * room.width) : room.width;
  const { rows: rowNames, cols: colNames } = namesOf(run);
  const { n, m, top, left, K } = run;
  const { density, measure } = look;
  const drawn = pictures.filter(({ form }) => form !== "words");
  const request = {
    ...{ n, m, top, left, rowNames, colNames, width, lecture, density, measure, whole },
    rowsNamed: run.rows !== null,
    colsNamed: run.cols !== null,
    screenHeight: height,
    widths: numberWidths(run, measure),
  };
  const still = run.maps.length === 4 ? 2 : Math.min(run.maps.length, 3);
  const rows = [drawn.slice(0, first), drawn.slice(first)].map((row, k) => {
    const factors = row.map(({ form }) => (form === "product" ? K : 0));
    const special = Math.max(0, ...row.map((picture) => picture.special));
    if (!row.length) return [];
    if (k || !parts.compared) return layoutsOf({ ...request, special }, factors, k ? still || parts.across : 2);
    const of = row.findIndex(({ id }) => id === "filled");
    const heading = lecture ? LECTURE_HEADING : HEADING;
    const beside = hasFactors(run) && !lecture ? K : 0;
    return sideBySide({ ...request, groups: run.groups, above: above + heading, of, K: beside }, factors);
  });
  return new Map(rows.flat().map((layout, k) => [drawn[k].id, layout]));
}

export class Scene {
  /** @type {Run} */ run; // of the last picture, as is the state
  /** @type {State} */ state;
  /** @type {Map<string, Layout>} */ layouts = new Map();
  stale = false; // whether the colours or the letters of the page may be others
  /** @type {Spot} */ last = { part: "UV", row: 0, col: 0, position: 0 }; // where keys go on
  /** @type {{width: number, screen: number, height: number, above: number, look: Look}|null} */ room = null;

  /** @param {SceneName} name @param {Dispatch} dispatch @param {() => void} redraw */
  constructor(name, dispatch, redraw) {
    this.name = name;
    this.parts = SCENES[name];
    this.dispatch = dispatch;
    this.pictures = latest(picturesOf);
    this.layoutsOf = latest((run, _forms, lecture, room, first) =>
      layoutsIn(run, this.shown, first, this.parts, name === "given", room, lecture));
    /** Draws anew with other colours or letters. */
    this.renew = () => {
      this.stale = true;
      redraw();
    };
    this.observer = new ResizeObserver(() => requestAnimationFrame(redraw));
    this.settling = SETTLES.map((pause) => setTimeout(redraw, pause));
    document.fonts?.ready.then(() => this.box && this.renew());
  }

  /** Sees how much room there is; returns whether it is other than before. */
  measure() {
    const { box, room } = this;
    const width = Math.floor(box?.clientWidth ?? 0);
    if (!box || !width) return false; // not on the page yet: the observer tells when
    const above = this.parts.compared ? topOf(box) : 0; // what is above may still arrive
    // The height counts only together with a width: a phone changes it whenever its bars slide away.
    const height = room?.screen === innerWidth ? room.height : innerHeight;
    const same = room && room.width === width && room.above === above && room.screen === innerWidth;
    if (same && !this.stale) return false;
    const look = room && !this.stale ? room.look : lookOf(box, /** @type {HTMLElement} */ (box.lastElementChild));
    this.room = { width, screen: innerWidth, height, above, look };
    this.stale = false;
    return true;
  }

  go = (t) => this.dispatch({ type: "go", t });

  /** Opens the inspector at a cell, on the factor that is pointed at. @param {{row: number|null, col: number|null, part?: Part}|null} place */
  choose = (place) => {
    const { parts, state, last, dispatch } = this;
    if (!place || !parts.inspected) return;
    const { row, col, part = row === null ? "V" : "U" } = place;
    if ((row === null && part !== "V") || (col === null && part !== "U")) return;
    dispatch({ type: "select", cell: [row ?? within(last.row, state.n), col ?? within(last.col, state.m)] });
  };

  /** @param {Run} run @param {State} state */
  view(run, state) {
    const { parts, name, room, dispatch } = this;
    const { t, colours, lecture, hover, cell } = state;
    this.run = run;
    this.state = state;
    if (cell) this.last = { ...this.last, row: cell[0], col: cell[1] };
    const box = (...children) => h(`div.map-scene.map-scene-${name}`, {
      class: `${lecture ? "map-lecture" : ""} ${room && isBeside(parts, room.width) ? "map-beside" : ""}`,
      ref: (element) => this.see(element),
      // The page's theme is known by its variables only: a colour that follows them has a transition, which tells.
      ontransitionrun: ({ target }) => target === this.box && this.renew(),
    }, children, h("span", { key: "page", hidden: true, style: "color: var(--map-page)" }));
    if (!room) return box();
    const other = differs(state);
    const pictures = (this.shown = this.pictures(name, run, t, colours, other, state.factors && !lecture));
    const first = parts.compared
      ? pictures.findIndex(({ id }) => id === "error")
      : pictures.filter(({ form }) => form === "product").length; // products come first
    const forms = pictures.map(({ id, form }) => `${id} ${form}`).join();
    const layouts = (this.layouts = this.layoutsOf(run, forms, lecture, room, first));
    const { width, look } = room;
    const { edits, influence } = run;
    const made = edits?.made ?? [];
    const items = influence && String(influence.cell) === String(cell) ? influence.items : [];
    const most = Math.max(...items.map(([, , change]) => Math.abs(change)), 1e-9);
    const drawn = pictures.map((picture) => {
      const { id } = picture;
      const layout = layouts.get(id);
      return figureOf({
        ...{ run, picture, layout, look, state, parts },
        edited: EDITED.includes(id) ? made : [],
        influential: id === "given" ? items.map(([i, j, change]) => [i, j, Math.abs(change) / most]) : [],
        pointed: layout && pointing(this, picture, layout),
      });
    });
    const size = typeSizes(lecture).name;
    const side = Math.min(width, 440);
    const wide = layouts.get(pictures[first]?.id);
    const points = parts.points && hasPoints(run) &&
      h(PointsFigure, { key: "points", ...{ run, t, look, side, size, hover, cell, dispatch }, choose: this.choose });
    const curves = parts.curves && h(ErrorFigure, {
      key: "curves",
      ...{ run, t, look, size, go: this.go },
      width: isBeside(parts, width) ? Math.round((1 - SHARE) * width) - GAP : Math.min(width, Math.max(wide?.width ?? 0, 420)),
      height: clamp(wide?.height ?? 300, 260, 460),
    });
    const last = parts.compared || width < BELOW || !parts.coloured;
    const line = h("div.map-controls", { key: "controls" },
      parts.coloured && state.edited && choice("map-choice", {
        legend: h("legend", "Show (D)"),
        name: "map shown",
        value: other ? "difference" : "estimate",
        choose: (value) => dispatch({ type: "difference", on: value === "difference" }),
      }, SHOWN),
      parts.coloured && choice("map-choice", {
        legend: h("legend", "Colours of the estimates"),
        name: "map colours",
        value: colours,
        choose: (value) => dispatch({ type: "colours", colours: value }),
      }, COLOUR_WORDS),
      button("map-button.map-save", { title: "Save the maps as PNG", act: () => this.save() }, "PNG"));
    return box(
      !last && line,
      h("div.map-row", { key: "above", hidden: !first }, drawn.slice(0, first)),
      h("div.map-row", { key: "below" }, points, drawn.slice(first), curves),
      this.tip(run, state),
      last && line);
  }

  /** What is next to the pointer, and read out when a key moves it. */
  tip(run, { pointer, hover, t }) {
    const picture = this.shown?.find(({ id }) => id === pointer?.id);
    const words = picture && pointer && hover ? wordsAt(run, t, picture, pointer.place, this.parts.told) : null;
    const spoken = words && pointer?.keyboard ? [...words.head, ...words.lines].join("; ") : pointer?.said;
    return [
      h("div.map-tip", { key: "tip", hidden: !words, ref: (tip) => tip && words && pointer && this.place(tip, pointer) },
        words?.head.map((name) => h("b", { dir: "auto" }, name)),
        words?.lines.map((text) => h("span", text))),
      h("div.map-spoken.mfp-spoken", { key: "spoken", "aria-live": "polite" }, spoken),
    ];
  }

  /** Puts what is next to the pointer where it is in sight. */
  place(tip, { id, x, y }) {
    const box = this.box.getBoundingClientRect();
    const plot = this.box.querySelector(`[data-figure="${CSS.escape(id)}"] .map-plot`).getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = tip;
    const right = plot.left - box.left + x + 18;
    const left = right + width > box.width ? Math.max(0, right - width - 36) : right;
    const below = plot.top + y + 16;
    const top = below + height > innerHeight ? below - height - 28 : below;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top - box.top)}px)`;
  }

  /** @param {HTMLElement|null} box */
  see(box) {
    if (!box || box === this.box) return;
    this.box = box;
    this.observer.observe(box);
  }

  /** Saves the maps as one file. */
  save() {
    const { run, state, room, shown = [], layouts } = this;
    const figures = shown.filter(({ id }) => layouts.has(id)).map((picture) => ({
      picture,
      run,
      layout: layouts.get(picture.id),
      root: this.box.querySelector(`[data-figure="${CSS.escape(picture.id)}"]`),
    }));
    if (!room || !figures.length) return;
    const step = run.maps.length ? "" : ` ${run.round} ${state.t}`;
    savePicture(figures, room.look, fileStem(`metamf ${run.matrix.name} ${this.name}${step}`));
  }

  destroy() {
    this.observer.disconnect();
    this.settling.forEach(clearTimeout);
  }
}
