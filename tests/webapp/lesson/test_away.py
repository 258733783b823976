"""What a step of the lesson sets on another page, and what the visitor finds on the way back."""

import pytest

from metamf.webapp.lesson import away
from metamf.webapp.lesson.steps import STEPS


@pytest.fixture
def session(monkeypatch):
    session = {"data": "Jokes", "keep": 35, "model": "jester"}
    monkeypatch.setattr(away.st, "session_state", session)
    monkeypatch.setattr(away.st, "query_params", {"lesson": "1", "notes": "1"})
    return session


def chosen(session):
    return {name: session[name] for name in ("data", "keep", "model")}


def test_the_visitors_own_choices_are_there_again_after_the_other_page(session):
    own = chosen(session)
    away.leave(1, STEPS[0].trial)
    assert chosen(session) == {"data": "Film club", "keep": 20, "model": "ml-1m"}
    away.come_back()  # the lesson's own run after the click, before the other page was drawn
    assert chosen(session)["keep"] == 20
    session[away._ARRIVED] = True
    session["keep"] = 80  # moved, as the step says
    away.come_back()
    assert chosen(session) == own and away.AWAY not in session


def test_what_was_left_on_the_other_pages_is_set_aside(session):
    own = {"edit_desk": object(), "race_eta": 3.0, "methods": ["mean"], "experiment": "A race of starts"}
    session |= own
    away.leave(1, STEPS[0].trial)
    assert not own.keys() & session.keys()
    session |= {away._ARRIVED: True, "edit_desk": object(), "race_safe": True}
    away.come_back()
    assert session.items() >= own.items() and "race_safe" not in session


def test_who_stays_keeps_what_was_set(session):
    away.leave(7, STEPS[6].trial)
    session[away._ARRIVED] = True
    away.stay()
    away.come_back()
    assert chosen(session)["data"] == "Two tastes"


def test_a_checkpoint_that_was_trained_on_the_way_stays_chosen(session):
    trial = STEPS[5].trial
    assert trial.page == "pages/train.py"
    away.leave(6, trial)
    session[away._ARRIVED] = True
    session["model"] = "runs/mine.safetensors"
    away.come_back()
    assert chosen(session) == {"data": "Jokes", "keep": 35, "model": "runs/mine.safetensors"}
