"""The filled table as files."""

import io
import re

import openpyxl
import pandas as pd
import pytest
from awkward_files import workbook
from opened import opened, text
from your_table import PAGE, WIDE, command, file, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.tables import read_table

pytestmark = pytest.mark.slow


def disabled(at, key):
    [button] = [button for button in at.get("link_button") if button.key == key]
    return button.proto.disabled


def test_every_download_holds_the_table():
    at = uploaded(stars(), "stars.csv")
    ratings = read_table(stars(), "stars.csv").ratings
    _, long = file(at, "long")
    frame = pd.read_csv(io.BytesIO(long))
    assert len(frame) == 128 and (frame.provenance == "observed").sum() == ratings.nnz
    assert frame.loc[frame.provenance != "observed", "upper"].notna().all()
    name, book = file(at, "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(book))["Filled"]
    assert name == "stars-filled-by-universal.xlsx" and sheet.max_row == 17
    _, parquet = file(at, "parquet")
    assert len(pd.read_parquet(io.BytesIO(parquet))) == 128
    assert command(at)[3:] == [
        *("impute", "stars.csv", "--outside=nearest", "--round"),
        *("--out", "stars-filled-by-universal.csv"),
    ]


def test_twenty_filled_in_tables_are_offered_for_analyses():
    at = uploaded(stars(), "stars.csv")
    ratings = read_table(stars(), "stars.csv").ratings
    name, long = file(at, "draws")
    frame = pd.read_csv(io.BytesIO(long))
    assert name.endswith(".csv")
    assert list(frame["imputation"].unique()) == list(range(1, 21))
    tables = frame.drop(columns=["imputation", "row"]).to_numpy().reshape(20, *ratings.shape)
    assert (tables[:, ratings.rows, ratings.cols] == ratings.values).all()
    assert (tables[0] != tables[1]).any()
    assert "For correlations, tests or regressions use the 20 tables" in text(at)


def test_a_table_of_too_many_cells_for_a_workbook_is_offered_none(monkeypatch):
    monkeypatch.setattr("metamf.webapp.your_table.downloads._EXCEL", 3)
    at = uploaded(WIDE)
    assert disabled(at, "table_get_xlsx") and "up to 3 cells" in text(at)


def test_nothing_is_made_before_it_is_asked_for(monkeypatch):
    at = opened(PAGE)

    def refuse(*_):
        raise AssertionError("made without being asked for")

    for name in ("to_csv", "to_csv_long", "to_excel", "to_parquet"):
        monkeypatch.setattr(f"metamf.tables.write.{name}", refuse)
    uploaded(WIDE, at=at)


def test_hostile_names_of_a_file_and_its_sheets_are_text_on_the_page_and_in_the_command():
    cells = [["name", "a", "b", "c"], ["Ada", 4, None, 2], ["Ben", 1, 2, None], ["Cleo", None, 5, 3]]
    sheets = {"<img src=x onerror=x()>": cells, "=1+1 '{{x}}' $x$ `b`": cells}
    name = "\"><img src=x onerror=x()>'''{{x}}\u202e.xlsx"
    at = uploaded(workbook(sheets), name)
    stem = name.removesuffix(".xlsx")
    assert file(at, "csv")[0] == f"{stem}-filled-by-universal.csv"
    assert command(at)[4] == name
    bodies = [element.proto.body for element in at.get("html")]
    assert not [body for body in bodies if "<img" in body] and any("&lt;img" in body for body in bodies)
    assert not [said.value for said in at.markdown if "<img" in said.value]
    [choice] = [group.proto for group in at.get("button_group") if "part_sheet" in group.proto.id]
    assert all(re.search(r"\\[<$]", option.content) for option in choice.options)  # no markup, no formula


def test_the_engine_writes_the_files_of_a_workbook_however_small(small_world):  # noqa: F811
    cells = [["name", "a", "b", "c"], ["Ada", 4, None, 2], ["Ben", 1, 2, None], ["Cleo", None, 5, 3]]
    at = uploaded(workbook({"Ratings": cells, "Notes": [["nothing"]]}), "club.xlsx")
    for kind, writer in (("xlsx", "to_excel"), ("csv", "to_csv")):
        file(at, kind)
        assert small_world.called[-1] == writer


def test_the_engine_writes_the_files_of_a_large_table(monkeypatch, small_world):  # noqa: F811
    at = uploaded(WIDE)
    small = {kind: file(at, kind)[1] for kind in ("csv", "long")}
    assert "to_csv" not in small_world.called
    monkeypatch.setattr("metamf.webapp.your_table.downloads._LARGE", 3)
    assert {kind: file(at, kind)[1] for kind in small} == small
    assert small_world.called[-2:] == ["to_csv", "to_csv_long"]
