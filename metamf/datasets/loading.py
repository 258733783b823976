"""Data sets as ``Ratings`` (Section 4.1 of the paper): the archives' files are parsed, checked and
cached as columns.

MovieLens: ``u.data`` has user, item, rating and time, tab-separated, and ``u.item``
``id|title|...``; ``u1.base`` and ``u1.test`` are the publisher's own 80/20 split; ``ratings.dat``
and ``movies.dat`` have ``::`` between the fields. Ids start at 1; titles are latin-1. Jester:
``jester-data-1.xls`` has no header; column 0 is the number of jokes that the person rated, columns
1 to 100 are the ratings, and 99 means not rated.

Text and spreadsheets take seconds to parse; the columns (npz, never pickle) load in a fraction of a
second. The cache file is in the user's cache folder and named after the digest of the archive.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from metamf.datasets.archives import FEATURES, Archive, cache_folder, find, locate, read_member
from metamf.files import sha256_of, write_atomically
from metamf.ratings.limits import check_on_scale
from metamf.ratings.matrix import Ratings

CACHE_FORMAT = 1  # version of the cache files, to be raised when the columns or a parser change
# Share of the publisher's ratings that an archive must hold: copies of ml-1m exist that have lost a
# few rows.
LEAST_COMPLETE = 0.999
NOT_RATED = 99  # in Jester's files
# The columns of u.item, which are the genres of ml-1m, too; no film has many of them.
# fmt: off
GENRES = (
    "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama",
    "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War",
    "Western",
)
# fmt: on
# a year is counted from 1990, in units of twenty years
MIDDLE_YEAR = 1990
YEARS = 20


# arrays: rows and cols, positions from 0, and values, (nnz,) each; titles (M,) of the columns
Columns = dict[str, Any]


def load(
    name: str,
    folder: str | os.PathLike | None = None,
    *,
    zeros_are_missing: bool = True,
    features: Sequence[str] = (),
) -> Ratings:
    """The rating matrix of a data set, with people in rows and items in columns, in rating units.

    Raises ValueError if there is no such data set, or the archive is damaged or not what its
    publisher distributes; FileNotFoundError, whose message tells how to download it, if it is not
    in the folder.

    Parameters
    ----------
    name : "ml-100k" (943 x 1682), "ml-1m" (6040 x 3952, of which 246 columns have no rating) or
        "jester" (24983 x 100)
    folder : folder of the archive, as for ``data_folder``
    zeros_are_missing : whether ratings of exactly 0 are left out, as the paper's author did. Jester
        then has 1,805,072 ratings, the paper's count, otherwise 1,810,455. MovieLens ratings start
        at 1, so nothing changes there.
    features : what the columns get of ``load_features``, whose errors are raised, too
    """
    archive = find(name)
    found = parsed_ratings(locate(name, folder), archive)
    if zeros_are_missing:
        keep = found["values"] != 0
        found |= {part: found[part][keep] for part in ("rows", "cols", "values")}
    ratings = _ratings(archive, **found)
    if features:
        ratings = replace(ratings, col_features=load_features(name, features, folder))
    return ratings


def load_official_split(folder: str | os.PathLike | None = None) -> tuple[Ratings, Ratings]:
    """The publisher's own split of ml-100k: u1.base (80,000 ratings) and u1.test (20,000). Raises
    as ``load``."""
    archive = find("ml-100k")
    path = locate("ml-100k", folder)
    titles = parsed_ratings(path, archive)["titles"]
    parts = [_movielens_ratings(path, f"ml-100k/u1.{part}") for part in ("base", "test")]
    _check_count(sum(len(part["values"]) for part in parts), archive)
    base, test = (_ratings(archive, titles=titles, **part) for part in parts)
    return base, test


def load_features(
    name: str, features: Sequence[str], folder: str | os.PathLike | None = None
) -> np.ndarray:
    """(M, Q) what is known of the films of ml-100k or ml-1m, in units that do not depend on the
    data.

    "genre" : 18 columns, 1 for each genre of ``GENRES`` that the film has
    "year" : one column, (year - 1990) / 20; 0 for a film without a year

    Raises as ``load``, and ValueError for another feature or for jester, of whose jokes nothing is
    known.
    """
    archive = find(name)
    if archive.name == "jester" or not features or not set(features) <= set(FEATURES):
        raise ValueError(
            f"features are {', '.join(FEATURES)} of ml-100k and ml-1m; got {features!r} of {name}"
        )
    genre = np.zeros((archive.shape[1], len(GENRES)))
    year = np.zeros((archive.shape[1], 1))
    for item, title, *fields in _items(locate(name, folder), archive):
        year[item] = year_of(title)
        if name == "ml-1m":
            genre[item] = np.isin(GENRES, fields[0].split("|"))
        else:  # date, video date, address, then a flag each for "unknown" and the genres
            genre[item] = [int(flag) for flag in fields[-len(GENRES) :]]
    return np.hstack([{"genre": genre, "year": year}[feature] for feature in features])


def year_of(title: str) -> float:
    """The year at the end of a film's title, as a feature."""
    found = re.findall(r"\((\d{4})\)", title)
    return (int(found[-1]) - MIDDLE_YEAR) / YEARS if found else 0.0


