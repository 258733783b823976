import assert from "node:assert/strict";
import test from "node:test";

import { numberTables } from "../../../../metamf/webapp/player/js/figure.js";
import { blockNumbers, cellNumber, exact, plain, rounded, signed } from "../../../../metamf/webapp/player/js/numbers.js";
import { picturesOf, widthColours } from "../../../../metamf/webapp/player/js/pictures.js";
import { cellWords, spokenStep } from "../../../../metamf/webapp/player/js/words.js";
import { encoded, payload, smallRun } from "./runs.mjs";

const none = NaN;
const pictureOf = (scene, run, t, id, colouring = "scale") => picturesOf(scene, run, t, colouring).find((picture) => picture.id === id);
const legendText = (picture) => picture.legend.map(({ name, low, high, words, keys }) => [name, low, high, words, ...keys.map(({ text }) => text)].join(" ")).join(" ");

const { U, V, mean, std } = payload();
const pinned = { U, V, mean: mean - 1, std, by: "your edits" }; // one less everywhere, before estimates are clipped

test("a scene has its pictures", () => {
  const ids = (scene, run) => picturesOf(scene, run, 1, "scale").map(({ id }) => id);
  assert.deepEqual(ids("fill", smallRun()), ["given", "filled", "error"]);
  assert.deepEqual(ids("given", smallRun()), ["given"]);
  assert.deepEqual(ids("watch", smallRun()), ["prior", "now", "residual", "change"]);
  const ends = { lower: encoded(Array(6).fill(1)), upper: encoded(Array(6).fill(3)), level: 0.9 };
  assert.deepEqual(ids("fill", smallRun({ ...ends, pinned })), ["given", "filled", "error", "difference", "width"]);
  assert.deepEqual(ids("prior", smallRun()), ["prior"]);
  assert.deepEqual(ids("fit", smallRun()), ["now"]);
});

test("alternative texts say what is seen at this step, and of which part of the matrix", () => {
  const run = smallRun();
  assert.equal(pictureOf("fill", run, 2, "filled").alt, "The model after step 2 of 2: 3 estimates between 1 and 3, highest for Ben, Tea; typical error 1.15.");
  assert.equal(pictureOf("fill", run, 2, "given").alt, "Given: 3 of 6 cells, ratings from 1 to 5.");
  assert.equal(pictureOf("fill", run, 2, "error").alt, "Error on hidden cells after step 2 of 2: 2 cells, 1 of them below zero, largest −1 at Ben, Tea; typical error 1.15.");
  assert.match(pictureOf("watch", run, 1, "now").alt, /3 rows by 2 factors.*estimates between 1 and 5, highest for Ada, Tea/);
  assert.match(pictureOf("watch", run, 0, "change").alt, /none yet/);
  const part = smallRun({ rows: null, cols: null, top: 10, left: 4, total_rows: 100, total_cols: 50 });
  assert.match(pictureOf("fill", part, 2, "filled").alt, /highest for row 12, column 5.*Rows 11 to 13 of 100, columns 5 to 6 of 50\.$/);
});

test("given, hidden and missing cells are told apart by marks, where there are all three", () => {
  const { blocks, legend } = pictureOf("fill", smallRun(), 1, "given");
  assert.deepEqual([...blocks[0].marks], [1, 2, 2, 1, 1, 0]);
  assert.deepEqual(legend[0].keys.map(({ mark }) => mark), ["given", "hidden", "empty"]);
  const known = smallRun({ truth: encoded([none, 2, 4, none, none, 3]) });
  assert.deepEqual([...pictureOf("fill", known, 1, "given").blocks[0].marks], [1, 0, 0, 1, 1, 0]);
});

test("without a known truth a sentence takes the place of the errors", () => {
  const picture = pictureOf("fill", smallRun({ truth: null, n_hidden: 0, errors: { given: [1, 1, 1], hidden: null } }), 1, "error");
  assert.equal(picture.form, "words");
  assert.match(legendText(picture), /no error can be measured/);
});

