"""The memory that this process may still take, so that a large file is refused before it ends the server.

On Linux; elsewhere nothing is known, and nothing refused.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows
    resource = None

from metamf.webapp.serving import control_groups
from metamf.webapp.serving.control_groups import CONTROL, PROC
from metamf.wording import MIB

COST = 33  # bytes of memory at the peak for a byte of a table's text: benchmarks/results/upload.csv, 697 MiB for 21.1
BYTES_UNASKED = 2 * MIB * COST  # bytes that are taken without a question: for 2 MiB of text
_PIECE = 64 * 1024  # bytes that are unpacked at once
_HEAD = 4 * MIB  # bytes of what is in a gzip that are looked at as a whole
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"


def left(proc: Path = PROC, control: Path = CONTROL) -> int | None:
    """Bytes that this process may still take: the least that machine, container and ``ulimit`` leave; None: unknown.

    Parameters
    ----------
    proc, control : Path
        Folders in which the system tells of itself and of its control groups.
    """
    known = [_left_by_machine(proc), _left_by_container(proc, control), _left_by_ulimit(proc)]
    return min((value for value in known if value is not None), default=None)


def data(proc: Path = PROC) -> int | None:
    """Bytes of data that this process has, used or not: what ``ulimit -d`` would limit; None: unknown."""
    return _number_after("VmData:", proc / "self" / "status", 1024)


def needed(content: bytes, most: int) -> int:
    """Bytes that it takes to read a file and to fill its table in, roughly.

    Parameters
    ----------
    content : bytes
        The file.
    most : int
        Bytes that it may unpack to: a file that unpacks to more counts as that.
    """
    return COST * min(_unpacked_size(content, most), most)


def _unpacked_size(content: bytes, most: int) -> int:
    """Bytes that a file unpacks to, or ``most`` if they are more.

    A gzip is unpacked and counted, piece by piece: what it says at its end holds for its last part alone.
    """
    if not content.startswith(_GZIP):
        return _size_of_zip(content) if content.startswith(_ZIP) else len(content)
    counted, head = 0, bytearray()
    with suppress(OSError, EOFError, zlib.error), gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        while counted < most and (part := file.read1(_PIECE)):
            counted += len(part)
            if len(head) < _HEAD:
                head += part
    if head.startswith(_ZIP):
        return max(counted, _size_of_zip(bytes(head))) if len(head) == counted else most
    return max(counted, len(content))


def _size_of_zip(content: bytes) -> int:
    with suppress(Exception):  # a crafted directory raises errors of many kinds in zipfile
        return sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(content)).infolist())
    return len(content)


def _left_by_machine(proc: Path) -> int | None:
    return _number_after("MemAvailable:", proc / "meminfo", 1024)


def _left_by_container(proc: Path, control: Path) -> int | None:
    """Bytes that control groups leave, the least of all; the page cache is not counted, since it can be had back."""
    left = []
    for group, most in control_groups.figures("memory.max", proc, control):
        with suppress(OSError, ValueError):  # "max": no limit
            now = int((group / "memory.current").read_text())
            left.append(int(most) - now + (_number_after("inactive_file ", group / "memory.stat", 1) or 0))
    return max(0, min(left)) if left else None


def _left_by_ulimit(proc: Path) -> int | None:
    if resource is None:
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    now = _number_after("VmSize:", proc / "self" / "status", 1024)
    return None if most == resource.RLIM_INFINITY or now is None else max(0, most - now)


def _number_after(name: str, file: Path, unit: int) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        [line] = [line for line in file.read_text().splitlines() if line.startswith(name)]
        return int(line.removeprefix(name).split()[0]) * unit
    return None
