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

const ROW_SPACE = 24;

/**
 * @param {Figure} figure
 * @param {DOMRect} base  of the scene
 * @param {import("./paint.js").Look} look
 * @param {number} digits
 * @param {any} factors
 * @param {import("./marked.js").Mark|null} mark
 * @returns {Placed|null}
 */
export function placedFigure(figure, base, look, digits, factors, mark) {
  const { layout, picture } = figure;
  if (!layout || !picture || picture.form === "words") return null;
  const box = figure.root.getBoundingClientRect();
  const size = layout.nameSize;
  const head = 3.4 * size;
  const cells = picture.blocks.flatMap((block) => cellNodes(layout, block, look, digits));
  const legend = legendNodes({ ...picture, legend: figure.legendOf(picture) }, look, 0, head + layout.height + 0.6 * size, size);
  const nodes = [
    svgNode("text", { x: 0, y: 1.1 * size, "font-size": size * 1.1, "font-weight": 600 }, picture.title),
    svgNode("text", { x: 0, y: 2.5 * size, "font-size": size, class: "map-quiet" }, picture.detail),
    svgNode("g", { transform: `translate(0 ${head})` }, ...cells, ...nameNodes(layout), ...cornerNodes(layout, picture, factors), ...figure.marks(layout, mark, look)),
    ...legend.nodes,
  ];
  const width = Math.max(layout.width, layout.cols.end + layout.overhang);
  return { nodes, width, height: head + layout.height + legend.height + size, x: box.left - base.left, y: box.top - base.top };
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
  const still = run.maps.length > 0;
  const source = still ? `MetaMF: ${run.matrix.name}` : `MetaMF: ${run.matrix.name}, ${run.model.title}, ${afterStep(run, state.t)}`;
  const sheet = sheetOf(stacked(figures), { title: source, source, background: look.background, text: look.text, font: look.font });
  await saveSheet(sheet, fileStem(`metamf ${run.matrix.name} ${name}${still ? "" : ` ${run.round} ${state.t}`}`), kind);
}

/**
 * Figures in the rows in which they stand on the page, without what stands between these: an open table, say.
 * @param {Placed[]} figures
 * @returns {Placed[]}
 */
export function stacked(figures) {
  const left = Math.min(...figures.map((figure) => figure.x));
  const tops = [...new Set(figures.map((figure) => Math.round(figure.y)))].sort((a, b) => a - b);
  let y = 0;
  return tops.flatMap((top) => {
    const row = figures.filter((figure) => Math.round(figure.y) === top).map((figure) => ({ ...figure, x: figure.x - left, y }));
    y += Math.max(...row.map((figure) => figure.height)) + ROW_SPACE;
    return row;
  });
}