test("colours of the estimates: on the scale, or minus row and column level; of positive factors from zero", () => {
  const run = smallRun();
  const scale = (colouring, id = "filled") => pictureOf("fill", run, 2, id, colouring).blocks.at(-1).scale;
  assert.deepEqual(scale("scale"), { kind: "rating", low: 1, high: 5 });
  const left = pictureOf("fill", run, 2, "filled", "levels").blocks.at(-1);
  assert.equal(left.scale.kind, "signed");
  // estimates 5 2, 3 1, 5 1: row means 3.5 2 3, column means 4.33 1.33
  const found = [...left.values].map((value) => Math.round(100 * value) / 100 + 0);
  assert.deepEqual(found, [0, 0, -0.5, 0.5, 0.5, -0.5]);
  const model = { name: "ml-1m-nmf", title: "", kind: "nmf", rule: "nmf" };
  const factors = (one) => pictureOf("watch", one, 2, "now").blocks[0].scale;
  assert.deepEqual([factors(smallRun({ model })), factors(run)].map(({ low, high }) => [low, high]), [[0, 2], [-2, 2]]);
});

test("equal widths have no invented end, and a width of the whole scale is said in words", () => {
  const run = smallRun({ level: 0.9 });
  const widths = (...values) => widthColours(run, Float32Array.from(values), "90 % ");
  const flat = widths(2, 2, none, 2);
  assert.equal(flat.scale.low, flat.scale.high);
  assert.deepEqual([flat.legend.low, flat.legend.high, flat.legend.words], ["", "", "Every 90 % interval is 2 wide."]);
  assert.match(widths(4, 4, 4).legend.words, /knows nothing here: every interval is the whole scale, 1 to 5/);
  const open = widths(1, 2, 4);
  assert.deepEqual([open.scale.low, open.scale.high], [1, 4]);
  assert.match(open.legend.words, /4 is the whole scale/);
  assert.equal(widths(none).legend.scale, null);
});

test("coordinates that are always 1 stand apart, without a value, and effects have their name", () => {
  const run = smallRun({ constants: { U: [1], V: [0] }, effects: { U: [0], V: [1] } });
  const picture = pictureOf("watch", run, 0, "now");
  const [u, v] = picture.blocks;
  assert.equal(picture.special, 2);
  assert.deepEqual([...u.values], [1, none, 0, none, 1, none]); // u: the effect, then the constant
  assert.deepEqual([...v.values], [none, none, 0, -1]);
  assert.deepEqual([u.constant, v.constant], [[1], [0]]);
  const [table] = numberTables(run, picture);
  assert.deepEqual(table.cols, ["effect of the row", "always 1"]);
  assert.deepEqual(table.rows[0], ["Ada", "+1", "1"]);
  assert.match(legendText(picture), /always 1/);
});

test("tables hold the numbers of a picture, and say which were given", () => {
  const run = smallRun();
  const filled = numberTables(run, pictureOf("fill", run, 2, "filled")).at(-1);
  assert.equal(filled.caption, "The model, off by 1.15 on hidden ratings");
  assert.deepEqual(filled.cols, ["Tea", "Juice"]);
  assert.deepEqual(filled.rows, [["Ada", "5 given", "2"], ["Ben", "3", "2 given"], ["Cleo", "1 given", "1"]]);
  const product = numberTables(run, pictureOf("watch", run, 2, "now"));
  assert.deepEqual(product.map(({ rows }) => [rows.length, rows[0].length]), [[3, 3], [2, 3], [3, 3]]);
});

