"""Data sets as ``Ratings``: from the archive in the data folder, or from the cached columns of an earlier reading."""

from __future__ import annotations

import os
from pathlib import Path

from metamf.datasets import jester, movielens, parsed
from metamf.datasets.archives import Archive, find, locate
from metamf.ratings.matrix import Ratings

PARSERS = {"ml-100k": movielens.parse_100k, "ml-1m": movielens.parse_1m, "jester": jester.parse}


def load(name: str, folder: str | os.PathLike | None = None, *, zeros_are_missing: bool = True) -> Ratings:
    """The rating matrix of a data set, people in rows and items in columns, in the units that people rated in.

    Parameters
    ----------
    name : "ml-100k" (943 x 1682), "ml-1m" (6040 x 3952, 246 columns of them without a rating) or "jester" (24983 x 100)
    folder : where the archive is; otherwise METAMF_DATA, otherwise the user's cache folder
    zeros_are_missing : leave out ratings of exactly 0, as the paper's author did: Jester then has 1,805,072 ratings,
        the paper's count, and 1,810,455 with False. MovieLens starts at 1, so it makes no difference there.

    Raises
    ------
    ValueError
        for another name, or an archive that is damaged or not what its publisher distributes.
    FileNotFoundError
        where the archive is not in the folder; it says how to download it.
    """
    archive = find(name)
    table = read_table(locate(name, folder), archive)
    keep = table.values != 0 if zeros_are_missing else slice(None)
    return _ratings(table.rows[keep], table.cols[keep], table.values[keep], archive, table.titles)


def load_official_split(name: str = "ml-100k", folder: str | os.PathLike | None = None) -> tuple[Ratings, Ratings]:
    """The publisher's own split, (base, test): u1.base and u1.test of ml-100k, 80,000 and 20,000 ratings."""
    if name != "ml-100k":
        raise ValueError(f"only ml-100k comes with a split of its publisher, not {name!r}")
    archive, path = find(name), locate(name, folder)
    titles = read_table(path, archive).titles
    parts = [movielens.ratings_of(path, f"ml-100k/u1.{part}") for part in ("base", "test")]
    parsed.check_count(sum(len(values) for _, _, values in parts), archive)
    base, test = (_ratings(*part, archive, titles) for part in parts)
    return base, test


def read_table(path: Path, archive: Archive) -> parsed.Table:
    """The checked table of the archive file at ``path``, cached."""
    return parsed.read(path, archive, PARSERS[archive.name])


def _ratings(rows, cols, values, archive: Archive, titles) -> Ratings:
    users = tuple(f"user {n}" for n in range(1, archive.shape[0] + 1))
    return Ratings(rows, cols, values, archive.shape, users, tuple(titles.tolist()), archive.scale)
