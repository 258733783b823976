"""What files say of where they come from: words next to numbers, the legend, the plan."""

import csv
import io
import json

import numpy as np
import openpyxl
import pandas as pd
import pytest
from exports import estimated

from metamf.tables import Plan, read, write
from metamf.version import __version__

WORDS = (
    b"who,q1,age\nann,never,20\nbo,often,\ncy,,40\ndi,sometimes,50\nem,rarely,30\nfi,always,45\n"
)


@pytest.fixture
def table():
    return read(WORDS)


def answer(table, **more):
    X = np.full(table.ratings.shape, 3.1)
    return estimated(table, X, lower=X - 1, upper=X + 1, level=0.9, **more)


def test_a_line_per_cell_has_the_number_and_the_word_in_two_columns(table):
    text = write.to_csv_long(table, answer(table)).decode()
    rows = {(row["row"], row["column"]): row for row in csv.DictReader(io.StringIO(text))}
    assert (rows["bo", "q1"]["value"], rows["bo", "q1"]["text"]) == ("4", "often")
    assert rows["cy", "q1"]["text"] == "sometimes"
    assert (rows["cy", "q1"]["value"], rows["cy", "q1"]["estimate"]) == ("3", "3.1")
    assert rows["ann", "age"]["text"] == "20"
    frame = pd.read_parquet(io.BytesIO(write.to_parquet(table, answer(table))))
    assert frame.set_index(["row", "column"]).loc[("bo", "q1"), "text"] == "often"


def test_of_numbers_alone_a_line_per_cell_has_no_column_of_words():
    table = read(b"who,a,b\nann,1,\nbo,2,3\ncy,4,5\n")
    header = write.to_csv_long(table, answer(table)).decode().splitlines()[0]
    assert "text" not in header.split(",")


def test_the_legend_says_version_seed_plan_and_digest(table):
    book = openpyxl.load_workbook(io.BytesIO(write.to_excel(table, answer(table), seed=7)))
    legend = [row[:2] for row in book["Legend"].iter_rows(values_only=True)]
    said = dict(legend)
    assert said["version"] == f"MetaMF {__version__}"
    assert said["seed"] == 7
    assert said["SHA-256 of the file"] == table.digest
    plan = "\n".join(value for name, value in legend if name == "plan")
    assert Plan.from_json(plan) == table.plan


def test_ends_of_intervals_are_blank_where_a_cell_is_given(table):
    book = openpyxl.load_workbook(io.BytesIO(write.to_excel(table, answer(table))))
    rows = {row[0]: row[1:] for row in book["Lower"].iter_rows(values_only=True)}
    assert rows["ann"] == (None, None)
    assert rows["bo"] == (None, 2.1)


def test_what_made_a_plan_stands_in_its_json_and_is_not_read(table):
    text = table.plan.to_json(metamf=__version__, seed=0, sha256=table.digest)
    assert json.loads(text)["about"] == {"metamf": __version__, "seed": 0, "sha256": table.digest}
    assert Plan.from_json(text) == table.plan