test("where every rating is known the truth is a map, and few factors stand beside the filled-in map", () => {
  const run = smallRun({ truth: encoded([none, 2, 4, none, none, 3]) });
  const ids = (one) => picturesOf("fill", one, 1, "scale").map(({ id }) => id);
  assert.deepEqual(ids(run), ["given", "filled", "truth", "error"]);
  assert.deepEqual(ids(smallRun()), ["given", "filled", "error"]); // one cell is known by nobody
  assert.deepEqual([...pictureOf("fill", run, 1, "truth").blocks[0].values], [5, 2, 4, 2, 1, 3]);
  const edited = smallRun({ truth: encoded([none, 2, 4, none, none, 3]), answers: encoded([4, 2, 4, 2, 1, 3]) });
  assert.deepEqual([...pictureOf("fill", edited, 1, "truth").blocks[0].values], [4, 2, 4, 2, 1, 3]); // it stays the truth
  const filled = picturesOf("fill", run, 0, "scale", false, true).find(({ id }) => id === "filled");
  assert.match(filled.detail, /^off by [0-9.]+ on hidden ratings/);
  assert.deepEqual(filled.legend.map(({ name }) => name), ["2 numbers a person, 2 a film"]);
  assert.deepEqual(filled.blocks.map(({ part, name }) => [part, name]), [["U", "U(0)"], ["V", "V(0)ᵀ"], ["UV", ""]]);
  assert.deepEqual([...filled.blocks[0].values], [1, 0, 0, 1, 1, 1]);
});

test("beside the pointer is the cell, its value, whether it was given, and the truth if it is known", () => {
  const run = smallRun();
  const words = (id, i, j) => cellWords(run, 2, pictureOf(id === "now" ? "watch" : "fill", run, 2, id), i, j, true);
  assert.deepEqual(words("filled", 1, 0), { head: ["Ben", "Tea"], lines: ["estimate after step 2 of 2: 3", "hidden; true rating: 4"] });
  assert.deepEqual(words("filled", 0, 0).lines, ["given: 5", "estimate after step 2 of 2: 5"]);
  assert.match(words("now", 2, 1).lines[1], /nobody knows/);
  assert.equal(words("error", 1, 0).lines[0], "Error on hidden cells: −1");
});

test("a mark is said: in the alternative text, and beside the pointer", () => {
  const run = smallRun({ mark: { row: 1, col: 0, text: "?" } });
  const [given] = picturesOf("given", run, 0, "scale");
  assert.match(given.alt, /^Given: 3 of 6 .* Marked with “\?”: Ben, Tea\.$/);
  assert.deepEqual(cellWords(run, 0, given, 1, 0, false), { head: ["Ben", "Tea"], lines: ["not given", "marked with “?”"] });
});

test("the colours of the change are those of its step", () => {
  const run = smallRun();
  const limits = [1, 2].map((t) => pictureOf("watch", run, t, "change").blocks[0].scale.high);
  assert.deepEqual(limits, [1, 2]); // of a step that changes less, so that its map is not all zeros
});

test("a step is said with its errors, and without those that nobody can know", () => {
  assert.equal(spokenStep(smallRun(), 1), "Step 1 of 2: typical error on hidden cells 1.10, on given cells 0.80.");
  const sweeps = smallRun({ round: "sweep", errors: { given: [1, 1, 1], hidden: null } });
  assert.equal(spokenStep(sweeps, 2), "Sweep 2 of 2: typical error on given cells 1.00.");
  assert.match(spokenStep(smallRun(), 0), /^Prior, before the first step: /);
});

test("numbers are written as people read them, with the minus sign of typography", () => {
  assert.deepEqual([3.14159, 0, -0.4, 0.01234, 123.4, 1234, NaN, null].map(rounded), ["3.14", "0.00", "−0.40", "0.0123", "123", "1.23e+3", "–", "–"]);
  assert.deepEqual([4, 3.5, -10, 3.624].map(plain), ["4", "3.5", "−10", "3.62"]);
  assert.deepEqual([[0.5, -0.5, 0].map((value) => signed(value)), exact(-0.40623)], [["+0.50", "−0.50", "0.00"], "−0.4062"]);
});

