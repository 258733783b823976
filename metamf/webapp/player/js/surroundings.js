/**
 * What a scene is drawn in: colours and font of the page, the size of the screen, how wide texts are.
 *
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./alttext.js").Named} Named
 * @typedef {import("./paint.js").Look} Look
 */
import { namesOf } from "./alttext.js";
import { numberWidths } from "./cellnumbers.js";
import { luminance, parseColour } from "./colour.js";
import { dom } from "./dom.js";
import { guessedWidth } from "./names.js";

/** @param {HTMLElement} box  the scene @returns {string} colour of the page */
export const pageColour = (box) => getComputedStyle(box).getPropertyValue("--map-page").trim() || "#ffffff";

/** @param {HTMLElement} box @returns {Look} */
export function lookOf(box) {
  const style = getComputedStyle(box);
  const page = pageColour(box);
  return { dark: luminance(parseColour(page)) < 0.2, text: style.color, page, font: style.fontFamily, density: devicePixelRatio || 1 };
}

/** @param {string} font family @returns {(text: string) => number} widths in a font of size 1 */
export function measurer(font) {
  const context = dom("canvas").getContext("2d");
  if (!context) return guessedWidth;
  context.font = `100px ${font}`;
  /** @type {Map<string, number>} */
  const known = new Map();
  return (text) => {
    let width = known.get(text);
    if (width === undefined) known.set(text, (width = context.measureText(text).width / 100));
    return width;
  };
}

/**
 * @param {Named & {low: number, high: number}} run
 * @param {boolean} lecture
 * @param {number} width  of the scene
 * @param {{width: number, height: number}} screen
 * @param {Look} look
 * @param {boolean} whole  whether names are shown uncut
 * @returns {import("./layout.js").Request}
 */
export function requestOf(run, lecture, width, screen, look, whole) {
  const names = namesOf(run);
  const measure = measurer(look.font);
  return {
    n: run.n,
    m: run.m,
    rowNames: names.rows,
    colNames: names.cols,
    rowsNamed: run.rows !== null,
    colsNamed: run.cols !== null,
    top: run.top,
    left: run.left,
    width,
    screenWidth: screen.width,
    screenHeight: screen.height,
    lecture,
    density: look.density,
    measure,
    ...numberWidths(run, measure),
    whole,
  };
}

/** @param {Run} run @param {import("./parts.js").Picture[]} pictures @returns {import("./drawing.js").Factors} */
export function factorsOfRun(run, pictures) {
  const order = pictures.find(({ form }) => form === "product")?.factorOrder ?? [];
  const positions = (/** @type {number[]} */ effects) => effects.map((k) => order.indexOf(k)).filter((at) => at >= 0);
  const special = pictures.find(({ form }) => form === "product")?.special ?? 0;
  const count = `${run.K - special} factors`;
  return {
    effect: { U: positions(run.effects.U), V: positions(run.effects.V) },
    words: { U: `${run.n} rows × ${count}`, V: `${count} × ${run.m} columns` },
  };
}
