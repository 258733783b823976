"""Visits: a session ends when its browser has been away for long, also where nobody else comes."""

from types import SimpleNamespace

from metamf.webapp import visits


def test_the_session_of_a_browser_that_is_away_ends_and_one_that_comes_back_goes_on(monkeypatch):
    here, closed = {"stays", "returns"}, []
    monkeypatch.setattr(visits, "_seen", {"stays": 0.0, "leaves": 0.0, "returns": 0.0})
    runtime = SimpleNamespace(is_active_session=lambda session: session in here, close_session=closed.append)
    here.remove("returns")
    assert visits.end_sessions(runtime, visits.AWAY - 1) == []
    here.add("returns")
    assert visits.end_sessions(runtime, visits.AWAY + 1) == closed == ["leaves"]
    here.remove("returns")
    assert visits.end_sessions(runtime, visits.AWAY + 60) == []
    assert visits.end_sessions(runtime, 3 * visits.AWAY) == ["returns"]
