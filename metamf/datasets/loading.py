"""Data sets as ``Ratings`` (Section 4.1 of the paper): the archives' files are parsed, checked and cached as columns.

MovieLens: ``u.data`` has user, item, rating and time, tab-separated, and ``u.item`` ``id|title|...``; ``u1.base`` and
``u1.test`` are the publisher's own 80/20 split; ``ratings.dat`` and ``movies.dat`` have ``::`` between the fields. Ids
start at 1; titles are latin-1. Jester: ``jester-data-1.xls`` has no header; column 0 is the number of jokes that the
person rated, columns 1 to 100 are the ratings, and 99 means not rated.

Text and spreadsheets take seconds to parse; the columns (npz, never pickle) load in a fraction of a second. The cache
file is in the user's cache folder and named after the digest of the archive.
"""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from metamf.datasets.archives import Archive, cache_folder, find, locate, read_member
from metamf.files import sha256_of, write_atomically
from metamf.ratings.limits import check_on_scale
from metamf.ratings.matrix import Ratings

CACHE_FORMAT = 1  # version of the cache files, to be raised when the columns or a parser change
# Share of the publisher's ratings that an archive must hold: copies of ml-1m exist that have lost a few rows.
LEAST_COMPLETE = 0.999
NOT_RATED = 99  # in Jester's files


Columns = dict[str, Any]  # arrays: rows and cols, positions from 0, and values, (nnz,) each; titles (M,) of the columns


def load(name: str, folder: str | os.PathLike | None = None, *, zeros_are_missing: bool = True) -> Ratings:
    """The rating matrix of a data set, with people in rows and items in columns, in rating units.

    Parameters
    ----------
    name : "ml-100k" (943 x 1682), "ml-1m" (6040 x 3952, of which 246 columns have no rating) or "jester" (24983 x 100)
    folder : folder of the archive; None: the environment variable METAMF_DATA, or else the user's cache folder
    zeros_are_missing : whether ratings of exactly 0 are left out, as the paper's author did. Jester then has 1,805,072
        ratings, the paper's count, otherwise 1,810,455. MovieLens ratings start at 1, so nothing changes there.

    Raises
    ------
    ValueError
        if ``name`` is not one of these, or the archive is damaged or not what its publisher distributes.
    FileNotFoundError
        if the archive is not in the folder; the message tells how to download it.
    """
    archive = find(name)
    found = parsed_ratings(locate(name, folder), archive)
    if zeros_are_missing:
        keep = found["values"] != 0
        found |= {part: found[part][keep] for part in ("rows", "cols", "values")}
    return _ratings(archive, **found)


def load_official_split(name: str = "ml-100k", folder: str | os.PathLike | None = None) -> tuple[Ratings, Ratings]:
    """The publisher's own split of ml-100k: u1.base (80,000 ratings) and u1.test (20,000 ratings).

    Raises as ``load``, and ValueError if ``name`` is another data set.
    """
    if name != "ml-100k":
        raise ValueError(f"only ml-100k comes with a split by its publisher; {name!r} does not")
    archive, path = find(name), locate(name, folder)
    titles = parsed_ratings(path, archive)["titles"]
    parts = [_movielens_ratings(path, f"ml-100k/u1.{part}") for part in ("base", "test")]
    _check_count(sum(len(part["values"]) for part in parts), archive)
    base, test = (_ratings(archive, titles=titles, **part) for part in parts)
    return base, test


def parsed_ratings(path: Path, archive: Archive) -> Columns:
    """The ratings of the archive file at ``path``, from the cache if they are there; ValueError if the archive is
    damaged, or its content is not what ``archive`` describes."""
    digest = sha256_of(path.read_bytes())
    cached = cache_folder() / "parsed" / f"{archive.name}-{digest[:32]}-v{CACHE_FORMAT}.npz"
    unusable = contextlib.suppress(OSError, ValueError, EOFError, zipfile.BadZipFile)  # missing or damaged
    with unusable, np.load(cached, allow_pickle=False) as columns:
        return dict(columns)
    parsed = PARSERS[archive.name](path, archive)
    _check_count(len(parsed["values"]), archive)
    _ratings(archive, **parsed)  # refuses what does not fit the shape
    stream = io.BytesIO()
    np.savez(stream, **parsed)
    with contextlib.suppress(OSError):  # without a cache the next call only takes longer
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, stream.getvalue())
    return parsed


