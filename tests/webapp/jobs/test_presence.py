"""Who has left: by a clock of the test's own."""

from metamf.webapp.jobs.presence import Presence


def test_an_owner_has_left_who_was_not_seen_for_longer_than_is_forgiven():
    here = {"me"}
    who = Presence(lambda owner: owner in here, absence=20)
    assert who.left({"me", "you"}, now=0) == []
    here.remove("me")
    assert who.left({"me", "you"}, now=10) == []
    here.add("me")
    assert who.left({"me", "you"}, now=20) == ["you"]  # I am back, and what I missed is forgiven
    here.remove("me")
    assert [who.left({"me"}, now) for now in (30, 40, 50)] == [[], [], ["me"]]


def test_an_owner_of_whom_nothing_is_known_has_not_left_and_that_is_logged_once(caplog):
    def present(owner):
        raise RuntimeError("the server is starting")

    who = Presence(present, absence=0)
    assert who.left({"me"}, now=0) == who.left({"me"}, now=9) == []
    assert len(caplog.records) == 1 and "could not be found out" in caplog.text
