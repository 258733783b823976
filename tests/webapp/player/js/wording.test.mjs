import assert from "node:assert/strict";
import test from "node:test";

import { errorsAt, rounded, spokenStep, stepName } from "../../../../metamf/webapp/player/js/wording.js";
import { smallRun } from "./runs.mjs";

test("numbers are written as the pages write them", () => {
  const written = [3.14159, 0, 0.5, -0.4, 0.01234, -0.0123, 123.4, 99.999, 100, 1234, 0.00001234].map(rounded);
  const expected = ["3.14", "0.00", "0.50", "−0.40", "0.0123", "−0.0123", "123", "100.00", "100", "1.23e+03", "1.23e−05"];
  assert.deepEqual(written, expected); // those of metamf.wording.rounded
  assert.deepEqual([null, undefined, NaN, Infinity].map(rounded), ["–", "–", "–", "–"]);
});

test("a step is said with its errors, and without those that nobody can know", () => {
  assert.equal(spokenStep(smallRun(), 1), "Step 1 of 2: typical error on hidden cells 1.10, on given cells 0.80.");
  assert.match(spokenStep(smallRun(), 0), /^Prior, before the first step: /);
  const sweeps = smallRun({ round: "sweep", errors: { given: [1, 1, 1], hidden: null } });
  assert.equal(spokenStep(sweeps, 2), "Sweep 2 of 2: on given cells 1.00.");
  assert.deepEqual(errorsAt(sweeps, 2), { given: "1.00", hidden: null });
  assert.equal(stepName(smallRun(), 2), "step 2 of 2");
});
