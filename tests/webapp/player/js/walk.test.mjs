import assert from "node:assert/strict";
import test from "node:test";

import { landed, walked } from "../../../../metamf/webapp/player/js/walk.js";

const product = { n: 3, m: 2, K: 4 };
const map = { n: 3, m: 2, K: 0 };
const at = (part, row, col, position = 0) => ({ part, row, col, position });
const after = (field, spot, ...keys) => keys.reduce((now, key) => walked(now, key, field), spot);
const where = ({ part, row, col, position }) => (part === "UV" ? [part, row, col] : part === "U" ? [part, row, position] : [part, position, col]);

test("to the left of the map lie the factors of the row, and back to the right the map", () => {
  assert.deepEqual(where(after(product, at("UV", 1, 1), "ArrowLeft", "ArrowLeft")), ["U", 1, 3]);
  assert.deepEqual(where(after(product, at("UV", 1, 0), "ArrowLeft", "ArrowLeft", "ArrowDown")), ["U", 2, 2]);
  assert.deepEqual(where(after(product, at("U", 2, 0, 2), "ArrowRight", "ArrowRight")), ["UV", 2, 0]);
});

test("above the map lie the factors of the column, and back down the map", () => {
  assert.deepEqual(where(after(product, at("UV", 0, 1), "ArrowUp")), ["V", 3, 1]);
  assert.deepEqual(where(after(product, at("UV", 0, 1), "ArrowUp", "ArrowUp", "ArrowLeft")), ["V", 2, 0]);
  assert.deepEqual(where(after(product, at("V", 0, 1, 2), "ArrowDown", "ArrowDown")), ["UV", 0, 1]);
});

test("every cell of U, of V and of the product is reached, and nothing outside", () => {
  const seen = new Map();
  const queue = [at("UV", 0, 0)];
  while (queue.length) {
    const spot = queue.pop();
    const name = where(spot).join();
    if (seen.has(name)) continue;
    seen.set(name, spot);
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]) queue.push(walked(spot, key, product));
  }
  assert.equal(seen.size, 3 * 2 + 3 * 4 + 4 * 2);
});

test("a map without factors ends at its edges, and other keys do not move", () => {
  assert.deepEqual(where(after(map, at("UV", 0, 0), "ArrowUp", "ArrowLeft")), ["UV", 0, 0]);
  assert.deepEqual(where(after(map, at("UV", 0, 0), "End", "ArrowDown", "ArrowDown", "ArrowDown")), ["UV", 2, 1]);
  assert.equal(walked(at("UV", 0, 0), "Enter", map), null);
});

test("home and end lead to the ends of a row of factors", () => {
  assert.deepEqual(where(walked(at("U", 1, 0, 2), "Home", product)), ["U", 1, 0]);
  assert.deepEqual(where(walked(at("U", 1, 0, 2), "End", product)), ["U", 1, 3]);
});

test("in another figure the same cell, or the map where there are no factors", () => {
  assert.deepEqual(where(landed(at("U", 2, 1, 3), map)), ["UV", 2, 1]);
  assert.deepEqual(where(landed(at("U", 2, 1, 3), product)), ["U", 2, 3]);
  assert.deepEqual(where(landed(at("UV", 9, 9), map)), ["UV", 2, 1]);
});
