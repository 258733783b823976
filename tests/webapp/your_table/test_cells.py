"""The filled table, the chosen cell, and the ratings that matter for it."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from opened import healthy, opened, players, text
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from your_table import PAGE, WIDE, command, file, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.tables import read_table

pytestmark = pytest.mark.slow


def test_hidden_ratings_stand_beside_their_estimates():
    at = uploaded(stars(), "stars.csv")
    nnz = read_table(stars()).ratings.nnz
    healthy(at.checkbox(key="table_hide").check().run())
    assert f"hidden from the method, and its estimate ({round(nnz / 10)})" in text(at)
    frame = pd.read_csv(io.BytesIO(file(at, "long")[1]))
    held_out = frame[frame.provenance == "held out"]
    assert len(held_out) == round(nnz / 10) and held_out.estimate.notna().all() and held_out.lower.notna().all()
    assert (held_out.value % 1 == 0).all() and (held_out.value != held_out.estimate).any()
    assert "--hold-out=0.1" in command(at)
    healthy(at.checkbox(key="table_hide").uncheck().run())
    assert b"held out" not in file(at, "long")[1] and "on yellow" not in text(at)
    assert uploaded(WIDE, at=opened(PAGE)).checkbox(key="table_hide").disabled  # too few to hide some


def test_cells_sort_as_numbers_and_read_as_texts():
    at = uploaded(b"name,a,b\nx,5,\ny,10,3\nz,,4\nv,7,2\n")
    grid = at.dataframe[-1]
    assert list(grid.value["0"].iloc[[0, 1, 3]]) == [5.0, 10.0, 7.0] and grid.value["0"].notna().all()
    shown = convert_arrow_bytes_to_pandas_df(grid.proto.arrow_data.styler.display_values)
    assert shown["0"].iloc[1] == "10" and shown["0"].iloc[2].startswith("≈ ") and shown["1"].iloc[0].startswith("≈ ")
    assert list(shown["name"]) == ["x", "y", "z", "v"]
    [player] = players(at)  # with keys, a table of numbers and files, as every other map
    filled, widths = player["run"]["maps"]
    assert (player["scene"], widths["kind"]) == ("maps", "width") and widths["detail"].startswith("width of the 90")
    assert filled["kind"] == "rating" and filled["low"] <= 2 and filled["high"] >= 10
    assert player["run"]["n_given"] == 6 and player["run"]["rows"] == ["x", "y", "z", "v"]


def test_a_large_table_shows_a_part_and_fills_in_all(monkeypatch, small_world):  # noqa: F811
    rng = np.random.default_rng(0)
    X = np.where(rng.random((90, 50)) < 0.3, rng.integers(1, 6, (90, 50)), 0)
    content = "\n".join(",".join(f"{x}" if x else "" for x in row) for row in X.astype(int)).encode()
    monkeypatch.setattr("metamf.webapp.your_table.cells._READ_UNASKED", 10)
    at = uploaded(content, "large.csv")
    assert "40 rows and columns of it are shown" in text(at)
    healthy(at.number_input(key="table_top").set_value(51).run())
    assert "51 × " in text(at)
    healthy(at.button(key="table_influence").click().run())
    assert "was left out once" in text(at) and small_world.called[-1] == "influence"  # by a worker
    assert len(file(at, "csv")[1].splitlines()) == 90


def test_a_cell_shows_its_rating_its_estimate_and_what_was_done_to_it():
    at = uploaded(b"name,a,b\nAda,5,\nBen,1,2\nCleo,3,4\n")
    healthy(at.selectbox(key="table_method").select("mean").run())
    said = text(at)
    assert "Ada × b" in said and re.search(r"Estimate\s+3\s+by Average of all ratings", said)
    assert "Average of all ratings gives no intervals; Universal does." in said
    at.session_state["table_cell"] = (0, 0)
    assert re.search(r"Your rating\s+5\s+as in your file", text(healthy(at.run())))


def test_a_column_that_the_guard_drew_to_its_mean_is_marked_and_says_why(monkeypatch):
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {1: 2.5})
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 0.5, (30, 4)) * 10.0 ** np.arange(4)
    rows = [",".join("" if i == 3 * j else f"{x:.3f}" for j, x in enumerate(row)) for i, row in enumerate(X)]
    at = uploaded("\n".join(["age,income,score,ratio", *rows]).encode())
    healthy(at.button(key="table_doubt_0_0").click().run())
    [grid] = [frame.proto.columns for frame in at.dataframe if "(mean)" in frame.proto.columns]
    columns = json.loads(grid)
    marked = [column for column in columns.values() if "(mean)" in column.get("label", "")]
    assert [column["label"] for column in marked] == ["income (mean)"]
    assert marked[0]["help"].endswith("worse than its mean on hidden entries (2.5 x), so the mean was used.")
    [chips] = [pills for pills in at.get("button_group") if pills.label.startswith("Rating columns")]
    assert list(chips.options) == ["age", "income (mean)", "score", "ratio"]
    healthy(at.selectbox(key="table_method").select("mean").run())
    assert "income (mean)" not in [name for pills in at.get("button_group") for name in pills.options]
