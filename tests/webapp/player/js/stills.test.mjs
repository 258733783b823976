import assert from "node:assert/strict";
import test from "node:test";

import { cellLines } from "../../../../metamf/webapp/player/js/cellmaps.js";
import { picturesOf } from "../../../../metamf/webapp/player/js/pictures.js";
import { stillWords, stillsAcross } from "../../../../metamf/webapp/player/js/stills.js";
import { numberTables } from "../../../../metamf/webapp/player/js/table.js";
import { encoded, smallRun } from "./runs.mjs";

const none = NaN;
const answer = { title: "MF", detail: "RMSE 1.20", kind: "rating", noun: "estimate", values: encoded([5, 2.5, 3, 2, 1, 4]), low: 1, high: 5, below: "", above: "" };
const errors = { ...answer, kind: "signed", values: encoded([none, 0.5, -1, none, none, none]), low: -2, high: 2, below: "too low", above: "too high" };
const run = smallRun({ U: "", V: "", K: 0, T: 0, errors: { given: [null], hidden: null }, maps: [answer, { ...errors, title: "Error" }] });
const [filled, wrong] = picturesOf("maps", run, 0, "scale");

test("each map that follows no step has its own colours and its own legend", () => {
  assert.deepEqual([filled.blocks[0].scale, wrong.blocks[0].scale], [{ kind: "rating", low: 1, high: 5 }, { kind: "signed", low: -2, high: 2 }]);
  assert.deepEqual([filled.legend[0].low, filled.legend[0].high], ["1", "5"]);
  assert.deepEqual([wrong.legend[0].low, wrong.legend[0].high], ["too low −2", "+2 too high"]);
  assert.deepEqual([...wrong.blocks[0].marks], [1, 0, 0, 1, 1, 0]); // a ring would hide the number
});

test("a map of widths has the palette of widths, words at its ends, and no colours where all are alike", () => {
  const widths = { ...answer, title: "How sure it is", kind: "width", noun: "width", values: encoded([none, 1, 2.5, none, none, 2]), low: 1, high: 2.5, below: "sure, 1 wide", above: "2.5 wide, unsure", words: "" };
  const drawn = (changes) => picturesOf("map", smallRun({ maps: [{ ...widths, ...changes }] }), 0, "scale")[0];
  const [legend] = drawn({}).legend;
  assert.deepEqual(legend, { scale: { kind: "width", low: 1, high: 2.5 }, name: "", low: "sure, 1 wide", high: "2.5 wide, unsure", words: "", keys: [{ mark: "given", text: "given" }] });
  assert.match(drawn({}).alt, /3 widths between 1 and 2.50, highest for Ben, Tea/);
  assert.deepEqual(drawn({ below: "", above: "", words: "Every interval is 2 wide." }).legend[0].scale, null);
});

test("its alternative text says how many numbers, from where to where, and where they are largest", () => {
  assert.equal(filled.alt, "MF, RMSE 1.20: 3 given ratings, and 3 estimates between 2.50 and 4, highest for Cleo, Juice.");
  assert.equal(wrong.alt, "Error, RMSE 1.20: 2 cells, 1 of them below zero, largest −1 at Ben, Tea.");
  const nouns = { rows: null, cols: null, nouns: ["column", "channel"], top: 3, total_rows: 9 };
  const [map] = picturesOf("map", smallRun({ ...nouns, X: encoded(Array(6).fill(none)), truth: null, maps: [errors] }), 0, "scale");
  assert.match(map.alt, /largest −1 at column 5, channel 1\. Rows 4 to 6 of 9/);
  assert.deepEqual(map.legend[0].keys, []);
});

test("it has a table of numbers, and the pointer reads its own number, what is given and the truth", () => {
  assert.deepEqual(numberTables(run, filled)[0].cells, [["5 given", "2.50"], ["3", "2 given"], ["1 given", "4"]]);
  assert.deepEqual(stillWords(run, wrong, 0, 1), { head: ["Ada", "Juice"], lines: ["Error: +0.50", "hidden; truth: 2"] });
  assert.deepEqual(stillWords(run, filled, 0, 0).lines, ["MF: 5", "given: 5"]);
  assert.deepEqual(stillWords(run, wrong, 0, 0).lines, ["Error: no number", "given: 5"]);
});

test("a chosen cell is read in all maps, beside the truth where that is known", () => {
  assert.deepEqual(cellLines(run, 0, 1), [{ title: "MF", value: "2.50", off: "+0.50" }, { title: "Error", value: "+0.50", off: "" }]);
  assert.deepEqual(cellLines(run, 2, 1), [{ title: "MF", value: "4", off: "" }]);
});

test("four maps stand two by two: none alone below the others", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(stillsAcross), [1, 2, 3, 2, 3, 3]);
});
