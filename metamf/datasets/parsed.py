"""The ratings parsed from an archive: their checks, and their cache as columns (npz, never pickle).

Text and spreadsheets take seconds to parse; the columns load in a fraction of a second. The cache file lies in the
user's cache folder and is named after the digest of the archive's bytes, so that it never stands for another archive.
"""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from metamf.datasets.archives import Archive, cache_folder
from metamf.files import sha256_of, write_atomically

CACHE_FORMAT = 1  # version of the cache files, to be raised when the columns or a parser change

# Least share of the publisher's ratings that an archive must hold: copies of ml-1m exist that have lost a few rows. The
# bound is chosen by hand: a file cut short loses far more, and one rating in a thousand moves no result.
LEAST_COMPLETE = 0.999


@dataclass(frozen=True, eq=False)
class ParsedRatings:
    """The columns of a rating table, as the cache keeps them.

    Attributes
    ----------
    rows, cols : (nnz,) positions of each rating, counted from 0
    values : (nnz,) ratings, in rating units
    titles : (M,) names of the matrix's columns
    """

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    titles: np.ndarray


def check(parsed: ParsedRatings, archive: Archive) -> None:
    """Raises ValueError if the number of ratings, an id or a value of ``parsed`` does not fit ``archive``."""
    check_count(len(parsed.values), archive)
    for what, ids, size in (("user", parsed.rows, archive.shape[0]), ("item", parsed.cols, archive.shape[1])):
        if ids.min() < 0 or ids.max() >= size:
            raise ValueError(
                f"{archive.file_name}: {what} ids run from {ids.min() + 1} to {ids.max() + 1}, not 1 to {size}"
            )
    low, high = parsed.values.min(), parsed.values.max()
    if low < archive.scale.minimum or high > archive.scale.maximum:
        raise ValueError(f"{archive.file_name}: ratings from {low} to {high} lie outside {archive.scale}")


def check_count(count: int, archive: Archive) -> None:
    """Raises ValueError unless ``count`` ratings are at least ``LEAST_COMPLETE`` of the archive's, and no more."""
    if not LEAST_COMPLETE * archive.ratings <= count <= archive.ratings:
        raise ValueError(f"{archive.file_name} holds {count:,} ratings; {archive.title} has {archive.ratings:,}")


def read(path: Path, archive: Archive, parse: Callable[[Path, Archive], ParsedRatings]) -> ParsedRatings:
    """The ratings in the archive at ``path``: from the cache if it holds them whole, otherwise parsed and cached.

    Raises
    ------
    ValueError
        if the archive is damaged, or its content is not what ``archive`` describes.
    """
    cached = _cache_path(path, archive)
    try:
        with np.load(cached, allow_pickle=False) as columns:
            parsed = ParsedRatings(**columns)
        check(parsed, archive)
        return parsed
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        pass  # the cache is missing, damaged, or of another layout: parse again and rewrite it
    parsed = parse(path, archive)
    check(parsed, archive)
    with contextlib.suppress(OSError):  # without a cache the next call only takes longer
        _write_cache(cached, parsed)
    return parsed


def _cache_path(path: Path, archive: Archive) -> Path:
    digest = sha256_of(path.read_bytes())
    return cache_folder() / "parsed" / f"{archive.name}-{digest[:32]}-v{CACHE_FORMAT}.npz"


def _write_cache(path: Path, parsed: ParsedRatings) -> None:
    stream = io.BytesIO()
    np.savez(stream, **asdict(parsed))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, stream.getvalue())
