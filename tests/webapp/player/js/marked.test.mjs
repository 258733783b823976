import assert from "node:assert/strict";
import test from "node:test";

import { altGiven, altMark, givenWords } from "../../../../metamf/webapp/player/js/alttext.js";
import { cellOn } from "../../../../metamf/webapp/player/js/axes.js";
import { mapLayouts } from "../../../../metamf/webapp/player/js/layout.js";
import { markNodes } from "../../../../metamf/webapp/player/js/marked.js";
import { guessedWidth } from "../../../../metamf/webapp/player/js/names.js";
import { picturesOf } from "../../../../metamf/webapp/player/js/pictures.js";
import { smallRun } from "./runs.mjs";

const PAGE = { text: "#111", page: "#fff" };
const FILMS = ["The Clockmaker's Daughter", "A Ledger of Foxes and Other Stories", "Seven Lamps of Vell"];
const asked = (changes) => ({ n: 3, m: 3, rowNames: ["Ada", "Ben", "Cleo"], colNames: FILMS, rowsNamed: true, colsNamed: true, top: 0, left: 0, width: 358, screenWidth: 390, screenHeight: 844, lecture: false, density: 1, measure: guessedWidth, numberWidth: 1.3, signedWidth: 1.8, briefWidth: 1.3, wholeWidth: 0.5, ...changes });
const { named: layout } = mapLayouts(asked({}), 1);

test("a marked cell is framed where it is, and its text stands in it", () => {
  const nodes = markNodes(layout, { row: 1, col: 2, text: "?" }, PAGE, true);
  const frame = nodes.find(({ attributes }) => attributes.stroke === PAGE.text);
  const text = nodes.find(({ tag }) => tag === "text");
  const [x, width] = cellOn(layout.cols, 2);
  const [y, height] = cellOn(layout.rows, 1);
  assert.deepEqual([frame.attributes.x, frame.attributes.y], [x - 1.5, y - 1.5]);
  assert.deepEqual(text.children, ["?"]);
  assert.deepEqual([text.attributes.x, text.attributes.y], [x + width / 2, y + height / 2]);
  assert.equal(markNodes(layout, { row: 1, col: 2, text: "?" }, PAGE, false).some(({ tag }) => tag === "text"), false);
});

test("a whole row or column can be marked, and nothing beside the window", () => {
  const width = (mark) => markNodes(layout, mark, PAGE, true)[1].attributes.width;
  assert.equal(width({ row: 1, col: null, text: "" }), layout.cols.end - layout.cols.start + 3);
  assert.ok(markNodes(layout, { row: null, col: 0, text: "" }, PAGE, true)[1].attributes.height > layout.rows.end - layout.rows.start);
  for (const mark of [null, { row: 3, col: 0, text: "?" }, { row: -1, col: 0, text: "?" }, { row: null, col: null, text: "?" }]) {
    assert.deepEqual(markNodes(layout, mark, PAGE, true), []);
  }
});

test("a mark is said: in the alternative text, and beside the pointer", () => {
  const run = smallRun({ mark: { row: 1, col: 0, text: "?" } });
  assert.equal(altMark(run), " Marked with “?”: Ben, Tea.");
  assert.equal(picturesOf("given", run, 0, "scale")[0].alt, `${altGiven(run)} Marked with “?”: Ben, Tea.`);
  assert.deepEqual(givenWords(run, 1, 0), { head: ["Ben", "Tea"], lines: ["not given", "marked with “?”"] });
  assert.equal(altMark(smallRun({ mark: { row: 2, col: null, text: "" } })), " Marked: Cleo.");
});

test("beside a map of what is given stands no estimate and no truth", () => {
  const run = smallRun();
  assert.deepEqual(givenWords(run, 0, 0).lines, ["given: 5"]);
  assert.deepEqual(givenWords(run, 1, 0).lines, ["not given"]); // the truth, 4, is known
});

test("whole names are uncut on a phone and on a wide screen", () => {
  for (const [width, screenWidth] of [[358, 390], [800, 1440], [1100, 1920]]) {
    const shown = (whole) => mapLayouts(asked({ width, screenWidth, whole }), 1).named.colLabels.map(({ text }) => text);
    assert.deepEqual(shown(true), FILMS);
    assert.notDeepEqual(shown(false), FILMS);
  }
});
