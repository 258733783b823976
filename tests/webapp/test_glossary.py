"""Words of the field: each explained once, where it first appears, and nothing else in a sentence changed."""

import ast
import re
from html import unescape
from pathlib import Path

import pytest

from metamf.webapp import glossary
from metamf.webapp.glossary import TERMS, marked
from metamf.webapp.lesson.steps import STEPS

REPOSITORY = Path(__file__).resolve().parents[2]


def keys(html):
    return re.findall(r'data-term="([^"]+)"', html)


def plain(html):
    return unescape(re.sub('<span class="mf-term"[^>]*>(.*?)</span>', r"\1", html))


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.key)
def test_every_form_of_a_term_leads_to_it(term):
    for form in (term.name, *term.forms):
        assert keys(marked(f"So this is {form}, then.")) == [term.key], form
    assert 20 < len(term.meaning) < 160 and term.meaning.endswith(".")


def test_terms_have_keys_and_names_of_their_own():
    assert len({term.key for term in TERMS}) == len({term.name for term in TERMS}) == len(TERMS)


def test_every_term_stands_on_some_page():
    files = [*REPOSITORY.glob("pages/*.py"), *REPOSITORY.glob("metamf/webapp/**/*.py")]
    files += [*REPOSITORY.glob("metamf/baselines/*.py"), *REPOSITORY.glob("metamf/webapp/player/js/*.js")]
    said = set()
    for file in files:
        if file.name == "glossary.py":
            continue
        source = file.read_text("utf-8")
        if file.suffix == ".js":
            said |= set(keys(marked(source)))
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                said |= set(keys(marked(node.value)))
    said |= {key for step in STEPS for key in step.words}
    assert {term.key for term in TERMS} <= said


def test_the_first_occurrence_is_explained_and_the_sentence_stays_as_it_is():
    sentence = "The prior mean and the prior: factors, a factor, MF, the factorization."
    html = marked(sentence)
    assert keys(html) == ["prior-mean", "prior", "factor", "mf"]
    assert plain(html) == sentence
    assert 'aria-describedby="mf-meaning-prior"' in html


def test_parts_of_words_and_other_words_are_left_alone():
    assert marked("A maple map, seedlings, forgiven, ranking, the map-maker.") == (
        "A maple map, seedlings, forgiven, ranking, the map-maker."
    )


def test_text_from_outside_is_escaped():
    html = marked('<img src=x onerror="alert(1)"> & the seed <b>3</b>')
    assert "<img" not in html and "<b>" not in html and keys(html) == ["seed"]
    assert plain(html) == '<img src=x onerror="alert(1)"> & the seed <b>3</b>'


def test_a_page_explains_a_word_once():
    token = glossary._explained.set(set())
    try:
        assert keys(marked("the seed")) == ["seed"] and keys(marked("another seed and a checkpoint")) == ["checkpoint"]
    finally:
        glossary._explained.reset(token)
    assert keys(marked("the seed")) == ["seed"]
