import assert from "node:assert/strict";
import test from "node:test";

import { decodeRun } from "../../../../metamf/webapp/player/js/payload.js";
import { colPulls, rowPulls } from "../../../../metamf/webapp/player/js/pulls.js";
import * as run from "../../../../metamf/webapp/player/js/run.js";
import { payload, smallRun } from "./runs.mjs";

const none = NaN;
const same = (found, expected) => assert.deepEqual([...found], expected);

test("a cell is the inner product of its row and its column, in rating units", () => {
  const small = smallRun();
  same(run.product(small, 0), [5, 3, 3, 1, 5, 1]);
  same(run.product(small, 2), [7, 2, 3, 1, 5, 1]);
  same(run.estimate(small, 2), [5, 2, 3, 1, 5, 1]); // clipped to 1 to 5
  same(run.estimate(smallRun({ clip: false }), 2), [7, 2, 3, 1, 5, 1]);
});

test("given ratings stay, and errors stand where their rating is known", () => {
  const small = smallRun();
  same(run.filled(small, 2), [5, 2, 3, 2, 1, 1]);
  same(run.residual(small, 2), [2, none, none, -1, 4, none]); // not clipped: it drives the next step
  same(run.error(small, 2), [none, 0, -1, none, none, none]);
  same(run.error(smallRun({ truth: null }), 2), Array(6).fill(none));
  same(run.change(small, 1), [0, -1, 0, 0, 0, 0]);
  same(run.change(small, 0), [0, 0, 0, 0, 0, 0]);
});

test("the terms of a cell add up to its estimate", () => {
  const small = smallRun();
  const cell = run.cellTerms(small, 1, 0, 0);
  same(cell.terms, [1, 0]);
  assert.equal(cell.sum, 1);
  assert.equal(cell.estimate, 5);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 2; j++) {
      assert.equal(run.cellTerms(small, 2, i, j).estimate, run.estimate(small, 2)[2 * i + j]);
    }
  }
});

test("the pulls are the two terms of Eqs. (6) and (7)", () => {
  const small = smallRun();
  // Ada gave Tea 5, one standardised unit above the mean; at step 2 her factors make it 2.
  const row = rowPulls(small, 2, 0);
  same(row.data, [1, 0]);
  same(row.prior, [0.5, 0.25]);
  const col = colPulls(small, 2, 0); // of Ada (off by 1) and Cleo (gave 1, made 5: off by 2)
  same(col.data, [1 * 2 + 2 * 1, 1 * 0.5 + 2 * 1]);
  same(col.prior, [0, 0]);
  same(rowPulls(smallRun({ lambda: null }), 2, 0).prior, [0, 0]);
});

test("a matrix of one value has that value everywhere", () => {
  same(run.product(smallRun({ mean: 4, std: 0 }), 1), Array(6).fill(4));
});

test("products are kept, and not more of them than memory should hold", () => {
  const small = smallRun();
  assert.equal(run.product(small, 1), run.product(small, 1));
  const side = 1500;
  const large = smallRun({ n: side, m: side, K: 0, T: 3, U: "", V: "" });
  for (let t = 0; t < 4; t++) run.product(large, t);
  assert.equal(large.products.size, 1);
});

test("rows and columns have their names, or their numbers in the whole matrix", () => {
  assert.deepEqual([run.rowName(smallRun(), 2), run.colName(smallRun(), 1)], ["Cleo", "Juice"]);
  const unnamed = smallRun({ rows: null, cols: null, top: 10, left: 4 });
  assert.deepEqual([run.rowName(unnamed, 2), run.colName(unnamed, 1)], ["13", "6"]);
});

test("a payload of another version is refused", () => {
  assert.throws(() => decodeRun(payload({ version: 1 })), /version 1/);
});
