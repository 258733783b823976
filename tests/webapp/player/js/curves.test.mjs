import assert from "node:assert/strict";
import test from "node:test";

import { errorCurves, errorScales, spread } from "../../../../metamf/webapp/player/js/chart.js";
import { picturesOf } from "../../../../metamf/webapp/player/js/pictures.js";
import { decodeRun } from "../../../../metamf/webapp/player/js/run.js";
import { stepName } from "../../../../metamf/webapp/player/js/words.js";
import { encoded, smallRun } from "./runs.mjs";

test("the reports of a training are steps of its maps, read from two bytes each", () => {
  const sent = (values) => Buffer.from(new Uint16Array(values).buffer).toString("base64");
  const reports = [sent([0, 65535]), sent([32768, 16384])];
  const map = { title: "Estimates", detail: "", noun: "estimate", kind: "rating", low: 1, high: 5, below: "", above: "", reports };
  const errors = { ...map, title: "Errors", kind: "signed", low: -2, high: 2 };
  const run = decodeRun({
    ...{ version: 2, id: "training", matrix: { name: "" }, n: 1, m: 2, total_rows: 1, total_cols: 2, T: 1, low: 1, high: 5, rows: null, cols: null },
    ...{ X: encoded([NaN, NaN]), truth: encoded([2, NaN]), round: "report", maps: [map, errors], n_given: 0, n_hidden: 1 },
    ...{ errors: { given: [null, 1], hidden: [1.2, 0.9] }, reports: { updates: [0, 40], names: ["training", "held-out"] } },
  });
  const shown = (t) => picturesOf("train", run, t, "scale").map(({ blocks: [{ values }] }) => Array.from(values, (value) => value.toFixed(2)));
  assert.deepEqual(shown(0), [["1.00", "5.00"], ["-1.00", "NaN"]]);
  assert.deepEqual(shown(1), [["3.00", "2.00"], ["1.00", "NaN"]]);
  assert.equal(stepName(run, 1), "update 40");
  assert.deepEqual(errorCurves(run, false).map(({ name }) => name), ["training", "held-out"]);
});

test("the axis of the errors is cut where the drop would not be seen", () => {
  const scales = (errors) => errorScales(errorCurves(smallRun({ errors }), false), 2, 400, 300, 13);
  const small = scales({ given: [0.95, 0.9, 0.89], hidden: [0.97, 0.95, 0.94] });
  assert.ok(small.cut && small.y.domain()[0] > 0.8 && small.y(0.97) < small.y(0.89));
  const large = scales({ given: [9, 2, 0.1], hidden: null });
  assert.ok(!large.cut && large.y.domain()[0] === 0);
});

test("words at the ends of lines do not overlap, and have room as far as the figure is wide", () => {
  assert.deepEqual(spread([100, 101], 20, 0, 200), [100, 120]);
  assert.deepEqual(spread([195, 190], 20, 0, 200), [200, 180]);
  const named = (name) => [{ name, values: [1, 2], colour: "" }];
  const right = (name, width) => errorScales(named(name), 1, width, 300, 13).x.range()[1];
  assert.equal(right("hidden cells", 600), 600 - 13 * (0.55 * 12 + 0.6));
  assert.ok(600 - right("average of the training tables", 600) > 13 * 0.55 * 30);
  assert.equal(right("average of the training tables", 300), 0.55 * 300);
});
