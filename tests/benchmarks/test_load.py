"""The load client: errors that a page shows, downloads, memory of a server with its child processes."""

import os
import subprocess
import sys

from benchmarks.browser import memory_of


def test_memory_of_a_server_includes_its_child_processes():
    before = memory_of(os.getpid())
    code = "x = bytearray(64 * 2**20); x[::4096] = bytes(len(x[::4096])); print(flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    assert memory_of(os.getpid()) - before > 60
    child.communicate(b"\n")
