"""Where a server may have few descriptors it takes as many visitors as they allow, and recovers when some leave."""

import asyncio
import contextlib
import re
import resource
import socket
from pathlib import Path

import pytest
from as_the_image import Served, until
from served import in_a_loop, server_process, silent
from websockets.exceptions import InvalidStatus

from benchmarks.load.session import visit
from metamf.webapp.serving.descriptors import NONE_LEFT

pytestmark = pytest.mark.slow
HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


@contextlib.contextmanager
def served(folder, descriptors):
    server = Served(folder, visitors=150, descriptors=descriptors)
    try:
        until(lambda: server.process.poll() is not None or server.answers())
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def may_open(process):
    """The limit of descriptors, soft and hard."""
    text = Path(f"/proc/{process.pid}/limits").read_text()
    return tuple(map(int, re.search(r"^Max open files\s+(\d+)\s+(\d+)", text, re.M).groups()))


def silent_socket(server):
    """A connection that never says a word, not even that it wants a session."""
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.setblocking(False)
    return connection


def is_closed(connection):
    """Whether the other side has closed it."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except BlockingIOError:
        return False


async def page(server):
    """Comes, as often as it is refused, and leaves."""
    while True:
        with contextlib.suppress(InvalidStatus):
            session = await visit(server.address)
            break
        await asyncio.sleep(0.1)
    assert session.kinds["bidi_component"]
    await session.close()


def test_a_limit_that_may_be_raised_is(tmp_path):
    with served(tmp_path, descriptors=(256, 2048)) as server:
        assert may_open(server.process) == (2048, 2048)

        async def visits():
            quiet = [await silent(server.address) for _ in range(100)]
            await page(server)
            for connection in quiet:
                connection.transport.abort()

        in_a_loop(visits())


@pytest.mark.skipif(HARD < 512, reason="no more descriptors may be had here")
def test_streamlits_own_command_raises_it_too(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, HARD))
    try:
        with server_process(tmp_path) as (_, process):
            assert may_open(process) == (min(HARD, 65_536), HARD)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_where_it_may_not_who_comes_too_many_is_refused_until_some_leave_and_the_log_stays_small(tmp_path):
    with served(tmp_path, descriptors=(256, 256)) as server:
        [started] = [event for event in server.events() if event["event"] == "started"]
        assert started["visitors"] == 32

        async def visits():
            await page(server)
            quiet = []
            with pytest.raises(InvalidStatus, match="503"):
                for _ in range(256):
                    quiet.append(await silent(server.address))
            assert len(quiet) >= 32
            assert server.answers()  # requests have descriptors left
            with pytest.raises(InvalidStatus, match="503"):
                await visit(server.address)
            for connection in quiet:
                connection.transport.abort()
            await page(server)

        in_a_loop(visits())
        assert not [event for event in server.events() if event["level"] == "error"]
        assert [event for event in server.events() if event["event"] == "descriptors short"]
        with contextlib.ExitStack() as stack:  # of those that ask for nothing: they cannot be refused a session
            many = [stack.enter_context(silent_socket(server)) for _ in range(300)]
            until(lambda: any(map(is_closed, many)) or NONE_LEFT in server.log.read_text())  # uvloop; Python's own loop
        in_a_loop(page(server))
        assert server.log.read_text().count(NONE_LEFT) <= 1
        assert len(server.log.read_bytes()) < 100_000
