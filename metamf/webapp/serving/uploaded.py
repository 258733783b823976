"""Limits of the memory that uploads take: so much for each session, and none where memory is nearly gone.

Streamlit limits a single file. It keeps every file that a session sends, whether or not a page asks for it: so somebody
who sends the largest file again and again could end the server.
"""

from __future__ import annotations

from functools import wraps

from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from metamf.tables.limits import WEB
from metamf.webapp.monitoring import observing
from metamf.webapp.serving import memory
from metamf.wording import MIB

MOST_BYTES = 3 * WEB.bytes  # of a session: a file on each of two pages, and one that takes the place of one of them
RESERVE = 256 * MIB  # bytes of memory that uploads leave; chosen by hand


def limit(manager: type[MemoryUploadedFileManager] = MemoryUploadedFileManager) -> None:
    """Lets a session keep its latest files up to ``MOST_BYTES``; where memory is short none is taken (status 503)."""
    keep = manager.add_file
    if hasattr(keep, "__wrapped__"):
        return

    @wraps(keep)
    def add_file(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        left = memory.left()
        if left is not None and left < RESERVE:
            observing.refused("memory short", needed=RESERVE, left=left)
            raise HTTPException(503, "This server has too little memory left for a file: try again later.")
        keep(self, session_id, file)
        files = self.file_storage.get(session_id, {})
        sizes = {id: len(kept.data) for id, kept in list(files.items())}  # the oldest first
        for id in sizes:
            if sum(sizes.values()) <= MOST_BYTES or id == file.file_id:
                break
            self.remove_file(session_id, id)
            sizes = {other: size for other, size in sizes.items() if other != id}

    manager.add_file = add_file
