"""The filled table: the chosen cell, the files, and what if what is missing lies lower or higher."""

import io
import json
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
from awkward_files import workbook
from opened import healthy, opened, players, text
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from your_table import PAGE, WIDE, command, edited, file, stars, uploaded  # noqa: F401  a fixture

from metamf.__main__ import main
from metamf.tables.table import read
from metamf.webapp.your_table import not_at_random

pytestmark = pytest.mark.slow


def test_cells_sort_as_numbers_and_read_as_texts():
    at = uploaded(b"name,a,b\nx,5,\ny,10,3\nz,,4\nv,7,2\n")
    grid = at.dataframe[-1]
    assert list(grid.value["0"].iloc[[0, 1, 3]]) == [5.0, 10.0, 7.0]
    assert grid.value["0"].notna().all()
    shown = convert_arrow_bytes_to_pandas_df(grid.proto.arrow_data.styler.display_values)
    assert shown["0"].iloc[1] == "10"
    assert shown["0"].iloc[2].startswith("≈ ") and shown["1"].iloc[0].startswith("≈ ")
    assert list(shown["name"]) == ["x", "y", "z", "v"]
    [player] = players(at)  # with keys, a table of numbers and files, as every other map
    filled, widths = player["run"]["maps"]
    assert (player["scene"], widths["kind"]) == ("maps", "width")
    assert widths["detail"].startswith("width of the 90")
    assert filled["kind"] == "rating"
    assert filled["low"] < 0 < filled["high"]  # in spreads of each column, which share no scale
    assert player["run"]["n_given"] == 6 and player["run"]["rows"] == ["x", "y", "z", "v"]


def test_a_large_table_shows_a_part_fills_in_all_and_is_too_large_for_a_workbook(monkeypatch):
    monkeypatch.setattr("metamf.webapp.your_table.downloads._EXCEL", 3)
    lines = [f"{1 + i % 5},{'' if i % 3 else 2 + i % 4},{1 + i % 7}" for i in range(50)]
    at = uploaded("\n".join(lines).encode(), "large.csv")
    assert "40 rows and columns are shown" in text(at)
    healthy(at.number_input(key="table_top").set_value(11).run())
    assert "11 × " in text(at)
    assert len(file(at, "csv")[1].splitlines()) == 50
    [button] = [button for button in at.get("link_button") if button.key == "table_get_xlsx"]
    assert button.proto.disabled and "up to 3 cells" in text(at)


def test_a_cell_shows_its_rating_its_estimate_and_what_was_done_to_it():
    at = uploaded(b"name,a,b\nAda,5,\nBen,1,2\nCleo,3,4\n")
    healthy(at.selectbox(key="table_method").select("mean").run())
    said = text(at)
    assert "Ada × b" in said and re.search(r"Estimate\s+3\s+by Average of the known ratings", said)
    assert "Average of the known ratings gives no intervals; Universal does." in said
    at.session_state["table_cell"] = (0, 0)
    assert re.search(r"Given\s+5\s+as in your file", text(healthy(at.run())))


def test_a_column_that_the_guard_drew_to_its_mean_is_marked_and_says_why(monkeypatch):
    monkeypatch.setattr("metamf.answer.adaptation.worse_than_mean", lambda parts, M: {1: 2.5})
    X = np.random.default_rng(0).lognormal(0, 0.5, (30, 4)) * 10.0 ** np.arange(4)
    texts = X.round(3).astype(str)
    texts[[0, 3, 6, 9], range(4)] = ""
    rows = ["age,income,score,ratio", *map(",".join, texts)]
    at = uploaded("\n".join(rows).encode())
    [grid] = [frame.proto.columns for frame in at.dataframe if "(mean)" in frame.proto.columns]
    [column] = [one for one in json.loads(grid).values() if "(mean)" in one.get("label", "")]
    assert column["label"] == "income (mean)"
    why = "worse than its mean on hidden entries (2.5 x), so the mean was used."
    assert column["help"].endswith(why)