def _ratings(archive: Archive, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, titles: np.ndarray) -> Ratings:
    users = tuple(f"user {n}" for n in range(1, archive.shape[0] + 1))
    ratings = Ratings(rows, cols, values, archive.shape, users, tuple(titles.tolist()), archive.scale)
    check_on_scale(ratings, archive.scale, f"{archive.file_name} is not what its publisher distributes")
    return ratings


def _check_count(count: int, archive: Archive) -> None:
    if not LEAST_COMPLETE * archive.ratings <= count <= archive.ratings:
        raise ValueError(f"{archive.file_name} holds {count:,} ratings; {archive.title} has {archive.ratings:,}")


def _parse_movielens(path: Path, archive: Archive) -> Columns:
    if archive.name == "ml-100k":
        ratings, items, separator = "ml-100k/u.data", "ml-100k/u.item", b"|"
    else:
        ratings, items, separator = "ml-1m/ratings.dat", "ml-1m/movies.dat", b"::"
    return _movielens_ratings(path, ratings) | {"titles": _titles(path, items, separator, archive.shape[1])}


def _movielens_ratings(path: Path, member: str) -> Columns:
    """The ratings of one file, sorted by row and then by column; without titles."""
    text = read_member(path, member).replace(b"::", b"\t").decode("latin-1")
    if not text.strip():
        raise ValueError(f"{member} in {path.name} is empty")
    try:
        fields = np.loadtxt(io.StringIO(text), np.int32, None, "\t", usecols=(0, 1, 2), ndmin=2)
    except ValueError as error:
        raise ValueError(f"{member} in {path.name} is not a table of user, item and rating: {error}") from None
    fields = fields[np.lexsort((fields[:, 1], fields[:, 0]))]
    return {"rows": fields[:, 0] - 1, "cols": fields[:, 1] - 1, "values": fields[:, 2]}


def _titles(path: Path, member: str, separator: bytes, n_items: int) -> np.ndarray:
    """(M,) a name for each item id: "movie 91" if the id has no title, "Title [246]" if two items share their title."""
    titles = [f"movie {item}" for item in range(1, n_items + 1)]
    for line in read_member(path, member).splitlines():
        if not line.strip():
            continue
        item, title, *_ = line.split(separator)
        if not 1 <= int(item) <= n_items:
            raise ValueError(f"{member} in {path.name} names item {int(item)}; ids run from 1 to {n_items}")
        titles[int(item) - 1] = title.decode("latin-1").strip()
    uses = Counter(titles)
    return np.array([title if uses[title] == 1 else f"{title} [{item}]" for item, title in enumerate(titles, start=1)])


def _parse_jester(path: Path, archive: Archive) -> Columns:
    """The ratings of jester_dataset_1_1.zip, with its 5,383 ratings of exactly 0."""
    import xlrd  # of the extra `tables`: the other data sets do without

    member = "jester-data-1.xls"
    try:
        sheet = xlrd.open_workbook(file_contents=read_member(path, member), logfile=io.StringIO()).sheet_by_index(0)
        X = np.array([sheet.row_values(n, 1) for n in range(sheet.nrows)], dtype=np.float64)  # (N, M)
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError) as error:
        raise ValueError(f"{member} in {path.name} is not an Excel (.xls) file: {error}") from error
    if X.shape != archive.shape:
        raise ValueError(f"{member} in {path.name} holds {X.shape} ratings (people, jokes), not {archive.shape}")
    rows, cols = np.nonzero(X != NOT_RATED)
    titles = np.array([f"joke {m}" for m in range(1, archive.shape[1] + 1)])
    return {"rows": rows.astype(np.int32), "cols": cols.astype(np.int32), "values": X[rows, cols], "titles": titles}


PARSERS = {"ml-100k": _parse_movielens, "ml-1m": _parse_movielens, "jester": _parse_jester}
