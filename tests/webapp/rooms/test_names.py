"""Names that strangers type: one tidy line, and text wherever Markdown is read."""

import pytest

from metamf.webapp.rooms.names import as_markdown, distinct, is_there, tidy


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


MARKDOWN = [
    "![x](http://a.b)",
    ":red[x]",
    ":material/delete:",
    ":smile:",
    "$x$",
    "www.a.b",
    "a@b.c",
    "**x**",
    "<b>x</b>",
]


@pytest.mark.parametrize("name", MARKDOWN)
def test_nothing_that_markdown_reads_is_left_in_a_label(name):
    label = as_markdown(name)
    assert label.replace("\\", "").replace("\u2060", "") == name
    for sign in ("](", "![", ":red", ":material", ":smile", "www.a", "://", "@b", "**", "<b>"):
        assert sign not in label
    assert not label.startswith("$")
