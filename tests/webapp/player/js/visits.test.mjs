import assert from "node:assert/strict";
import test from "node:test";

import { isAnotherPlace, keepVisits } from "../../../../metamf/webapp/player/js/visits.js";

/** A window with a history of entries. */
function view(start, refuses = false) {
  const entries = [new URL(start)];
  const write = (at) => (_state, _unused, url) => {
    if (refuses) throw new Error("SecurityError");
    entries[entries.length - 1 + at] = new URL(url, entries.at(-1));
  };
  const location = { get href() { return entries.at(-1).href; } };
  return { entries, location, history: { pushState: write(1), replaceState: write(0) } };
}

test("a page, a step of the lesson and a game are entries of the history, and nothing else is", () => {
  const page = view("http://host/");
  keepVisits(page);
  const visited = ["/?keep=47", "/?keep=47&edits=1_2_3", "/watch?keep=47", "/watch?model=Universal", "/lesson", "/lesson?lesson=2", "/lesson?lesson=2&revealed=2", "/lesson?cells=1", "/lesson?cells=1&guessed=4!"];
  for (const next of visited) page.history.pushState({}, "", next);
  assert.deepEqual(page.entries.map(({ pathname, search }) => pathname + search), [
    "/?keep=47&edits=1_2_3", "/watch?model=Universal", "/lesson", "/lesson?lesson=2&revealed=2", "/lesson?cells=1&guessed=4!",
  ]);
  assert.ok(!isAnotherPlace(new URL("http://host/?t=1"), new URL("http://host/?t=2#a")));
});

test("it is kept once, and a frame that may not write its history goes on without", () => {
  const page = view("http://host/", true);
  keepVisits(page);
  const { pushState } = page.history;
  keepVisits(page);
  assert.equal(page.history.pushState, pushState);
  page.history.pushState({}, "", "/watch");
  page.history.replaceState({}, "", "/?keep=3");
  assert.equal(page.entries.length, 1);
});
