import assert from "node:assert/strict";
import test from "node:test";

import { cellNodes, cornerNodes, legendNodes, nameNodes } from "../../../../metamf/webapp/player/js/drawing.js";
import { contrast, parseColour } from "../../../../metamf/webapp/player/js/colour.js";
import { fileStem, sheetOf } from "../../../../metamf/webapp/player/js/export.js";
import { namesOf } from "../../../../metamf/webapp/player/js/alttext.js";
import { mapLayouts, productsPerRow } from "../../../../metamf/webapp/player/js/layout.js";
import { guessedWidth } from "../../../../metamf/webapp/player/js/names.js";
import { picturesOf } from "../../../../metamf/webapp/player/js/pictures.js";
import { stacked } from "../../../../metamf/webapp/player/js/saving.js";
import { svgMarkup, svgNode } from "../../../../metamf/webapp/player/js/svg.js";
import { curveFrame, curveLines, curveNodes, niceTicks, spread } from "../../../../metamf/webapp/player/js/curves.js";
import { smallRun } from "./runs.mjs";

const LOOK = { dark: false, text: "#23272f", font: "sans-serif", density: 1 };
const SHEET = { title: "t", source: "MetaMF", background: "#fff", text: "#000", font: "sans-serif" };
const FACTORS = { effect: { U: [], V: [] }, words: { U: "", V: "" } };

/** @param {ReturnType<typeof smallRun>} run @param {"fill"|"watch"} scene @param {string} id */
function drawn(run, scene, id) {
  const picture = picturesOf(scene, run, 2, "scale").find((one) => one.id === id);
  const { rows, cols } = namesOf(run);
  const asked = { n: run.n, m: run.m, rowNames: rows, colNames: cols, rowsNamed: true, colsNamed: true, top: 0, left: 0, width: 900, screenWidth: 1440, screenHeight: 900, lecture: false, density: 1, measure: guessedWidth, numberWidth: 1.3, signedWidth: 1.8, briefWidth: 1.3, wholeWidth: 0.5, factors: run.K, special: picture.special };
  const layout = picture.form === "product" ? productsPerRow(asked, 1).named : mapLayouts(asked, 3).named;
  const cells = picture.blocks.flatMap((block) => cellNodes(layout, block, LOOK, 1));
  const legend = legendNodes(picture, LOOK, 0, layout.height, 13);
  return { layout, nodes: [...cells, ...nameNodes(layout), ...cornerNodes(layout, picture, FACTORS), ...legend.nodes] };
}

const textsOf = (node) => (typeof node === "string" ? [node] : node.children.flatMap(textsOf));