def feature_words(features: np.ndarray) -> list[str]:
    """What features (M, 19), of genre and year, say of each film: "Crime, Drama, 1996"."""
    return [
        ", ".join([*compress(GENRES, film), f"{MIDDLE_YEAR + YEARS * film[-1]:.0f}"])
        for film in features
    ]


def parsed_ratings(path: Path, archive: Archive) -> Columns:
    """The ratings of the archive file at ``path``, from the cache if they are there; ValueError if
    the archive is damaged, or its content is not what ``archive`` describes."""
    digest = sha256_of(path.read_bytes())
    cached = cache_folder() / "parsed" / f"{archive.name}-{digest[:32]}-v{CACHE_FORMAT}.npz"
    # missing or damaged
    unusable = contextlib.suppress(OSError, ValueError, EOFError, zipfile.BadZipFile)
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


def _ratings(
    archive: Archive, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, titles: np.ndarray
) -> Ratings:
    users = tuple(f"user {n}" for n in range(1, archive.shape[0] + 1))
    ratings = Ratings(
        rows, cols, values, archive.shape, users, tuple(titles.tolist()), archive.scale
    )
    check_on_scale(
        ratings, archive.scale, f"{archive.file_name} is not what its publisher distributes"
    )
    return ratings


def _check_count(count: int, archive: Archive) -> None:
    if not LEAST_COMPLETE * archive.ratings <= count <= archive.ratings:
        raise ValueError(
            f"{archive.file_name} holds {count:,} ratings; {archive.title} has {archive.ratings:,}"
        )


def _parse_movielens(path: Path, archive: Archive) -> Columns:
    ratings = "ml-100k/u.data" if archive.name == "ml-100k" else "ml-1m/ratings.dat"
    return _movielens_ratings(path, ratings) | {"titles": _titles(path, archive)}


def _movielens_ratings(path: Path, member: str) -> Columns:
    """The ratings of one file, sorted by row and then by column; without titles."""
    text = read_member(path, member).replace(b"::", b"\t").decode("latin-1")
    if not text.strip():
        raise ValueError(f"{member} in {path.name} is empty")
    try:
        fields = np.loadtxt(io.StringIO(text), np.int32, None, "\t", usecols=(0, 1, 2), ndmin=2)
    except ValueError as error:
        raise ValueError(
            f"{member} in {path.name} is not a table of user, item and rating: {error}"
        ) from None
    fields = fields[np.lexsort((fields[:, 1], fields[:, 0]))]
    return {"rows": fields[:, 0] - 1, "cols": fields[:, 1] - 1, "values": fields[:, 2]}


def _items(path: Path, archive: Archive) -> Iterator[tuple[Any, ...]]:
    """The films of the file next to the ratings: position, title and the other fields, as texts."""
    member, separator = (
        ("ml-100k/u.item", "|") if archive.name == "ml-100k" else ("ml-1m/movies.dat", "::")
    )
    for line in read_member(path, member).decode("latin-1").split("\n"):
        if not line.strip():
            continue
        item, title, *fields = line.strip().split(separator)
        if not 1 <= int(item) <= archive.shape[1]:
            raise ValueError(
                f"{member} in {path.name} names item {int(item)}; ids run from 1 to "
                f"{archive.shape[1]}"
            )
        yield int(item) - 1, title.strip(), *fields


def _titles(path: Path, archive: Archive) -> np.ndarray:
    """(M,) a name for each item id: "movie 91" if the id has no title, "Title [246]" if two items
    share their title."""
    titles = [f"movie {item}" for item in range(1, archive.shape[1] + 1)]
    for item, title, *_ in _items(path, archive):
        titles[item] = title
    uses = Counter(titles)
    numbered = enumerate(titles, start=1)
    return np.array([t if uses[t] == 1 else f"{t} [{item}]" for item, t in numbered])


def _parse_jester(path: Path, archive: Archive) -> Columns:
    """The ratings of jester_dataset_1_1.zip, with its 5,383 ratings of exactly 0."""
    import xlrd  # of the extra `tables`: the other data sets do without

    member = "jester-data-1.xls"
    try:
        sheet = xlrd.open_workbook(
            file_contents=read_member(path, member), logfile=io.StringIO()
        ).sheet_by_index(0)
        # (N, M)
        X = np.array([sheet.row_values(n, 1) for n in range(sheet.nrows)], dtype=np.float64)
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError) as error:
        raise ValueError(f"{member} in {path.name} is not an Excel (.xls) file: {error}") from error
    if X.shape != archive.shape:
        raise ValueError(
            f"{member} in {path.name} holds {X.shape} ratings (people, jokes), not {archive.shape}"
        )
    rows, cols = np.nonzero(X != NOT_RATED)
    titles = np.array([f"joke {m}" for m in range(1, archive.shape[1] + 1)])
    return {
        "rows": rows.astype(np.int32),
        "cols": cols.astype(np.int32),
        "values": X[rows, cols],
        "titles": titles,
    }


PARSERS = {"ml-100k": _parse_movielens, "ml-1m": _parse_movielens, "jester": _parse_jester}
