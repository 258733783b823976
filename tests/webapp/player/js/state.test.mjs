import assert from "node:assert/strict";
import test from "node:test";

import { differs, openingState, pauseOf, reduce } from "../../../../metamf/webapp/player/js/state.js";
import { letterOf, meaning } from "../../../../metamf/webapp/player/js/keys.js";
import { landed, walked } from "../../../../metamf/webapp/player/js/pointer.js";
import { createQueue } from "../../../../metamf/webapp/player/js/follow.js";
import { fewRatings } from "../../../../metamf/webapp/player/js/inspector.js";

const size = { n: 4, m: 3 };
const opened = (T = 10, t = null) => {
  const state = openingState({ T, ...size });
  return t === null ? state : reduce(state, { type: "go", t: Number(t) });
};
const after = (state, ...events) => events.map((e) => (typeof e === "string" ? { type: e } : e)).reduce(reduce, state);
const moment = ({ t, playing }) => [t, playing];

const PLAYED = [
  // T, the step that was asked for, events, and what is shown then
  ["at first it rests at the last step", 10, null, [], [10, false]],
  ["nothing plays unless it is asked to", 10, 3, ["tick", "tick"], [3, false]],
  ["no play without a step", 0, null, ["play"], [0, false]],
  ["a play goes on from here", 3, 1, ["play"], [1, true]],
  ["a play starts anew at the end", 3, null, ["play"], [0, true]],
  ["a play takes a step a tick", 3, null, ["play", "tick", "tick"], [2, true]],
  ["a play rests at the last step", 3, null, ["play", "tick", "tick", "tick"], [3, false]],
  ...[["pause", 4], ["back", 3], ["forward", 5], ["first", 0], ["last", 10]].map(([event, t]) =>
    [`${event} stops the play`, 10, 4, ["play", event], [t, false]]),
  ["a step that is chosen stops the play", 10, 4, ["play", { type: "go", t: 4 }], [4, false]],
  ["no step is before the start", 10, 0, ["back"], [0, false]],
  ["no step is after the end", 10, null, ["forward"], [10, false]],
  ["a step beyond the end is the end", 10, null, [{ type: "go", t: 99 }], [10, false]],
  ["a step before the start is the start", 10, 3, [{ type: "go", t: -5 }], [0, false]],
];
const run = (T) => ({ type: "run", T, ...size });
const FOLLOWED = [
  ["another run leaves the step where it is", 10, 3, [run(10)], [3, false]],
  ["so does a longer one", 10, 3, [run(40)], [3, false]],
  ["the last step is the result", 10, null, ["back", "forward", run(40)], [40, false]],
  ["so it is at the end of a play", 10, null, ["play", ...Array(10).fill("tick"), run(40)], [40, false]],
  ["a shorter run shows its last step", 10, 8, [run(4)], [4, false]],
  ["and leads back to where it was asked for", 10, 8, [run(4), run(10)], [8, false]],
  ["where nobody asked for a step, the result", 10, null, [run(4), run(40)], [40, false]],
  ["a play goes on through another run", 10, 4, ["play", run(8)], [4, true]],
  ["unless it is over", 10, 4, ["play", run(4)], [4, false]],
];
for (const [name, T, start, events, [t, playing]] of [...PLAYED, ...FOLLOWED]) {
  test(name, () => assert.deepEqual(moment(after(opened(T, start), ...events)), [t, playing]));
}

test("a play stays longest on the steps that change most", () => {
  const pauses = [0, 1, 2, 3, 4].map((t) => pauseOf({ ...openingState({ T: 10, n: 2, m: 2 }), t }));
  assert.deepEqual(pauses.toSorted((a, b) => b - a), pauses);
  assert.equal(pauses[3], pauses[4]);
});

