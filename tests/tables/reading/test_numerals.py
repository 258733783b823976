"""Texts become numbers: the format that most cells have, and what each text means in it."""

import numpy as np
import pytest

from metamf.tables import ReadOptions
from metamf.tables.reading.numerals import INFINITE, NO_VALUE, NUMBER, TEXT, NumberFormat, guess_format, understand


def guess(*texts, delimiter=",", decimal=None, thousands=None):
    return guess_format(list(texts), np.ones(len(texts), dtype=int), delimiter, decimal, thousands)


@pytest.mark.parametrize(
    "texts, decimal, thousands",
    [
        (("1", "2.5"), ".", ""),
        (("1,5", "2,25"), ",", ""),
        (("1.234,5", "2"), ",", "."),
        (("1,234.5", "2"), ".", ","),
        (("12 000,5", "2"), ",", " "),
        (("1'234.5",), ".", "'"),
        (("1.234",), ".", ""),
        (("46,5 %", "7 %"), ",", ""),
        (("4.5 stars", "3 stars"), ".", ""),
        (("46,5 %", "7.5"), ".", ""),  # a plain number tells more than what stands in a text
    ],
)
def test_the_format_that_reads_the_cells_is_found(texts, decimal, thousands):
    assert guess(*texts) == (NumberFormat(decimal, thousands), False)


def test_one_comma_may_be_either_and_the_delimiter_decides():
    assert guess("1,234") == (NumberFormat(".", ","), True)
    assert guess("1,234", delimiter=";") == (NumberFormat(",", ""), True)
    assert guess("1,234", decimal=",") == (NumberFormat(",", ""), False)


def test_most_cells_decide():
    texts, counts = ["1,5", "2.5"], np.array([9, 1])
    assert guess_format(texts, counts, ";", None, None)[0] == NumberFormat(",", "")
    assert guess_format(texts, counts[::-1], ";", None, None)[0] == NumberFormat(".", "")


def test_every_text_has_one_meaning():
    texts = ["", " NA ", "3", "-2.5", "\u22121", "inf", "1e999", "abc", "007", "99", "2,5"]
    found = understand(np.arange(len(texts)), texts, ",", ReadOptions(missing_markers=(99,))).meanings
    kinds = [NO_VALUE, NO_VALUE, NUMBER, NUMBER, NUMBER, INFINITE, INFINITE, TEXT, NUMBER, NO_VALUE, NUMBER]
    assert found.kinds.tolist() == kinds
    np.testing.assert_array_equal(found.values, [*[np.nan] * 2, 3, -2.5, -1, *[np.nan] * 3, 7, np.nan, 2.5])
    assert np.flatnonzero(found.padded).tolist() == [8] and np.flatnonzero(found.mixed).tolist() == [10]


def test_an_earlier_result_is_used_again_if_the_format_is_the_same():
    texts = ["ann", "1.5", "2"]
    first = understand(np.array([0, 1, 2]), texts, ",", ReadOptions())
    assert understand(np.array([1, 2]), texts, ",", ReadOptions(), first).meanings is first.meanings
