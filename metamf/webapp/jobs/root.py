"""The folder around the folders of a pool's jobs, and those that dead servers have left.

A pool holds a lock on a file in its folder, which the system releases however the server ends. So the next server knows
whose folders nobody holds any more, and removes them. (A worker removes its own folder where it outlives the server;
of jobs that have ended there is no worker left to do it.)
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from metamf.webapp.jobs.line import PoolFullError

try:
    import fcntl
except ImportError:  # on Windows: what a dead server has left stays there
    fcntl = None

FOLDER_PREFIX = "metamf-jobs-"
HELD = "held"  # the file with the lock


class Root:
    """A new folder, held until it is removed or the process ends; removes those that nobody holds."""

    def __init__(self):
        _remove_left_ones()
        self.path = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
        self._held = open(self.path / f"{HELD}.new", "w")  # noqa: SIM115  open as long as it is held
        if fcntl is not None:
            fcntl.flock(self._held, fcntl.LOCK_EX)
        os.rename(self._held.name, self.path / HELD)  # under its name it is held from the first moment

    def remove(self) -> None:
        """Removes the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._held.close()


def new_folder(roots: list[Root], name: str) -> Path:
    """A new folder for a job in the first of ``roots``, made if there is none; PoolFullError where that fails."""
    try:
        if not roots:
            roots.append(Root())
        folder = roots[0].path / name
        folder.mkdir(mode=0o700)
    except OSError as error:  # the disk is full, or its folder of temporary files cannot be written to
        raise PoolFullError("This server has no room on its disk for a computation: try again later.") from error
    return folder


def remove_if_empty(root: Path) -> None:
    """Removes a pool's folder if no job's folder is left in it."""
    with suppress(OSError):
        if all(path.name == HELD for path in root.iterdir()):
            shutil.rmtree(root, ignore_errors=True)


def _remove_left_ones() -> None:
    if fcntl is None:
        return
    for held in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*/{HELD}"):
        with suppress(OSError), open(held, "r+") as file:  # held by its server, or another user's
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(held.parent, ignore_errors=True)
