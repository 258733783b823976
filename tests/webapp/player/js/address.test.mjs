import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { asked, createAddress, written } from "../../../../metamf/webapp/player/js/address.js";
import { openingState, reduce } from "../../../../metamf/webapp/player/js/state.js";

/** A browser's address bar, as far as the module knows one. */
function browser(start) {
  const found = { url: new URL(start), writes: 0, refuses: false };
  const history = {
    state: null,
    replaceState(_state, _title, address) {
      if (found.refuses) throw new Error("SecurityError");
      found.url = new URL(address);
      found.writes += 1;
    },
  };
  const location = {};
  for (const name of ["search", "href", "pathname"]) Object.defineProperty(location, name, { get: () => found.url[name] });
  Object.assign(globalThis, { history, location });
  return found;
}

// Time goes on only by `mock.timers.tick`.
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
  mock.method(performance, "now", () => Date.now());
});
afterEach(() => mock.reset());

test("a fast play writes seldom, and the last step is written in the end", () => {
  const page = browser("http://host/?model=Jester");
  let t = 0;
  const address = createAddress(() => ({ t: String(t), cell: null }));
  for (t = 1; t < 40; t++) address.follow();
  mock.timers.tick(1000);
  assert.deepEqual([page.url.search, page.writes, address.say("t")], ["?model=Jester&t=40", 1, "40"]);
  address.follow();
  address.close();
  page.url = new URL("http://host/?data=Jokes");
  mock.timers.tick(1000);
  assert.equal(page.url.search, "?data=Jokes"); // nothing is written when the player has gone
});

test("nothing is written into the address of the next page", () => {
  const page = browser("http://host/?t=3");
  const address = createAddress(() => ({ t: "4" }));
  page.url = new URL("http://host/compare?t=9");
  address.follow();
  mock.timers.tick(1000);
  assert.deepEqual([page.url.search, address.say("t")], ["?t=9", null]);
});

const run = { n: 4, m: 3, K: 8, T: 10, top: 100, left: 20, round: "step", pinned: null, maps: [] };

test("step and cell come back from the address, and a link that asks for nonsense changes nothing", () => {
  const events = [{ type: "go", t: 4 }, { type: "select", cell: [2, 1] }];
  const state = events.reduce(reduce, openingState(run));
  const names = written(run, state);
  assert.deepEqual(names, { t: "4", cell: "103,22" });
  assert.deepEqual(asked(run, (name) => names[name]), events);
  assert.equal(written({ ...run, maps: [1] }, state).t, null);
  for (const text of ["900", "-1", "x", "<b>", "1,1", "105,24", ""]) assert.deepEqual(asked(run, () => text), []);
});

test("where no address may be written, the player plays without, and the address counts no more", () => {
  const page = browser("http://host/saved.html?t=3");
  page.refuses = true;
  const address = createAddress(() => ({ t: "2" }));
  address.follow();
  mock.timers.tick(1000);
  assert.deepEqual([page.url.search, address.say("t")], ["?t=3", null]);
});
