import assert from "node:assert/strict";
import test from "node:test";

import { cleanNames, guessedWidth, isolated, shortened } from "../../../../metamf/webapp/player/js/names.js";

/** All fit, and no two are equal. */
function checked(names, room) {
  const found = shortened(names, room);
  assert.equal(new Set(found).size, names.length, found.join(" | "));
  for (const name of found) assert.ok(guessedWidth(name) <= room, `${name} is too long`);
  return found;
}

test("fourteen wines of one name in different years stay fourteen", () => {
  const wines = Array.from({ length: 14 }, (_, k) => `Weißburgunder 20${10 + k} Spätlese trocken, Kaiserstuhl`);
  for (const room of [5, 7, 9, 12]) {
    const found = checked(wines, room);
    found.forEach((name, k) => assert.ok(name.includes(`${10 + k}`), name));
  }
  assert.ok(checked(wines, 8)[3].includes("2013"));
});

test("film titles that begin alike keep what differs", () => {
  const found = checked(["The Lord of the Rings: The Two Towers", "The Lord of the Rings: The Return of the King", "The Lord of the Flies", "Heat"], 9);
  assert.match(found[0], /Two/);
  assert.match(found[1], /Return/);
  assert.match(found[2], /Fl/);
  assert.equal(found[3], "Heat");
});

test("names that fit are not touched, equal ones have their position", () => {
  assert.deepEqual(shortened(["Ana", "Ben", "Ana"], 20, undefined, 30), ["Ana 31", "Ben", "Ana 33"]);
  checked(["x".repeat(300), "x".repeat(300), "x".repeat(299), "y"], 8);
  checked(Array(40).fill("Weißburgunder Spätlese trocken"), 6);
  checked(["1", "2", "2", "1"], 3);
});

test("a character that is several code points is not cut apart", () => {
  const family = "👩‍👩‍👧";
  const [found] = shortened([family.repeat(20)], 9);
  assert.equal(found.replaceAll(family, ""), "…");
});

test("names from outside become one line of text that does not turn its surroundings", () => {
  const found = cleanNames(["<img src=x onerror=alert(1)>", "", "  a\n\tb ", "\u202eevil", null], 4, 6);
  assert.deepEqual(found, ["<img src=x onerror=alert(1)>", "6", "a b", "evil", "9", "10"]);
  assert.equal(isolated("Zoë"), "Zoë");
  assert.equal(isolated("שלום"), "\u2068שלום\u2069");
});