def test_every_download_holds_the_table():
    at = uploaded(stars(), "stars.csv")
    assert len(pd.read_csv(io.BytesIO(file(at, "long")[1]))) == 128
    assert len(pd.read_parquet(io.BytesIO(file(at, "parquet")[1]))) == 128
    name, book = file(at, "xlsx")
    assert name == "stars-filled-by-universal.xlsx"
    assert openpyxl.load_workbook(io.BytesIO(book))["Filled"].max_row == 17
    healthy(at.button(key="table_make_draws").click().run())
    name, long = file(at, "draws")
    assert name == "stars-20-tables.csv"
    assert [*pd.read_csv(io.BytesIO(long))["imputation"].unique()] == [*range(1, 21)]
    assert "All columns of your file; seed 0." in text(at)
    assert any("20 multiply imputed tables (seed 0" in code.value for code in at.code)


def test_hidden_ratings_stand_beside_estimates_and_the_command_makes_the_very_file_of_the_page(
    tmp_path, monkeypatch
):
    edits = "c2: keep", "c3: scale 1 to 5"
    at = edited(uploaded(stars(), "stars.csv"), *edits)
    hidden = round(read(stars(), edits=edits).ratings.nnz / 10)
    healthy(at.checkbox(key="table_hide").check().run())
    assert f"their estimate is next to them ({hidden})" in text(at)
    assert file(at, "long")[1].count(b"held out") == hidden
    assert command(at)[3:5] == ["impute", "stars.csv"]
    assert "--hold-out=0.1" in command(at)
    name, content = file(at, "csv")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stars.csv").write_bytes(stars())
    assert main(command(at)[3:]) == 0
    assert (tmp_path / name).read_bytes() == content
    healthy(at.checkbox(key="table_hide").uncheck().run())
    assert b"held out" not in file(at, "long")[1] and "on yellow" not in text(at)


def test_the_engine_writes_the_files_of_a_workbook_and_those_of_a_large_table(
    monkeypatch,
    small_world,
):
    cells = [["name", "a", "b"], ["Ada", 4, None], ["Ben", 1, 2], ["Cleo", None, 5], ["Di", 3, 3]]
    at = uploaded(workbook({"Ratings": cells, "Notes": [["nothing"]]}), "club.xlsx")
    file(at, "csv")
    assert small_world.called[-1] == "to_csv"
    at = uploaded(WIDE)
    assert at.checkbox(key="table_hide").disabled
    assert "9 numbers: too few" in text(at)
    small = {kind: file(at, kind)[1] for kind in ("csv", "long")}
    assert small_world.called.count("to_csv") == 1
    monkeypatch.setattr("metamf.webapp.your_table.downloads._LARGE", 3)
    assert {kind: file(at, kind)[1] for kind in small} == small
    assert small_world.called[-2:] == ["to_csv", "to_csv_long"]


def means(at):
    """The means of the table below the slider by the names of their columns."""
    [body] = [e.proto.body for e in at.get("html") if 'class="n">change' in e.proto.body]
    return {
        name: float(mean)
        for name, mean in re.findall(r'place">([^<]*)</td>.*?%</td><td class="n">([^<]*)', body)
    }


def test_the_slider_moves_the_means_of_columns_with_gaps_and_says_where_the_order_turns():
    at = uploaded(stars(), "stars.csv")
    before = means(at)
    assert len(before) == 8 and list(before.values()) == sorted(before.values(), reverse=True)
    assert "ahead of" in text(at)
    healthy(at.slider(key="table_shift").set_value(-0.5).run())
    after = means(at)
    assert list(after) == list(before) and all(after[name] <= before[name] for name in before)
    assert sum(before.values()) - sum(after.values()) > 0.1
    whole = uploaded(b"a,b\n1,2\n3,4\n5,1\n", at=opened(PAGE))
    assert not [slider for slider in whole.slider if slider.key == "table_shift"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (
            2.7 + np.linspace(-1, 1, 21),
            "Tea is ahead of Juice. Their order turns where what is missing lies 0.30 spreads "
            "higher.",
        ),
        (np.full(21, 2.0), "Tea stays ahead of Juice, from 1 spread lower to 1 higher."),
        (np.full(21, 3.0), "Tea and Juice have the same mean."),
    ],
)
def test_where_the_order_turns_is_said(second, said):
    assert not_at_random.turning_sentence(np.full(21, 3.0), second, "Tea", "Juice") == said
