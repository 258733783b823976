"""The load client: errors that a page shows, downloads, memory of a server with its child processes."""

import asyncio
import os
import subprocess
import sys

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.browser import memory_of
from benchmarks.load import visits
from benchmarks.load.session import Session


class Connection:
    """A connection on which one message comes."""

    def __init__(self, message):
        self.messages = [message.SerializeToString()]

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.messages:
            raise StopAsyncIteration
        return self.messages.pop()


@pytest.mark.parametrize("kind", ["exception", "html"])
def test_an_exception_on_a_page_ends_the_visit(kind):
    message = ForwardMsg()
    if kind == "exception":
        message.delta.new_element.exception.type = "KeyError"
    else:
        message.delta.new_element.html.body = "fine"

    async def session_after_the_message():
        session = Session("http://127.0.0.1", Connection(message))
        await asyncio.sleep(0.01)
        return session

    with asyncio.Runner() as runner:
        session = runner.run(session_after_the_message())
    if kind == "html":
        visits.no_exception(session)
        assert session.received > 0
    else:
        with pytest.raises(RuntimeError, match="KeyError"):
            visits.no_exception(session)


def test_memory_of_a_server_includes_its_child_processes():
    before = memory_of(os.getpid())
    code = "x = bytearray(64 * 2**20); x[::4096] = bytes(len(x[::4096])); print(flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    assert memory_of(os.getpid()) - before > 60
    child.communicate(b"\n")
