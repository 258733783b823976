import assert from "node:assert/strict";
import test from "node:test";

import { errorCurves, errorScales, spread } from "../../../../metamf/webapp/player/js/chart.js";
import { curveScales, milestone, reportName, runOf, sentEstimates, smoothed, widthsIn } from "../../../../metamf/webapp/player/js/training.js";
import { smallRun } from "./runs.mjs";

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

test("what is said names the line that was crossed last, once", () => {
  assert.equal(milestone({ ...curve, update: [0], error: [1.2] }), "");
  assert.match(milestone({ ...curve, update: [0, 5], error: [1.2, 1.05] }), /^After 5 updates .* support mean/);
  assert.equal(milestone(curve), "After 40 updates the error is below that of the bundled MovieLens 1M.");
});

test("the held-out matrix has its ratings, the estimates, and errors of hidden cells only", () => {
  const [ratings, estimates, errors] = runOf(matrix, matrix.filled).maps.map(({ values }) => [...values].map((value) => value.toFixed(2)));
  assert.deepEqual(ratings, ["4.00", "2.00", "5.00", "NaN"]);
  assert.deepEqual(estimates, ["4.10", "2.50", "4.25", "3.00"]);
  assert.deepEqual(errors, ["NaN", "0.50", "-0.75", "NaN"]);
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

test("later updates are further right, larger errors higher, and the axis does not move within its end", () => {
  const { x, y } = curveScales(curve, 500, 300, 13);
  const places = curve.update.map(x);
  assert.deepEqual([...places].sort((a, b) => a - b), places);
  assert.ok(y(1.2) < y(0.8) && places[3] < x.range()[1] && x.domain()[1] === 100);
  assert.equal(curveScales({ ...curve, update: [0, 5, 10, 90] }, 500, 300, 13).x(10), places[2]);
});

test("losses are smoothed and begin where there are any", () => {
  const [none, first, second] = smoothed(curve.loss);
  assert.deepEqual([none, first], [null, 1.1]);
  assert.ok(second < 1.1 && second > 1.0);
});

test("curve and maps are side by side where the maps have room", () => {
  assert.deepEqual([360, 900, 1824].map((width) => widthsIn(width).beside), [false, false, true]);
});

test("the axis of the errors is cut where the drop would not be seen", () => {
  const scales = (errors) => errorScales(errorCurves(smallRun({ errors }), false), 2, 400, 300, 13);
  const small = scales({ given: [0.95, 0.9, 0.89], hidden: [0.97, 0.95, 0.94] });
  assert.ok(small.cut && small.y.domain()[0] > 0.8 && small.y(0.97) < small.y(0.89));
  const large = scales({ given: [9, 2, 0.1], hidden: null });
  assert.ok(!large.cut && large.y.domain()[0] === 0);
});

test("words at the ends of lines do not overlap", () => {
  assert.deepEqual(spread([100, 101], 20, 0, 200), [100, 120]);
  assert.deepEqual(spread([195, 190], 20, 0, 200), [200, 180]);
});
