"""Data sets as ``Ratings``, read from the archive in the data folder or from the cache of an earlier reading."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from metamf.datasets import jester, movielens, parsed
from metamf.datasets.archives import Archive, find, locate
from metamf.ratings.matrix import Ratings

PARSERS = {"ml-100k": movielens.parse_100k, "ml-1m": movielens.parse_1m, "jester": jester.parse}


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
        if the archive is not in the folder; the message says how to download it.
    """
    archive = find(name)
    found = parsed_ratings(locate(name, folder), archive)
    keep = found.values != 0 if zeros_are_missing else slice(None)
    return _ratings(found.rows[keep], found.cols[keep], found.values[keep], archive, found.titles)


def load_official_split(name: str = "ml-100k", folder: str | os.PathLike | None = None) -> tuple[Ratings, Ratings]:
    """The publisher's own split of ml-100k: u1.base (80,000 ratings) and u1.test (20,000 ratings).

    Raises
    ------
    ValueError
        if ``name`` is another data set, or the archive is damaged or not what its publisher distributes.
    FileNotFoundError
        if the archive is not in the folder; the message says how to download it.
    """
    if name != "ml-100k":
        raise ValueError(f"only ml-100k comes with a split by its publisher; {name!r} does not")
    archive, path = find(name), locate(name, folder)
    titles = parsed_ratings(path, archive).titles
    parts = [movielens.ratings_of(path, f"ml-100k/u1.{part}") for part in ("base", "test")]
    parsed.check_count(sum(len(values) for _, _, values in parts), archive)
    base, test = (_ratings(*part, archive, titles) for part in parts)
    return base, test


def parsed_ratings(path: Path, archive: Archive) -> parsed.ParsedRatings:
    """The checked ratings of the archive file at ``path``, from the cache if they are there."""
    return parsed.read(path, archive, PARSERS[archive.name])


def _ratings(rows: np.ndarray, cols: np.ndarray, values: np.ndarray, archive: Archive, titles: np.ndarray) -> Ratings:
    users = tuple(f"user {n}" for n in range(1, archive.shape[0] + 1))
    return Ratings(rows, cols, values, archive.shape, users, tuple(titles.tolist()), archive.scale)
