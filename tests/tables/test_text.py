"""Texts: encoding, dialect, numbers, and what a spreadsheet would take for a formula."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metamf.ratings.matrix import Ratings
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.binary import kind_of
from metamf.tables.limits import Limits
from metamf.tables.markers import suspected_markers
from metamf.tables.numbers import NO_VALUE, NUMBER, TEXT, NumberFormat, guess_format, understand
from metamf.tables.text import decode, escape, guess_delimiter, gunzip, unescape
from metamf.tables.write import to_csv_wide


def test_the_first_bytes_say_what_a_file_is():
    kinds = {gzip.compress(b"a"): "gzip", b"PK\x03\x04": "zip", b"\x93NUMPY\x01": "npy", b"a,b": "text", b"": "text"}
    assert {content: kind_of(content) for content in kinds} == kinds


@pytest.mark.parametrize(
    ("content", "codec", "is_guess"),
    [
        ("Zoë;1".encode(), "utf-8", False),
        ("Zoë;1".encode("utf-8-sig"), "utf-8", False),
        ("Zoë;1".encode("utf-16"), "utf-16-le", False),
        ("Zoë;1".encode("cp1252"), "cp1252", True),
    ],
)
def test_the_encoding_is_found_and_a_guess_is_called_one(content, codec, is_guess):
    text, found, bom, guess = decode(content, None)
    assert (text, found, guess) == ("Zoë;1", codec, is_guess) and content.startswith(bom)


def test_an_encoding_that_does_not_fit_and_a_control_character_are_named_with_their_place():
    assert decode("Zoë".encode("cp1252"), "cp1252")[0] == "Zoë"
    with pytest.raises(TableError, match=r"not text in the encoding utf-8 \(byte 2 does not fit\)"):
        decode("Zoë".encode("cp1252"), "utf-8")
    with pytest.raises(TableError, match=r"U\+0007 in line 2"):
        decode(b"a\nb\x07", None)


def test_a_gzip_file_is_unpacked_up_to_the_limit_and_no_further():
    packed, limits = gzip.compress(b"1,2\n" * 1000), Limits(expanded=4000)
    assert gunzip(packed, limits) == b"1,2\n" * 1000
    with pytest.raises(TableError, match="unpacks to more than"):
        gunzip(packed, Limits(expanded=3999))
    with pytest.raises(TableError, match="damaged or cut off"):
        gunzip(packed[:20], limits)


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        (["name,a,b\n", "ann,1,2\n"], ","),
        (["name;a;b\n", "ann;1,5;2,5\n"], ";"),
        (["a\tb\n", "1\t2\n"], "\t"),
        (["1::31::2.5\n", "1::32::3\n"], "::"),
        (["1 31 2.5\n", "1 32 3\n"], " "),
        (["Casablanca\n", "The Big Sleep\n", "The Third Man\n"], ","),  # names of several words, not columns
    ],
)
def test_the_delimiter_is_the_one_that_cuts_lines_into_numbers(lines, delimiter):
    assert guess_delimiter(lines) == delimiter


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
    found = understand(np.arange(len(texts)), texts, ";", ReadOptions(missing_markers=(99,)))
    kinds = [NO_VALUE, NO_VALUE, NUMBER, NUMBER, NUMBER, NO_VALUE, NO_VALUE, TEXT, NUMBER, NO_VALUE, TEXT]
    assert found.kinds.tolist() == kinds
    np.testing.assert_array_equal(found.values, [*[np.nan] * 2, 3, -2.5, -1, *[np.nan] * 3, 7, np.nan, np.nan])
    assert np.flatnonzero(found.padded).tolist() == [8]


def test_an_earlier_result_is_used_again_if_the_format_is_the_same():
    texts = ["ann", "1.5", "2"]
    first = understand(np.array([0, 1, 2]), texts, ",", ReadOptions())
    assert understand(np.array([1, 2]), texts, ",", ReadOptions(), first).values is first.values


STARS = np.tile([1.0, 2, 3, 4, 5], 20)


@pytest.mark.parametrize(
    ("beside", "suspected"),
    [
        ([], []),
        ([99, 99], [99]),
        ([99], []),  # one cell may be a slip
        ([-9, -9], [-9]),
        ([120, 120], []),  # not written as markers are
        ([97, 98, 99], [97, 98, 99]),
    ],
)
def test_numbers_far_from_all_others_are_suspected(beside, suspected):
    assert suspected_markers(np.concatenate([STARS, beside])) == suspected


@given(st.text(alphabet="'=+-@\t\r\n a1", max_size=6))
def test_escaping_can_always_be_undone(text):
    assert unescape(escape(text)) == text
    assert escape(text).lstrip(" ")[:1] not in tuple("=+-@") and escape(text)[:1] not in tuple("\t\r\n")


def test_a_name_that_is_written_anew_is_one_cell_wherever_a_spreadsheet_cuts():
    for cut in (",", ";", "\t", "|"):
        name = f"x{cut}=cmd!A0"
        ratings = Ratings([0], [0], [3.0], (1, 2), row_labels=[name], col_labels=["a", f"b{cut}=1"])
        written = to_csv_wide(ratings).decode()
        assert f'"{name}"' in written and f'"b{cut}=1"' in written
        assert read_table(written.encode(), "room.csv").ratings.row_labels[0] == name
