"""The chosen cell: its estimate and interval, and the ratings that matter for it."""

import numpy as np
from opened import healthy, text
from your_table import file, small_world, uploaded  # noqa: F401  a fixture

from metamf.evaluate.filling import fill
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp.your_table.cells import cell_of


def test_a_large_table_shows_a_part_and_fills_in_all(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((90, 50)) < 0.3, rng.integers(1, 6, (90, 50)), 0)
    content = "\n".join(",".join(f"{x}" if x else "" for x in row) for row in X.astype(int)).encode()
    monkeypatch.setattr("metamf.webapp.your_table.cells._READ_UNASKED", 10)
    at = uploaded(content, "large.csv")
    assert "40 rows and columns of it are shown" in text(at)
    healthy(at.number_input(key="table_top").set_value(51).run())
    assert "51 × " in text(at)
    healthy(at.button(key="table_influence").click().run())
    assert "was left out once" in text(at)
    assert len(file(at, "csv")[1].splitlines()) == 90


def test_a_cell_says_its_rating_its_estimate_and_what_was_done_to_it():
    ratings = Ratings.from_dense([[5.0, np.nan], [1.0, 2.0]], row_labels=("Ada", ""), scale=RatingScale(1, 5, 1))
    filling = fill(ratings, "mean", round_to_scale=True)
    observed, estimated = cell_of(filling, 0, 0), cell_of(filling, 0, 1)
    assert (observed.name, observed.origin) == ("Ada × column 1", "in your file")
    assert observed.tiles[0] == ("Your rating", "5", "as in your file") and observed.work is None
    assert (estimated.origin, estimated.tiles) == ("estimated", [("Estimate", "3", "by Average of all ratings")])
    assert estimated.notes == [
        "The estimate was rounded to the nearest step of the scale.",
        "Average of all ratings gives no intervals; Universal does.",
    ]