test("pointer and chosen cell", () => {
  const hovered = after(opened(), { type: "hover", row: 1, col: 2 });
  assert.deepEqual(hovered.hover, { row: 1, col: 2, factor: null });
  assert.equal(reduce(hovered, { type: "hover", row: 1, col: 2 }), hovered, "nothing to draw anew");
  assert.equal(after(hovered, "hover").hover, null);
  const chosen = after(opened(), { type: "select", cell: [3, 2] });
  assert.deepEqual(chosen.cell, [3, 2]);
  assert.equal(reduce(chosen, { type: "select", cell: [3, 2] }), chosen);
  assert.deepEqual(after(chosen, { type: "move", di: 1, dj: -1 }).cell, [3, 1], "the last row stays");
  assert.deepEqual(after(opened(), { type: "move", di: 0, dj: 1 }).cell, [0, 0], "the first move chooses the first cell");
  assert.equal(after(chosen, { type: "select", cell: null }).cell, null);
  assert.deepEqual(after(chosen, { type: "run", T: 10, ...size }).cell, [3, 2], "the same cell of another run");
  assert.equal(after(chosen, { type: "run", T: 10, n: 2, m: 2 }).cell, null);
});

test("factor and side of the inspected cell are those that were pointed at last", () => {
  const chosen = after(opened(), { type: "select", cell: [1, 1] });
  assert.deepEqual([chosen.factor, chosen.side], [null, "row"], "nobody has pointed at one: the largest");
  const pointed = after(chosen, { type: "hover", row: 1, col: 1, factor: 5 }, { type: "hover" });
  assert.equal(pointed.factor, 5, "it stays when the pointer has gone");
  assert.equal(after(pointed, { type: "move", di: 1, dj: 0 }).factor, 5, "and in another cell");
  assert.equal(after(pointed, { type: "run", T: 4, ...size }).factor, 5);
  assert.equal(after(pointed, { type: "run", T: 10, n: 1, m: 1 }).factor, null, "the cell has gone");
  const closed = after(pointed, { type: "select", cell: null });
  assert.equal(closed.factor, null);
  assert.equal(after(closed, { type: "hover", row: 0, col: 0, factor: 2 }).factor, null, "no cell is inspected");
  const ofColumn = after(closed, { type: "hover", row: null, col: 2, factor: 3 }, { type: "select", cell: [0, 2] });
  assert.deepEqual([ofColumn.factor, ofColumn.side], [3, "col"], "a factor of a column was chosen");
  const ofRow = after(ofColumn, { type: "hover", row: 2, col: null, factor: 1 }, { type: "select", cell: [2, 2] });
  assert.deepEqual([ofRow.factor, ofRow.side], [1, "row"]);
  assert.equal(after(ofRow, { type: "side", side: "col" }).side, "col");
});

test("the difference is shown where it is asked for and there is one", () => {
  const compared = (edited) => ({ ...run(10), edited });
  const plain = opened();
  assert.equal(reduce(plain, { type: "difference" }), plain, "nothing is edited");
  const edited = after(plain, compared(true));
  assert.equal(differs(edited), false, "the estimates come first");
  const turned = after(edited, "difference");
  assert.equal(differs(turned), true);
  assert.equal(differs(after(turned, "difference")), false, "the same key leads back");
  assert.equal(reduce(turned, { type: "difference", on: true }), turned);
  assert.equal(differs(after(turned, compared(false))), false, "undone: there is no difference");
  assert.equal(differs(after(turned, compared(false), compared(true))), true, "redone: as it was asked for");
  assert.deepEqual(moment(turned), moment(edited), "the step stays");
});

const rest = { playing: false, edited: false };
/** The focus is in elements of these names: a selector matches if it names one of them. */
const focus = (...names) => (selector) => selector.split(",").some((part) => names.includes(part.trim()));

const MEANT = [
  // elements that have the focus, key, state, and the event
  ...[["ArrowLeft", "back"], ["ArrowRight", "forward"], ["Home", "first"], ["End", "last"], [" ", "play"], ["x", null], ["Tab", null]].map(
    ([key, event]) => [[], key, rest, event]),
  [[], " ", { playing: true }, "pause"],
  ...["input", "textarea", "select", "[contenteditable]", "[role=slider]", "[role=radiogroup]", "[role=grid]"].flatMap((name) =>
    ["ArrowLeft", "ArrowRight", "Home", "End", " "].map((key) => [[name], key, rest, null])),
  ...["button", "a", "summary"].flatMap((name) => [[[name], " ", rest, null], [[name], "ArrowRight", rest, "forward"]]),
  [[], "d", rest, null],
  [[], "d", { ...rest, edited: true }, "difference"],
  [["input", "[type=radio]"], "D", { ...rest, edited: true }, "difference"],
  [["input"], "d", { ...rest, edited: true }, null],
];
test("a key means an event where nothing with keys of its own has the focus", () => {
  for (const [names, key, state, event] of MEANT) assert.equal(meaning(key, state, focus(...names)), event, `${key} in ${names}`);
});

