import assert from "node:assert/strict";
import test from "node:test";

import { hasPoints, labelPlaces, patternsOf, pointsAt } from "../../../../metamf/webapp/player/js/points.js";
import { encoded, smallRun } from "./runs.mjs";

test("the patterns are the two strongest singular directions", () => {
  const [m, first, second] = [4, [0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]];
  const rows = [[3, 1], [0, 2], [-3, 1], [1, -1], [2, 0]]; // how much of each pattern a row has: not orthogonal
  const A = Float32Array.from(rows.flatMap(([a, b]) => first.map((value, j) => a * value + b * second[j])));
  const patterns = patternsOf(A, m);
  const squares = A.reduce((sum, value) => sum + value * value, 0);
  const strengths = patterns.map(({ strength }) => strength);
  assert.ok(strengths[0] > strengths[1]);
  assert.ok(Math.abs(strengths[0] ** 2 + strengths[1] ** 2 - squares) < 1e-6); // rank two: nothing is left
  A.forEach((value, at) => {
    const found = patterns.reduce((sum, one) => sum + one.strength * one.rows[Math.floor(at / m)] * one.cols[at % m], 0);
    assert.ok(Math.abs(found - value) < 1e-5);
  });
});

test("after the last step the points give the estimates back, and at every step they have the same axes", () => {
  const changes = { n: 3, m: 3, T: 1, K: 2, X: encoded(Array(9).fill(3)), truth: null, cols: null };
  const U = [1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2];
  const V = [1, 0, 0, -1, 1, 1, 1, 0, 0, -1, 1, 1];
  const run = smallRun({ ...changes, U: encoded(U), V: encoded(V), errors: { given: [1, 1], hidden: null } });
  assert.ok(hasPoints(run) && !hasPoints({ ...run, K: 1 }) && !hasPoints({ ...run, n: 400 }));
  const { rows, cols } = pointsAt(run, 1);
  rows.forEach(([x, y], i) => cols.forEach(([a, b], j) => {
    const estimate = U[6 + 2 * i] * V[6 + 2 * j] + U[7 + 2 * i] * V[7 + 2 * j];
    assert.ok(Math.abs(x * a + y * b - estimate) < 1e-4);
  }));
  pointsAt(run, 0).rows.flat().forEach((value, k) => assert.ok(Math.abs(2 * value - rows.flat()[k]) < 1e-4)); // U was half as long
});

test("labels cover neither each other nor points, and where there is no room there is none", () => {
  const near = [{ x: 100, y: 100, w: 40 }, { x: 104, y: 102, w: 40 }, { x: 102, y: 98, w: 40 }];
  const places = labelPlaces(near, 12, 300, 300);
  assert.equal(places[0].anchor, "start");
  assert.ok(new Set(places.map((place) => JSON.stringify(place))).size === 3);
  const crowd = Array.from({ length: 40 }, () => ({ x: 50, y: 50, w: 60 }));
  assert.ok(labelPlaces(crowd, 12, 100, 100).filter(Boolean).length < 5);
});

test("after an edit points do not flip: signs are those of the patterns before", () => {
  const A = Float32Array.from([2, -1.9, 2, -1.9, -1, 1, 0.2, 0.1]);
  const first = patternsOf(A, 2);
  const edited = A.slice();
  edited[1] = -2.2; // now the other column has the largest entry
  const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
  assert.ok(dot(patternsOf(edited, 2)[0].cols, first[0].cols) < 0);
  patternsOf(edited, 2, first).forEach(({ cols }, k) => assert.ok(dot(cols, first[k].cols) > 0));
});
