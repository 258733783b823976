"""Lecture mode: asked for in the address, switched on a page, and a style sheet where it is on."""

from types import SimpleNamespace

import pytest

from metamf.webapp.lecture import mode
from metamf.webapp.look import LECTURE


@pytest.fixture
def visit(monkeypatch):
    """An address and a session, and what of the address was refused."""
    visit = SimpleNamespace(query_params={}, session_state={}, refused=[])
    monkeypatch.setattr(mode, "st", visit)
    monkeypatch.setattr(mode.address, "refuse", lambda *said: visit.refused.append(said))
    return visit


@pytest.mark.parametrize(
    ("asked", "on", "refused"), [(None, False, 0), ("1", True, 0), ("Yes", True, 0), ("0", False, 1), ("<b>", False, 1)]
)
def test_it_is_on_where_the_address_says_so_and_what_else_it_says_is_refused(visit, asked, on, refused):
    if asked is not None:
        visit.query_params[LECTURE] = asked
    mode.arrive()
    assert visit.session_state == {LECTURE: on} and len(visit.refused) == refused


def test_the_switch_turns_it_on_and_off(visit):
    states = []
    for _ in range(3):
        mode.switch()
        states.append(visit.session_state[LECTURE])
    assert states == [True, False, True]


def test_only_where_it_is_on_has_its_sheet_a_rule():
    assert mode.style(False) == "<style></style>" and "{" in mode.style(True)
