"""Texts: encoding, dialect, numbers, and what a spreadsheet would take for a formula."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metamf.tables import TableError
from metamf.tables.binary import kind_of
from metamf.tables.body import number_format
from metamf.tables.limits import Limits
from metamf.tables.numerals import NO_VALUE, NUMBER, TEXT, NumberFormat, digits_of, read_texts
from metamf.tables.text import Dialect, decode, escape, guess_delimiter, gunzip, unescape


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (gzip.compress(b"a"), "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"\x93NUMPY\x01", "npy"),
        (b"a,b", "text"),
        (b"", "text"),
    ],
)
def test_the_first_bytes_say_what_a_file_is(content, kind):
    assert kind_of(content) == kind


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


def test_names_of_several_words_are_no_columns():
    assert guess_delimiter(["Casablanca\n", "The Big Sleep\n", "The Third Man\n"]) == ","


def format_of(*texts, n=1, delimiter=",", decimal=None, thousands=None):
    """The number format of one column, in which each text stands ``n`` times."""
    body = np.tile(np.arange(len(texts)), n)[:, None]
    return number_format(list(texts), body, delimiter, decimal, thousands)


@pytest.mark.parametrize(
    ("texts", "delimiter", "decimal", "thousands"),
    [
        (("1", "2.5"), ",", ".", ""),
        (("1,5", "2,25", "3,5", "4,5"), ",", ",", ""),
        (("1.234",), ",", ".", ""),
        (("3.458", "2,88", "3,46", "4.307"), ";", ".,", ""),
        (("2,3", *"12345"), ",", ".", ""),  # two answers in a file separated by commas
        (("4.1", *"1234567"), ",", ".", ""),  # a mean below whole numbers
    ],
)
def test_the_format_with_the_shortest_description_is_found(texts, delimiter, decimal, thousands):
    form, _, _ = format_of(*texts, delimiter=delimiter)
    assert form == NumberFormat(decimal, thousands)


def test_the_margin_is_small_where_one_comma_may_be_either_and_what_a_person_says_holds():
    form, other, margin = format_of("1,234", delimiter="\t")
    assert other is not None and other != form
    assert margin < 10 < format_of("4.751", "6.217", "13.228", delimiter="\t")[2]
    assert format_of("1,234", delimiter=";", thousands=",")[0] == NumberFormat(".", ",")


def test_every_text_has_one_meaning():
    texts = ["", " NA ", "3", "-2.5", "\u22121", "inf", "1e999", "abc", "007", "2½", "2,5"]
    found = read_texts(texts, NumberFormat())
    kinds = "NNVVVNNTVVT"
    named = {"N": NO_VALUE, "V": NUMBER, "T": TEXT}
    assert found.kinds.tolist() == [named[kind] for kind in kinds]
    nan = np.nan
    values = [nan, nan, 3, -2.5, -1, nan, nan, nan, 7, 2.5, nan]
    np.testing.assert_array_equal(found.values, values)
    assert np.flatnonzero(found.padded).tolist() == [8]
    # a hyphen is a word where a plus is one
    assert read_texts(["+", "-"], NumberFormat()).kinds.tolist() == [TEXT, TEXT]


@pytest.mark.parametrize(
    ("values", "decimals", "digits"),
    [
        ([36.5, 37.2], 1, 1),
        ([1, 2, 3], 0, 0),
        (np.arange(1, 30) * 10.0, 0, -1),
        ([10, 20, 30], 0, 0),  # too few to tell
        ([0.1 + 0.2, 1 / 3], 17, 6),
        ([2_000_000.25], 2, 0),
        ([0, 1, 3], 1, 0),  # written as 3.0
        ([5, 7], 2, 2),  # written as 5.00
        ([0.00002, 0.00003], 5, 5),
    ],
)
def test_digits_are_those_of_the_column(values, decimals, digits):
    assert digits_of(np.array(values, dtype=float), decimals) == digits


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(36.68, 1, "36,7"), (15128, -1, "15.130"), (3.2, 0, "3"), (1e18, 0, "1e+18")],
)
def test_numbers_are_written_in_the_format_of_the_table(value, digits, text):
    assert NumberFormat(",", ".").text(value, digits) == text


@given(st.text(alphabet="'=+-@\t\r\n ,;|\" a1", max_size=8))
def test_escaping_can_always_be_undone(text):
    assert unescape(escape(text)) == text
    if not re.fullmatch("-1+([.,]1+)?", text):  # a number stays as it is
        assert escape(text).lstrip(" ")[:1] not in tuple("=+-@")
    assert escape(text)[:1] not in tuple("\t\r\n")


def cells_of(line, separator):
    """The cells of a line as a spreadsheet cuts it: marks that begin a cell are taken off, others
    are characters."""
    cells = []
    while line is not None:
        text = ""
        if line.startswith('"'):
            quoted = re.match(r'"((?:[^"]|"")*)"?', line)
            text = quoted[1].replace('""', '"')
            line = line[quoted.end() :]
        tail, found, rest = line.partition(separator)
        cells.append(text + tail)
        line = rest if found else None
    return cells


@settings(max_examples=300)
@given(st.text(alphabet="'=+@\n ,;|\t\" a1", max_size=10), st.sampled_from([",", ";", "\t", "|"]))
def test_no_name_is_a_formula_wherever_a_spreadsheet_cuts(name, delimiter):
    line = delimiter.join(["x", Dialect(delimiter).name(name), "5"])
    for separator in ",;\t|":
        for part in [line, *line.split("\n")]:
            for cell in cells_of(part, separator):
                assert not cell.strip().startswith(("=", "+", "-", "@"))
