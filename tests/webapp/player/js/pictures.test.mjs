import assert from "node:assert/strict";
import test from "node:test";

import { picturesOf, widthColours } from "../../../../metamf/webapp/player/js/pictures.js";
import { cellWords, givenWords } from "../../../../metamf/webapp/player/js/alttext.js";
import { blockNumbers, briefNumber, shownNumber } from "../../../../metamf/webapp/player/js/cellnumbers.js";
import { numberTables } from "../../../../metamf/webapp/player/js/table.js";
import { encoded, payload, smallRun } from "./runs.mjs";

const none = NaN;
const one = (scene, run, t, id, colouring = "scale") => picturesOf(scene, run, t, colouring).find((picture) => picture.id === id);
const legendText = (picture) => picture.legend.map(({ name, low, high, words, keys }) => [name, low, high, words, ...keys.map(({ text }) => text)].join(" ")).join(" ");

const { U, V, mean, std } = payload();
const pinned = { U, V, mean: mean - 1, std }; // one less everywhere, before estimates are clipped

test("a scene has its pictures", () => {
  const ids = (scene, run) => picturesOf(scene, run, 1, "scale").map(({ id }) => id);
  assert.deepEqual(ids("fill", smallRun()), ["given", "filled", "error"]);
  assert.deepEqual(ids("given", smallRun()), ["given"]);
  assert.deepEqual(ids("watch", smallRun()), ["prior", "now", "residual", "change"]);
  const ends = { lower: encoded(Array(6).fill(1)), upper: encoded(Array(6).fill(3)), level: 0.9 };
  assert.deepEqual(ids("fill", smallRun({ ...ends, pinned })), ["given", "filled", "error", "difference", "width"]);
  assert.deepEqual(ids("prior", smallRun()), ["prior"]);
  assert.deepEqual(ids("fit", smallRun()), ["now", "residual"]);
});

test("an episode shows what is given and what is held back, each with its mark, and no estimate", () => {
  const run = smallRun({ rows: null, cols: null });
  const [{ title, detail, alt, blocks, legend }] = picturesOf("episode", run, 2, "scale");
  assert.deepEqual([title, detail], ["Made up", "3 × 2"]);
  assert.equal(alt, "Episode, 3 rows and 2 columns: 3 ratings given, the support; 2 held back, the query.");
  assert.deepEqual([...blocks[0].values], [5, 2, 4, 2, 1, none]);
  assert.deepEqual([...blocks[0].marks], [1, 2, 2, 1, 1, 0]);
  assert.deepEqual(legend[0].keys.map(({ text }) => text), ["support: given", "query: held back", "nobody rated it"]);
  assert.deepEqual(givenWords(run, 0, 1, true).lines, ["held back: 2"]);
  assert.deepEqual(givenWords(run, 0, 1).lines, ["not given"]);
});

test("alternative texts say what is seen at this step", () => {
  const run = smallRun();
  assert.equal(one("fill", run, 2, "filled").alt, "Filled in after step 2 of 2: 3 estimates between 1 and 3, highest for Ben, Tea; typical error 1.15.");
  assert.equal(one("fill", run, 2, "given").alt, "Given: 3 of 6 cells, ratings from 1 to 5; most for Ada, 1.");
  assert.equal(one("fill", run, 2, "error").alt, "Error on hidden cells after step 2 of 2: 2 cells, 1 of them below zero, largest −1 at Ben, Tea; typical error 1.15.");
  assert.match(one("watch", run, 1, "now").alt, /3 rows by 2 factors.*estimates between 1 and 5, highest for Ada, Tea/);
  assert.match(one("watch", run, 0, "change").alt, /none yet/);
});

test("a window says which part of the matrix it is, and names rows by their numbers where they have none", () => {
  const run = smallRun({ rows: null, cols: null, top: 10, left: 4, total_rows: 100, total_cols: 50 });
  assert.match(one("fill", run, 2, "filled").alt, /highest for row 12, column 5.*Rows 11 to 13 of 100, columns 5 to 6 of 50\.$/);
});

test("given, hidden and missing cells are told apart by marks, where there are all three", () => {
  const { blocks, legend } = one("fill", smallRun(), 1, "given");
  assert.deepEqual([...blocks[0].marks], [1, 2, 2, 1, 1, 0]);
  assert.deepEqual(legend[0].keys.map(({ mark }) => mark), ["given", "hidden", "empty"]);
  const known = smallRun({ truth: encoded([none, 2, 4, none, none, 3]) });
  assert.deepEqual([...one("fill", known, 1, "given").blocks[0].marks], [1, 0, 0, 1, 1, 0]);
});

test("without a known truth a sentence takes the place of the errors", () => {
  const picture = one("fill", smallRun({ truth: null, n_hidden: 0, errors: { given: [1, 1, 1], hidden: null } }), 1, "error");
  assert.equal(picture.form, "words");
  assert.match(legendText(picture), /no error can be measured/);
});