test("numbers in cells are short, zero has no sign, and all numbers with signs have the same decimals", () => {
  assert.deepEqual([4, 3.64, -0.04, NaN].map((value) => cellNumber(value, 1)), ["4", "3.6", "0", ""]);
  assert.deepEqual([2, -0.41, 0.01].map((value) => cellNumber(value, 1, true)), ["+2.0", "−0.4", "0"]);
  const map = (high) => ({ part: "UV", scale: { kind: "signed", low: -high, high }, values: [] });
  const small = blockNumbers({ numberSize: 14, wholeSize: 14, signedSize: 14 }, map(0.2), 1);
  assert.deepEqual([small.text(0.04), small.size < 14], ["+0.04", true]); // a decimal more
});

test("whole ratings have numbers where estimates have no room for theirs", () => {
  const small = { numberSize: 0, wholeSize: 11, signedSize: 0 };
  const shown = (...values) => blockNumbers(small, { part: "UV", scale: { kind: "rating", low: 1, high: 5 }, values }, 1);
  assert.deepEqual([shown(4, NaN, 5).size, shown(4, NaN, 5).text(4)], [11, "4"]);
  assert.equal(shown(4, 3.6).size, 0);
});

test("the difference that edits made takes the place of the estimates, at every step and on one scale", () => {
  const run = smallRun({ pinned, clip: false });
  const shown = (t) => picturesOf("fill", run, t, "scale", true);
  assert.deepEqual(shown(1).map(({ id }) => id), ["given", "difference", "error"]);
  assert.deepEqual([...shown(1)[1].blocks[0].values], Array(6).fill(1));
  assert.match(shown(1)[1].alt, /^What your edits changed in the estimates after step 1 of 2: 6 cells/);
  assert.deepEqual(shown(0)[1].blocks[0].scale, shown(2)[1].blocks[0].scale);
  const now = picturesOf("watch", run, 2, "scale", true).find(({ id }) => id === "now");
  assert.deepEqual([...now.blocks[2].values], Array(6).fill(1));
  assert.match(legendText(now), /what your edits changed/);
  const told = smallRun({ pinned: { ...pinned, by: "the genre" }, features: ["Drama, 1941", "War, 1957", "Horror, 1996"] });
  assert.match(pictureOf("fill", told, 1, "difference").title, /^What the genre changed$/);
  assert.match(cellWords(told, 1, pictureOf("fill", told, 1, "filled"), 0, 1, true).lines.join(), /told: War, 1957/);
});

test("a picture that does not follow the step is made once, and so drawn once", () => {
  const run = smallRun({ lower: encoded(Array(6).fill(1)), upper: encoded(Array(6).fill(3)), level: 0.9 });
  for (const [scene, still, moving] of [["fill", ["given", "width"], ["filled", "error"]], ["watch", ["prior"], ["now", "residual", "change"]]]) {
    for (const id of still) assert.equal(pictureOf(scene, run, 0, id), pictureOf(scene, run, 2, id), id);
    for (const id of moving) assert.notEqual(pictureOf(scene, run, 0, id), pictureOf(scene, run, 2, id), id);
  }
  assert.notEqual(pictureOf("watch", run, 0, "prior"), pictureOf("watch", run, 0, "prior", "levels"));
});

const answer = { title: "MF", detail: "RMSE 1.20", kind: "rating", noun: "estimate", values: encoded([5, 2.5, 3, 2, 1, 4]), low: 1, high: 5, below: "", above: "" };
const errors = { ...answer, kind: "signed", values: encoded([none, 0.5, -1, none, none, none]), low: -2, high: 2, below: "too low", above: "too high" };
const still = smallRun({ U: "", V: "", K: 0, T: 0, errors: { given: [null], hidden: null }, maps: [answer, { ...errors, title: "Error" }] });
const [filled, wrong] = picturesOf("maps", still, 0, "scale");

