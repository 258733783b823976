import assert from "node:assert/strict";
import test from "node:test";

import { createQueue, fewRatings } from "../../../../metamf/webapp/player/js/edits.js";

/** A queue, and what it has sent. */
function recorded() {
  const sent = [];
  return { queue: createQueue((action) => sent.push(action)), sent };
}

test("an edit is sent at once, and the next ones one by one, each when the one before has been answered", () => {
  const { queue, sent } = recorded();
  queue.push({ op: "set", row: 0, col: 1, value: 4 });
  queue.push({ op: "undo" });
  queue.push({ op: "redo" });
  assert.deepEqual(sent, [{ op: "set", row: 0, col: 1, value: 4, id: 1 }]);
  assert.equal(queue.waiting(), 3);
  queue.heard(0); // an answer to something else, which was under way before
  assert.equal(sent.length, 1);
  queue.heard(1);
  assert.deepEqual(sent[1], { op: "undo", id: 2 });
  queue.heard(2);
  queue.heard(3);
  assert.equal(queue.waiting(), 0);
  assert.equal(sent.length, 3);
  queue.heard(3);
  assert.equal(sent.length, 3);
});

test("numbers go on from what the server has seen, as after a change of page", () => {
  const { queue, sent } = recorded();
  queue.heard(7);
  queue.push({ op: "reset" });
  assert.equal(sent[0].id, 8);
});

test("what is never answered is given up, and the queue goes on", () => {
  const { queue, sent } = recorded();
  queue.push({ op: "undo" });
  queue.push({ op: "undo" });
  assert.equal(queue.giveUp(), 2);
  assert.equal(queue.giveUp(), 0);
  queue.push({ op: "reset" });
  assert.deepEqual(sent.map(({ op, id }) => [op, id]), [["undo", 1], ["reset", 2]]);
  queue.heard(1); // late
  assert.equal(queue.waiting(), 1);
});

test("a short scale has a button for each rating", () => {
  assert.deepEqual(fewRatings([1, 5, 1]), [1, 2, 3, 4, 5]);
  assert.deepEqual(fewRatings([0.5, 5, 0.5]).length, 10);
  assert.deepEqual(fewRatings([0, 1, 0.1])[3], 0.3);
  for (const scale of [[0, 100, 1], [-10, 10, null], null]) assert.deepEqual(fewRatings(scale), []);
});
