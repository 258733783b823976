"""Visitors by Streamlit's own protocol: what they notice, and what a class beside heavy work is made of."""

import os
import subprocess
import sys

import pytest
from served import in_a_loop
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.browser import memory_of, memory_of_workers
from benchmarks.load import beside, visits
from benchmarks.load.session import Session
from metamf.tables import WEB, read_table
from metamf.webapp.serving import memory
from metamf.webapp.your_table.settings import _LARGE


class Silent:
    """A connection on which nothing comes."""

    def __aiter__(self):
        return self

    async def __anext__(self):
        raise StopAsyncIteration


def session_that_sees(kind):
    async def made():
        return Session("http://127.0.0.1", Silent())

    session, message = in_a_loop(made()), ForwardMsg()
    element = message.delta.new_element
    if kind == "exception":
        element.exception.type = "KeyError"
    else:
        element.html.body = "fine"
    session._draw(element, "")
    return session


def test_an_error_that_a_page_shows_ends_the_visit_and_is_counted():
    visits.no_exception(session_that_sees("html"))
    with pytest.raises(RuntimeError, match="KeyError"):
        visits.no_exception(session_that_sees("exception"))


def test_the_large_table_is_read_and_filled_in_as_heavy_work_is():
    content = beside.large_table(0)
    table = read_table(content, name="large.csv")
    assert table.ratings.shape == beside.LARGE and table.ratings.nnz > _LARGE
    assert memory.needed(content, WEB.expanded) > memory.BYTES_UNASKED
    assert beside.large_table(1) != content


def test_memory_of_workers_is_that_of_the_processes_that_a_process_has_started():
    before = memory_of_workers(os.getpid())
    child = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    assert memory_of_workers(os.getpid()) - before > 0.5 * memory_of(child.pid) > 1
    child.communicate(b"\n")


@pytest.mark.parametrize(
    "content", ["<!doctype html><html><title>Streamlit</title>", "<title>Film club – MetaMF</title>"]
)
def test_only_a_run_counts_as_taken_away(content):
    class Visitor:
        def of_key(self, key):
            return key

        async def take_away(self, id):
            return content.encode()

    if "MetaMF" in content:
        in_a_loop(visits.taken(Visitor()))
    else:
        with pytest.raises(ValueError, match="not a run"):
            in_a_loop(visits.taken(Visitor()))
