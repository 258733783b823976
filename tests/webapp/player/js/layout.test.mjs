import assert from "node:assert/strict";
import test from "node:test";

import { cellOn, cellUnder, mapLayouts, nameUnder, productLayouts, productsPerRow } from "../../../../metamf/webapp/player/js/layout.js";
import { cleanNames, isolated, shortened } from "../../../../metamf/webapp/player/js/names.js";
import { guessedWidth } from "./runs.mjs";

const FILMS = ["The Clockmaker's Otter", "Seven Lamps of Vell", "Pier Zero at Dusk", "A Ledger of Foxes", "Paper Comets Fall", "Last Tram to Ondra", "Salt and Semaphore", "Grandmother's Rocket", "Under a Copper Sea", "The Polite Volcano", "Nine Umbrellas North", "Harvest of Static", "The Lighthouse Auditor", "Waltz for a Submarine"];

/** @param {object} [changes] */
function request(changes = {}) {
  const { n = 20, m = 14 } = changes;
  return {
    n,
    m,
    rowNames: Array.from({ length: n }, (_, i) => `Adila ${i}`),
    colNames: Array.from({ length: m }, (_, j) => FILMS[j] ?? `Film ${j}`),
    rowsNamed: true,
    colsNamed: true,
    top: 0,
    left: 0,
    width: 1040,
    screenWidth: 1440,
    screenHeight: 900,
    lecture: false,
    density: 1,
    measure: guessedWidth,
    widths: { number: 1.25, whole: 0.5, signed: 1.75 },
    ...changes,
  };
}

const PHONE = { width: 358, screenWidth: 390, screenHeight: 844, density: 3 };
const HALL = { width: 1524, screenWidth: 1920, screenHeight: 1080 };

test("maps stand side by side on a wide screen, aligned, and one below the other with row names on a phone", () => {
  const wide = mapLayouts(request(), 3);
  assert.equal(wide.perRow, 3);
  assert.ok(wide.named.width + 2 * wide.bare.width + 2 * wide.space <= 1040);
  assert.deepEqual(wide.named.rows, wide.bare.rows);
  assert.equal(wide.named.cols.segments[0].pitch, wide.bare.cols.segments[0].pitch);
  assert.equal(wide.named.rowLabels.length, 20);
  const phone = mapLayouts(request(PHONE), 3);
  assert.equal(phone.perRow, 1);
  assert.ok(phone.named.width <= 358);
  assert.equal(phone.named.rowLabels.length, 20);
});

test("numbers of cells are at least 14 px at 1920, 20 px in lecture mode", () => {
  const hall = mapLayouts(request(HALL), 3);
  assert.ok(hall.named.numberSize >= 14 && hall.named.nameSize >= 14);
  for (const size of [HALL, { ...HALL, width: 1824 }, { width: 1344 }]) {
    assert.ok(mapLayouts(request({ ...size, lecture: true }), 3).named.numberSize >= 20);
  }
  assert.ok(productLayouts(request({ ...HALL, factors: 32 }), 2).named.numberSize >= 14);
});

test("24 and 30 columns have numbers from the last row, in fewer maps side by side, and so have products in lecture mode", () => {
  for (const [n, m] of [[30, 24], [30, 30]]) {
    const hall = mapLayouts(request({ ...HALL, n, m }), 3);
    assert.ok(hall.perRow === 2 && hall.named.numberSize >= 14, `${m} columns: ${hall.named.numberSize}`);
    assert.equal(mapLayouts(request({ n, m }), 3).perRow, 3); // on a desk the three maps stay side by side
    for (const width of [HALL.width, 1824]) {
      const room = { ...HALL, width, n, m, lecture: true };
      const maps = mapLayouts(request(room), 3);
      assert.ok(maps.named.numberSize >= 20 && maps.perRow <= 2 && maps.named.width <= width);
      for (const special of [0, 2]) {
        const { perRow, named } = productLayouts(request({ ...room, factors: 32 + special, special }), 2);
        assert.ok(perRow <= 2 && named.numberSize >= 20 && perRow * named.width <= width);
      }
    }
  }
  assert.equal(productLayouts(request({ ...HALL, factors: 32, lecture: true }), 2).perRow, 2); // 14 columns have room
  assert.equal(productLayouts(request({ ...HALL, n: 300, m: 300, factors: 32, lecture: true }), 2).perRow, 2);
  assert.equal(mapLayouts(request({ ...HALL, n: 300, m: 300, lecture: true }), 3).perRow, 3); // nothing would help
});

