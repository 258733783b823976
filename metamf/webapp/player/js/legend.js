/**
 * The legend of a picture as HTML: what its colours mean, from where to where, and its marks.
 *
 * @typedef {import("./parts.js").LegendItem} LegendItem
 */
import { dom } from "./dom.js";
import { legendColours } from "./paint.js";
import { mountSvg, svgNode } from "./svg.js";
import { NO_TERMS } from "./terms.js";

/**
 * Writes the legend into `box`; what is already there and equal stays.
 * @param {HTMLElement} box
 * @param {LegendItem[]} items
 * @param {boolean} dark
 * @param {import("./terms.js").Terms} [terms]
 */
export function drawLegend(box, items, dark, terms = NO_TERMS) {
  const drawn = JSON.stringify([items.map((item) => ({ ...item, name: item.name !== "" })), dark]);
  if (box.dataset.drawn !== drawn) box.replaceChildren(...items.map((item) => legendLine(item, dark)));
  box.dataset.drawn = drawn;
  items.forEach(({ name }, k) => {
    const label = /** @type {HTMLElement|null} */ (box.children[k].querySelector(".map-legend-name"));
    if (label) terms.write(label, name); // another name alone leaves the word in it its focus
  });
}

/** @param {LegendItem} item @param {boolean} dark */
function legendLine(item, dark) {
  const line = dom("div", { className: "map-legend-line" });
  if (item.scale && (item.low || item.high)) {
    const colours = legendColours(item.scale, dark);
    const bar = dom("i", { className: "map-bar" });
    bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    const name = item.name ? [dom("span", { className: "map-legend-name" })] : [];
    line.append(dom("span", { className: "map-range" }, ...name, dom("span", {}, item.low), bar, dom("span", {}, item.high)));
  } else if (item.scale) {
    const swatch = dom("i", { className: "map-swatch" });
    swatch.style.background = legendColours(item.scale, dark)[0];
    line.append(swatch);
  }
  if (item.words) line.append(dom("span", { className: "map-legend-words" }, item.words));
  for (const { mark, text } of item.keys) {
    line.append(dom("span", { className: "map-key" }, mountSvg(markSign(mark)), dom("span", {}, text)));
  }
  return line;
}

/** @param {"given"|"hidden"|"empty"|"constant"} mark */
function markSign(mark) {
  const box = { x: 0.5, y: 0.5, width: 13, height: 13, rx: 1 };
  const outline = { fill: "none", stroke: "currentColor", "stroke-opacity": 0.55 };
  const inside = {
    given: [svgNode("circle", { cx: 7, cy: 7, r: 3, fill: "#fff", stroke: "#141414", "stroke-width": 1.25 })],
    hidden: [svgNode("circle", { cx: 7, cy: 7, r: 3, fill: "none", stroke: "currentColor", "stroke-width": 1.4 })],
    empty: [],
    constant: [svgNode("path", { d: "M1 7L7 1M1 13L13 1M7 13L13 7", stroke: "currentColor", "stroke-opacity": 0.5 })],
  }[mark];
  return svgNode("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, svgNode("rect", { ...box, ...outline }), ...inside);
}
