"""Every number that stands at the top of a module says what it is: in a comment on its line, or above its group."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "metamf"
NAME = re.compile(r"_?[A-Z][A-Z0-9_]*")
WORDS = re.compile(r"#:?\s*\S+ \S+")


def numbers_without_words(text: str) -> list[str]:
    """Names of the constants of a module that hold numbers alone and that no comment explains.

    A comment explains the constant on its line, or those that follow it without an empty line.
    """
    lines, found = text.splitlines(), []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names = [part.id for part in getattr(target, "elts", [target]) if isinstance(part, ast.Name)]
        parts = list(ast.walk(node.value))
        literals = [part.value for part in parts if isinstance(part, ast.Constant)]
        only_numbers = literals and all(type(value) in (int, float) for value in literals)
        if not names or not all(map(NAME.fullmatch, names)) or not only_numbers:
            continue
        if any(isinstance(part, ast.Name | ast.Call) for part in parts):
            continue
        first = node.lineno - 1
        while first and lines[first - 1].strip():
            first -= 1
        if not any(WORDS.search(line) for line in lines[first : node.end_lineno]):
            found += names
    return found


def test_every_number_is_explained():
    modules = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    assert len(modules) > 300
    found = [
        f"{path.relative_to(PACKAGE)}: {name}" for path, text in modules.items() for name in numbers_without_words(text)
    ]
    assert found == []


def test_a_number_without_words_is_noticed():
    assert numbers_without_words("A = 3\n") == ["A"]
    assert numbers_without_words("A = 3  # cells; chosen by hand\nB, C = 1, 2.5\n") == [], "the comment is of the group"
    assert numbers_without_words("A = 3  # cells\n\n_B = (1, 2)\n") == ["A", "_B"], "one word says nothing"
    assert numbers_without_words('A = "text"\nB = len("text")\nc = 3\nD = True\n') == []
