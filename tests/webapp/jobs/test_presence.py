"""Who has left: by a clock of the test's own."""

from metamf.webapp.jobs import presence
from metamf.webapp.jobs.presence import Presence


def test_an_owner_has_left_who_was_not_seen_for_longer_than_is_forgiven(monkeypatch):
    here, clock = {"me"}, iter(range(0, 100, 10))
    monkeypatch.setattr(presence.time, "monotonic", lambda: next(clock))
    who = Presence(lambda owner: owner in here, absence=20)
    assert who.left({"me", "you"}) == []  # at 0: you were seen by nobody
    here.remove("me")
    assert who.left({"me", "you"}) == []  # at 10
    here.add("me")
    assert who.left({"me", "you"}) == ["you"]  # at 20: I am back, and what I missed is forgiven
    here.remove("me")
    assert [who.left({"me"}) for _ in range(3)] == [[], [], ["me"]]  # at 30, 40, 50


def test_an_owner_of_whom_nothing_is_known_has_not_left_and_that_is_logged_once(caplog):
    def present(owner):
        raise RuntimeError("the server is starting")

    who = Presence(present, absence=0)
    assert who.left({"me"}) == who.left({"me"}) == []
    assert len(caplog.records) == 1 and "could not be found out" in caplog.text