test("keys that write a character can be switched off, and are characters where somebody types", () => {
  assert.deepEqual([letterOf("?", focus(), true), letterOf("L", focus(), true), letterOf("l", focus(), false)], ["?", "l", null]);
  for (const name of ["input", "textarea", "[role=combobox]"]) assert.equal(letterOf("l", focus(name), true), null);
  for (const name of ["button", "[role=radiogroup]", "[role=application]"]) assert.equal(letterOf("l", focus(name), true), "l");
  assert.equal(letterOf("?", focus("input", "[type=radio]"), true), "?");
});

const product = { n: 3, m: 2, K: 4 };
const map = { n: 3, m: 2, K: 0 };
const at = (part, row, col, position = 0) => ({ part, row, col, position });
const led = (field, spot, ...keys) => keys.reduce((now, key) => walked(now, key, field), spot);
const where = ({ part, row, col, position }) => (part === "UV" ? [part, row, col] : part === "U" ? [part, row, position] : [part, position, col]);

const LED = [
  // where the keys begin and lead to: to the left of the map lie the factors of the row, above it those of the column
  [product, at("UV", 1, 1), ["ArrowLeft", "ArrowLeft"], ["U", 1, 3]],
  [product, at("UV", 1, 0), ["ArrowLeft", "ArrowLeft", "ArrowDown"], ["U", 2, 2]],
  [product, at("U", 2, 0, 2), ["ArrowRight", "ArrowRight"], ["UV", 2, 0]],
  [product, at("UV", 0, 1), ["ArrowUp"], ["V", 3, 1]],
  [product, at("UV", 0, 1), ["ArrowUp", "ArrowUp", "ArrowLeft"], ["V", 2, 0]],
  [product, at("V", 0, 1, 2), ["ArrowDown", "ArrowDown"], ["UV", 0, 1]],
  [product, at("U", 1, 0, 2), ["Home"], ["U", 1, 0]],
  [product, at("U", 1, 0, 2), ["End"], ["U", 1, 3]],
  [map, at("UV", 0, 0), ["ArrowUp", "ArrowLeft"], ["UV", 0, 0]],
  [map, at("UV", 0, 0), ["End", "ArrowDown", "ArrowDown", "ArrowDown"], ["UV", 2, 1]],
];
test("arrow keys lead from cell to cell and into the factors, and other keys do not move", () => {
  for (const [field, spot, keys, place] of LED) assert.deepEqual(where(led(field, spot, ...keys)), place, keys.join());
  assert.equal(walked(at("UV", 0, 0), "Enter", map), null);
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

test("in another figure the same cell, or the map where there are no factors", () => {
  assert.deepEqual(where(landed(at("U", 2, 1, 3), map)), ["UV", 2, 1]);
  assert.deepEqual(where(landed(at("U", 2, 1, 3), product)), ["U", 2, 3]);
  assert.deepEqual(where(landed(at("UV", 9, 9), map)), ["UV", 2, 1]);
});

test("an edit is sent with those that were not answered, numbered after what the server has seen", () => {
  const sent = [];
  const queue = createQueue((actions) => sent.push(actions.map(({ op, id }) => [op, id])));
  queue.answered(7); // as after a change of page
  queue.push({ op: "hide", row: 0, col: 1 });
  queue.push({ op: "undo" });
  queue.answered(7); // an answer to something else, which was under way before
  queue.push({ op: "redo" });
  assert.deepEqual(sent.at(-1), [["hide", 8], ["undo", 9], ["redo", 10]]);
  queue.answered(9);
  assert.ok(queue.waits());
  queue.giveUp();
  assert.ok(!queue.waits());
  queue.push({ op: "reset" });
  assert.deepEqual([sent.length, sent.at(-1)], [4, [["reset", 11]]]);
});

test("a short scale has a button for each rating", () => {
  assert.deepEqual(fewRatings([1, 5, 1]), [1, 2, 3, 4, 5]);
  assert.deepEqual(fewRatings([0.5, 5, 0.5]).length, 10);
  assert.deepEqual(fewRatings([0, 1, 0.1])[3], 0.3);
  for (const scale of [[0, 100, 1], [-10, 10, null], null]) assert.deepEqual(fewRatings(scale), []);
});
