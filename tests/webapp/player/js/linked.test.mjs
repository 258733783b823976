import assert from "node:assert/strict";
import test from "node:test";

import { asked, missed, PARAMETERS, written } from "../../../../metamf/webapp/player/js/linked.js";
import { openingState, reduce } from "../../../../metamf/webapp/player/js/state.js";

const run = { n: 4, m: 3, K: 8, T: 10, top: 100, left: 20, round: "step", pinned: new Float32Array(12), maps: [] };
const opened = () => openingState({ ...run, edited: true }, null, { pace: "normal" });
const after = (state, ...events) => events.reduce(reduce, state);
const say = (parameters) => (name) => parameters[name] ?? null;

// Another value of each property of the state that a visitor sets, and why the others need no address.
const CHANGES = {
  t: { type: "go", t: 3 },
  cell: { type: "select", cell: [1, 2] },
  factor: { type: "factor", factor: 4 },
  side: { type: "side", side: "col" },
  colours: { type: "colours", colours: "levels" },
  pace: { type: "pace", pace: "fast" },
  difference: { type: "difference", on: true },
};
const WITHOUT = {
  T: "of the run",
  n: "of the run",
  m: "of the run",
  asked: "set with t",
  edited: "of the run: the edits have a parameter of their own",
  playing: "nothing plays by itself",
  hover: "where the pointer is",
  lecture: "the app's own parameter",
};

test("every property of the state is in the address, or listed with a reason", () => {
  assert.deepEqual(Object.keys(opened()).sort(), [...Object.keys(CHANGES), ...Object.keys(WITHOUT)].sort());
  assert.deepEqual(Object.keys(written(run, opened(), "normal")).sort(), [...PARAMETERS].sort());
});

test("what a visitor has set comes back from the address", () => {
  const set = after(opened(), ...Object.values(CHANGES));
  const address = written(run, set, "normal");
  assert.deepEqual(address, { t: "3", cell: "102,23", factor: "5", side: "column", colours: "levels", pace: "fast", difference: "1" });
  assert.deepEqual(after(opened(), ...asked(run, say(address))), set);
  assert.equal(missed(run, say(address)), "");
});

test("maps that follow no step have a cell in the address, and no step", () => {
  const still = { ...run, K: 0, T: 0, pinned: null, maps: [{}] };
  const set = reduce(openingState(still, null, { pace: "normal" }), CHANGES.cell);
  const address = Object.entries(written(still, set, "normal")).filter(([, text]) => text !== null);
  assert.deepEqual(address, [["cell", "102,23"]]);
  assert.equal(missed(still, say({ cell: "102,23" })), "");
});

test("what is usual needs no name, and what an address does not name stays as it is", () => {
  assert.deepEqual(written(run, opened(), "normal"), { t: "10", cell: null, factor: null, side: null, colours: null, pace: null, difference: null });
  const set = after(opened(), ...Object.values(CHANGES));
  assert.deepEqual(after(set, ...asked(run, say({}))), set);
});

for (const hostile of ["", " ", "0,0", "101", "105,21", "101,24", "-1,21", "1e2,21", "101,21,1", "²,3", "9".repeat(400), "<img src=x onerror=alert(1)>", "constructor", "__proto__"]) {
  test(`a link that asks for ${JSON.stringify(hostile.slice(0, 20))} changes nothing, and is told so`, () => {
    const all = say({ t: "x", cell: hostile, factor: hostile, side: hostile, colours: hostile, pace: hostile, difference: hostile });
    assert.deepEqual(asked(run, all), []);
    const said = missed(run, all);
    for (const name of ["step “x”", "the cell “", "the factor “", "the side “", "the colours “", "the pace “", "the difference “"]) assert.ok(said.includes(name), said);
    assert.ok(said.length < 520, said);
  });
}

test("a factor is one of the run, in a cell that is chosen too", () => {
  for (const [parameters, events] of [
    [{ cell: "102,23", factor: "8" }, 2],
    [{ cell: "102,23", factor: "9" }, 1],
    [{ cell: "102,23", factor: "0" }, 1],
    [{ factor: "3" }, 0],
  ]) {
    assert.equal(asked(run, say(parameters)).length, events, JSON.stringify(parameters));
    assert.equal(missed(run, say(parameters)) === "", events === 2);
  }
  const narrow = { ...run, K: 2 };
  assert.equal(written(narrow, after(opened(), ...Object.values(CHANGES)), "normal").factor, "2", "the one that is shown");
});
