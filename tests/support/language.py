"""English of the field, as far as a program hears it: docstrings begin with a noun or a verb, "is not a number"."""

import ast
import re

from source_files import nodes

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_NO_NOUN = "Of|By|As|From|What|Where|Which"
_FIRST = re.compile(rf"(?:{_NO_NOUN})\b")
_NAMES = r"^(?P<indent> *)[*\w]+(?:, [*\w]+)* : "
_FIELD = re.compile(rf"{_NAMES}(?:(?:{_NO_NOUN.lower()})\b.*|.*\n(?P=indent)    (?:{_NO_NOUN})\b.*)", re.MULTILINE)

#: "no number" after "is" or its like, also across lines, comments and parts of a text, and in the name of a test.
_BETWEEN = r"""(?:[\s_]|\n\s*(?:\#|//|\*)|["']\s*\n\s*[frb]?["'])+"""
_COMPARED = "longer|more|less|slower|faster|better|worse|larger|smaller|greater|fewer|lower|higher|closer|shorter|later"
_IS_NO = re.compile(
    rf"(?<![^\W_])(?P<there>(?:there|here){_BETWEEN})?(?:is|are|was|were){_BETWEEN}no{_BETWEEN}"
    rf"(?!(?:{_COMPARED})(?![^\W_]))(?P<noun>[^\W\d_]+)",
    re.IGNORECASE,
)

#: "So" and "many" in place of a number; "that" follows where they tell of a consequence.
_INDEFINITE = re.compile(
    r"""(?<![^\W_])so(?:_|\s|["']\s*\n\s*[frb]?["'])+many(?![^\W_])(?P<rest>[^.;:!?]{0,300})""", re.IGNORECASE
)


def first_lines_without_a_noun(files: dict[str, str]) -> list[str]:
    """Docstrings whose first line begins with Of, By, What and their like, where a noun or a verb is wanted."""
    return [
        f"{path}:{line}: {text.splitlines()[0]}"
        for path, source in files.items()
        for line, text in docstrings(source)
        if _FIRST.match(text)
    ]


def fields_without_a_noun(files: dict[str, str]) -> list[str]:
    """Fields of docstrings such as ``noise : of the ratings``, where ``noise : variance of the ratings`` is wanted.

    Of a field with a type it is the line below that has the noun.
    """
    return [
        f"{path}:{line}: {' '.join(field[0].split())}"
        for path, source in files.items()
        for line, text in docstrings(source)
        for field in _FIELD.finditer(text)
    ]


def negated_nouns(files: dict[str, str]) -> list[str]:
    """Texts that say "no number" of a thing, where "is not a number" is wanted; "there is no number" is English."""
    return [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {' '.join(found[0].split())}"
        for path, text in files.items()
        for found in _IS_NO.finditer(text)
        if not found["there"]
    ]


def indefinite_numbers(files: dict[str, str]) -> list[str]:
    """Texts with "so" before "many" where "a given number of" is wanted; with a consequence, "that", it is fine."""
    return [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {' '.join(found[0].split())[:60]}"
        for path, text in files.items()
        for found in _INDEFINITE.finditer(text)
        if not re.search(r"\bthat\b", found["rest"])
    ]


def docstrings(source: str) -> list[tuple[int, str]]:
    """(line, text) of each docstring of a file."""
    found = [node for node in nodes(source) if isinstance(node, _DOCUMENTED) and ast.get_docstring(node)]
    return [(node.body[0].lineno, ast.get_docstring(node)) for node in found]
