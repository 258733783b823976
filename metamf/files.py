"""The one atomic writer: a file is there whole, or as it was."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: str | os.PathLike, data: bytes) -> None:
    """``data`` becomes the content of ``path`` all at once: a reader sees the old file or the new one, never a part.

    Written to a temporary file in the same folder, flushed to the disk, then renamed. An existing file keeps its mode.
    What exists and is no file (a pipe, a device) is never replaced: it is written to.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
