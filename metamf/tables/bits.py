"""Description lengths: how many bits the cells of a column take under a type.

Reading chooses the shortest description of a file (van den Burg, Nazabal and Sutton 2019; Ceritli,
Williams and Geddes 2020). A column is a list of different cells and how often each occurs; a text
costs ``CHARACTER`` bits a character, a number its place between the lowest and the highest one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

CHARACTER = 5.0  # bits; English text has one to two, names and codes about this
_DIGIT = float(np.log2(10))
_TYPE = 10.0  # bits to say that a column is one of numbers
_NEW = 12.0  # bits to say that a cell is none of its column's type


def entropy(counts: np.ndarray) -> float:
    """Bits of a sequence with these (k,) numbers of occurrences, by their own frequencies."""
    counts = np.asarray(counts, dtype=np.float64)
    counts = counts[counts > 0]
    total = counts.sum()
    return float((counts * np.log2(total / counts)).sum()) if len(counts) > 1 else 0.0


def text_bits(text: str) -> float:
    """Bits of a text that stands for itself."""
    return CHARACTER * (len(text) + 1)


def word_bits(texts: Sequence[str], counts: np.ndarray) -> float:
    """Bits of a column of words: each different one is spelled once."""
    return sum(map(text_bits, texts)) + entropy(counts) + _NEW


def odd_bits(texts: Sequence[str], counts: np.ndarray) -> float:
    """Bits of cells that are none of the type of their column."""
    return sum(text_bits(text) + _NEW for text in texts) + _NEW / 2 * float(np.sum(counts))


def shape_bits(texts: Sequence[str], counts: np.ndarray) -> float:
    """The same where many are alike but for their digits, such as (3.4) and 1:05.02: each shape is
    spelled once."""
    shapes: dict[str, float] = {}
    digits = 0.0
    for text, n in zip(texts, np.asarray(counts, dtype=float).tolist()):
        shape = re.sub(r"\d+", "0", text)
        shapes[shape] = shapes.get(shape, 0.0) + n
        digits += n * _DIGIT * sum(map(str.isdecimal, text))
    spelled = sum(text_bits(shape) + _NEW for shape in shapes)
    return spelled + digits + entropy(np.array(list(shapes.values())))


def number_bits(values: np.ndarray, counts: np.ndarray, decimals: np.ndarray | int) -> float:
    """Bits of a column of (k,) different numbers with these numbers of occurrences and decimals:
    how many decimals a cell has, and its place in the range in such steps; or each number once."""
    if not len(values):
        return 0.0
    places = np.broadcast_to(np.clip(decimals, -9, 9), np.shape(values))
    each = np.log2(float(np.ptp(values)) * 10.0**places + 2)
    _, kind = np.unique(places, return_inverse=True)
    alone = float(counts @ each) + entropy(np.bincount(kind, counts))
    unit = 10.0 ** float(places.max())
    ends = float(np.log2([abs(np.min(values)) * unit + 2, abs(np.max(values)) * unit + 2]).sum())
    return _TYPE + ends + min(alone, float(each.sum()) + entropy(counts))
