/**
 * Figures of a scene as they stand, handed over as one file.
 *
 * @typedef {import("./export.js").Placed} Placed
 * @typedef {import("./maps.js").Figure} Figure
 */
import { afterStep } from "./alttext.js";
import { cellNodes, cornerNodes, legendNodes, nameNodes } from "./drawing.js";
import { fileStem, saveSheet, sheetOf } from "./export.js";
import { svgNode } from "./svg.js";

/**
 * @param {Figure} figure
 * @param {DOMRect} base  of the scene
 * @param {import("./paint.js").Look} look
 * @param {number} digits
 * @param {any} factors
 * @returns {Placed|null}
 */
export function placedFigure(figure, base, look, digits, factors) {
  const { layout, picture } = figure;
  if (!layout || !picture || picture.form === "words") return null;
  const box = figure.root.getBoundingClientRect();
  const size = layout.nameSize;
  const head = 3.4 * size;
  const cells = picture.blocks.flatMap((block) => cellNodes(layout, block, look, digits));
  const legend = legendNodes(picture, look, 0, head + layout.height + 0.6 * size, size);
  const nodes = [
    svgNode("text", { x: 0, y: 1.1 * size, "font-size": size * 1.1, "font-weight": 600 }, picture.title),
    svgNode("text", { x: 0, y: 2.5 * size, "font-size": size, class: "map-quiet" }, picture.detail),
    svgNode("g", { transform: `translate(0 ${head})` }, ...cells, ...nameNodes(layout), ...cornerNodes(layout, picture, factors)),
    ...legend.nodes,
  ];
  return { nodes, width: layout.width, height: head + layout.height + legend.height + size, x: box.left - base.left, y: box.top - base.top };
}

/**
 * @param {Placed[]} figures
 * @param {string} name
 * @param {import("./run.js").Run} run
 * @param {import("./state.js").State} state
 * @param {import("./paint.js").Look & {background: string}} look
 * @param {"svg"|"png"} kind
 * @returns {Promise<void>}
 */
export async function saveFigures(figures, name, run, state, look, kind) {
  if (!figures.length) return;
  const [x, y] = [Math.min(...figures.map((figure) => figure.x)), Math.min(...figures.map((figure) => figure.y))];
  const source = `MetaMF: ${run.matrix.name}, ${run.model.title}, ${afterStep(run, state.t)}`;
  const moved = figures.map((figure) => ({ ...figure, x: figure.x - x, y: figure.y - y }));
  const sheet = sheetOf(moved, { title: source, source, background: look.background, text: look.text, font: look.font });
  await saveSheet(sheet, fileStem(`metamf ${run.matrix.name} ${name} ${run.round} ${state.t}`), kind);
}
