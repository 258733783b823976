/** What stands above the maps that are compared, in words. */
import assert from "node:assert/strict";
import test from "node:test";

import { lineOf, reasonOf, sentenceOf } from "../../../../metamf/webapp/player/js/opening.js";
import { encoded, smallRun } from "./runs.mjs";

const beside = (own, other) => {
  const run = smallRun({ errors: { given: [1, 1, 1], hidden: [1.2, 1, own] } });
  run.mf = { ...run, errors: { given: [1, 1, 1], hidden: [1.5, 1.4, other] } };
  return run;
};
const said = (run, t = run.T) => sentenceOf(run, t).join("");

const close = beside(0.66, 0.78);
const worse = beside(0.97, 0.76);
const equal = beside(0.7, 0.701);

test("the result is one sentence of at most twenty words, in both directions, at every step", () => {
  assert.equal(said(close), "After 2 steps the model misses by 0.66 stars, factorization by 0.78.");
  assert.equal(said(worse), "After 2 steps the model does worse here: it misses by 0.97 stars, factorization by 0.76.");
  assert.equal(said(equal), "After 2 steps the model misses by 0.70 stars, and so does factorization.");
  assert.equal(said(close, 0), "Before any step the model misses by 1.20 stars, factorization by 1.50.");
  assert.equal(said(close, 1), "After 1 step the model misses by 1.00 stars, factorization by 1.40.");
  for (const run of [close, worse]) assert.ok(said(run).split(" ").length <= 20);
});

test("where nothing is hidden no error is said", () => {
  const run = smallRun({ truth: null, n_hidden: 0, errors: { given: [1, 1, 1], hidden: null } });
  assert.equal(said(run), "3 gaps are filled in. Nobody knows what is right there.");
  assert.match(said(smallRun({ X: encoded([5, 4, 3, 2, 1, 1]), n_given: 6, n_hidden: 0 })), /nothing to fill in/);
});

test("why is said for how ratings are given, with the errors over many tables between two measured shares", () => {
  const measured = { percent: [20, 40], model: [0.8, 0.6], mf: [1, 0.9] };
  const live = { measured: { "at random": measured, "what people like": measured } };
  const reason = (by, keep = 30) => reasonOf(beside(0.7, 0.8), live, { by, keep });
  assert.match(reason("at random"), /learned from others\. Means of 200 tables: model 0\.70, factorization 0\.95\.$/);
  assert.match(reason("what people like"), /^People rate what they like/);
  assert.doesNotMatch(reason("at random", 90), /200 more/);
});

test("a mean that is closer than both is said", () => {
  const run = { ...beside(0.9, 0.8), meanError: 0.75 };
  assert.match(reasonOf(run, null, { by: "at random", keep: 30 }), /The mean of what is given is closer: 0\.75\./);
});

test("each step has a line, and the last one is the conclusion, in both directions", () => {
  assert.equal(lineOf(close, 0), "Step 0: the model’s learned start; factorization’s random one, near the mean.");
  assert.match(lineOf(close, 1), /^Step 1: U and V move towards the given ratings/);
  const longer = { ...close, T: 3, errors: { given: [2, 1, 1, 1], hidden: [2, 1.5, 1, 0.5] } };
  assert.equal(lineOf(longer, 2), "Step 2: closer to what is hidden.");
  const away = { ...longer, errors: { ...longer.errors, hidden: [2, 1, 1.5, 0.5] } };
  assert.equal(lineOf(away, 2), "Step 2: farther from what is hidden.");
  const last = [close, worse, equal].map((run) => lineOf(run, 2));
  assert.deepEqual(last, ["The learned start ends 0.12 closer.", "The learned start ends 0.21 farther off.", "No difference."]);
});
