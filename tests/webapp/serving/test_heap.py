"""One heap for all threads of a server, and its free memory given back."""

import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from metamf.webapp.serving import heap

COUNT = """
import ctypes, sys, threading
from metamf.webapp.serving import heap
if sys.argv[1] == "shared":
    heap.share({})
all_there = threading.Barrier(11)
def work():
    bytes(100_000)  # of the C library, not Python's own small blocks
    all_there.wait()
threads = [threading.Thread(target=work) for _ in range(10)]
for thread in threads:
    thread.start()
all_there.wait()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, out)
libc.fflush(out)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_threads_share_one_heap():
    def heaps(of):
        said = subprocess.run([sys.executable, "-c", COUNT, of], capture_output=True, text=True, check=True).stdout
        return said.count("<heap nr=")

    assert heaps("apart") > 5 and heaps("shared") == 1


def test_the_environment_may_say_another_number(monkeypatch):
    asked = []
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda name: SimpleNamespace(mallopt=lambda *said: asked.append(said)))
    heap.share({"MALLOC_ARENA_MAX": "4"})
    assert not asked
    heap.share({})
    assert asked == [(-8, 1)]


def test_memory_is_given_back(monkeypatch):
    asked = []
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=asked.append))
    heap.give_back()
    assert asked == [0]


def test_another_c_library_keeps_its_own_rules(monkeypatch):
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda name: SimpleNamespace())  # as on macOS
    heap.share({})
    heap.give_back()

    def none(name):
        raise TypeError  # as on Windows

    monkeypatch.setattr(heap.ctypes, "CDLL", none)
    heap.share({})
    heap.give_back()
