"""What is odd about a matrix: markers in disguise."""

import numpy as np

from metamf import RatingScale
from metamf.tables import ReadOptions, read_table


def test_jokes_marked_with_99_are_suspected_and_zeros_are_not():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 20)) < 0.3, 99, np.round(rng.uniform(-10, 10, (40, 20)), 2))
    X[3, :4] = 0
    table = read_table("\n".join(",".join(map(str, row)) for row in X).encode())
    assert table.report.cells.suspected == (("99", int((X == 99).sum())),)
    assert table.ratings.scale is None
    told = read_table(
        "\n".join(",".join(map(str, row)) for row in X).encode(), options=ReadOptions(missing_markers=(99,))
    )
    assert told.ratings.scale == RatingScale(-10, 10) and told.ratings.nnz == (X != 99).sum()
    assert (told.ratings.values == 0).sum() == (X == 0).sum() and told.report.cells.suspected == ()


def test_a_flood_of_zeros_is_suspected_but_stays():
    X = np.zeros((20, 10), dtype=int)
    X[:, 0], X[:, 1], X[:, 2] = 5, 3, 4
    X[0, 3] = 1
    table = read_table("\n".join(",".join(map(str, row)) for row in X).encode())
    assert table.report.cells.suspected == (("0", int((X == 0).sum())),) and table.ratings.nnz == X.size
