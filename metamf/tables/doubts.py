"""Questions about values that wide and long tables share: numbers that may mean missing, words without an order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from metamf.tables.columns import Look
from metamf.tables.layout import TableLayout
from metamf.tables.limits import Answer, Doubt
from metamf.wording import first_few, shown

_CODE = re.compile(r"(\D{1,8})(\d{1,2})")  # A1, SQ05


def marker_doubt(
    values: Collection[float],
    markers: Sequence[str],
    columns: Sequence[int],
    names: tuple[str, ...],
    rated: tuple[str, ...],
) -> Doubt:
    """The question whether ``values`` that stand apart mean missing; ``markers`` say so, perhaps of single columns.
    They may be ratings of the columns ``rated``."""
    one = len(values) == 1
    them = first_few([f"{value:.6g}" for value in sorted(values)], 8)
    where = first_few([shown(name) for name in names])
    missing = Answer(f"{them} {'means' if one else 'mean'} missing", "missing_markers", tuple(markers))
    rating = Answer("it is a rating" if one else "they are ratings", "ratings", rated)
    sentence = (
        f"the number{'' if one else 's'} {them} {'stands' if one else 'stand'} in {where}, far from all others there"
    )
    return Doubt(tuple(columns), names, sentence, (missing, rating) if rated else (missing,))


def order_doubt(layout: TableLayout, columns: list[int]) -> Doubt:
    """The question in which order the words of some columns stand."""
    names = tuple(layout.column_names[j] for j in columns)
    counts: Counter[str] = Counter()
    for j in columns:
        counts.update(layout.looks[j].texts if layout.looks[j].look is Look.WORDS else {})
    order = _natural_order(counts)
    words = order or tuple(word for word, _ in counts.most_common())
    where, examples = first_few([shown(name) for name in names]), first_few([shown(word) for word in words], 6)
    alone = Answer("leave the words alone", "leave_alone", names)
    sentence = f"there are words whose order is not known ({examples}) in {where}"
    return Doubt(tuple(columns), names, sentence, (alone,), words, order is not None)


def _natural_order(words: Collection[str]) -> tuple[str, ...] | None:
    """The order of codes such as A1, A2, ..., A5, by their number; None for other words, whose order is not known."""
    found = [(match[1], int(match[2]), word) for word in words if (match := _CODE.fullmatch(word.strip()))]
    if len(found) < len(words) or len({letters for letters, _, _ in found}) != 1:
        return None
    return tuple(word for _, _, word in sorted(found))
