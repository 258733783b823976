"""The table of ratings inside an archive, checked, and its cache in columns (npz, never pickle).

Text and spreadsheets take seconds to parse; the columns load in a fraction of one. The cache stands in the user's
cache folder under the digest of the archive's bytes, so that another archive is never taken for this one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from metamf.datasets.archives import Archive, cache_folder

FORMAT = 1  # raise it when the columns or a parser change: older files are then left alone

# An archive may hold a little less than the publisher's count (copies exist with a few rows lost), never more.
# One row in a thousand is far below what a file cut short loses, and too little to move any result.
LEAST_COMPLETE = 0.999


@dataclass(frozen=True, eq=False)
class Table:
    """``rows``, ``cols``, ``values``: one entry per rating, positions from 0; ``titles``: (M,) column names."""

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    titles: np.ndarray


def check(table: Table, archive: Archive) -> None:
    """ValueError where ``table`` is not what ``archive`` holds: too few or too many ratings, ids or values outside."""
    check_count(len(table.values), archive)
    for what, ids, size in (("user", table.rows, archive.shape[0]), ("item", table.cols, archive.shape[1])):
        if ids.min() < 0 or ids.max() >= size:
            raise ValueError(
                f"{archive.file_name}: {what} ids run from {ids.min() + 1} to {ids.max() + 1}, not 1 to {size}"
            )
    low, high = table.values.min(), table.values.max()
    if low < archive.scale.minimum or high > archive.scale.maximum:
        raise ValueError(f"{archive.file_name}: ratings from {low} to {high} lie outside {archive.scale}")


def check_count(count: int, archive: Archive) -> None:
    """ValueError unless ``count`` ratings are what a complete archive holds, or at least ``LEAST_COMPLETE`` of it."""
    if not LEAST_COMPLETE * archive.ratings <= count <= archive.ratings:
        raise ValueError(f"{archive.file_name} holds {count:,} ratings; {archive.title} has {archive.ratings:,}")


def read(path: Path, archive: Archive, parse: Callable[[Path, Archive], Table]) -> Table:
    """The table of the archive at ``path``: from the cache where it is there and whole, otherwise parsed and cached."""
    cached = _cache_path(path, archive)
    try:
        with np.load(cached, allow_pickle=False) as columns:
            table = Table(**columns)
        check(table, archive)
        return table
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        pass  # not there, damaged, or of another layout: parse, and write it anew
    table = parse(path, archive)
    check(table, archive)
    with contextlib.suppress(OSError):  # a cache that cannot be written only costs time
        _write(cached, table)
    return table


def _cache_path(path: Path, archive: Archive) -> Path:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return cache_folder() / "parsed" / f"{archive.name}-{digest[:32]}-v{FORMAT}.npz"


def _write(target: Path, table: Table) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **asdict(table))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
