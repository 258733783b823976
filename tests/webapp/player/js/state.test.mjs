import assert from "node:assert/strict";
import test from "node:test";

import { PACES, differs, openingState, pauseOf, reduce } from "../../../../metamf/webapp/player/js/state.js";
import { letterOf, meaning } from "../../../../metamf/webapp/player/js/keys.js";
import { landed, walked } from "../../../../metamf/webapp/player/js/pointer.js";
import { createQueue, fewRatings } from "../../../../metamf/webapp/player/js/whatif.js";

const size = { n: 4, m: 3 };
const opened = (T = 10, t = null) => {
  const state = openingState({ T, ...size });
  return t === null ? state : reduce(state, { type: "go", t: Number(t) });
};
const after = (state, ...events) => events.map((e) => (typeof e === "string" ? { type: e } : e)).reduce(reduce, state);
const shown = ({ t, T, playing }) => ({ t, T, playing });

test("at first it rests at the last step", () => {
  assert.deepEqual(shown(opened()), { t: 10, T: 10, playing: false });
  assert.equal(opened(0).t, 0);
});

test("nothing plays unless it is asked to", () => {
  assert.equal(after(opened(10, "3"), "tick", "tick").t, 3);
  assert.equal(after(opened(0), "play").playing, false);
});

test("play goes on from here, starts anew at the end, and rests at the last step", () => {
  assert.deepEqual(shown(after(opened(3, "1"), "play")), { t: 1, T: 3, playing: true });
  assert.deepEqual(shown(after(opened(3), "play")), { t: 0, T: 3, playing: true });
  assert.deepEqual(shown(after(opened(3), "play", "tick", "tick")), { t: 2, T: 3, playing: true });
  assert.deepEqual(shown(after(opened(3), "play", "tick", "tick", "tick")), { t: 3, T: 3, playing: false });
});

test("every touch of the step stops the play", () => {
  const playing = after(opened(10, "4"), "play");
  for (const [event, t] of [["pause", 4], ["back", 3], ["forward", 5], ["first", 0], ["last", 10]]) {
    assert.deepEqual(shown(after(playing, event)), { t, T: 10, playing: false }, event);
  }
  assert.deepEqual(shown(after(playing, { type: "go", t: 4 })), { t: 4, T: 10, playing: false });
});

test("no step lies beyond an end", () => {
  assert.equal(after(opened(10, "0"), "back").t, 0);
  assert.equal(after(opened(), "forward").t, 10);
  assert.equal(after(opened(), { type: "go", t: 99 }).t, 10);
  assert.equal(after(opened(10, "3"), { type: "go", t: -5 }).t, 0);
});

test("another run leaves the step where it is", () => {
  const run = (T) => ({ type: "run", T, ...size });
  assert.equal(after(opened(10, "3"), run(10)).t, 3);
  assert.equal(after(opened(10, "3"), run(40)).t, 3);
  assert.equal(after(opened(10), "back", "forward", run(40)).t, 40, "the last step is the result");
  assert.equal(after(opened(10), "play", ...Array(10).fill("tick"), run(40)).t, 40);
  assert.equal(after(opened(10, "8"), run(4)).t, 4);
  assert.equal(after(opened(10, "8"), run(4), run(10)).t, 8, "back where it was asked for");
  assert.equal(after(opened(10), run(4)).t, 4, "nobody asked for a step: the result");
  assert.equal(after(opened(10), run(4), run(40)).t, 40);
});

test("on opening the steps play once in about three seconds, and rest at the result", () => {
  const first = openingState({ T: 10, ...size }, { plays: true });
  assert.deepEqual([first.t, first.playing], [0, true]);
  const pauses = Array.from({ length: 10 }, (_, t) => pauseOf({ ...first, t }));
  assert.equal(Math.round(pauses.reduce((sum, pause) => sum + pause)), 3000);
  assert.ok(pauses.every((pause, t) => t === 0 || pause < pauses[t - 1]), "the first steps change most");
  assert.ok(pauses[0] > 1000, "the guess is seen");
  const half = after(first, ...Array(5).fill("tick"));
  assert.deepEqual([half.t, half.asked, half.opening], [5, null, true]);
  const end = after(half, ...Array(5).fill("tick"));
  assert.deepEqual([end.t, end.asked, end.playing, end.opening], [10, null, false, false]);
  const taken = after(half, "back"); // the visitor takes over
  assert.deepEqual([taken.t, taken.playing, taken.opening, taken.asked], [4, false, false, 4]);
  assert.equal(pauseOf(after(taken, "play")), 1000 / 3);
  assert.equal(openingState({ T: 10, ...size }).t, 10);
  assert.equal(openingState({ T: 0, ...size }, { plays: true }).playing, false);
});

