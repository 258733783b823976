import assert from "node:assert/strict";
import { test } from "node:test";
import { numberWidths } from "../../../../metamf/webapp/player/js/cellnumbers.js";
import { sheetOf } from "../../../../metamf/webapp/player/js/export.js";
import { guessedWidth } from "../../../../metamf/webapp/player/js/names.js";
import { widthsIn } from "../../../../metamf/webapp/player/js/training.js";
import { curveAxes, curveDrawing, milestone, niceTicks, rateChanges, smoothed } from "../../../../metamf/webapp/player/js/trainingcurve.js";
import { curveFile, mapFiles } from "../../../../metamf/webapp/player/js/trainingfiles.js";
import { cellWords, linesOf, mapValues, trainingLayouts } from "../../../../metamf/webapp/player/js/trainingmaps.js";
import { reportName, sentEstimates } from "../../../../metamf/webapp/player/js/trainingtrail.js";

const curve = {
  update: [0, 5, 10, 40],
  error: [1.2, 1.05, 0.9, 0.8],
  loss: [null, 1.1, 1.0, 0.9],
  rate: [0.001, 0.001, 0.001, 0.01],
  lines: [{ name: "support mean", error: 1.1 }, { name: "bundled MovieLens 1M", error: 0.85 }],
  kept: null,
};
const matrix = {
  rows: ["Ada", "Ben"],
  cols: ["Tea", "<b>Juice</b>"],
  low: 1,
  high: 5,
  given: [[0, 0, 4]],
  hidden: [[0, 1, 2], [1, 0, 5]],
  filled: [[4.1, 2.5], [4.25, 3]],
};

test("later updates stand further right, larger errors higher, all inside the frame", () => {
  const axes = curveAxes(curve, 500, 300, 13);
  const x = curve.update.map(axes.x);
  assert.deepEqual([...x].sort((a, b) => a - b), x);
  assert.ok(axes.y(1.2) < axes.y(0.8) && axes.y(1.2) >= axes.top && axes.y(0.8) <= axes.bottom);
  assert.ok(x[0] === axes.left && x[3] < axes.right && axes.last === 100);
});

test("the axis does not move while the training goes on within its end", () => {
  const longer = { ...curve, update: [0, 5, 10, 90] };
  assert.equal(curveAxes(curve, 500, 300, 13).x(10), curveAxes(longer, 500, 300, 13).x(10));
});

test("ticks are round and lie between the ends", () => {
  assert.deepEqual(niceTicks(0.93, 1.14).map((tick) => tick.toFixed(2)), ["0.95", "1.00", "1.05", "1.10"]);
});

test("another learning rate is marked where it begins, with its value", () => {
  assert.deepEqual(rateChanges(curve), [3]);
  const texts = curveDrawing(curve, 500, 300, 13).flatMap((node) => (node.tag === "text" ? node.children : []));
  assert.ok(texts.includes("0.01") && texts.includes("updates of the parameters"));
});

test("losses are smoothed and begin where there are any", () => {
  const [none, first, second] = smoothed(curve.loss);
  assert.equal(none, null);
  assert.equal(first, 1.1);
  assert.ok(second < 1.1 && second > 1.0);
});

test("what is said names the line that was crossed last, once", () => {
  assert.equal(milestone({ ...curve, update: [0], error: [1.2] }), "");
  assert.match(milestone({ ...curve, update: [0, 5], error: [1.2, 1.05] }), /^After 5 updates .* support mean/);
  assert.equal(milestone(curve), "After 40 updates the error is below that of the bundled MovieLens 1M.");
});

test("errors are those of hidden cells only", () => {
  const { ratings, errors, given } = mapValues(matrix);
  assert.deepEqual([...given], [1, 0, 0, 0]);
  assert.deepEqual([...ratings].map(String), ["4", "2", "5", "NaN"]);
  assert.deepEqual([...errors].map((error) => error.toFixed(2)), ["NaN", "0.50", "-0.75", "NaN"]);
});

test("a cell is said in words: given, hidden, or nobody knows", () => {
  assert.equal(cellWords(matrix, 0), "Ada, Tea: given 4; estimate 4.10.");
  assert.equal(cellWords(matrix, 1), "Ada, <b>Juice</b>: hidden 2; estimate 2.50, 0.50 too high.");
  assert.equal(cellWords(matrix, 2), "Ben, Tea: hidden 5; estimate 4.25, 0.75 too low.");
  assert.equal(cellWords(matrix, 3), "Ben, <b>Juice</b>: nobody knows; estimate 3.00.");
});

test("the estimates of a report are read from two bytes each, row by row", () => {
  const sent = Buffer.from(new Uint16Array([0, 65535, 32768, 16384]).buffer).toString("base64");
  const [[low, high], [middle, quarter]] = sentEstimates(sent, matrix);
  assert.deepEqual([low, high, middle.toFixed(3), quarter.toFixed(3)], [1, 5, "3.000", "2.000"]);
});

test("a report is named by its update, and the end of a training by the parameters that were kept", () => {
  assert.equal(reportName(curve, 1), "after update 5: error 1.050");
  assert.equal(reportName(curve, null), "after update 40: error 0.800");
  assert.equal(reportName({ ...curve, kept: 10 }, null), "the best, kept: after update 10");
});

test("the report that is shown stands on the curve, with a line where it is not the latest", () => {
  const marks = (now) => curveDrawing(curve, 500, 300, 13, now).filter((node) => node.attributes["stroke-opacity"] === 0.6);
  assert.equal(marks(3).length, 0);
  assert.equal(marks(1).length, 1);
  assert.equal(marks(1)[0].attributes.x1.toFixed(2), curveAxes(curve, 500, 300, 13).x(5).toFixed(2));
});

