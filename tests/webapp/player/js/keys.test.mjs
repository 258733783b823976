import assert from "node:assert/strict";
import test from "node:test";

import { meaning } from "../../../../metamf/webapp/player/js/keys.js";

const rest = { playing: false, edited: false };
/** The focus is in elements of these names: a selector matches if it names one of them. */
const focus = (...names) => (selector) => selector.split(",").some((part) => names.includes(part.trim()));

test("keys mean steps where nothing with keys of its own has the focus", () => {
  const meant = ["ArrowLeft", "ArrowRight", "Home", "End", " ", "?", "l", "L", "x", "Tab"].map((key) => meaning(key, rest, focus()));
  assert.deepEqual(meant, ["back", "forward", "first", "last", "play", "sheet", "lecture", "lecture", null, null]);
  assert.equal(meaning(" ", { playing: true }, focus()), "pause");
});

test("a field, a slider and a choice keep their own keys", () => {
  for (const name of ["input", "textarea", "select", "[contenteditable]", "[role=slider]", "[role=radiogroup]", "[role=grid]"]) {
    for (const key of ["ArrowLeft", "ArrowRight", "Home", "End", " "]) {
      assert.equal(meaning(key, rest, focus(name)), null, `${key} in ${name}`);
    }
  }
});

test("a button and a link keep the space key, and no other", () => {
  for (const name of ["button", "a", "summary"]) {
    assert.equal(meaning(" ", rest, focus(name)), null);
    assert.equal(meaning("ArrowRight", rest, focus(name)), "forward");
  }
});

test("keys that write a character can be switched off, and are characters where somebody types", () => {
  for (const [key, means] of [["?", "sheet"], ["l", "lecture"]]) {
    assert.equal(meaning(key, rest, focus(), false), null);
    for (const name of ["input", "textarea", "[role=combobox]"]) assert.equal(meaning(key, rest, focus(name)), null);
    for (const name of ["button", "[role=radiogroup]", "[role=application]"]) assert.equal(meaning(key, rest, focus(name)), means);
    assert.equal(meaning(key, rest, focus("input", "[type=radio]")), means);
  }
});

test("D turns to the difference where there is one, in a choice, too, and is a letter in a field", () => {
  const edited = { playing: false, edited: true };
  assert.equal(meaning("d", edited, focus()), "difference");
  assert.equal(meaning("D", edited, focus("input", "[type=radio]")), "difference");
  assert.equal(meaning("d", edited, focus("input")), null);
  assert.equal(meaning("d", edited, focus(), false), null);
  assert.equal(meaning("d", rest, focus()), null);
});
