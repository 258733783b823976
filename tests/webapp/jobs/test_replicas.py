"""The line of several replicas in a real Redis: one order, places shared, replicas that end, Redis away and back."""

import contextlib
import json
import signal
import time

import pytest
from redis_servers import redis_server  # noqa: F401  a fixture
from tiny_jobs import DONE, ME, RUNNING, YOU, pool, until

from metamf.webapp import shared_pool
from metamf.webapp.jobs.line import Standing

replicas = pytest.importorskip("metamf.webapp.jobs.replicas", reason="needs the package redis")
pytestmark = pytest.mark.slow
Notice, Ticket = replicas.Notice, replicas.Ticket


@pytest.fixture
def line(redis_server, monkeypatch):
    """A maker of lines, one for each replica; Redis counts as away after a moment."""
    monkeypatch.setattr(replicas, "PATIENCE", 0.3)

    def make(places=1):
        return replicas.Replicas(redis_server[1], places)

    make()._redis.flushall()
    return make


def wait_until(true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "did not come true within a minute"
        time.sleep(0.005)


def test_those_of_the_lowest_round_who_came_first_begin_and_nobody_stands_in_the_way_who_cannot():
    notices = {
        "a": Notice(running=1, free=1, tickets=(Ticket(2, 10, "a1"), Ticket(3, 10, "a2"))),
        "b": Notice(running=0, free=2, tickets=(Ticket(2, 11, "b1"), Ticket(2, 12, "b2"))),
        "full": Notice(running=2, free=0, tickets=(Ticket(1, 9, "f1"),)),
    }
    assert [ticket.id for ticket, _ in replicas.tickets_in_turn(notices)] == ["f1", "a1", "b1", "b2", "a2"]
    assert replicas.beginning(notices, places=3) == []
    assert replicas.beginning(notices, places=5) == ["a1", "b1"]
    assert replicas.beginning(notices, places=9) == ["a1", "b1", "b2"]


def test_a_report_comes_back_from_its_text_and_what_is_not_one_is_nobodys():
    notice = Notice(said=1.5, round=2, running=1, free=1, tickets=(Ticket(3, 1.25, "a"),))
    assert Notice.from_json(notice.json()) == notice
    for text in ("", "[]", "{}", '{"tickets": [1]}', '{"tickets": [], "speed": 3}'):
        assert Notice.from_json(text) is None
    for name in ("said", "round", "running", "free"):
        for value in ("1", None, [], {}):
            assert Notice.from_json(json.dumps(json.loads(notice.json()) | {name: value})) is None
    for ticket in ({"round": "3"}, {"came": None}, {"id": 7}):
        others = [json.loads(notice.json())["tickets"][0] | ticket]
        assert Notice.from_json(json.dumps(json.loads(notice.json()) | {"tickets": others})) is None


def test_two_replicas_share_one_place_and_one_order(line):
    with pool(line=line()) as one, pool(line=line()) as other:
        first = one.submit(ME, "tiny_jobs:count", {})
        until(one, ME, first, RUNNING)
        second = other.submit(YOU, "tiny_jobs:count", {})
        wait_until(lambda: other._line.is_long([]))
        third = one.submit("they", "tiny_jobs:count", {"to": 3})
        wait_until(lambda: one.look("they", third).place == 2)  # though it is the only one that waits there
        assert other.look(YOU, second).place == 1 and other.busy() == (0, 1)
        one.cancel(ME, first)
        until(other, YOU, second, RUNNING)
        assert one.busy() == (0, 1)
        other.cancel(YOU, second)
        assert until(one, "they", third, DONE).result == {"number": 3}
        wait_until(lambda: not one._line._redis.exists(replicas.KEY))  # nothing is left behind


def test_nobodys_second_job_comes_before_the_first_one_of_a_visitor_of_another_replica(line):
    with pool(line=line()) as one, pool(line=line()) as other:
        running = one.submit("somebody", "tiny_jobs:count", {})
        until(one, "somebody", running, RUNNING)
        mine = [one.submit(ME, "tiny_jobs:count", {}) for _ in range(2)]
        wait_until(lambda: one._line._answer.places.keys() >= set(mine))
        yours = other.submit(YOU, "tiny_jobs:count", {})
        wait_until(lambda: other.look(YOU, yours).place == 2)
        wait_until(lambda: [one.look(ME, id).place for id in mine] == [1, 3])


def test_a_replica_that_was_idle_does_not_begin_before_everybody_else(line):
    one, late = line(), line()
    one.ask(lambda: Standing(running=1, free=0, round=40, waiting=[job("early", 41)]))
    late.ask(lambda: Standing(running=0, free=1, round=0, waiting=[job("late", 1)]))
    assert [late._answer.places[id] for id in ("early", "late")] == [1, 2]


def job(id, round):
    from metamf.webapp.jobs.job import Job

    made = Job(id, ME, "tiny_jobs:count", {}, 60, None)
    made.round = round
    return made


def test_the_places_of_a_replica_that_was_killed_are_free_after_a_while(line, monkeypatch):
    monkeypatch.setattr(replicas, "GONE", 0.5)
    killed = line()
    assert killed.ask(lambda: Standing(running=1, free=0, round=1, waiting=[job("lost", 2)]))
    with pool(line=line()) as living:
        id = living.submit(ME, "tiny_jobs:count", {"to": 2})
        assert until(living, ME, id, DONE).result == {"number": 2}


def test_all_that_redis_has_is_gone_a_minute_after_the_last_word(line):
    line().ask(lambda: Standing(running=1, free=0, round=1, waiting=[]))
    assert 50 < line()._redis.ttl(replicas.KEY) <= replicas.LIFETIME == 60


def test_while_redis_is_away_each_replica_goes_on_by_itself_and_then_they_share_again(line, redis_server, caplog):
    with pool(line=line()) as one, pool(line=line()) as other:
        first = one.submit(ME, "tiny_jobs:count", {})
        until(one, ME, first, RUNNING)
        second = other.submit(YOU, "tiny_jobs:count", {})
        wait_until(lambda: other.look(YOU, second).place == 1 and other._line._answer.places)
        redis_server[0].send_signal(signal.SIGSTOP)
        try:
            until(other, YOU, second, RUNNING)
            assert caplog.text.count("Redis is away") <= 2
        finally:
            redis_server[0].send_signal(signal.SIGCONT)
        wait_until(lambda: one._line._answer and other._line._answer)
        third = one.submit("they", "tiny_jobs:count", {"to": 3})
        assert one.look("they", third).place == 1  # two run, and there is one place
        other.cancel(YOU, second)
        one.cancel(ME, first)
        assert until(one, "they", third, DONE).result == {"number": 3}


def test_a_redis_that_comes_back_empty_knows_everything_after_the_next_word(line):
    with pool(line=line()) as one, pool(line=line()) as other:
        first = one.submit(ME, "tiny_jobs:count", {})
        until(one, ME, first, RUNNING)
        one._line._redis.flushall()
        second = other.submit(YOU, "tiny_jobs:count", {})
        wait_until(lambda: one._line._redis.hlen(replicas.KEY) == 2)
        one.cancel(ME, first)
        until(other, YOU, second, RUNNING)


def test_many_replicas_at_once_never_run_more_than_there_are_places(line):
    with contextlib.ExitStack() as stack:
        pools = [stack.enter_context(pool(line=line(2))) for _ in range(4)]
        ids = [(each, each.submit(f"{n}", "tiny_jobs:count", {"to": 60})) for n, each in enumerate(pools * 2)]
        owners = [f"{n}" for n in range(8)]
        most = 0
        while not all(each.look(owner, id).state is DONE for owner, (each, id) in zip(owners, ids, strict=True)):
            most = max(most, sum(each.busy()[0] for each in pools))
            time.sleep(0.002)
        assert most == 2


def test_replicas_share_places_where_they_are_told_a_number_and_a_redis(redis_server, monkeypatch):
    lines = []
    for places, url in (("", ""), ("", redis_server[1]), ("3", ""), ("3", redis_server[1])):
        monkeypatch.setenv("METAMF_PLACES", places)
        monkeypatch.setenv("METAMF_REDIS", url)
        with contextlib.closing(shared_pool._pool_of_process.__wrapped__()) as made:
            lines.append((made.places, type(made._line).__name__))
    assert lines == [(2, "OwnLine"), (2, "OwnLine"), (3, "OwnLine"), (3, "Replicas")]
