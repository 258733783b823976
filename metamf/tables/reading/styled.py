"""Columns whose ratings are words or decorated numbers: their texts get a meaning of their own.

What a text means is kept once for the whole table (``numerals``); "neutral" may be the third word of one column's scale
and the second of another's. So each text of such a column gets a new code, behind those of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metamf.tables.reading.cells import RatingCells
from metamf.tables.reading.numerals import NUMBER, NumberReading
from metamf.tables.reading.words import Style


def read_styles(
    cells: RatingCells, texts: list[str], numbers: NumberReading, styles: Sequence[Style | None]
) -> tuple[RatingCells, list[str], NumberReading]:
    """Cells, texts and meanings in which the words of styled columns are numbers.

    Parameters
    ----------
    cells : the rating cells of a wide table, all of its rows and columns
    texts : the different texts of the table
    numbers : their meanings elsewhere
    styles : the style of each column of the matrix, or None
    """
    if not any(styles):
        return cells, texts, numbers
    m = numbers.meanings
    codes = cells.codes.reshape(cells.shape).copy()
    new_texts, new_values = list(texts), []
    for j, style in enumerate(styles):
        if style is None:
            continue
        behind = dict(style.values)
        here, inverse = np.unique(codes[:, j], return_inverse=True)
        for k, code in enumerate(here):
            value = behind.get(texts[code].strip())
            if value is not None:
                here[k] = len(new_texts)
                new_texts.append(texts[code])
                new_values.append(value)
        codes[:, j] = here[inverse]
    n = len(new_values)
    meanings = replace(
        m,
        kinds=np.append(m.kinds, np.full(n, NUMBER, dtype=m.kinds.dtype)),
        values=np.append(m.values, new_values),
        mixed=np.append(m.mixed, np.zeros(n, dtype=bool)),
        padded=np.append(m.padded, np.zeros(n, dtype=bool)),
    )
    return replace(cells, codes=codes.reshape(-1)), new_texts, replace(numbers, meanings=meanings)