test("each map that follows no step has its own colours and its own legend", () => {
  assert.deepEqual([filled.blocks[0].scale, wrong.blocks[0].scale], [{ kind: "rating", low: 1, high: 5 }, { kind: "signed", low: -2, high: 2 }]);
  assert.deepEqual([filled.legend[0].low, filled.legend[0].high], ["1", "5"]);
  assert.deepEqual([wrong.legend[0].low, wrong.legend[0].high], ["too low −2", "+2 too high"]);
  assert.deepEqual([...wrong.blocks[0].marks], [1, 0, 0, 1, 1, 0]); // a ring would hide the number
});

test("a map of widths has the palette of widths, words at its ends, and one colour where all are alike", () => {
  const widths = { ...answer, title: "How sure it is", kind: "width", noun: "width", values: encoded([none, 1, 2.5, none, none, 2]) };
  const drawn = (changes) => picturesOf("map", smallRun({ maps: [{ ...widths, ...changes }] }), 0, "scale")[0];
  const [legend] = drawn({}).legend;
  assert.deepEqual(legend, { scale: { kind: "width", low: 1, high: 2.5 }, name: "", low: "sure, 1 wide", high: "2.5 wide, unsure", words: "", keys: [{ mark: "given", text: "given" }] });
  assert.match(drawn({}).alt, /3 widths between 1 and 2.5, highest for Ben, Tea/);
  const alike = (value, ends) => drawn({ values: encoded([none, value, value, none, none, value]), ...ends }).legend[0].words;
  assert.equal(alike(2, {}), "Every interval is 2 wide.");
  assert.equal(alike(20, { low: -10, high: 10 }), "It knows nothing here: every interval is the whole scale, −10 to 10.");
  assert.equal(alike(4, { low: 0, high: 0 }), "Every interval is 4 wide.", "there is no scale");
});

test("its alternative text says how many numbers, from where to where, and where they are largest", () => {
  assert.equal(filled.alt, "MF, RMSE 1.20: 3 given ratings: 3 estimates between 2.5 and 4, highest for Cleo, Juice.");
  assert.equal(wrong.alt, "Error, RMSE 1.20: 2 cells, 1 of them below zero, largest −1 at Ben, Tea.");
  const nouns = { rows: null, cols: null, nouns: ["column", "channel"], top: 3, total_rows: 9 };
  const [map] = picturesOf("map", smallRun({ ...nouns, X: encoded(Array(6).fill(none)), truth: null, maps: [errors] }), 0, "scale");
  assert.match(map.alt, /largest −1 at column 5, channel 1\. Rows 4 to 6 of 9/);
  assert.deepEqual(map.legend[0].keys, []);
});

test("the pointer reads its own number, what is given and the truth", () => {
  const words = (picture, i, j) => cellWords(still, 0, picture, i, j, true);
  assert.deepEqual(words(wrong, 0, 1), { head: ["Ada", "Juice"], lines: ["Error: +0.5", "hidden; true rating: 2"] });
  assert.deepEqual(words(filled, 0, 0).lines, ["MF: 5", "given: 5"]);
  assert.deepEqual(words(wrong, 0, 0).lines, ["Error: no number", "given: 5"]);
});

test("the maps that are compared have numbers where ratings are given, and the first one says so", () => {
  const run = smallRun({ truth: encoded([none, 2, 4, none, none, 3]) });
  const found = picturesOf("fill", { ...run, mf: { ...smallRun(), kept: new Map() } }, 2, "scale");
  assert.deepEqual(found.map(({ id }) => id), ["given", "mf", "filled", "truth", "error"]);
  assert.deepEqual(found.slice(0, 4).map(({ blocks }) => blocks.at(-1).onlyGiven), [true, true, true, true]);
  assert.deepEqual(found.slice(0, 4).map(({ legend }) => legend.length), [1, 0, 0, 0]);
  assert.equal(found[1].detail, "off by 1.15 on hidden ratings");
});