test("a product of 24 columns, and one of the paper's size, has numbers from the last row outside of lecture mode, too, beside the other", () => {
  for (const [m, special] of [[24, 0], [24, 2], [30, 0]]) {
    const rooms = request({ ...HALL, n: 30, m, factors: 32 + special, special });
    const { perRow, named, bare, space } = productLayouts(rooms, 2);
    assert.ok(perRow === 2 && named.numberSize >= 14, `${m} columns: ${named.numberSize}`);
    assert.ok(named.width + space + bare.width <= HALL.width);
    assert.ok(named.across.segments[named.across.segments.length - 1].pitch >= 3 && named.rowLabels.length === 30); // a factor can be pointed at
    assert.deepEqual([named.rows, named.down, bare.cols.segments[0].pitch], [bare.rows, bare.down, named.cols.segments[0].pitch]);
  }
  assert.equal(productLayouts(request({ ...HALL, factors: 32 }), 2).bare.rowLabels.length, 20); // each has names where there is room
});

test("outside of lecture mode 30 columns have no numbers beside coordinates that stand apart, nor at 1440: factors would be thinner than 3 px", () => {
  const extended = productLayouts(request({ ...HALL, n: 30, m: 30, factors: 34, special: 2 }), 2);
  assert.deepEqual([extended.perRow, extended.named.numberSize], [2, 0]);
  const desk = productLayouts(request({ n: 30, m: 30, factors: 32 }), 2);
  assert.deepEqual([desk.perRow, desk.named.numberSize], [2, 0]);
});

test("given ratings of 30 columns have their numbers on a phone, and those of 300 have none", () => {
  const { named } = mapLayouts(request({ ...PHONE, n: 30, m: 30 }), 3);
  assert.deepEqual([named.numberSize, named.wholeSize], [0, 10.5]);
  assert.equal(mapLayouts(request({ ...PHONE, n: 300, m: 300 }), 3).named.wholeSize, 0);
});

test("signed maps have numbers wherever maps of ratings have, in smaller type", () => {
  for (const size of [PHONE, {}, HALL, { ...HALL, lecture: true }]) {
    for (const m of [8, 14, 20, 24, 30]) {
      const { named } = mapLayouts(request({ ...size, n: 30, m }), 3);
      assert.equal(named.signedSize > 0, named.numberSize > 0, `${m} columns`);
    }
  }
});

test("cells that are too small have no numbers, and 300 x 300 fit every screen", () => {
  for (const size of [PHONE, {}, HALL]) {
    const large = mapLayouts(request({ ...size, n: 300, m: 300 }), 3);
    const room = request(size).width;
    assert.equal(large.named.numberSize, 0);
    assert.ok(large.named.width <= room + 1);
    assert.ok(large.named.rowLabels.length < 300 && large.named.rowLabels.length > 5);
  }
});

test("a product is aligned: rows with U, columns with V transposed, factors alike in both", () => {
  for (const size of [PHONE, {}, HALL, { ...HALL, lecture: true }]) {
    const perRow = size === PHONE ? 1 : 2;
    const { named: layout } = productsPerRow(request({ ...size, factors: 34, special: 2 }), perRow);
    const { rows, cols, across, down } = layout;
    assert.deepEqual([rows.count, cols.count, across.count, down.count], [20, 14, 34, 34]);
    assert.ok(across.end < cols.start && down.end < rows.start);
    for (let k = 0; k < 34; k++) assert.equal(cellOn(across, k)[1], cellOn(down, k)[1]);
    assert.ok(perRow * layout.width <= request(size).width + 1);
    assert.ok(layout.colLabels.every(({ y }) => y <= down.start) && layout.rowLabels.every(({ x }) => x <= across.start));
  }
});

test("the cell under a pixel is the one that was drawn there", () => {
  const { named } = mapLayouts(request(), 3);
  for (const axis of [named.rows, named.cols]) {
    for (let at = 0; at < axis.count; at++) {
      const [start, size] = cellOn(axis, at);
      assert.equal(cellUnder(axis, start + size / 2), at);
    }
    assert.equal(cellUnder(axis, axis.start - 1), -1);
    assert.equal(cellUnder(axis, axis.end + 1), -1);
  }
});

test("a name under the pointer stands for its row or its column, slanted or not", () => {
  for (const layout of [mapLayouts(request(), 3).named, mapLayouts(request(PHONE), 3).named, productsPerRow(request({ factors: 8 }), 2).named]) {
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
      const { named } = mapLayouts(request({ ...size, n, m }), 3);
      const gaps = named.rowLabels.slice(1).map(({ y }, k) => y - named.rowLabels[k].y);
      assert.ok(Math.min(...gaps) >= 10);
      assert.equal(new Set(named.colLabels.map(({ text }) => text)).size, named.colLabels.length);
    }
  }
});

test("whole names are uncut on a phone and on a wide screen", () => {
  for (const size of [PHONE, {}, HALL]) {
    const shown = (whole) => mapLayouts(request({ ...size, whole }), 1).named.colLabels.map(({ text }) => text);
    assert.deepEqual(shown(true), FILMS);
    assert.notDeepEqual(shown(false), FILMS);
  }
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
