"""Names that strangers type: one tidy line."""

import pytest

from metamf.webapp.rooms.names import distinct, is_there, tidy


@pytest.mark.parametrize(
    "typed, name",
    [
        ("  Zoë \n\t Müller ", "Zoë Müller"),
        ("e\u0301", "é"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u200bb\ufeff", "ab"),
        ("ไท่ย ก็ดี", "ไท่ย ก็ดี"),
        ("山田 太郎", "山田 太郎"),
        ("\ud800x", "x"),
        ("Z" + "\u0335" * 50, "Z\u0335\u0335"),
    ],
)
def test_a_name_is_one_line_of_ordinary_characters(typed, name):
    assert tidy(typed) == name and tidy(name) == name


def test_what_cannot_be_seen_is_not_there():
    assert (
        not any(map(is_there, ["", "\u3164", "\u2800", "\u0301"]))
        and is_there("a")
        and is_there("😀")
        and is_there("!")
    )


def test_no_two_names_are_alike():
    assert distinct("Ada", {"Ada", "Ada 2"}) == "Ada 3" and distinct("Bo", {"Ada"}) == "Bo"