const SHEET = { title: "t", source: "MetaMF: meta-training", background: "#fff", text: "#000", font: "sans-serif" };
const boxOf = ({ x, y, width, height }) => [x, y, x + width, y + height];

test("the curve as a file has its lines in colours that any program knows, and a key that says what each is", () => {
  const strokes = [{ colour: "var(--mft-error)", dash: "", width: 2, words: "this network 0.800" }, { colour: "var(--mft-mean)", dash: "2 4", width: 2, words: "support mean 1.100" }];
  const drawn = { width: 500, height: 300, size: 13, heading: "Error" };
  const { markup, height } = sheetOf([curveFile(curve, strokes, 1, drawn, (name) => ({ "--mft-error": "rgb(184, 78, 0)" })[name] ?? "rgb(1, 2, 3)")], SHEET);
  assert.doesNotMatch(markup, /var\(|light-dark|NaN|undefined/);
  assert.match(markup, /<polyline[^>]* stroke="rgb\(184, 78, 0\)"/);
  for (const words of ["Error", "updates of the parameters", "this network 0.800", "support mean 1.100"]) assert.ok(markup.includes(`>${words}<`), words);
  assert.ok(height > 300 + 2 * 13); // the key has its own place below
});

/** The layout of the maps of a matrix on a page that leaves the picture this width. */
function layouts(shown, width, screenWidth, lecture = false) {
  const { rows: rowNames, cols: colNames, ...lines } = linesOf(shown);
  const screen = { screenWidth, screenHeight: screenWidth === 390 ? 844 : 1080, lecture, density: 1, measure: guessedWidth };
  return trainingLayouts({ ...lines, rowNames, colNames, rowsNamed: true, colsNamed: true, width: widthsIn(width).maps, ...screen, ...numberWidths(shown, guessedWidth) });
}

test("numbers and names of the held-out matrix can be read from the last row, and no two names are cut to the same text", () => {
  const films = Array.from({ length: 12 }, (_, j) => `The Polite Volcano, part ${j + 1}, director's cut (1995)`);
  const people = Array.from({ length: 12 }, (_, i) => `A person of a long name, number ${i + 1}`);
  const named = { ...matrix, rows: people.map((_, i) => `person ${i + 1}`), cols: films.map((_, j) => `film ${j + 1}`) };
  for (const shown of [named, { ...named, rows: people, cols: films }]) {
    for (const [width, lecture, number, name] of [[1376, false, 14, 14], [1824, true, 20, 19]]) {
      const { perRow, named: layout, bare, space } = layouts(shown, width, 1920, lecture);
      assert.equal(perRow, 3);
      assert.ok(Math.min(layout.numberSize, layout.signedSize) >= number && Math.min(layout.nameSize, layout.colSize) >= name, JSON.stringify([layout.numberSize, layout.signedSize, layout.nameSize, layout.colSize]));
      assert.ok(layout.width + 2 * (space + bare.width) + layout.overhang <= widthsIn(width).maps);
      for (const labels of [layout.rowLabels, layout.colLabels]) assert.equal(new Set(labels.map(({ text }) => text)).size, 12);
    }
  }
  const jokes = layouts({ ...named, low: -10, high: 10 }, 1824, 1920, true); // wider numbers: two maps in a row
  assert.ok(jokes.perRow === 2 && jokes.named.numberSize >= 20);
  assert.ok(layouts(named, 1344, 1440).named.numberSize >= 11.5 && layouts(named, 358, 390).named.numberSize >= 10.5);
});

test("the curve makes room for the maps where these fit beside it, and stands above them elsewhere", () => {
  assert.ok(widthsIn(1344).beside && widthsIn(1344).curve < 400 && widthsIn(1344).maps > 900);
  assert.deepEqual(widthsIn(960), { beside: false, curve: 960, maps: 960 });
});

test("the maps as a file stand side by side or one below the other, each cell in its colour, names and numbers as text", () => {
  for (const [width, perRow] of [[1376, 3], [358, 1]]) {
    const row = layouts(matrix, width, perRow === 3 ? 1920 : 390);
    const figures = mapFiles(matrix, row, { dark: true, text: "#fff", page: "#000", font: "sans-serif", density: 1 });
    const { markup } = sheetOf(figures, SHEET);
    const filled = markup.match(/<path d="[^"]*z" fill="rgb/g) ?? []; // one for each colour of a map; a cell without a value has none
    assert.equal(filled.flatMap((path) => path.match(/M/g)).length, 3 + 4 + 2);
    assert.equal((markup.match(/<circle/g) ?? []).length, 2); // the one that is given, on ratings and estimates
    assert.doesNotMatch(markup, /<b>|var\(|NaN|undefined|class="mft/);
    for (const words of ["The ratings", "Estimates", "Errors on the hidden ones", "Ada", "too low −2", "● given   □ no rating", "4.1", "2.5"]) assert.ok(markup.includes(`>${words}<`), words);
    assert.match(markup, /font-weight="700"[^>]*>4</); // given: bold
    assert.equal((markup.match(/>Ada</g) ?? []).length, perRow === 3 ? 1 : 3);
    const boxes = figures.map(boxOf);
    const along = perRow === 3 ? 0 : 1;
    for (const k of [1, 2]) assert.ok(boxes[k][along] > boxes[k - 1][along] && boxes[k][1 - along] === boxes[0][1 - along]);
    if (perRow === 1) for (const k of [1, 2]) assert.ok(boxes[k][1] >= boxes[k - 1][3]);
    assert.ok(boxes[3][1] >= Math.max(...boxes.slice(0, 3).map((box) => box[3])));
  }
});
