import assert from "node:assert/strict";
import test from "node:test";

import * as matrices from "../../../../metamf/webapp/player/js/run.js";
import { stepWords } from "../../../../metamf/webapp/player/js/equations.js";
import { encoded, payload, smallRun } from "./runs.mjs";

const none = NaN;
const same = (found, expected) => assert.deepEqual([...found], expected);

test("given ratings stay, and what a step changes is the difference to the step before", () => {
  const small = smallRun();
  same(matrices.filled(small, 2), [5, 2, 3, 2, 1, 1]);
  same(matrices.residual(small, 2), [2, none, none, -1, 4, none]); // not clipped: it drives the next step
  same(matrices.change(small, 1), [0, -1, 0, 0, 0, 0]);
  same(matrices.change(small, 0), [0, 0, 0, 0, 0, 0]);
  same(matrices.estimate(smallRun({ clip: false }), 2), [7, 2, 3, 1, 5, 1]);
  same(matrices.product(smallRun({ mean: 4, std: 0 }), 1), Array(6).fill(4)); // of one value everywhere
});

test("the pulls are the two terms of Eqs. (6) and (7)", () => {
  const small = smallRun();
  // Ada gave Tea 5, one standardised unit above the mean; at step 2 her factors make it 2.
  const row = matrices.pullsOf(small, 2, "row", 0);
  same(row.data, [1, 0]);
  same(row.prior, [0.5, 0.25]);
  const col = matrices.pullsOf(small, 2, "col", 0); // of Ada (off by 1) and Cleo (gave 1, made 5: off by 2)
  same(col.data, [1 * 2 + 2 * 1, 1 * 0.5 + 2 * 1]);
  same(col.prior, [0, 0]);
  same(matrices.pullsOf(smallRun({ lambda: null }), 2, "row", 0).prior, [0, 0]);
});

test("products are kept, and not more of them than memory should hold", () => {
  const small = smallRun();
  assert.equal(matrices.product(small, 1), matrices.product(small, 1));
  const side = 1500;
  const large = smallRun({ n: side, m: side, K: 0, T: 3, U: "", V: "" });
  for (let t = 0; t < 4; t++) matrices.product(large, t);
  assert.equal(large.kept.get("products").size, 1);
});

test("a payload of another version is refused", () => {
  assert.throws(() => matrices.decodeRun(payload({ version: 1 })), /version 1/);
});

const near = (found, expected, slack = 1e-6) =>
  [...found].forEach((value, k) => assert.ok(Math.abs(value - expected[k]) <= slack, `${[...found]} is not ${expected}`));

test("the bars of a cell stand one on the other and end at its estimate", () => {
  const run = smallRun();
  const { bars, sum, value, estimate, low, high } = matrices.sumOf(run, 2, 0, 0);
  assert.deepEqual(bars.map(({ from, to, term }) => [from, to, term]), [[0, 2, 2], [2, 2, 0]]);
  assert.deepEqual([sum, value, estimate], [2, 7, 5]); // clipped
  assert.ok(low <= 0 && high >= 2);
});

test("the coordinates of the extension have the names of what they are", () => {
  const run = smallRun({ constants: { U: [1], V: [0] }, effects: { U: [0], V: [1] } });
  assert.deepEqual(matrices.sumOf(run, 0, 0, 0).bars.map(({ name, effect }) => [name, effect]), [
    ["effect of the row", true],
    ["effect of the column", true],
  ]);
  assert.equal(matrices.coordinateName(smallRun(), 1), "factor 2");
});

test("the path of a cell has the prior, every step, and what is known of it", () => {
  const path = matrices.pathOf(smallRun(), 0, 0);
  assert.deepEqual([path.values, path.given, path.truth], [[5, 5, 5], 5, null]); // clipped: 7 at the last step
  const hidden = matrices.pathOf(smallRun(), 0, 1);
  assert.deepEqual([hidden.values, hidden.given, hidden.truth], [[3, 2, 2], null, 2]);
  assert.ok(hidden.low < 2 && hidden.high > 3);
  assert.ok(matrices.pathOf(smallRun({ truth: null }), 0, 1).truth === null);
});

test("the line under the equations is about the step that led here", () => {
  const safe = smallRun({ eta: 10, model: { name: "ml-1m", title: "", kind: "paper", rule: "safe" } });
  assert.match(stepWords(safe, 2), /^Step 2: λ = 0.5. Learned η = 10; each row and column takes min/);
  assert.match(stepWords(safe, 0), /^Step 1, which comes first/);
  assert.match(stepWords(smallRun(), 1), /η = 0.1 for every row and column. On U the ratings pull with .* on V: /);
});

test("where ratings lie outside of the window, their pull is what the step did, less the prior's", () => {
  const part = smallRun({ total_cols: 9 });
  const pulls = matrices.pullsOn(part, 1, "row", 0);
  near(pulls.next, [2, 0.5]);
  near(pulls.data, [(1 - 2) / 0.1 - 0, (0.5 - 0.5) / 0.1 - 0.25 * 1], 1e-5);
  assert.equal(matrices.pullsOn(part, 2, "row", 0).data, null, "there is no step after the last one");
  near(matrices.pullsOn(part, 1, "col", 0).data, matrices.pullsOn(smallRun(), 1, "col", 0).data);
  assert.deepEqual([matrices.stepSizes(part, 1), matrices.pullNorms(part, 1, "row")], [null, null]);
});

test("factors that are not numbers break nothing", () => {
  const run = smallRun({ U: encoded([1, 0, 0, 1, 1, 1, none, none, 0, 1, 1, 1, none, none, 0, 1, 1, 1]) });
  const path = matrices.pathOf(run, 0, 0);
  assert.ok(Number.isFinite(path.low) && Number.isNaN(path.values[2]));
  assert.ok(Number.isFinite(matrices.largestMove(run, "row", 0)));
  assert.ok(matrices.largestMove(smallRun(), "col", 0) >= 0.4);
});
