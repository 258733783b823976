import assert from "node:assert/strict";
import test from "node:test";

import { cellOn, cellUnder, layoutsOf, nameUnder, sideBySide } from "../../../../metamf/webapp/player/js/layout.js";
import { cleanNames, isolated, shortened } from "../../../../metamf/webapp/player/js/words.js";
import { guessedWidth } from "./runs.mjs";

const FILMS = ["The Clockmaker's Otter", "Seven Lamps of Vell", "Pier Zero at Dusk", "A Ledger of Foxes", "Paper Comets Fall", "Last Tram to Ondra", "Salt and Semaphore", "Grandmother's Rocket", "Under a Copper Sea", "The Polite Volcano", "Nine Umbrellas North", "Harvest of Static", "The Lighthouse Auditor", "Waltz for a Submarine"];

/** @param {object} [changes] */
function request(changes = {}) {
  const { n = 20, m = 14 } = changes;
  return {
    ...{ n, m, top: 0, left: 0, width: 1040, screenHeight: 900, lecture: false, density: 1, rowsNamed: true, colsNamed: true },
    rowNames: Array.from({ length: n }, (_, i) => `Adila ${i}`),
    colNames: Array.from({ length: m }, (_, j) => FILMS[j] ?? `Film ${j}`),
    measure: guessedWidth,
    widths: { number: 1.25, whole: 0.5, signed: 1.75 },
    ...changes,
  };
}

const PHONE = { width: 358, screenHeight: 844, density: 3 };
const HALL = { width: 1524, screenHeight: 1080 };

const maps = (changes, count = 3) => layoutsOf(request(changes), Array(count).fill(0), count);

test("maps stand side by side on a wide screen, aligned, and one below the other with row names on a phone", () => {
  const [first, second, third] = maps();
  assert.ok(first.width + second.width + third.width + 2 * 22 <= 1040);
  assert.deepEqual(first.rows, second.rows);
  assert.equal(first.cols.segments[0].pitch, second.cols.segments[0].pitch);
  assert.deepEqual([first, second, third].map(({ rowLabels }) => rowLabels.length), [20, 0, 0]);
  for (const { width, rowLabels } of maps(PHONE)) assert.ok(width <= 358 && rowLabels.length === 20);
});

test("a map with its factors beside it is in line with the maps at its sides", () => {
  for (const lecture of [false, true]) {
    const layouts = layoutsOf(request({ ...HALL, m: 12, lecture }), [0, 4, 0], 3);
    const [given, filled, truth] = layouts;
    assert.deepEqual([given.rows, truth.rows], [filled.rows, filled.rows]);
    assert.deepEqual([filled.across.count, filled.down.count, given.across], [4, 4, null]);
    assert.ok(filled.across.end < filled.cols.start && filled.down.end < filled.rows.start);
    assert.ok(given.numberSize > 0);
    assert.ok(given.width + filled.width + truth.width + 2 * 22 <= HALL.width);
  }
});

test("a map below another one leaves no room above it for factors that it does not have", () => {
  const [given, filled, truth] = layoutsOf(request({ ...PHONE, m: 12 }), [0, 4, 0], 3);
  assert.deepEqual([given.rows.start, truth.rows.start], [filled.down.start, filled.down.start]);
  assert.equal(given.rows.segments[0].pitch, filled.rows.segments[0].pitch);
});

test("in lecture mode names and numbers of cells are larger, in as many maps side by side", () => {
  const [page] = maps(HALL);
  assert.ok(page.numberSize >= 11.5 && page.nameSize === 13);
  const lecture = maps({ ...HALL, m: 12, lecture: true });
  assert.ok(lecture.every(({ numberSize, nameSize }) => numberSize >= 14 && nameSize === 20));
  assert.deepEqual(lecture.map(({ rowLabels }) => rowLabels.length), [20, 0, 0]);
});

test("two products are side by side, the second without names of rows", () => {
  for (const special of [0, 2]) {
    const [first, second] = layoutsOf(request({ ...HALL, factors: 32, special }), [32 + special, 32 + special], 2);
    assert.ok(first.width + 22 + second.width <= HALL.width);
    assert.deepEqual([first.rows, first.down], [second.rows, second.down]);
    assert.deepEqual([first.rowLabels.length, second.rowLabels.length], [20, 0]);
    for (let k = 0; k < 32; k++) assert.equal(cellOn(first.across, k)[1], cellOn(first.down, k)[1]);
  }
});

test("cells that are too small have no numbers, and 300 x 300 fit every screen", () => {
  for (const size of [PHONE, {}, HALL]) {
    const large = maps({ ...size, n: 300, m: 300 }, 1)[0];
    assert.equal(large.numberSize, large.cols.segments[0].pitch > 15 ? large.numberSize : 0);
    assert.ok(large.width <= request(size).width + 1);
    assert.ok(large.rowLabels.length < 300 && large.rowLabels.length > 5);
  }
});