test("a play goes on through another run, unless it is over", () => {
  const playing = after(opened(10, "4"), "play");
  assert.deepEqual(shown(after(playing, { type: "run", T: 8, ...size })), { t: 4, T: 8, playing: true });
  assert.deepEqual(shown(after(playing, { type: "run", T: 4, ...size })), { t: 4, T: 4, playing: false });
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

test("pace and lecture mode", () => {
  assert.equal(after(opened(), { type: "pace", pace: "fast" }).pace, "fast");
  assert.equal(PACES.fast, 10);
  assert.equal(after(opened(), { type: "lecture", lecture: true }).lecture, true);
});

test("the difference is shown where it is asked for and there is one", () => {
  const run = (edited) => ({ type: "run", T: 10, ...size, edited });
  const plain = opened();
  assert.equal(reduce(plain, { type: "difference" }), plain, "nothing is edited");
  const edited = after(plain, run(true));
  assert.equal(differs(edited), false, "the estimates come first");
  const turned = after(edited, "difference");
  assert.equal(differs(turned), true);
  assert.equal(differs(after(turned, "difference")), false, "the same key leads back");
  assert.equal(reduce(turned, { type: "difference", on: true }), turned);
  assert.equal(differs(after(turned, run(false))), false, "undone: there is no difference");
  assert.equal(differs(after(turned, run(false), run(true))), true, "redone: as it was asked for");
  assert.deepEqual(shown(turned), shown(edited), "the step stays");
});

const rest = { playing: false, edited: false };
/** The focus is in elements of these names: a selector matches if it names one of them. */
const focus = (...names) => (selector) => selector.split(",").some((part) => names.includes(part.trim()));

test("keys mean steps where nothing with keys of its own has the focus", () => {
  const meant = ["ArrowLeft", "ArrowRight", "Home", "End", " ", "x", "Tab"].map((key) => meaning(key, rest, focus()));
  assert.deepEqual(meant, ["back", "forward", "first", "last", "play", null, null]);
  assert.equal(meaning(" ", { playing: true }, focus()), "pause");
});

test("a field, a slider and a choice keep their own keys", () => {
  for (const name of ["input", "textarea", "select", "[contenteditable]", "[role=slider]", "[role=radiogroup]", "[role=grid]"]) {
    for (const key of ["ArrowLeft", "ArrowRight", "Home", "End", " "]) {
      assert.equal(meaning(key, rest, focus(name)), null, `${key} in ${name}`);
    }
  }
});

test("a button and a link keep the space key, and no other", () => {
  for (const name of ["button", "a", "summary"]) {
    assert.equal(meaning(" ", rest, focus(name)), null);
    assert.equal(meaning("ArrowRight", rest, focus(name)), "forward");
  }
});

test("keys that write a character can be switched off, and are characters where somebody types", () => {
  assert.deepEqual([letterOf("?", focus(), true), letterOf("L", focus(), true), letterOf("l", focus(), false)], ["?", "l", null]);
  for (const name of ["input", "textarea", "[role=combobox]"]) assert.equal(letterOf("l", focus(name), true), null);
  for (const name of ["button", "[role=radiogroup]", "[role=application]"]) assert.equal(letterOf("l", focus(name), true), "l");
  assert.equal(letterOf("?", focus("input", "[type=radio]"), true), "?");
});

test("D turns to the difference where there is one, in a choice, too, and is a letter in a field", () => {
  const edited = { playing: false, edited: true };
  assert.equal(meaning("d", edited, focus()), "difference");
  assert.equal(meaning("D", edited, focus("input", "[type=radio]")), "difference");
  assert.equal(meaning("d", edited, focus("input")), null);
  assert.equal(meaning("d", edited, focus(), false), null);
  assert.equal(meaning("d", rest, focus()), null);
});

const product = { n: 3, m: 2, K: 4 };
const map = { n: 3, m: 2, K: 0 };
const at = (part, row, col, position = 0) => ({ part, row, col, position });
const led = (field, spot, ...keys) => keys.reduce((now, key) => walked(now, key, field), spot);
const where = ({ part, row, col, position }) => (part === "UV" ? [part, row, col] : part === "U" ? [part, row, position] : [part, position, col]);

test("to the left of the map lie the factors of the row, and back to the right the map", () => {
  assert.deepEqual(where(led(product, at("UV", 1, 1), "ArrowLeft", "ArrowLeft")), ["U", 1, 3]);
  assert.deepEqual(where(led(product, at("UV", 1, 0), "ArrowLeft", "ArrowLeft", "ArrowDown")), ["U", 2, 2]);
  assert.deepEqual(where(led(product, at("U", 2, 0, 2), "ArrowRight", "ArrowRight")), ["UV", 2, 0]);
});

test("above the map lie the factors of the column, and back down the map", () => {
  assert.deepEqual(where(led(product, at("UV", 0, 1), "ArrowUp")), ["V", 3, 1]);
  assert.deepEqual(where(led(product, at("UV", 0, 1), "ArrowUp", "ArrowUp", "ArrowLeft")), ["V", 2, 0]);
  assert.deepEqual(where(led(product, at("V", 0, 1, 2), "ArrowDown", "ArrowDown")), ["UV", 0, 1]);
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
  assert.deepEqual(where(led(map, at("UV", 0, 0), "ArrowUp", "ArrowLeft")), ["UV", 0, 0]);
  assert.deepEqual(where(led(map, at("UV", 0, 0), "End", "ArrowDown", "ArrowDown", "ArrowDown")), ["UV", 2, 1]);
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
