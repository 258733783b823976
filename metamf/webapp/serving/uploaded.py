"""Limits of the memory that uploads take: so much for each session, and none where memory is nearly gone.

Streamlit limits a single file. It keeps every file that a session sends, whether or not a page asks for it, and what
arrives of any number of files at once: so somebody who sends the largest file again and again, or many of them slowly,
could end the server.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from metamf.tables.limits import WEB
from metamf.webapp.monitoring import observing
from metamf.webapp.serving import memory
from metamf.wording import MIB

MOST_BYTES = 3 * WEB.bytes  # of a session: a file on each of two pages, and one that takes the place of one of them
RESERVE = 256 * MIB  # bytes of memory that uploads leave
SLOWEST = 600  # seconds in which a file has to arrive; the largest by half a megabit a second
_arriving: Counter[str] = Counter()  # session -> bytes that its uploads will have, all in the thread of the server


def limit(manager: type[MemoryUploadedFileManager] = MemoryUploadedFileManager) -> None:
    """Lets a session keep its latest files up to ``MOST_BYTES``; where memory is short none is taken (status 503)."""
    keep = manager.add_file
    if hasattr(keep, "__wrapped__"):
        return

    @wraps(keep)
    def add_file(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        _ask_for(RESERVE)
        keep(self, session_id, file)
        files = self.file_storage.get(session_id, {})
        sizes = {id: len(kept.data) for id, kept in list(files.items())}  # the oldest first
        for id in sizes:
            if sum(sizes.values()) <= MOST_BYTES or id == file.file_id:
                break
            self.remove_file(session_id, id)
            sizes = {other: size for other, size in sizes.items() if other != id}

    manager.add_file = add_file


def limit_arriving(request: type[Request] = Request) -> None:
    """Lets a session send ``MOST_BYTES`` at once, and all sessions together what memory leaves, in ``SLOWEST`` seconds.

    What is more is refused (status 503) before any of it is read; what is slower is given up (status 408).
    """
    read = request.form
    if hasattr(read, "__wrapped__"):
        return

    @wraps(read)
    async def form(self: Request, **limits: float) -> FormData:
        session = self.scope.get("path_params", {}).get("session_id", "")
        length = self.headers.get("content-length", "")
        with _arrives(session, int(length) if length.isdecimal() else WEB.bytes):  # none in pieces: at most that
            try:
                async with asyncio.timeout(SLOWEST):
                    return await read(self, **limits)
            except TimeoutError as error:
                raise HTTPException(408, "The file arrives too slowly.") from error
            except ClientDisconnect as error:  # otherwise a traceback in the log
                raise HTTPException(400, "The file broke off.") from error

    request.form = form


@contextmanager
def _arrives(session: str, size: int) -> Iterator[None]:
    if _arriving[session] + size > MOST_BYTES:
        observing.refused("uploads at once", needed=size)
        raise HTTPException(503, "Too many files are on their way from here: try again when they have arrived.")
    _ask_for(RESERVE + _arriving.total() + size)
    _arriving[session] += size
    try:
        yield
    finally:
        _arriving[session] -= size
        if not _arriving[session]:
            del _arriving[session]


def _ask_for(needed: int) -> None:
    left = memory.left()
    if left is not None and left < needed:
        observing.refused("memory short", needed=needed, left=left)
        raise HTTPException(503, "This server has too little memory left for a file: try again later.")
