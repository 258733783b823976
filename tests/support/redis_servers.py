"""A real Redis, on a socket of its own and without a file."""

import os
import shutil
import signal
import subprocess
import time

import pytest


def start_redis(socket):
    """The process of a Redis that answers at a Unix socket; skips the test where there is none to be had."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server (Debian: apt-get install redis-server)")
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not os.path.exists(socket) and time.monotonic() < end:
        time.sleep(0.01)
    return server


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    """A Redis for all tests of a module, which may stop it for a while, and its address."""
    socket = str(tmp_path_factory.mktemp("redis") / "socket")
    server = start_redis(socket)
    yield server, f"unix://{socket}"
    server.send_signal(signal.SIGCONT)
    server.kill()
    server.wait()
