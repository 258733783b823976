"""The run that Fill in and Watch open with, kept in a file: the first picture needs neither torch nor a computation.

    python -m metamf.webapp.matrix.opening

writes ``opening.json``: the replay of the run that a visitor sees who has touched nothing, and what is said of it. It
is used where matrix, choices, window and the bytes of the checkpoint are those that it was written from;
``tests/webapp/matrix/test_opening.py`` computes it again. A visitor who asks for anything else gets a run computed for
that.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from metamf.checkpoints.bundled import find_checkpoint
from metamf.figures.window import Window
from metamf.files import sha256_of
from metamf.webapp.matrix import sources
from metamf.webapp.matrix.choices import DEFAULT
from metamf.webapp.matrix.shown import RunKey, RunWords, ShownView, compute

OPENING_FILE = Path(__file__).with_name("opening.json")


def kept(key: RunKey, window: Window) -> dict[Hashable, object]:
    """The kept parts of a run in that window, by the names of ``ShownView.once``; none of any but the opening one."""
    found = _read()
    if (
        found is None
        or json.loads(_asked(key, window)) != found["asked"]
        or found["checkpoint"] != _digest_of(key.model)
    ):
        return {}
    made = found["made"]
    return {
        "replay": made["replay"],
        ("doubt", True): tuple(made["doubt"]),
        "said": RunWords(*made["said"]),
    }


def computed() -> dict[str, Any]:
    """The contents of the file, as JSON values, computed now."""
    matrix = sources.example(DEFAULT.data)
    key = RunKey(matrix.digest, DEFAULT.keep, DEFAULT.by, DEFAULT.seed, DEFAULT.model, DEFAULT.steps)
    view = ShownView(key, matrix, Window.of(matrix.ratings.shape), find=compute)
    made = {"replay": view.replay(), "doubt": view.doubt(True), "said": view.words()}
    asked = json.loads(_asked(key, view.window))
    return json.loads(json.dumps({"asked": asked, "checkpoint": _digest_of(key.model), "made": made}))


def _asked(key: RunKey, window: Window) -> str:
    return json.dumps(asdict(key) | {"window": asdict(window)})


@cache
def _read() -> dict[str, Any] | None:
    if not OPENING_FILE.is_file():
        return None  # all is computed
    return json.loads(OPENING_FILE.read_text("utf-8"))


def _digest_of(checkpoint: str) -> str:
    """SHA-256 of the checkpoint's file; '' where there is none."""
    try:
        path = find_checkpoint(checkpoint)
        return _digest(path, path.stat().st_mtime_ns)
    except OSError:
        return ""


@lru_cache(maxsize=4)
def _digest(path: Path, changed: int) -> str:
    return sha256_of(path.read_bytes())


if __name__ == "__main__":
    OPENING_FILE.write_text(json.dumps(computed(), ensure_ascii=False, indent=1) + "\n", "utf-8")
