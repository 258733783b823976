"""The digest of a file, and the atomic writer, which writes a file whole or leaves it as it was."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path


def sha256_of(content: bytes) -> str:
    """SHA-256 of a file's content, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def write_atomically(path: str | os.PathLike, data: bytes) -> None:
    """Replaces the content of a file at once, so that a reader sees the old content or the new one,
    never a part.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is
    renamed. An existing file keeps its mode; a link is followed. A pipe or a device is never
    replaced, but written to.

    Raises OSError if the file cannot be written; then the old one is as it was, and no temporary
    file is left.
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
