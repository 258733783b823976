/** Ratings of one's own, as they are pasted or typed into a saved page. */
import assert from "node:assert/strict";
import test from "node:test";

import { readOwn } from "../../../../metamf/webapp/player/js/own.js";

const shape = ({ n, m, rows, cols, values }) => ({ n, m, rows, cols, values: [...values] });

test("a table is read as a spreadsheet copies it, with names", () => {
  assert.deepEqual(shape(readOwn("\tTea\tMilk\nAda\t5\t\nBen\t\t3,5\n")), {
    n: 2, m: 2, rows: ["Ada", "Ben"], cols: ["Tea", "Milk"], values: [5, NaN, NaN, 3.5],
  });
});

test("numbers alone get positions for names, and all that is given is given in both ways", () => {
  const { rows, cols, orders } = readOwn("1;?\n;4");
  assert.deepEqual([rows, cols], [["row 1", "row 2"], ["column 1", "column 2"]]);
  assert.deepEqual(orders, { "at random": [0, 3], "what people like": [0, 3] });
});

test("what cannot be read is named", () => {
  assert.throws(() => readOwn("Ada\t5\t4\nBen\t1\tx"), /“x” \(Ben, column 2\) is not a number/);
  assert.throws(() => readOwn("  \n"), /a line for each person/);
  assert.throws(() => readOwn("Ada\t\nBen\t"), /at least one rating/);
  assert.throws(() => readOwn(Array(31).fill("1\t2").join("\n")), /up to 30 rows and 20 columns; this table has 31 and 2/);
});
