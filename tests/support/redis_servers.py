"""A real Redis, on a socket of its own and without a file."""

import shutil
import signal
import socket
import subprocess
import time

import pytest


def start_redis(path):
    """The process of a Redis that answers at a Unix socket; skips the test where there is none to be had."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server (Debian: apt-get install redis-server)")
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not _listens(path) and time.monotonic() < end:
        time.sleep(0.01)
    return server


def _listens(path):
    """Whether somebody takes connections there; the file alone is there a moment before."""
    with socket.socket(socket.AF_UNIX) as asks:
        return asks.connect_ex(path) == 0


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    """A Redis for all tests of a module, which may stop it for a while, and its address."""
    path = str(tmp_path_factory.mktemp("redis") / "socket")
    server = start_redis(path)
    yield server, f"unix://{path}"
    server.send_signal(signal.SIGCONT)
    server.kill()
    server.wait()
