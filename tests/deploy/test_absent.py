"""What a visitor brought is gone when nobody can come back to the session, though nobody else comes or leaves."""

import asyncio
import re
import urllib.error
from pathlib import Path

import pytest
import websockets
from as_the_image import Served, until
from served import in_a_loop, silent

from benchmarks.load.session import Session, put, visit
from metamf.wording import MIB

pytestmark = pytest.mark.slow
# Streamlit keeps a session for five seconds instead of two minutes, and every fifth of a second somebody looks.
SHORTER = (
    "import os\n"
    "os.environ['STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL'] = '5'\n"
    "from metamf.webapp.serving import absent\n"
    "absent.EVERY = 0.2"
)


@pytest.fixture
def served(tmp_path):
    server = Served(tmp_path, first=SHORTER)
    until(lambda: server.process.poll() is not None or server.answers())
    yield server
    server.process.kill()
    server.process.wait()


def memory(server):
    """Bytes of it that the server has."""
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[1])


async def back(server, left):
    """The visitor of a session comes back, as a browser does after an interruption."""
    address = server.address.replace("http", "ws") + "/_stcore/stream"
    connection = await websockets.connect(address, subprotocols=["streamlit", "x", left.id], max_size=None)
    session = Session(server.address, connection)
    await session.run()
    return session


def test_a_session_is_found_for_a_while_and_then_ended_with_its_uploads_and_descriptors(served):
    async def visits():
        first = await visit(served.address)
        until(lambda: "libtorch_cpu" in Path(f"/proc/{served.process.pid}/maps").read_text())
        before = served.open_descriptors()
        one = await visit(served.address)
        for number in range(3):
            await asyncio.to_thread(
                put, served.address, f"/_stcore/upload_file/{one.id}/{number}", "a.csv", b"1,2\n" * (7 * MIB)
            )
        await one.close()
        again = await back(served, one)
        assert again.id == one.id
        full = memory(served)
        await again.close()
        until(lambda: served.open_descriptors() <= before and memory(served) < full - 70 * MIB, patience=60)
        other = await back(served, one)
        assert other.id != one.id
        with pytest.raises(urllib.error.HTTPError, match="400"):
            put(served.address, f"/_stcore/upload_file/{one.id}/0", "a.csv", b"1,2\n")
        await first.run()  # nobody else's session is touched
        await other.close()
        await first.close()

    in_a_loop(visits())


def test_a_thousand_sessions_that_were_opened_and_left_leave_nothing(served):
    async def visits():
        first = await visit(served.address)
        until(lambda: "libtorch_cpu" in Path(f"/proc/{served.process.pid}/maps").read_text())
        await open_and_leave(100)  # what the first ones bring with them
        await asyncio.to_thread(until, lambda: served.open_descriptors() < 100, 60)
        before = memory(served)
        await open_and_leave(1000)
        await asyncio.to_thread(until, lambda: served.open_descriptors() < 100, 60)
        await asyncio.to_thread(until, lambda: memory(served) < before + 20 * MIB, 60)
        await first.run()
        await first.close()
        await (await visit(served.address)).close()

    async def open_and_leave(number):
        for _ in range(number // 50):
            for connection in await asyncio.gather(*(silent(served.address) for _ in range(50))):
                connection.transport.abort()

    in_a_loop(visits())
