"""How pages look: text from outside is never markup, and a term is explained where it first
appears."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from metamf.webapp import look
from metamf.webapp.glossary import TERMS


@pytest.mark.parametrize("draw", [look.title, look.panel])
def test_text_from_outside_is_never_markup(monkeypatch, draw):
    drawn = []
    monkeypatch.setattr(look.st, "html", drawn.append)
    draw("<b>name</b>", "<img src=x>")
    assert "&lt;img" in drawn[0]
    for markup in ("<b>name", "<img"):
        assert markup not in drawn[0]


def test_tables_escape_texts_and_tell_when_they_are_cut():
    html = look.table("A & B", ["", "x"], [["<script>", "1"]])
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "A &amp; B" in html
    assert '<td></td><th scope="col">x</th>' in html  # a corner without a name is no heading (axe)
    cut = look.table("All.", ["n"], [[str(n)] for n in range(look.LONGEST_TABLE + 5)])
    assert cut.count('scope="row"') == look.LONGEST_TABLE
    assert f"The first {look.LONGEST_TABLE} lines" in cut


def keys(html):
    meant = {term.meaning: term.key for term in TERMS}
    return [meant[unescape(title)] for title in re.findall(r'mf-term" title="([^"]+)"', html)]


def test_every_form_of_a_term_leads_to_it():
    for term in TERMS:
        for form in (term.name, *term.forms):
            assert keys(look.marked(f"So this is {form}, then.")) == [term.key], form


@pytest.mark.parametrize(
    "sentence, explained",
    [
        (
            "The prior mean and the prior: factors, a factor, MF, the factorization.",
            ["prior-mean", "prior", "factor", "mf"],
        ),
        ("A maple map, seedlings, forgiven, ranking, the map-maker.", []),
        ('<img src=x onerror="alert(1)"> & the seed <b>3</b>', ["seed"]),
    ],
)
def test_the_first_occurrence_is_explained_and_the_sentence_stays_as_it_is(sentence, explained):
    html = look.marked(sentence)
    assert keys(html) == explained
    assert "<img" not in html and "<b>" not in html
    assert unescape(re.sub('<span class="mf-term"[^>]*>(.*?)</span>', r"\1", html)) == sentence


def test_a_page_explains_a_term_once():
    def page():
        from metamf.webapp import look

        look.begin_page()
        look.small("the seed")
        look.small("another seed and a checkpoint")
        look.words_of_page()

    at = AppTest.from_function(page).run()
    *sentences, listed = (element.proto.body for element in at.get("html"))
    assert [keys(html) for html in sentences] == [["seed"], ["checkpoint"]]
    assert [box.label for box in at.expander] == ["Words on this page"]
    assert re.findall("<dt>(.*?)</dt>", listed) == ["checkpoint", "seed"]


def test_another_key_has_another_container_and_the_one_before_is_emptied():
    def page():
        import streamlit as st

        from metamf.webapp.look import place

        with place("page", st.session_state.get("key")):
            st.write(st.session_state.get("key"))

    def kinds():
        return [at.main.children[position].type for position in range(2)]

    at = AppTest.from_function(page).run()
    first = kinds()
    assert "empty" in first
    at.run()
    assert kinds() == first  # nothing is redrawn where nothing has changed
    at.session_state["key"] = "another"
    at.run()
    assert kinds() == first[::-1] and at.markdown[0].value == "another"
