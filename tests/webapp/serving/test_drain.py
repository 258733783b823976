"""The wait for the last visitor of a replica, on the figures as a replica tells them.

``tests/deploy/test_proxy.py`` drains a real replica whose visitor lives.
"""

import time

import pytest

from benchmarks.browser import free_port
from metamf.webapp.monitoring.metrics import Metrics
from metamf.webapp.serving import drain


class Replica:
    """Figures of a replica. ``told``: how many visitors there are at each look, the last one for ever."""

    def __init__(self, *told):
        self.told, self.looks, self.port = list(told), 0, free_port()
        self.figures = Metrics({"visitors": ("Sessions that are connected", self.visitors)})
        self.stop = self.figures.serve("127.0.0.1", self.port)

    def visitors(self):
        self.looks += 1
        told = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(told, Exception):
            raise told
        return told

    @property
    def address(self):
        return drain.figures(f"0.0.0.0:{self.port}")


@pytest.fixture
def replica(request):
    def start(*told):
        replica = Replica(*told)
        request.addfinalizer(replica.stop)
        return replica

    return start


def test_it_waits_until_the_last_one_has_gone_and_nobody_has_come_back(replica):
    one = replica(2, 1, 0, 0, 1, 1, 0)  # somebody was cut off for a moment
    begun = time.monotonic()
    assert drain.wait(one.address, most=60, quiet=0.5, every=0.01) == 0
    assert time.monotonic() - begun >= 0.5 and one.told == [0] and one.looks > 7


def test_it_ends_after_a_while_and_says_how_many_are_left(replica, monkeypatch):
    one = replica(3)
    assert drain.wait(one.address, most=0.2, quiet=0.1, every=0.01) == 3
    monkeypatch.setenv("METAMF_METRICS", f"127.0.0.1:{one.port}")
    with pytest.raises(SystemExit, match="^error: after 0.2 seconds the replica still has visitors: 3$"):
        drain.main(["--most", "0.2", "--quiet", "0.1"])


def test_figures_that_are_silent_for_a_moment_end_nothing(replica):
    busy = [ValueError("starting")] * 5
    one = replica(1, *busy, 1, 0)
    assert drain.wait(one.address, most=60, quiet=0.3, every=0.01) == 0
    assert one.told == [0]


def test_a_replica_that_says_nothing_is_given_up_and_named(replica, monkeypatch):
    nobody = f"http://127.0.0.1:{free_port()}/metrics"
    with pytest.raises(LookupError, match=nobody):
        drain.wait(nobody, most=60, quiet=0.1, every=0.01)
    with pytest.raises(LookupError, match="is the replica still there"):
        drain.wait(replica(ValueError("ending")).address, most=60, quiet=0.1, every=0.01)
    monkeypatch.setenv("METAMF_METRICS", "yes")
    with pytest.raises(SystemExit, match="^error: METAMF_METRICS is 'yes'"):
        drain.main([])
    monkeypatch.delenv("METAMF_METRICS")
    with pytest.raises(SystemExit, match="^error: METAMF_METRICS is not set"):
        drain.main([])


def test_the_command_ends_well_where_nobody_is(replica, monkeypatch):
    monkeypatch.setenv("METAMF_METRICS", f"127.0.0.1:{replica(0).port}")
    drain.main(["--quiet", "0.1"])


def test_the_port_of_a_container_is_asked_on_its_own_machine():
    assert drain.figures("9100") == drain.figures("0.0.0.0:9100") == "http://127.0.0.1:9100/metrics"
    assert drain.figures("10.0.0.7:9100") == "http://10.0.0.7:9100/metrics"
