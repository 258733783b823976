/** Edits that the page makes by itself: one for each cell, with undo and redo. */
import assert from "node:assert/strict";
import test from "node:test";

import { edited, NO_EDITS } from "../../../../metamf/webapp/player/js/follow.js";

const given = (i, j) => (i === 0 && j === 0 ? 4 : NaN);
const made = (...actions) => actions.reduce((edits, action) => edited(edits, action, given), NO_EDITS);
const set = (value, row = 1, col = 1) => ({ op: "set", row, col, value });

const hide = (row, col) => ({ op: "hide", row, col });
const undo = { op: "undo" };
const MADE = [
  ["a cell has one edit, the latest", [set(3), set(5), set("2,5", 0, 1)], [[1, 1, 5], [0, 1, 2.5]]],
  ["what the data say is no edit", [set(3, 0, 0), set(4, 0, 0)], []],
  ["a given rating is hidden", [hide(0, 0)], [[0, 0, null]]],
  ["an edit of a cell that is not given is taken back", [set(3), hide(1, 1)], []],
  ["an edit is undone", [set(3), set(5), undo], [[1, 1, 3]]],
  ["an edit is redone", [set(3), set(5), undo, { op: "redo" }], [[1, 1, 5]]],
  ["all are taken back at once", [set(3), set(1, 2, 2), { op: "reset" }], []],
];
for (const [name, actions, edits] of MADE) test(name, () => assert.deepEqual(made(...actions).made, edits));

test("what changes nothing makes no other edits", () => {
  for (const action of [set(4, 0, 0), undo, set("five")]) assert.equal(made(action), NO_EDITS);
});