test("a map as SVG has its cells as shapes, its numbers and its names as text", () => {
  const { layout, nodes } = drawn(smallRun(), "fill", "filled");
  const { markup, width } = sheetOf([{ nodes, width: layout.width, height: layout.height, x: 0, y: 0 }], SHEET);
  assert.match(markup, /^<\?xml[^>]*>\n<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.doesNotMatch(markup, /<image|data:|foreignObject|NaN|undefined/);
  const texts = nodes.flatMap(textsOf);
  for (const name of ["Ada", "Ben", "Cleo", "Tea", "Juice", "rating"]) assert.ok(texts.includes(name), name);
  assert.deepEqual(texts.filter((text) => /^\d$/.test(text)).slice(0, 6), ["5", "2", "3", "2", "1", "1"]);
  assert.equal((markup.match(/<circle/g) ?? []).length, 5); // 3 given, 2 hidden
  assert.ok(width > layout.width);
});

test("a product as SVG has U, V transposed and their product", () => {
  const { nodes } = drawn(smallRun(), "watch", "now");
  const texts = nodes.flatMap(textsOf);
  for (const name of ["U(2)", "V(2)ᵀ", "Ada", "Tea"]) assert.ok(texts.includes(name), name);
  const cells = nodes.filter(({ attributes }) => attributes.d && attributes.fill?.startsWith("rgb")).map(({ attributes }) => attributes.d.match(/M/g).length);
  assert.equal(cells.reduce((sum, count) => sum + count), 3 * 2 + 2 * 2 + 3 * 2);
});

test("names from outside are text in a file, too", () => {
  const hostile = smallRun({ rows: ['<img src=x onerror="alert(1)">', "</text><script>", "a & b"], cols: ["\u202egnp", "]]>"] });
  const { layout, nodes } = drawn(hostile, "fill", "given");
  const { markup } = sheetOf([{ nodes, width: layout.width, height: layout.height, x: 0, y: 0 }], { ...SHEET, title: "<b>" });
  assert.doesNotMatch(markup, /<img|<script|<b>|\u202e/);
  assert.match(markup, /&lt;img/);
  assert.match(markup, /a &amp; b/);
  assert.equal(svgMarkup(svgNode("text", { title: '"<' }, "\u0001x")), '<text title="&quot;&lt;">x</text>');
  assert.equal(fileStem("MetaMF: Zoë's <b>film</b> club"), "metamf-zoe-s-b-film-b-club");
  assert.equal(fileStem("שלום"), "figure");
});

test("the axis of the errors is cut where the drop would not be seen, and says so", () => {
  const small = smallRun({ errors: { given: [0.95, 0.9, 0.89], hidden: [0.97, 0.95, 0.94] } });
  const frame = curveFrame(curveLines(small, false), 2, 400, 300, 13);
  assert.ok(frame.cut && frame.low > 0.8 && frame.high < 1);
  assert.ok(frame.y(0.97) < frame.y(0.89));
  const texts = curveNodes(small, 1, 400, 300, 13, false).flatMap(textsOf);
  assert.ok(texts.some((text) => /axis begins at 0\.8\d, not at 0/.test(text)));
  const narrow = curveNodes(small, 1, 200, 300, 13, false).flatMap(textsOf);
  assert.ok(narrow.some((text) => /^axis begins at 0\.8\d$/.test(text)));
  const large = curveFrame(curveLines(smallRun({ errors: { given: [9, 2, 0.1], hidden: null } }), false), 2, 400, 300, 13);
  assert.ok(!large.cut && large.low === 0);
});

test("the words beside the curves are read on a light page and on a dark one", () => {
  for (const [dark, page] of [[false, "#fdfcf9"], [true, "#12161c"]]) {
    for (const { colour } of curveLines(smallRun(), dark)) assert.ok(contrast(parseColour(colour), parseColour(page)) >= 4.5, colour);
  }
});

test("every step of the curves can be clicked, and numbers that are none are left out", () => {
  const run = smallRun({ errors: { given: [1, null, 3], hidden: null } });
  const nodes = curveNodes(run, 0, 400, 300, 13, true);
  assert.deepEqual(nodes.filter(({ attributes }) => "data-step" in attributes).map(({ attributes }) => attributes["data-step"]), [0, 1, 2]);
  assert.doesNotMatch(nodes.map(svgMarkup).join(""), /NaN|undefined/);
  assert.doesNotMatch(curveNodes(smallRun({ T: 0, errors: { given: [1], hidden: [2] } }), 0, 400, 300, 13, true).map(svgMarkup).join(""), /NaN|Infinity/);
});

test("ticks are round, and words at the ends of lines do not overlap", () => {
  assert.deepEqual(niceTicks(0.84, 0.97, 4).map((tick) => tick.toFixed(2)), ["0.85", "0.90", "0.95"]);
  assert.deepEqual(spread([100, 101], 20, 0, 200), [100, 120]);
  assert.deepEqual(spread([195, 190], 20, 0, 200), [200, 180]);
});

test("figures of a file stand in their rows, whatever stands between these on the page", () => {
  const figure = (x, y, height) => ({ nodes: [], width: 100, height, x, y });
  const found = stacked([figure(10, 40, 200), figure(130, 40.2, 180), figure(10, 900, 50)]);
  assert.deepEqual(found.map(({ x, y }) => [x, y]), [[0, 0], [120, 0], [0, 224]]);
});
