"""Questions about values that wide and long tables share: numbers that may mean missing, words without an order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from metamf.tables.columns import Look
from metamf.tables.layout import TableLayout
from metamf.tables.limits import Answer, Doubt
from metamf.tables.numbers import Meanings, NumberFormat
from metamf.wording import first_few, shown

_CODE = re.compile(r"(\D{1,8})(\d{1,2})")  # A1, SQ05
_GRADE = re.compile("[0-9]([+-]?)")
_SIGNS = "-", "", "+"


def marker_doubts(
    where: dict[float, list[int]],
    names: Sequence[str],
    form: NumberFormat,
    may_be_zero: bool,
    doubted: Collection[int] = (),
    ends: Mapping[int, tuple[float, float]] = MappingProxyType({}),
) -> list[Doubt]:
    """The questions whether numbers that stand apart mean missing, each with its columns; zero has one of its own, and
    where it ``may_be_zero``, or a number is the next step of a scale, the answer that loses nothing comes first. Each
    column of a number is named that is one of the ``ends`` of another one. They may be ratings but in columns that are
    ``doubted``: their question says so."""
    doubts = []
    for of_zero in (False, True):
        found = {value: there for value, there in sorted(where.items()) if (value == 0) is of_zero}
        if not found:
            continue
        markers: list[str] = []
        for value, there in found.items():
            text = form.text(value)
            apart = any(value in pair for j, pair in ends.items() if j not in there)
            markers += [f"{names[j]}={text}" for j in there] if apart else [text]
        columns = sorted({j for there in found.values() for j in there})
        rated = tuple(names[j] for j in columns if j not in doubted)
        one = len(found) == 1
        them = first_few([f"{value:.6g}" for value in found], 8)
        missing = Answer(f"{them} {'means' if one else 'mean'} missing", "missing_markers", tuple(markers))
        rating = Answer("it is a rating" if one else "they are ratings", "ratings", rated)
        answers = (missing, rating) if rated else (missing,)
        named = tuple(names[j] for j in columns)
        near = (
            bool(ends)
            and not of_zero
            and all(0 < value <= ends[j][1] + 1 for value, there in found.items() for j in there if j in ends)
        )
        far = "beyond the scale of" if near else "far from"
        contain, its = ("contains", "its") if len(named) == 1 else ("contain", "their")
        sentence = f"{first_few(list(map(shown, named)))} {contain} {them}, {far} {its} other values"
        first = near or (of_zero and may_be_zero)  # the answer that loses nothing
        doubts.append(Doubt(tuple(columns), named, sentence, answers[::-1] if first else answers))
    return doubts


def signs_of_grades(texts: Collection[str]) -> set[str]:
    """The signs behind a digit, as in 2+ and 2-, next to which plain numbers are grades, too."""
    return {match[1] for text in texts if (match := _GRADE.fullmatch(text)) and match[1]}


def order_doubt(layout: TableLayout, columns: list[int], m: Meanings) -> Doubt:
    """The question in which order the words of some columns stand, among grades such as 2+ plain numbers, too."""
    names = tuple(layout.column_names[j] for j in columns)
    counts: Counter[str] = Counter()
    for j in columns:
        counts.update(layout.looks[j].texts if layout.looks[j].look is Look.WORDS else {})
    order = _natural_order(counts)
    words = order or tuple(word for word, _ in counts.most_common())
    if len(signs_of_grades(counts)) == 2:
        texts = {m.texts[code].strip() for code in np.unique(layout.body[:, columns])}
        signs = _SIGNS[::-1] if "1-" in texts else _SIGNS  # 1 is the best grade, and 1- is behind it
        order = words = tuple(
            sorted(filter(_GRADE.fullmatch, texts), key=lambda text: (text[0], signs.index(text[1:])))
        )
    where, examples = first_few([shown(name) for name in names]), first_few([shown(word) for word in words], 6)
    alone = Answer("leave the words alone", "leave_alone", names)
    sentence = f"the order of the words in {where} is not known ({examples})"
    return Doubt(tuple(columns), names, sentence, (alone,), words, order is not None)


def _natural_order(words: Collection[str]) -> tuple[str, ...] | None:
    """The order of codes such as A1, A2, ..., A5, by their number; None for other words, whose order is not known."""
    found = [(match[1], int(match[2]), word) for word in words if (match := _CODE.fullmatch(word.strip()))]
    if len(found) < len(words) or len({letters for letters, _, _ in found}) != 1:
        return None
    return tuple(word for _, _, word in sorted(found))
