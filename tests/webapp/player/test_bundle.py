"""The modules of the player joined into one: in their order, each once, and refused where a name would be lost."""

import re

import pytest
from javascript import node

from metamf.webapp.player import bundle

MAIN = """\
import { twice as double } from "./b.js";
import { one } from "./a.js";

const help = 5;
export default () => double(one) + help;
"""
A = "/** One. */\nexport const one = 1;\nconst help = 2;\nexport let unused = help;\n"
B = """\
/**
 * @param {number} value
 */
import {
  one,
} from "./a.js";

const help = (value) => value + one;
export function twice(value) {
  return help(value);
}
"""


@pytest.fixture
def folder(tmp_path):
    def write(**modules):
        for name, text in ({"main": MAIN, "a": A, "b": B} | modules).items():
            (tmp_path / f"{name}.js").write_text(text, "utf-8")
        return tmp_path

    return write


def test_the_joined_text_is_one_module_that_does_the_same_and_keeps_private_names_apart(folder):
    text = bundle.join(folder(), "main.js")
    assert text.count("one = 1") == 1 and not re.search("^import", text, re.M)
    (folder() / "joined.mjs").write_text(text, "utf-8")
    ask = f"import main from {str(folder() / 'joined.mjs')!r}; console.log(main())"
    assert node("--input-type=module", "--eval", ask) == "7\n"


@pytest.mark.parametrize(
    "modules, message",
    [
        ({"a": "const one = 1;\n"}, "imports 'one', which a.js does not export"),
        ({"a": 'import { twice } from "./b.js";\n' + A}, "in a circle: main.js -> b.js -> a.js -> b.js"),
        ({"a": 'import * as all from "./b.js";\n' + A}, "a.js: write"),
        ({"a": 'import { x } from "left-pad";\n' + A}, "a.js: write"),
        ({"a": "const one = 1;\nexport { one };\n", "b": B}, "does not export"),
        ({"a": A + "export default 3;\n"}, "a.js: write"),
    ],
)
def test_what_could_not_be_joined_is_refused(folder, modules, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        bundle.join(folder(**modules), "main.js")
