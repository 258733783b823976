import assert from "node:assert/strict";
import test from "node:test";

import { rgb } from "d3-color";

import { SHADES, paletteOf, shadeOf, signedScale, spanOf } from "../../../../metamf/webapp/player/js/colour.js";
import { paintBlock } from "../../../../metamf/webapp/player/js/paint.js";

const PALETTES = ["rating", "signed", "width"].flatMap((kind) => [false, true].map((dark) => ({ kind, dark, ...paletteOf(kind, dark) })));
const at = (bytes, shade) => [...bytes.slice(3 * shade, 3 * shade + 3)];
const parsed = (colour) => [rgb(colour).r, rgb(colour).g, rgb(colour).b];
const linear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = (colour) => colour.map(linear).reduce((sum, value, k) => sum + [0.2126, 0.7152, 0.0722][k] * value, 0);
const contrast = (a, b) => [a, b].map((colour) => luminance(colour) + 0.05).sort((p, q) => q - p).reduce((p, q) => p / q);

test("the numbers on cells have a contrast of 4.5 at least, in all palettes and both themes", (t) => {
  const written = [];
  const nothing = () => {};
  const image = { createImageData: (n, m) => ({ data: new Uint8ClampedArray(4 * n * m) }), putImageData: nothing };
  globalThis.document = { createElement: () => ({ getContext: () => image }) };
  t.after(() => delete globalThis.document);
  const context = { fillText(text) { written.push([text, parsed(this.fillStyle)]); } };
  for (const name of ["beginPath", "rect", "stroke", "drawImage", "clearRect"]) context[name] = nothing;
  const axis = (count) => ({ start: 0, end: 20 * count, count, gap: 0, segments: [{ from: 0, start: 0, count, pitch: 20 }] });
  const values = Array.from({ length: SHADES }, (_, shade) => (2 * shade) / (SHADES - 1) - 1);
  for (const { kind, dark, rgb: colours } of PALETTES) {
    const scale = { kind, low: -1, high: 1 };
    written.length = 0;
    paintBlock(context, { scale, values, marks: null }, [axis(1), axis(SHADES)], { dark, density: 1 }, { size: 12, text: String });
    assert.equal(written.length, SHADES);
    for (const [text, ink] of written) assert.ok(contrast(at(colours, shadeOf(scale, Number(text))), ink) >= 4.5);
  }
});

test("ratings grow brighter, widths stand out more and more from the page, signed values on both sides of zero", () => {
  const lights = (palette) => Array.from({ length: SHADES }, (_, shade) => luminance(at(palette.rgb, shade)));
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
  const signs = paletteOf("signed", true);
  const shade = (value) => at(signs.rgb, shadeOf(signedScale(1), value));
  const away = (a, b) => Math.hypot(...a.map((value, c) => value - b[c]));
  for (const value of [-0.1, 0.1]) assert.ok(away(shade(value), shade(0)) > 10);
  assert.ok(away(shade(0), parsed("#12161c")) > 40);
});

test("widths have a palette of their own", () => {
  const [ratings, widths] = ["rating", "width"].map((kind) => paletteOf(kind, false));
  for (let shade = 0; shade < SHADES; shade += 8) {
    const nearest = Math.min(...Array.from({ length: SHADES }, (_, k) => Math.hypot(...at(ratings.rgb, k).map((value, c) => value - at(widths.rgb, shade)[c]))));
    assert.ok(nearest > 30);
  }
});

test("the ends of a scale have the ends of the palette, zero its middle, nothing lies beyond, and equal ends have one colour", () => {
  const scale = signedScale(2);
  assert.deepEqual([-9, -2, 0, 2, 9].map((value) => shadeOf(scale, value)), [0, 0, 127, 254, 254]);
  assert.deepEqual([NaN, Infinity, -Infinity].map((value) => shadeOf(scale, value)), [-1, -1, -1]);
  const flat = { kind: "width", low: 4, high: 4 };
  assert.equal(new Set([0, 4, 9].map((value) => shadeOf(flat, value))).size, 1);
  assert.deepEqual(signedScale(0), { kind: "signed", low: -1, high: 1 });
  assert.deepEqual(spanOf([NaN, 3, Infinity, -1]), [-1, 3]);
  assert.equal(spanOf([NaN]), null);
});
