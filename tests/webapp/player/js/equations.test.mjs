import assert from "node:assert/strict";
import test from "node:test";

import { distance } from "../../../../metamf/webapp/player/js/equations.js";
import { smallRun } from "./runs.mjs";

test("how far the factors moved in a step", () => {
  const { U, n, K } = smallRun();
  assert.equal(distance(U, n * K, 0), 0);
  assert.equal(distance(U, n * K, 1), 0.5); // Ada's second factor
  assert.equal(distance(U, n * K, 2), 1); // her first
});
