import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { rgb } from "d3-color";

import { errorCurves } from "../../../../metamf/webapp/player/js/chart.js";
import { SHADES, paletteOf, shadeOf, signedScale, spanOf } from "../../../../metamf/webapp/player/js/colour.js";
import { smallRun } from "./runs.mjs";

const PALETTES = ["rating", "signed", "width"].flatMap((kind) => [false, true].map((dark) => ({ kind, dark, ...paletteOf(kind, dark) })));
const at = (bytes, shade) => [...bytes.slice(3 * shade, 3 * shade + 3)];
const parsed = (colour) => [rgb(colour).r, rgb(colour).g, rgb(colour).b];
const linear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = (colour) => colour.map(linear).reduce((sum, value, k) => sum + [0.2126, 0.7152, 0.0722][k] * value, 0);
const contrast = (a, b) => [a, b].map((colour) => luminance(colour) + 0.05).sort((p, q) => q - p).reduce((p, q) => p / q);

test("black or white on a cell has a contrast of 4.5 at least, in all palettes and both themes", () => {
  for (const { rgb: colours, bright } of PALETTES) {
    for (let shade = 0; shade < SHADES; shade++) {
      const ink = bright[shade] ? [0, 0, 0] : [255, 255, 255];
      assert.ok(contrast(at(colours, shade), ink) >= 4.5);
    }
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

// Machado, Oliveira and Fernandes (2009): what those see who lack one kind of cones.
const VISIONS = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};
const seen = (vision, colour) => VISIONS[vision].map((line) => line.reduce((sum, weight, k) => sum + weight * linear(colour[k]), 0));

/** Oklab of linear colours, Ottosson 2020. */
function oklab(seenColour) {
  const [r, g, b] = seenColour.map((value) => Math.min(1, Math.max(0, value)));
  const [l, m, s] = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]].map(([x, y, z]) => Math.cbrt(x * r + y * g + z * b));
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

test("the two pulls have colours of their own: no end of the errors, read on both pages, told apart by every vision", () => {
  const sheet = ["player.css", "inspector.css"].map((name) => readFileSync(new URL(`../../../../metamf/webapp/player/${name}`, import.meta.url), "utf8")).join("");
  const colour = (name, dark) => parsed(new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(sheet)[dark ? 2 : 1]);
  const apart = (a, b, vision) => Math.hypot(...oklab(seen(vision, a)).map((value, c) => value - oklab(seen(vision, b))[c]));
  for (const dark of [false, true]) {
    const page = parsed(dark ? "#12161c" : "#fdfcf9");
    const pulls = [colour("mfp-data-colour", dark), colour("mfp-prior-colour", dark)];
    const signs = paletteOf("signed", dark).rgb;
    const others = [at(signs, 0), at(signs, SHADES - 1), colour("mfc-up", dark), colour("mfc-down", dark)];
    for (const pull of pulls) {
      assert.ok(contrast(pull, page) >= 4.5); // symbols have it, too; bars would do with 3
      for (const other of others) assert.ok(apart(pull, other, "all") > 0.18, `${pull} and ${other}`);
      for (const vision of Object.keys(VISIONS)) for (const other of others) assert.ok(apart(pull, other, vision) > 0.05, `${pull} and ${other}, ${vision}`);
    }
    for (const vision of Object.keys(VISIONS)) assert.ok(apart(pulls[0], pulls[1], vision) > 0.2);
  }
});

test("the words beside the curves are read on a light page and on a dark one", () => {
  for (const [dark, page] of [[false, "#fdfcf9"], [true, "#12161c"]]) {
    for (const { colour } of errorCurves(smallRun(), dark)) assert.ok(contrast(parsed(colour), parsed(page)) >= 4.5, colour);
  }
});
