"""What a session keeps: the latest results of a name, and no job that nobody waits for."""

from types import SimpleNamespace

import pytest

from metamf.webapp import session


@pytest.fixture(autouse=True)
def visitor(monkeypatch):
    monkeypatch.setattr(session.st, "session_state", {})


def test_the_latest_results_of_a_name_are_computed_once():
    asked = []

    def ask(key, most):
        return session.remember("square", key, lambda: asked.append(key) or key**2, most=most)

    assert [ask(key, 2) for key in (1, 2, 1, 3, 2, 1)] == [1, 4, 1, 9, 4, 1]
    assert asked == [1, 2, 3, 1]  # 3 took the place of 1
    assert session.keep("cube", 2, 8) == session.recall("cube", 2) == 8 and session.recall("square", 2) is None
    assert session.recall("square", 3) == 9


def test_a_job_that_nobody_waits_for_is_cancelled():
    cancelled = []
    jobs = [
        SimpleNamespace(ended=ended, cancel=lambda name=name: cancelled.append(name))
        for name, ended in enumerate((0, 1, 0))
    ]
    for key, job in enumerate(jobs):
        session.keep("job", key, job)
    assert cancelled == [0]
    session.forget_all()
    assert cancelled == [0, 2] and session.recall("job", 2) is None
