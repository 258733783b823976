"""How pages look: text from outside is never markup, and a word of the field is explained where it comes first."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from metamf.webapp import look


@pytest.mark.parametrize("draw", [look.title, look.panel])
def test_text_from_outside_is_never_markup(monkeypatch, draw):
    drawn = []
    monkeypatch.setattr(look.st, "html", drawn.append)
    draw("<b>name</b>", "<img src=x>")
    assert "<b>name" not in drawn[0] and "<img" not in drawn[0] and "&lt;img" in drawn[0]


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
    label = look.as_markdown(name)
    assert label.replace("\\", "").replace("\u2060", "") == name
    for sign in ("](", "![", ":red", ":material", ":smile", "www.a", "://", "@b", "**", "<b>"):
        assert sign not in label
    assert not label.startswith("$")


def keys(html):
    return re.findall(r'data-term="([^"]+)"', html)


def plain(html):
    return unescape(re.sub('<span class="mf-term"[^>]*>(.*?)</span>', r"\1", html))


def test_the_first_occurrence_is_explained_and_the_sentence_stays_as_it_is():
    sentence = "The prior mean and the prior: factors, a factor, MF, the factorization."
    html = look.marked(sentence)
    assert keys(html) == ["prior-mean", "prior", "factor", "mf"]
    assert plain(html) == sentence
    assert 'aria-describedby="mf-meaning-prior"' in html


def test_parts_of_words_and_other_words_are_left_alone():
    assert look.marked("A maple map, seedlings, forgiven, ranking, the map-maker.") == (
        "A maple map, seedlings, forgiven, ranking, the map-maker."
    )


def test_text_from_outside_is_escaped():
    html = look.marked('<img src=x onerror="alert(1)"> & the seed <b>3</b>')
    assert "<img" not in html and "<b>" not in html and keys(html) == ["seed"]
    assert plain(html) == '<img src=x onerror="alert(1)"> & the seed <b>3</b>'


def test_a_page_explains_a_word_once():
    token = look._explained.set(set())
    try:
        assert keys(look.marked("the seed")) == ["seed"] and keys(look.marked("another seed and a checkpoint")) == [
            "checkpoint"
        ]
    finally:
        look._explained.reset(token)
    assert keys(look.marked("the seed")) == ["seed"]


def script_with_a_place():
    import streamlit as st

    from metamf.webapp.look import place

    with place("page", st.session_state.get("key")):
        st.write(st.session_state.get("key"))


def kinds(at):
    """What stands at the two positions of the place."""
    return [at.main.children[position].type for position in range(2)]


def test_another_key_has_another_container_and_the_one_before_is_emptied():
    at = AppTest.from_function(script_with_a_place).run()
    first = kinds(at)
    assert "empty" in first
    at.run()
    assert kinds(at) == first  # nothing is drawn anew where nothing has changed
    at.session_state["key"] = "another"
    at.run()
    assert kinds(at) == first[::-1] and at.markdown[0].value == "another"