test("colours of the estimates: on the scale, stretched to their span, or minus row and column level", () => {
  const run = smallRun();
  const scale = (colouring) => one("fill", run, 2, "filled", colouring).blocks[0].scale;
  assert.deepEqual(scale("scale"), { kind: "rating", low: 1, high: 5 });
  assert.deepEqual(scale("span"), { kind: "rating", low: 1, high: 3 });
  const left = one("fill", run, 2, "filled", "levels").blocks[0];
  assert.equal(left.scale.kind, "signed");
  // estimates 5 2, 3 1, 5 1: row means 3.5 2 3, column means 4.33 1.33
  const rounded = [...left.values].map((value) => Math.round(100 * value) / 100 + 0);
  assert.deepEqual(rounded, [0, 0, -0.5, 0.5, 0.5, -0.5]);
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
  const picture = one("watch", run, 0, "now");
  const [u, v] = picture.blocks;
  assert.equal(picture.special, 2);
  assert.deepEqual([...u.values], [1, none, 0, none, 1, none]); // u: the effect, then the constant
  assert.deepEqual([...v.values], [none, none, 0, -1]);
  assert.deepEqual([u.constant, v.constant], [[1], [0]]);
  const [table] = numberTables(run, picture);
  assert.deepEqual(table.cols, ["effect of the row", "always 1"]);
  assert.deepEqual(table.cells[0], ["+1", "1"]);
  assert.match(legendText(picture), /always 1/);
});

test("tables hold the numbers of a picture, and say which were given", () => {
  const run = smallRun();
  const [filled] = numberTables(run, one("fill", run, 2, "filled"));
  assert.equal(filled.caption, "Filled in, after step 2 of 2");
  assert.deepEqual([filled.rows, filled.cols], [["Ada", "Ben", "Cleo"], ["Tea", "Juice"]]);
  assert.deepEqual(filled.cells, [["5 given", "2"], ["3", "2 given"], ["1 given", "1"]]);
  const product = numberTables(run, one("watch", run, 2, "now"));
  assert.deepEqual(product.map(({ cells }) => [cells.length, cells[0].length]), [[3, 2], [2, 2], [3, 2]]);
});

test("beside the pointer stand the cell, its value, whether it was given, and the truth if it is known", () => {
  const run = smallRun();
  assert.deepEqual(cellWords(run, 2, 1, 0), { head: ["Ben", "Tea"], lines: ["estimate after step 2 of 2: 3", "hidden; truth: 4"] });
  assert.deepEqual(cellWords(run, 2, 0, 0).lines, ["given: 5", "estimate after step 2 of 2: 5"]);
  assert.match(cellWords(run, 2, 2, 1).lines[1], /nobody knows/);
  assert.equal(cellWords(run, 2, 1, 0, { name: "Error", value: -1, signed: true }).lines[0], "Error: −1");
});

test("numbers in cells are short, and zero has no sign", () => {
  assert.deepEqual([4, 3.64, -0.04, NaN].map((value) => shownNumber(value, 1)), ["4", "3.6", "0", ""]);
  assert.deepEqual([1, -0.26, 0.01].map((value) => shownNumber(value, 1, true)), ["+1.0", "−0.3", "0"]);
  assert.deepEqual([1, -0.26, 0.01, 0.97, -1.7, 12.4, NaN].map((value) => briefNumber(value, 1)), ["+1", "−.3", "0", "+1", "−2", "+12", ""]);
  assert.deepEqual([0.37, -1.26, 0.999].map((value) => briefNumber(value, 2)), ["+.37", "−1.3", "+1.0"]);
  assert.deepEqual([-55.4, 0.4].map((value) => briefNumber(value, 0)), ["−55", "0"]);
});

test("a map of small numbers has a digit more, and none where that does not fit", () => {
  const sizes = { numberSize: 14, wholeSize: 14, signedSize: 14, brief: false };
  const map = (kind, high) => ({ part: "UV", scale: { kind, low: -high, high }, values: [] });
  const shown = (given, block) => [given.brief ? "brief" : "all", blockNumbers(given, block, 1).size, ...[0.04, -1.26, 0].map(blockNumbers(given, block, 1).text)];
  assert.deepEqual(shown(sizes, map("signed", 2)), ["all", 14, "0", "−1.3", "0"]);
  assert.deepEqual(shown({ ...sizes, brief: true }, map("signed", 2)), ["brief", 14, "0", "−1", "0"]);
  assert.deepEqual(shown(sizes, map("signed", 0.2)).slice(0, 3), ["all", 14, "+.04"]);
  assert.equal(blockNumbers({ ...sizes, brief: true }, map("signed", 0.2), 1).size, 0);
  assert.equal(blockNumbers(sizes, map("rating", 0.2), 1).text(0.04), "0");
  assert.equal(blockNumbers(sizes, { ...map("rating", 5), part: "U" }, 1).size, 0);
});

test("whole ratings have numbers where estimates have no room for theirs", () => {
  const small = { numberSize: 0, wholeSize: 11, signedSize: 0, brief: true };
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
});

test("a picture that does not follow the step is made once, and so drawn once", () => {
  const run = smallRun({ lower: encoded(Array(6).fill(1)), upper: encoded(Array(6).fill(3)), level: 0.9 });
  for (const [scene, still, moving] of [["fill", ["given", "width"], ["filled", "error"]], ["watch", ["prior"], ["now", "residual", "change"]]]) {
    for (const id of still) assert.equal(one(scene, run, 0, id), one(scene, run, 2, id), id);
    for (const id of moving) assert.notEqual(one(scene, run, 0, id), one(scene, run, 2, id), id);
  }
  assert.notEqual(one("watch", run, 0, "prior"), one("watch", run, 0, "prior", "span"));
});
