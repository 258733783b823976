"""The memory that this process may still take, so that a large file is refused before it ends the server.

On Linux; elsewhere nothing is known, and nothing refused.
"""

from __future__ import annotations

import io
import zipfile
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
BYTES_UNASKED = 2 * MIB * COST  # bytes that are taken without a question: for 2 MiB of text; chosen by hand
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


def needed(content: bytes, most: int) -> int:
    """Bytes that it takes to read a file and to fill its table in, roughly.

    Parameters
    ----------
    content : bytes
        The file.
    most : int
        Bytes that it may unpack to: a file that says more, or nothing, counts as that.
    """
    size = len(content)
    if content[:2] == _GZIP:
        said = int.from_bytes(content[-4:], "little") if size > 18 else 0  # of the last part, modulo 2**32
        size = min(max(said, size), most)
    elif content[:4] == _ZIP:
        with suppress(zipfile.BadZipFile, OSError, ValueError):
            size = min(sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(content)).infolist()), most)
    return COST * size


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
