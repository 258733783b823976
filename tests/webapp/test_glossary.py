"""Words of the field: every form leads to its term, and every term stands on some page."""

import ast
import re
from pathlib import Path

import pytest

from metamf.webapp.glossary import TERMS
from metamf.webapp.lesson.steps import STEPS
from metamf.webapp.look import marked

REPOSITORY = Path(__file__).resolve().parents[2]


def keys(html):
    return re.findall(r'data-term="([^"]+)"', html)


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
