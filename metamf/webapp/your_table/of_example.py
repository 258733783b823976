"""The verdict on the example table: a class that tries it at once asks for one measurement, not for forty.

It holds nothing of anybody's: the table is the app's own, to the last byte, and so are the methods.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cache
from typing import Any

from metamf.checkpoints.bundled import find_checkpoint, list_pretrained
from metamf.webapp.your_table.keys import ErrorsKey
from metamf.webapp.your_table.state import example

MOST_VERDICTS = 20  # verdicts that are kept, on as many settings
_lock = threading.Lock()
_known: OrderedDict[tuple, dict[str, Any]] = OrderedDict()


def is_it(key: ErrorsKey) -> bool:
    """Whether the table is the example."""
    return key.table.digest == _digest()


def verdict(key: ErrorsKey, repeats: int) -> dict[str, Any] | None:
    """The report that a worker has sent to somebody; None where there is none, or the table is not the example."""
    if not is_it(key):
        return None
    with _lock:
        return _known.get(_whole(key, repeats))


def keep_verdict(key: ErrorsKey, repeats: int, report: dict[str, Any]) -> None:
    """Keeps a report for the others, where the table is the example."""
    if not is_it(key):
        return
    with _lock:
        _known[_whole(key, repeats)] = report
        if len(_known) > MOST_VERDICTS:
            _known.popitem(last=False)


def _whole(key: ErrorsKey, repeats: int) -> tuple:
    """All that a verdict depends on, the versions of the checkpoints included."""
    versions = tuple((name, find_checkpoint(name).stat().st_mtime_ns) for name in list_pretrained())
    return key, repeats, versions


@cache
def _digest() -> str:
    return example().digest
