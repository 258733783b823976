import assert from "node:assert/strict";
import test from "node:test";

import { errorsAt, missedStep, rounded, spokenStep, stepName } from "../../../../metamf/webapp/player/js/wording.js";
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

test("a link to a step that there is not is said, in few words", () => {
  const run = smallRun();
  assert.deepEqual([null, "0", "2"].map((linked) => missedStep(run, linked)), ["", "", ""]);
  assert.match(missedStep(run, "900"), /asks for step “900”, and this run has 0 to 2/);
  for (const hostile of ["-1", "abc", "", "x".repeat(5000)]) {
    assert.ok(missedStep(run, hostile) && missedStep(run, hostile).length < 120, hostile.slice(0, 9));
  }
});