test("the cell under a pixel is the one that was drawn there", () => {
  const [layout] = maps();
  for (const axis of [layout.rows, layout.cols]) {
    for (let at = 0; at < axis.count; at++) {
      const [start, size] = cellOn(axis, at);
      assert.equal(cellUnder(axis, start + size / 2), at);
    }
    assert.equal(cellUnder(axis, axis.start - 1), -1);
    assert.equal(cellUnder(axis, axis.end + 1), -1);
  }
});

test("a name under the pointer stands for its row or its column, slanted or not", () => {
  for (const layout of [maps()[0], maps(PHONE)[0], layoutsOf(request(), [8, 8], 2)[0]]) {
    for (const { at, x, y, angle } of layout.colLabels) {
      const radians = (angle * Math.PI) / 180; // a place 30 pixels along the name
      assert.deepEqual(nameUnder(layout, x + 30 * Math.cos(radians), y + 30 * Math.sin(radians)), [-1, at]);
    }
    for (const { at, x, y } of layout.rowLabels) assert.deepEqual(nameUnder(layout, x - 10, y), [at, -1]);
  }
});

test("names of a row or column do not overlap, and differ", () => {
  for (const size of [PHONE, {}, HALL]) {
    for (const [n, m] of [[20, 14], [30, 30], [60, 60]]) {
      const [first] = maps({ ...size, n, m });
      const gaps = first.rowLabels.slice(1).map(({ y }, k) => y - first.rowLabels[k].y);
      assert.ok(Math.min(...gaps) >= 10);
      assert.equal(new Set(first.colLabels.map(({ text }) => text)).size, first.colLabels.length);
    }
  }
});

test("whole names are uncut on a phone and on a wide screen", () => {
  for (const size of [PHONE, {}, HALL]) {
    const shown = (whole) => maps({ ...size, whole }, 1)[0].colLabels.map(({ text }) => text);
    assert.deepEqual(shown(true), FILMS);
    assert.notDeepEqual(shown(false), FILMS);
  }
});

const GROUPS = { rows: [["detective fans", 6], ["love-film fans", 14]], cols: [["detective films", 6], ["love films", 6]] };
const beside = (changes = {}, factors = [0, 0, 0, 0]) =>
  sideBySide(request({ m: 12, width: 1184, screenHeight: 720, groups: GROUPS, above: 270, of: 2, K: 4, ...changes }), factors);
const places = (layouts) => layouts.map(({ rows, cols }) => [rows.start, rows.end, cols.start, cols.end]);

test("four maps that are compared fit the width, and their rows the screen", () => {
  const layouts = beside();
  assert.ok(layouts.reduce((sum, { width }) => sum + width, 0) <= 1184);
  for (const { height } of layouts) assert.ok(270 + height <= 720);
});

test("U and V take room that was kept for them", () => {
  const [without, withFactors] = [[0, 0, 0, 0], [0, 0, 4, 0]].map((factors) => beside({}, factors));
  assert.deepEqual(places(withFactors), places(without));
  const { across, down, rows, cols } = withFactors[2];
  assert.ok(across.start > 0 && across.end <= cols.start);
  assert.ok(down.start > 0 && down.end <= rows.start);
});

test("groups are named over their cells, with a gap between them", () => {
  const [first, second] = beside();
  assert.deepEqual(first.groups.rows.map(({ text }) => text), ["detective fans", "love-film fans"]);
  assert.equal(second.groups.rows.length, 0);
  assert.ok(first.groups.cols[1].start - first.groups.cols[0].end > 4);
});

test("a narrow screen has one map that is compared after the other, with rows that can be read", () => {
  const layouts = beside({ width: 358, screenHeight: 844 });
  assert.ok(layouts.every(({ rowLabels }) => rowLabels.length === 20));
  assert.ok(layouts.every(({ rows }) => rows.segments[0].pitch >= 14));
});

test("names of groups that do not add up to the rows are left out", () => {
  const [first] = beside({ groups: { rows: [["a", 3]], cols: [["b", 12]] } });
  assert.deepEqual(first.groups.rows, []);
});

/** All fit, and no two are equal. */
function checked(names, room) {
  const found = shortened(names, room, guessedWidth);
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
  assert.deepEqual(shortened(["Ana", "Ben", "Ana"], 20, guessedWidth, 30), ["Ana 31", "Ben", "Ana 33"]);
  checked(["x".repeat(300), "x".repeat(300), "x".repeat(299), "y"], 8);
  checked(Array(40).fill("Weißburgunder Spätlese trocken"), 6);
  checked(["1", "2", "2", "1"], 3);
});

test("a character that is several code points is not cut apart", () => {
  const family = "👩‍👩‍👧";
  const [found] = shortened([family.repeat(20)], 9, guessedWidth);
  assert.equal(found.replaceAll(family, ""), "…");
});

test("names from outside become one line of text that does not turn its surroundings", () => {
  const found = cleanNames(["<img src=x onerror=alert(1)>", "", "  a\n\tb ", "\u202eevil", null], 4, 6);
  assert.deepEqual(found, ["<img src=x onerror=alert(1)>", "6", "a b", "evil", "9", "10"]);
  assert.equal(isolated("Zoë"), "Zoë");
  assert.equal(isolated("שלום"), "\u2068שלום\u2069");
});
