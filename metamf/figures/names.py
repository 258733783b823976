"""Names beside a figure in the room that there is: cut, and never cut to the same text.

The rule of ``metamf/webapp/player/js/names.js``: a name that fits stays as it is; others lose their end or, where that
would make two names equal, what they share; names that are equal get their position, too. So the same names read alike
in the player and in a figure of Plotly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

ELLIPSIS = "…"
NEAR = 4  # letters within which a word's beginning is shown with its difference
# Control characters, and marks that would turn the direction of what stands beside a name.
_INVISIBLE = re.compile("[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_SHARED = 0.45  # of the room for the start that names of a group share
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u2600-\u27bf\U0001f000-\U0001faff]"
)


def cleaned(names: Sequence[str], first: int = 0) -> list[str]:
    """The names without what cannot be seen; the position in the matrix, from 1, where there is no name."""
    texts = (" ".join(_INVISIBLE.sub(" ", str(name)).split()) for name in names)
    return [text or str(first + at + 1) for at, text in enumerate(texts)]


def guessed_width(text: str) -> float:
    """Guessed width of a text in a font of size 1."""
    return sum(map(_width, text))


def _width(character: str) -> float:
    if _WIDE.match(character):
        return 1.0
    if unicodedata.category(character) == "Mn" or character == "\u200d":
        return 0.0
    if character in "mwMW@%":
        return 0.83
    if unicodedata.category(character) == "Lu":
        return 0.62
    return 0.27 if character in "ilj.,:;'’|! " else 0.51


def shortened(
    names: Sequence[str], room: float, measure: Callable[[str], float] = guessed_width, first: int = 0
) -> list[str]:
    """Names that fit and differ.

    Parameters
    ----------
    names : sequence of str
        The names.
    room : float
        Width that a name may have, in the units of ``measure``.
    measure : callable
        The width of a text.
    first : int
        Position of the first name in the matrix, from 0: what names that are equal get beside them.
    """
    letters = [graphemes(name) for name in names]
    short = [_end_cut(parts, room, measure) for parts in letters]
    for group in _groups(short):
        if len(group) > 1:
            _keep_the_difference(group, letters, short, room, measure)
    return _numbered(short, room, measure, first)


def graphemes(text: str) -> list[str]:
    """Characters as a reader counts them: a letter with its accents, an emoji with its joined parts."""
    found: list[str] = []
    for character in text:
        joined = found and (found[-1].endswith("\u200d") or character == "\u200d" or _extends(character))
        if joined:
            found[-1] += character
        else:
            found.append(character)
    return found


def _extends(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= character <= "\U0001f3ff"


def _end_cut(letters: Sequence[str], room: float, measure: Callable[[str], float], start: str = "") -> str:
    """The text of ``start`` and as many letters as fit after it."""
    whole = start + "".join(letters)
    if measure(whole) <= room:
        return whole
    low, high = 0, len(letters) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if measure(start + "".join(letters[:middle]).rstrip() + ELLIPSIS) <= room:
            low = middle
        else:
            high = middle - 1
    return start + "".join(letters[:low]).rstrip() + ELLIPSIS


def _groups(texts: Sequence[str]) -> list[list[int]]:
    """Positions of equal texts."""
    groups: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        groups.setdefault(text, []).append(at)
    return list(groups.values())


def _keep_the_difference(
    group: list[int], letters: list[list[str]], short: list[str], room: float, measure: Callable[[str], float]
) -> None:
    """Gives names that would be cut to the same text a start, an ellipsis, and the part where they differ."""
    members = [letters[at] for at in group]
    shortest, same = min(map(len, members)), 0
    while same < shortest and all(parts[same] == members[0][same] for parts in members):
        same += 1
    if all(len(parts) == same for parts in members):
        return  # the whole names are equal
    head = _end_cut(members[0][:same], room * _SHARED, measure).removesuffix(ELLIPSIS).rstrip()
    shared = len(graphemes(head))
    begin = _word_start(members[0], same, shared)
    start = head + ELLIPSIS if begin > shared else "".join(members[0][:begin])
    for at in group:
        short[at] = _end_cut(letters[at][begin:], room, measure, start)
    for still in _groups([short[at] for at in group]):
        if 1 < len(still) < len(group):
            _keep_the_difference([group[k] for k in still], letters, short, room, measure)


def _word_start(letters: Sequence[str], at: int, least: int) -> int:
    """The beginning of the word or number that holds the first difference, if that is near."""
    begin = at
    while begin > least and at - begin < NEAR and _in_word(letters, begin - 1):
        begin -= 1
    whole = begin == 0 or not _in_word(letters, begin - 1)
    return begin if whole else at


def _in_word(letters: Sequence[str], at: int) -> bool:
    return 0 <= at < len(letters) and any(unicodedata.category(character)[0] in "LN" for character in letters[at])


def _numbered(short: list[str], room: float, measure: Callable[[str], float], first: int) -> list[str]:
    """Texts that are still equal get their position in the matrix."""
    found = list(short)
    repeated = [at for group in _groups(short) if len(group) > 1 for at in group]
    taken = set(short) - {short[at] for at in repeated}
    for at in repeated:
        mark = f" {first + at + 1}"
        text = _end_cut(graphemes(short[at].removesuffix(ELLIPSIS)), room - measure(mark), measure) + mark
        if measure(text) > room or text in taken:
            text = str(first + at + 1)
        again = 2
        while text in taken:
            text, again = f"{first + at + 1}/{again}", again + 1
        taken.add(text)
        found[at] = text
    return found
