import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { asked, createAddress, written } from "../../../../metamf/webapp/player/js/address.js";
import { openingState, reduce } from "../../../../metamf/webapp/player/js/state.js";

/** A browser of an address bar and a history, as far as the module knows one. */
function browser(start) {
  const entries = [new URL(start)];
  const window = new EventTarget();
  const navigation = new EventTarget();
  window.navigation = navigation;
  const told = (way) => navigation.dispatchEvent(Object.assign(new Event("currententrychange"), { navigationType: way }));
  const found = {
    entries,
    writes: 0,
    query: () => entries.at(-1).search,
    /** What Streamlit does on the way to another page. */
    push(search) {
      entries.push(new URL(search, entries.at(-1)));
      told("push");
    },
    back() {
      entries.pop();
      told("traverse");
      window.dispatchEvent(new Event("popstate"));
    },
  };
  const history = {
    state: null,
    replaceState(_state, _title, address) {
      if (found.refuses) throw new Error("SecurityError");
      entries[entries.length - 1] = new URL(address);
      found.writes += 1;
      told("replace");
    },
  };
  const location = {
    get search() {
      return entries.at(-1).search;
    },
    get href() {
      return entries.at(-1).href;
    },
    get pathname() {
      return entries.at(-1).pathname;
    },
  };
  Object.assign(globalThis, { window, history, location });
  return found;
}

// Time goes on only by `mock.timers.tick`.
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  mock.method(performance, "now", () => Date.now());
});
afterEach(() => mock.reset());

/** A player at a step, with its address. */
function player(t) {
  const found = { t, chosen: "scale" };
  const wanted = () => ({ t: String(found.t), colours: found.chosen === "scale" ? null : found.chosen });
  const travelled = () => {
    const { say } = found.address;
    Object.assign(found, { t: Number(say("t") ?? found.t), chosen: say("colours") ?? "scale" });
  };
  found.address = createAddress(null, wanted, travelled);
  found.show = (to) => {
    found.t = to;
    found.address.follow();
  };
  found.address.follow();
  return found;
}

test("the address names the step, in the entry of the history that is there", () => {
  const page = browser("http://host/watch?model=Jester");
  const shown = player(10);
  assert.equal(page.query(), "?model=Jester&t=10");
  for (const t of [9, 8, 7]) shown.show(t);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?model=Jester&t=7");
  assert.equal(page.entries.length, 1);
  assert.equal(shown.address.say("t"), "7");
  shown.address.close();
});

test("a fast play writes seldom, and the last step is written in the end", () => {
  const page = browser("http://host/?t=0");
  const shown = player(0);
  for (let t = 1; t <= 40; t++) shown.show(t);
  assert.ok(page.writes <= 1, `${page.writes} writes`);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?t=40");
  assert.ok(page.writes <= 2, `${page.writes} writes`);
  shown.address.close();
});

test("an address that others write gets its step back, and a way back is followed", () => {
  const page = browser("http://host/?t=3");
  const shown = player(3);
  page.push("?data=Jokes");
  mock.timers.tick(1000);
  assert.equal(page.query(), "?data=Jokes&t=3");
  shown.show(5);
  mock.timers.tick(1000);
  page.back();
  assert.equal(shown.t, 3, "the address of that visit names the step");
  assert.equal(page.query(), "?t=3");
  shown.address.close();
  page.push("?data=Jokes");
  mock.timers.tick(1000);
  assert.equal(page.query(), "?data=Jokes", "nothing is written when the player has gone");
});

test("names of its own count at their place alone, and nothing is written into the address of the next place", () => {
  const page = browser("http://host/lesson?lesson=5&lesson_t=3&t=8");
  const own = createAddress({ prefix: "lesson_", at: "lesson", here: "5" }, () => ({ t: "4" }), () => {});
  assert.deepEqual([own.say("t"), own.say("cell")], ["3", null]);
  own.follow();
  assert.equal(page.query(), "?lesson=5&lesson_t=4&t=8");
  page.push("?lesson=6");
  mock.timers.tick(1000);
  assert.deepEqual([page.query(), own.say("t")], ["?lesson=6", null]);
  page.push("/watch?lesson=5&lesson_t=9"); // another page
  mock.timers.tick(1000);
  assert.deepEqual([page.query(), own.say("t")], ["?lesson=5&lesson_t=9", null]);
  own.close();
});

test("where no address may be written, the player plays without, and the address counts no more", () => {
  const page = browser("http://host/saved.html?t=3");
  page.refuses = true;
  const shown = player(2);
  assert.equal(shown.t, 2);
  assert.equal(page.query(), "?t=3");
  assert.equal(shown.address.say("t"), null, "another page of the visit goes on where this one was");
  shown.address.close();
});

const run = { n: 4, m: 3, K: 8, T: 10, top: 100, left: 20, round: "step", pinned: new Float32Array(12), maps: [] };
const opened = () => openingState({ ...run, edited: true });
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
  assert.deepEqual(Object.keys(written(run, opened(), "normal")).sort(), Object.keys(CHANGES).sort());
});

test("what a visitor has set comes back from the address", () => {
  const set = after(opened(), ...Object.values(CHANGES));
  const address = written(run, set, "normal");
  assert.deepEqual(address, { t: "3", cell: "102,23", factor: "5", side: "column", colours: "levels", pace: "fast", difference: "1" });
  assert.deepEqual(after(opened(), ...asked(run, say(address)).events), set);
  assert.equal(asked(run, say(address)).missed, "");
});

test("maps that follow no step have a cell in the address, and no step", () => {
  const still = { ...run, K: 0, T: 0, pinned: null, maps: [{}] };
  const set = reduce(openingState(still), CHANGES.cell);
  const address = Object.entries(written(still, set, "normal")).filter(([, text]) => text !== null);
  assert.deepEqual(address, [["cell", "102,23"]]);
  assert.equal(asked(still, say({ cell: "102,23" })).missed, "");
});

test("what is usual needs no name, and what an address does not name stays as it is", () => {
  assert.deepEqual(written(run, opened(), "normal"), { t: "10", cell: null, factor: null, side: null, colours: null, pace: null, difference: null });
  const set = after(opened(), ...Object.values(CHANGES));
  assert.deepEqual(after(set, ...asked(run, say({})).events), set);
});

test("a link that asks for nonsense changes nothing, and is told so", () => {
  for (const hostile of ["", "0,0", "105,21", "-1,21", "1e2,21", "101,21,1", "²,3", "9".repeat(400), "<img src=x>", "constructor", "__proto__"]) {
    const { events, missed } = asked(run, () => hostile);
    assert.deepEqual(events, [], hostile);
    for (const name of ["step “", "cell “", "factor “", "side “", "colours “", "pace “", "difference “"]) assert.ok(missed.includes(name), missed);
    assert.ok(missed.length < 300, missed);
  }
  assert.match(asked(run, say({ t: "900" })).missed, /asks for step “900” \(this run has 0 to 10\)/);
});

test("a factor is one of the run, in a cell that is chosen too", () => {
  const count = (parameters) => asked(run, say(parameters)).events.length;
  assert.deepEqual([{ cell: "102,23", factor: "8" }, { cell: "102,23", factor: "9" }, { cell: "102,23", factor: "0" }, { factor: "3" }].map(count), [2, 1, 1, 0]);
  const narrow = { ...run, K: 2 };
  assert.equal(written(narrow, after(opened(), ...Object.values(CHANGES)), "normal").factor, "2", "the one that is shown");
});
