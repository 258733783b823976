"""Visits: a session ends when its browser has been away for long, also where nobody else comes.

That a server which is asked to end leaves nothing behind is seen of the one that all tests share
(``served.app``).
"""

from pathlib import Path
from types import SimpleNamespace

from served import in_a_loop

from metamf.webapp import visits


def test_the_session_of_a_browser_that_is_away_ends_and_one_that_comes_back_goes_on(monkeypatch):
    here, closed = {"stays", "returns"}, []
    monkeypatch.setattr(visits, "_seen", {"stays": 0.0, "leaves": 0.0, "returns": 0.0})
    runtime = SimpleNamespace(
        is_active_session=lambda session: session in here, close_session=closed.append
    )
    here.remove("returns")
    assert visits.end_sessions(runtime, visits.AWAY - 1) == []
    here.add("returns")
    assert visits.end_sessions(runtime, visits.AWAY + 1) == closed == ["leaves"]
    here.remove("returns")
    assert visits.end_sessions(runtime, visits.AWAY + 60) == []
    assert visits.end_sessions(runtime, 3 * visits.AWAY) == ["returns"]


def test_what_visitors_jobs_have_made_goes_with_the_server():
    async def visit():
        async with visits.watching(None):
            made = visits.new_folder()
            Path(made.name, "tuned.safetensors").write_bytes(b"learned from a table")
        assert not Path(made.name).exists()
        return made

    in_a_loop(visit()).cleanup()
    with visits.new_folder() as another:
        assert Path(another).is_dir()
