import assert from "node:assert/strict";
import test from "node:test";

import { SHADES, contrast, luminance, paletteOf, parseColour, shadeOf, signedScale, spanOf } from "../../../../metamf/webapp/player/js/colour.js";

const PALETTES = ["rating", "signed", "width"].flatMap((kind) => [false, true].map((dark) => ({ kind, dark, ...paletteOf(kind, dark) })));
const at = (rgb, shade) => [...rgb.slice(3 * shade, 3 * shade + 3)];

test("black or white on a cell has a contrast of 4.5 at least, in all palettes and both themes", () => {
  for (const { rgb, bright } of PALETTES) {
    for (let shade = 0; shade < SHADES; shade++) {
      const ink = bright[shade] ? [0, 0, 0] : [255, 255, 255];
      assert.ok(contrast(at(rgb, shade), ink) >= 4.5);
    }
  }
});

test("ratings grow brighter, widths stand out more and more from the page, signed values on both sides of zero", () => {
  const lights = ({ rgb }) => Array.from({ length: SHADES }, (_, shade) => luminance(at(rgb, shade)));
  const rises = (values) => values.every((value, k) => k === 0 || value >= values[k - 1] - 1e-3);
  for (const palette of PALETTES) {
    const found = lights(palette);
    const middle = (SHADES - 1) / 2;
    if (palette.kind === "rating") assert.ok(rises(found));
    if (palette.kind === "width") assert.ok(rises(palette.dark ? found : found.reverse()));
    if (palette.kind === "signed") {
      const sides = [found.slice(0, middle + 1).reverse(), found.slice(middle)];
      for (const side of sides) assert.ok(rises(palette.dark ? side : side.reverse()));
    }
  }
});

test("a small error is seen on a dark page: a tenth of the range differs from zero, and zero from the page", () => {
  const { rgb } = paletteOf("signed", true);
  const shade = (value) => at(rgb, shadeOf(signedScale(1), value));
  const away = (a, b) => Math.hypot(...a.map((value, c) => value - b[c]));
  for (const value of [-0.1, 0.1]) assert.ok(away(shade(value), shade(0)) > 10);
  assert.ok(away(shade(0), parseColour("#12161c")) > 40);
});

test("widths have a palette of their own", () => {
  const [ratings, widths] = ["rating", "width"].map((kind) => paletteOf(kind, false));
  for (let shade = 0; shade < SHADES; shade += 8) {
    const nearest = Math.min(...Array.from({ length: SHADES }, (_, k) => Math.hypot(...at(ratings.rgb, k).map((value, c) => value - at(widths.rgb, shade)[c]))));
    assert.ok(nearest > 30);
  }
});

test("the ends of a scale have the ends of the palette, zero its middle, and nothing lies beyond", () => {
  const scale = signedScale(2);
  assert.deepEqual([-9, -2, 0, 2, 9].map((value) => shadeOf(scale, value)), [0, 0, 127, 254, 254]);
  assert.deepEqual([NaN, Infinity, -Infinity].map((value) => shadeOf(scale, value)), [-1, -1, -1]);
});

test("a scale whose ends are equal has one colour", () => {
  const flat = { kind: "width", low: 4, high: 4 };
  assert.equal(new Set([0, 4, 9].map((value) => shadeOf(flat, value))).size, 1);
  assert.deepEqual(signedScale(0), { kind: "signed", low: -1, high: 1 });
});

test("spans leave out what is not a number", () => {
  assert.deepEqual(spanOf([NaN, 3, Infinity, -1]), [-1, 3]);
  assert.equal(spanOf([NaN]), null);
});

test("colours of style sheets are read", () => {
  assert.deepEqual(["#fff", "#12161c", "rgb(1, 2, 3)", "rgba(4 5 6 / 0.5)", "none"].map(parseColour), [[255, 255, 255], [18, 22, 28], [1, 2, 3], [4, 5, 6], [0, 0, 0]]);
});
