"""Heavy work of pages, done in the process of the test, which has its world; what is sent is packed all the same."""

import pytest

from metamf.webapp.serving import messages
from metamf.webapp.serving.heavy_process import HeavyProcess


def sent(value):
    """A value as the other side gets it."""
    return messages.unpacked_message(messages.packed_message(value))


@pytest.fixture
def heavy_work(monkeypatch):
    """The functions that were called."""
    called = []

    def call(self, function, *arguments, seconds, waiting=None, progress=None, then=()):
        called.append(function.__name__ if hasattr(function, "__name__") else function)
        function, arguments = sent((function, arguments))
        return sent(function(*arguments, **({} if progress is None else {"progress": progress})))

    monkeypatch.setattr(HeavyProcess, "call", call)
    return called
