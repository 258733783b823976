import assert from "node:assert/strict";
import test from "node:test";

import { differs, openingState, PACES, reduce } from "../../../../metamf/webapp/player/js/state.js";

const size = { n: 4, m: 3 };
const opened = (T = 10, linked = null, options = {}) => openingState({ T, ...size }, linked, options);
const after = (state, ...events) => events.map((e) => (typeof e === "string" ? { type: e } : e)).reduce(reduce, state);
const shown = ({ t, T, playing }) => ({ t, T, playing });

test("at first it rests at the last step, or where the address says", () => {
  assert.deepEqual(shown(opened()), { t: 10, T: 10, playing: false });
  assert.equal(opened(10, "3").t, 3);
  assert.equal(opened(10, "0").t, 0);
  for (const nonsense of ["11", "-1", "x", "", "1.5", "²", "1e1", "99999999999999999999"]) {
    assert.equal(opened(10, nonsense).t, 10, nonsense);
  }
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
  assert.equal(after(opened(10, "3"), { type: "go", t: NaN }).t, 3);
});

test("another run leaves the step where it is", () => {
  const run = (T) => ({ type: "run", T, ...size });
  assert.equal(after(opened(10, "3"), run(10)).t, 3);
  assert.equal(after(opened(10, "3"), run(40)).t, 3);
  assert.equal(after(opened(10), "back", "forward", run(40)).t, 10, "the last step, asked for, is a step");
  assert.equal(after(opened(10), "play", ...Array(10).fill("tick"), run(40)).t, 10);
  assert.equal(after(opened(10, "8"), run(4)).t, 4);
  assert.equal(after(opened(10, "8"), run(4), run(10)).t, 8, "back where it was asked for");
  assert.equal(after(opened(10), run(4)).t, 4, "nobody asked for a step: the result");
  assert.equal(after(opened(10), run(4), run(40)).t, 40);
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
  assert.equal(after(chosen, { type: "select", cell: [4, 0] }).cell, null, "outside the window");
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
  assert.equal(reduce(ofRow, { type: "side", side: "up" }), ofRow);
  for (const nonsense of [-1, 1.5, NaN, "2"]) assert.equal(reduce(ofRow, { type: "factor", factor: nonsense }), ofRow);
});

test("pace and lecture mode", () => {
  assert.equal(after(opened(), { type: "pace", pace: "fast" }).pace, "fast");
  assert.equal(after(opened(), { type: "pace", pace: "warp" }).pace, "normal");
  assert.equal(PACES.fast, 10);
  assert.equal(after(opened(), { type: "lecture", on: true }).lecture, true);
});

test("colours of the estimates are those that the address names, if there are such", () => {
  const named = (colours) => opened(10, null, { colours }).colours;
  assert.deepEqual([null, "span", "levels", "<b>", "toString"].map(named), ["scale", "span", "levels", "scale", "scale"]);
  const state = opened();
  assert.equal(reduce(state, { type: "colours", colours: "span" }).colours, "span");
  assert.equal(reduce(state, { type: "colours", colours: "hot" }), state);
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
  assert.equal(differs(openingState({ T: 10, ...size, edited: true }, null, { difference: true })), true);
});
