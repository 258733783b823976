import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { createAddress, inAddress, namesOf } from "../../../../metamf/webapp/player/js/address.js";

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

/** Time goes on only by `mock.timers.tick`. */
function controlTime() {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_000_000 });
  mock.method(performance, "now", () => Date.now());
}

/** A player at a step, with its address. */
function player(t) {
  const found = { t, chosen: "scale" };
  found.wanted = () => ({ t: String(found.t), colours: found.chosen === "scale" ? null : found.chosen });
  found.travelled = () => Object.assign(found, { t: Number(inAddress("t") ?? found.t), chosen: inAddress("colours") ?? "scale" });
  found.address = createAddress(found);
  found.show = (to) => {
    found.t = to;
    found.address.follow();
  };
  found.address.follow();
  return found;
}

test("the address names the step, in the entry of the history that is there", () => {
  controlTime();
  const page = browser("http://host/watch?model=Jester");
  const shown = player(10);
  assert.equal(page.query(), "?model=Jester&t=10");
  for (const t of [9, 8, 7]) shown.show(t);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?model=Jester&t=7");
  assert.equal(page.entries.length, 1);
  assert.equal(inAddress("t"), "7");
  shown.address.close();
  mock.reset();
});

test("a fast play writes seldom, and the last step is written in the end", () => {
  controlTime();
  const page = browser("http://host/?t=0");
  const shown = player(0);
  for (let t = 1; t <= 40; t++) shown.show(t);
  assert.ok(page.writes <= 1, `${page.writes} writes`);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?t=40");
  assert.ok(page.writes <= 2, `${page.writes} writes`);
  shown.address.close();
  mock.reset();
});

test("an address that others write gets its step back, and a way back is followed", () => {
  controlTime();
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
  mock.reset();
});

test("the address names colours other than the usual ones, and a way back is followed", () => {
  controlTime();
  const page = browser("http://host/?t=3");
  const shown = player(3);
  shown.chosen = "levels";
  shown.show(3);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?t=3&colours=levels");
  assert.equal(inAddress("colours"), "levels");
  page.push("?data=Jokes&t=3");
  mock.timers.tick(1000);
  assert.equal(page.query(), "?data=Jokes&t=3&colours=levels");
  shown.chosen = "scale";
  shown.show(4);
  mock.timers.tick(1000);
  assert.equal(page.query(), "?data=Jokes&t=4");
  page.back();
  assert.equal(shown.chosen, "levels");
  shown.address.close();
  mock.reset();
});

test("names of its own count at their place alone, and nothing is written into the address of the next place", () => {
  controlTime();
  const page = browser("http://host/lesson?lesson=5&lesson_t=3&t=8");
  const { say, named } = namesOf({ prefix: "lesson_", at: "lesson", here: "5" });
  assert.deepEqual([say("t"), say("cell"), named({ t: "4" })], ["3", null, { lesson_t: "4" }]);
  const shown = createAddress({ wanted: () => named({ t: "4" }), travelled: () => {} });
  shown.follow();
  assert.equal(page.query(), "?lesson=5&lesson_t=4&t=8");
  page.push("?lesson=6");
  mock.timers.tick(1000);
  shown.follow();
  mock.timers.tick(1000);
  assert.equal(page.query(), "?lesson=6");
  assert.deepEqual([say("t"), named({ t: "4" })], [null, {}]);
  shown.close();
  mock.reset();
});

test("names of a player on one page count on that page alone", () => {
  controlTime();
  const page = browser("http://host/compare?maps_cell=3,4&cell=9,9");
  const { say, named } = namesOf({ prefix: "maps_" });
  assert.deepEqual([say("cell"), named({ cell: "5,6" })], ["3,4", { maps_cell: "5,6" }]);
  const shown = createAddress({ wanted: () => named({ cell: "5,6" }), travelled: () => {} });
  shown.follow();
  assert.equal(new URLSearchParams(page.query()).get("maps_cell"), "5,6");
  page.push("/watch?cell=9,9");
  mock.timers.tick(1000);
  assert.deepEqual([page.query(), say("cell"), named({ cell: "5,6" })], ["?cell=9,9", null, {}]);
  shown.close();
  mock.reset();
});

test("a step stays in the address of its page when the visitor goes back to another one", () => {
  controlTime();
  const page = browser("http://host/compare?maps_cell=3,4");
  page.push("/watch?t=3");
  const { say, named } = namesOf(null);
  assert.deepEqual([say("t"), named({ t: "4" })], ["3", { t: "4" }]);
  const shown = createAddress({ wanted: () => named({ t: "4" }), travelled: () => {} });
  page.back();
  mock.timers.tick(1000);
  assert.deepEqual([page.query(), say("maps_cell"), named({ t: "4" })], ["?maps_cell=3,4", null, {}]);
  shown.close();
  mock.reset();
});

test("where no address may be written, the player plays without, and the address counts no more", () => {
  const page = browser("http://host/saved.html?t=3");
  page.refuses = true;
  assert.equal(inAddress("t"), "3");
  const shown = player(2);
  assert.equal(shown.t, 2);
  assert.equal(page.query(), "?t=3");
  assert.equal(inAddress("t"), null, "another page of the visit goes on where this one was");
  shown.address.close();
});
