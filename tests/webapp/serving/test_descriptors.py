"""The limit of descriptors, and what is done where it is low."""

import logging
import subprocess
import sys

import pytest

from metamf.webapp.serving import descriptors

resource = pytest.importorskip("resource")
UNLIMITED = resource.RLIM_INFINITY


@pytest.fixture
def limits(monkeypatch):
    """The limits, soft and hard, as the module sees and sets them; those of this process stay as they are."""
    now = [256, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda which: tuple(now))
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: now.__setitem__(slice(None), pair))
    return now


@pytest.mark.parametrize(
    "before, after",
    [
        ((256, 4096), (4096, 4096)),
        ((1024, 524_288), (65_536, 524_288)),
        ((1024, UNLIMITED), (65_536, UNLIMITED)),
        ((256, 256), (256, 256)),
        ((100_000, 524_288), (100_000, 524_288)),  # never lowered
        ((UNLIMITED, UNLIMITED), (UNLIMITED, UNLIMITED)),
    ],
)
def test_the_limit_is_raised_as_far_as_it_may_be(limits, before, after):
    limits[:] = before
    descriptors.raise_limit()
    assert tuple(limits) == after


def test_a_system_that_does_not_raise_it_is_left_alone(limits, monkeypatch):
    def refuse(which, pair):
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    descriptors.raise_limit()
    assert limits == [256, 4096]
    monkeypatch.setattr(descriptors, "resource", None)  # Windows
    descriptors.raise_limit()
    assert descriptors.most() == descriptors.ENOUGH


def test_the_limit_of_a_process_is_really_raised():
    program = (
        "import resource; from metamf.webapp.serving.descriptors import most, raise_limit\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (128, 256)); raise_limit(); print(most())"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "256\n"


@pytest.mark.parametrize("limit, inside", [(65_536, 8192), (1024, 128), (256, 32), (4, 1), (UNLIMITED, 8192)])
def test_visitors_inside_take_half(limits, limit, inside):
    limits[:] = limit, limit
    assert descriptors.visitors() == inside


@pytest.mark.parametrize("limit, taken, room", [(256, 188, True), (256, 189, False), (4096, 3836, True)])
def test_a_session_leaves_some_to_others(limits, monkeypatch, limit, taken, room):
    limits[:] = limit, limit
    monkeypatch.setattr(descriptors.os, "listdir", lambda folder: ["0"] * taken)
    assert descriptors.room_for_a_session() == room


@pytest.mark.parametrize("error, room", [(FileNotFoundError(), True), (OSError(24, "Too many open files"), False)])
def test_where_nothing_can_be_counted(monkeypatch, error, room):
    def listdir(folder):
        raise error

    monkeypatch.setattr(descriptors.os, "listdir", listdir)
    assert descriptors.room_for_a_session() == room


def test_what_python_says_without_pause_is_logged_once(monkeypatch, caplog):
    logger = logging.getLogger("asyncio")
    monkeypatch.setattr(logger, "filters", [])
    descriptors.say_seldom()
    descriptors.say_seldom()  # once is enough
    assert len(logger.filters) == 1
    for _ in range(2000):
        logger.error(f"{descriptors.NONE_LEFT}\nsocket: <one>")
    logger.error("another error")
    assert [record.msg.split("\n")[0] for record in caplog.records] == [descriptors.NONE_LEFT, "another error"]
    monkeypatch.setattr(descriptors, "SELDOM", 0)  # a minute later
    logger.error(descriptors.NONE_LEFT)
    assert len(caplog.records) == 3
