import assert from "node:assert/strict";
import { test } from "node:test";
import { curveAxes, curveDrawing, milestone, niceTicks, rateChanges, smoothed } from "../../../../metamf/webapp/player/js/trainingcurve.js";
import { cellWords, mapValues } from "../../../../metamf/webapp/player/js/trainingmaps.js";

const curve = {
  update: [0, 5, 10, 40],
  error: [1.2, 1.05, 0.9, 0.8],
  loss: [null, 1.1, 1.0, 0.9],
  rate: [0.001, 0.001, 0.001, 0.01],
  lines: [{ name: "support mean", error: 1.1 }, { name: "bundled MovieLens 1M", error: 0.85 }],
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
