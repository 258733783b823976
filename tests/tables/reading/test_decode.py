"""Bytes become text: the kind of a file, bounded unpacking, and the encoding."""

import gzip

import pytest

from metamf.tables import TableError
from metamf.tables.limits import Limits
from metamf.tables.reading.decode import decode, gunzip, kind_of


def test_the_first_bytes_say_what_a_file_is():
    kinds = {gzip.compress(b"a"): "gzip", b"PK\x03\x04": "zip", b"\x93NUMPY\x01": "npy", b"a,b": "text", b"": "text"}
    assert {content: kind_of(content) for content in kinds} == kinds


@pytest.mark.parametrize(
    ("content", "codec", "is_guess"),
    [
        ("Zoë;1".encode(), "utf-8", False),
        ("Zoë;1".encode("utf-8-sig"), "utf-8", False),
        ("Zoë;1".encode("utf-16"), "utf-16-le", False),
        ("Zoë;1".encode("utf-16-be"), "utf-16-be", False),  # without a mark: every other byte is zero
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
