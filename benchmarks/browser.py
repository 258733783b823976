"""The app on this machine, and the Chromium that visits it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

import psutil

from metamf.wording import MIB

REPOSITORY = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--disable-sync"]


class Server(NamedTuple):
    """A server of the app: its address, its process, and when that started (seconds of the system's
    clock)."""

    address: str
    pid: int
    started: float


def free_port() -> int:
    """A port of this machine that is free at the moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def served(
    folder: str, port: int | None = None, log: IO | int = subprocess.DEVNULL, **variables: str
) -> Iterator[Server]:
    """The app on ``port``, or on a free one, with ``folder`` as its folder of data sets, until the
    block ends.

    ``log``: where it writes what it says; ``variables``: more of its environment.

    Raises RuntimeError if the server does not answer within 30 seconds.
    """
    port = free_port() if port is None else port
    address, started = f"http://127.0.0.1:{port}", time.time()
    options = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    environment = os.environ | {"METAMF_DATA": folder} | variables
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=log, stderr=log)
    try:
        _wait_until_it_answers(f"{address}/_stcore/health")
        yield Server(address, server.pid, started)
    finally:
        server.terminate()
        server.wait(60)


def memory_of(pid: int, children: bool = True) -> float:
    """The memory of a process, and of all processes that it has started, in MiB; what they share
    counts once."""
    found = 0
    with suppress(psutil.NoSuchProcess):
        top = psutil.Process(pid)
        for process in (top, *(top.children(recursive=True) if children else ())):
            with suppress(psutil.NoSuchProcess):  # it has ended in the meantime
                found += process.memory_full_info().pss
    return found / MIB


def _wait_until_it_answers(address: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=1).read()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the server of the app does not answer at {address}")
