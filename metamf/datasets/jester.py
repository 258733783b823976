"""Jester 1, part 1: 24,983 people rate 100 jokes from -10 to 10 (paper, Section 4.1).

``jester-data-1.xls`` has no header; column 0 is the number of jokes that the person rated, columns 1 to 100 are the
ratings, and 99 means not rated. 5,383 ratings are exactly 0.00: they are kept here, and ``load`` decides about them.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from metamf.datasets.archives import Archive, read_member
from metamf.datasets.parsed import ParsedRatings

NOT_RATED = 99  # says the publisher's description of the files


def parse(path: Path, archive: Archive) -> ParsedRatings:
    """The ratings of jester_dataset_1_1.zip, zeros included; ValueError if the spreadsheet is damaged or incomplete."""
    import xlrd  # of the extra `tables`: the other data sets do without

    (member,) = archive.members
    try:
        sheet = xlrd.open_workbook(file_contents=read_member(path, member), logfile=io.StringIO()).sheet_by_index(0)
        X = np.array([sheet.row_values(n, 1) for n in range(sheet.nrows)], dtype=np.float64)  # (N, M)
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError) as error:
        raise ValueError(f"{member} in {path.name} is not an Excel (.xls) file: {error}") from error
    if X.shape != archive.shape:
        raise ValueError(f"{member} in {path.name} holds {X.shape} ratings (people, jokes), not {archive.shape}")
    rows, cols = np.nonzero(X != NOT_RATED)
    titles = np.array([f"joke {m}" for m in range(1, archive.shape[1] + 1)])
    return ParsedRatings(rows.astype(np.int32), cols.astype(np.int32), X[rows, cols], titles)
