/**
 * Figures of Plotly as files: the layers that stand on the page, on paper of the page's colour, with a heading.
 *
 * The page marks the place of the buttons (`metamf/webapp/look.py`, `figure`): `.mf-save` names the figure and its
 * heading, and each button in it the kind of file.
 */
import { fileStem, saveSheet } from "./export.js";

const SVG = "http://www.w3.org/2000/svg";
const EDGE = 16; // pixels around a figure; chosen by eye
const HEADING = 24; // pixels of its line; chosen by eye

/**
 * Answers the buttons of all figures of a page.
 * @param {Document} page
 * @returns {() => void}  ends it
 */
export function saveCharts(page) {
  /** @param {Event} event */
  const pressed = (event) => {
    const button = event.target instanceof Element ? event.target.closest(".mf-save button") : null;
    if (!(button instanceof HTMLElement)) return;
    const { figure = "", heading = "" } = /** @type {HTMLElement} */ (button.closest(".mf-save")).dataset;
    const chart = page.querySelector(`.st-key-${CSS.escape(figure)} .js-plotly-plot`);
    const kind = button.dataset.kind === "png" ? "png" : "svg";
    if (chart) void saveSheet(sheetOfChart(chart, heading, page), fileStem(`metamf ${heading || figure}`), kind);
  };
  page.addEventListener("click", pressed);
  return () => page.removeEventListener("click", pressed);
}

/**
 * @param {Element} chart
 * @param {string} heading
 * @param {Document} page
 * @returns {{markup: string, width: number, height: number}}
 */
function sheetOfChart(chart, heading, page) {
  const layers = [...chart.querySelectorAll(".main-svg")];
  const box = chart.getBoundingClientRect();
  const { backgroundColor, color, fontFamily } = getComputedStyle(page.querySelector(".stApp") ?? page.body);
  const width = Math.ceil(box.width) + 2 * EDGE, height = Math.ceil(box.height) + HEADING + 2 * EDGE;
  const sheet = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const title = element("text", { x: EDGE, y: EDGE + 14, "font-size": 14, "font-weight": 600, fill: color, "font-family": fontFamily });
  title.textContent = heading;
  sheet.append(element("rect", { width, height, fill: backgroundColor }), title);
  for (const layer of layers) {
    const copy = /** @type {Element} */ (layer.cloneNode(true));
    copy.setAttribute("x", String(EDGE));
    copy.setAttribute("y", String(EDGE + HEADING));
    sheet.append(copy);
  }
  return { markup: new XMLSerializer().serializeToString(sheet), width, height };
}

/** @param {string} name @param {Record<string, string|number>} attributes @returns {Element} */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
