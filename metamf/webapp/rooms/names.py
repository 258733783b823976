"""Names that strangers type: one line of ordinary characters, whatever was sent."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

_MOST_MARKS = 2  # on one letter: what languages need
_DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn")  # controls, directions, halves of characters, and what has no meaning
_READ = 4000  # characters of a text that are looked at: more is not a name


def tidy(text: str) -> str:
    """The text on one line: no control characters, none that turn the direction of writing, no towers of accents."""
    kept, marks = [], 0
    for character in unicodedata.normalize("NFC", text[:_READ]):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > _MOST_MARKS:
            continue
        if character.isspace():
            kept.append(" ")
        elif kind not in _DROPPED:
            kept.append(character)
    return re.sub(" +", " ", "".join(kept)).strip()


def is_there(name: str) -> bool:
    """Whether anything of a tidy name can be seen: accents alone and the blank letters of Hangul cannot."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in "\u115f\u1160\u3164\uffa0\u2800" for c in name)


def distinct(name: str, taken: Container[str]) -> str:
    """The name, with the first number behind it that makes it unlike all that are ``taken``."""
    number, new = 2, name
    while new in taken:
        new, number = f"{name} {number}", number + 1
    return new
