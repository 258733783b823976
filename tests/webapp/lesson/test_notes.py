"""Speaker's notes and handout are made of the steps' data."""

import re
from html import unescape

from metamf.webapp.lesson.__main__ import DOCUMENT
from metamf.webapp.lesson.notes import document, handout
from metamf.webapp.lesson.steps import STEPS, TOTAL


def test_the_document_is_the_one_that_the_steps_make():
    assert DOCUMENT.read_text("utf-8") == document(), "run `python -m metamf.webapp.lesson`"


def test_the_document_has_every_note_and_ends_with_the_last_minute():
    text = document()
    for step in STEPS:
        for part in (step.title, step.sentence, step.question.prompt, step.trial.do, *step.notes):
            assert part in text
    assert f"to {TOTAL})" in text


def test_the_handout_says_and_asks_what_the_steps_do_and_needs_nothing_else():
    html = handout()
    text = unescape(re.sub("<[^>]+>", " ", html))
    for step in STEPS:
        assert step.sentence in text and step.question.prompt in text
    assert "src=" not in html and "href=" not in html and "url(" not in html and "<script" not in html
