"""MovieLens 100K and 1M, parsed from the publisher's text files (paper, Section 4.1).

ml-100k: ``u.data`` with user, item, rating, time, tab-separated; ``u.item`` with ``id|title|...``; ``u1.base`` and
``u1.test``, the publisher's own 80/20 split. ml-1m: ``ratings.dat`` and ``movies.dat`` with ``::`` between the fields.
Ids start at 1; titles are latin-1.
"""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import numpy as np

from metamf.datasets.archives import Archive, read_member
from metamf.datasets.parsed import ParsedRatings


def parse_100k(path: Path, archive: Archive) -> ParsedRatings:
    """The ratings and titles of ml-100k.zip."""
    rows, cols, values = ratings_of(path, "ml-100k/u.data")
    return ParsedRatings(rows, cols, values, _titles(path, "ml-100k/u.item", b"|", archive.shape[1]))


def parse_1m(path: Path, archive: Archive) -> ParsedRatings:
    """The ratings and titles of ml-1m.zip."""
    rows, cols, values = ratings_of(path, "ml-1m/ratings.dat")
    return ParsedRatings(rows, cols, values, _titles(path, "ml-1m/movies.dat", b"::", archive.shape[1]))


def ratings_of(path: Path, member: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ratings of one file of the archive at ``path``, sorted by row and then by column.

    Returns
    -------
    rows, cols : (nnz,) positions, counted from 0
    stars : (nnz,) ratings from 1 to 5

    Raises
    ------
    ValueError
        if the file is missing, empty, or not a table of user, item and rating.
    """
    text = read_member(path, member).replace(b"::", b"\t").decode("latin-1")
    if not text.strip():
        raise ValueError(f"{member} in {path.name} is empty")
    try:
        fields = np.loadtxt(
            io.StringIO(text), dtype=np.int32, delimiter="\t", usecols=(0, 1, 2), comments=None, ndmin=2
        )
    except ValueError as error:
        raise ValueError(f"{member} in {path.name} is not a table of user, item and rating: {error}") from None
    fields = fields[np.lexsort((fields[:, 1], fields[:, 0]))]
    return fields[:, 0] - 1, fields[:, 1] - 1, fields[:, 2]


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
