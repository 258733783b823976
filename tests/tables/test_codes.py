"""Codes: how texts stand for numbers, and how estimates are written as their column is."""

import numpy as np
import pytest

from metamf.tables import apply, propose
from metamf.tables.codes import guess, is_code, reading_of
from metamf.tables.numerals import NumberFormat

POINT = NumberFormat()
AGREE = "words Disagree<Neutral<Agree"


def code_of(texts, numbers=(), n=3):
    """The code of a column in which each text and number stands ``n`` times."""
    values = np.array(numbers, dtype=float)
    counts = np.full(len(values), n)
    return guess(dict.fromkeys(texts, n), (values, counts, np.zeros(len(values), int)), POINT)[0]


@pytest.mark.parametrize(
    ("texts", "numbers", "code"),
    [
        ([], [1, 2, 3], "number"),
        (["85 %", "7 %", "92 %"], [], "{} %"),
        (["85%", "7%"], [50, 61], "{}%"),
        (["8.5/10", "7/10", "9/10"], [], "{}/10"),
        (["4.0 out of 5 stars", "3.0 out of 5 stars"], [], "{} out of 5 stars"),
        (["$50", "$7", "$120"], [], "${}"),
        (["54kg", "71kg"], [], "{}kg"),
        (["4 - good", "1 - bad", "2 - poor"], [], "labels"),
        (["0 – mostly me", "5 – mostly others"], [1, 2, 3, 4], "labels"),
        (["★★☆", "★☆☆", "★★★"], [], "signs"),
        (["1:05.02", "1:15.83", "2:00.10"], [], "time"),
        (["1st", "2nd", "3rd"], [], "places"),
        (["1.2K", "3.5K", "1.1M"], [950, 700], "sizes"),
        (["(3.2)", "(1.6)"], [4, 5], "accounts"),
        (["88+3", "75+2", "91+1"], [], "flags"),
        (["Disagree", "Neutral", "Agree"], [], AGREE),
        (["no", "yes"], [], "words no<yes"),
        (["No", "Yes", "Don't know"], [], "words No<Yes"),
        (["A+", "B", "C-"], [], "words C-<B<A+"),
        (["selten", "manchmal", "immer"], [], "words selten<manchmal<immer"),
        (["cat", "dog", "bird"], [], ""),
        (["A", "B", "C", "D"], [], ""),  # answers to choose from
        (["2-1", "0-0", "3-2"], [], ""),
        (["P01", "P02", "P03"], [], ""),
        (["abs"], [3, 4, 5, 7], "number"),
    ],
)
def test_the_shortest_code_is_chosen(texts, numbers, code):
    assert code_of(texts, numbers) == code


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        ("{} %", "85 %", 85),
        ("{} %", "85%", 85),
        ("${}", "($50)", -50),
        ("labels", "4 - good", 4),
        ("labels", "good (4)", 4),
        ("signs", "★★½", 2.5),
        ("time", "1:01:05", 3665),
        ("places", "3º", 3),
        ("sizes", "1.2 Mio", 1.2e6),
        ("accounts", "3.2-", -3.2),
        ("flags", "45.1 b", 45.1),
        ("words no<yes", "YES", 1),
        ("words low<mid=medium<high", "medium", 2),
        ("words 1<2=2+<3", "2+", 2),
    ],
)
def test_a_text_is_read(code, text, value):
    texts = [text, "★★★", "1.5 k"] if code in ("signs", "sizes") else [text]
    assert reading_of(code, texts, POINT).values[text] == pytest.approx(value)


@pytest.mark.parametrize(
    ("code", "texts", "value", "digits", "written"),
    [
        ("number", [], 36.68, 1, "36.7"),
        ("{} %", ["85 %"], 42.4, 0, "42 %"),
        ("{}/10", ["8.5/10"], 7.26, 1, "7.3/10"),
        ("labels", ["4 - good", "1 - bad"], 3.6, 0, "4 - good"),
        ("signs", ["★☆☆", "★★☆"], 1.8, 0, "★★☆"),
        ("time", ["1:05.02"], 91.456, 2, "1:31.46"),
        ("time", ["1:05"], 3725.2, 0, "1:02:05"),
        ("places", ["1st", "2nd", "3rd"], 2.2, 0, "2nd"),
        ("sizes", ["1.2K", "1.1M"], 1_260_000, 0, "1.26M"),
        ("sizes", ["1.2K", "1.1M"], 950, 0, "950"),
        (AGREE, ["Disagree", "Agree"], 2.7, 0, "Agree"),
    ],
)
def test_an_estimate_is_written_as_its_column_is(code, texts, value, digits, written):
    assert reading_of(code, texts, POINT).text(value, digits) == written


@pytest.mark.parametrize(
    ("key", "known"),
    [("number", True), ("{} €", True), ("words a<b", True), ("", False), ("x", False)],
)
def test_keys_of_codes(key, known):
    assert is_code(key) is known


def test_columns_share_the_words_of_a_scale():
    rows = ["Never,Often", "Rarely,Always", ",Never", "Often,", "Sometimes,Rarely"]
    plan = propose("\n".join(["a,b", *rows]).encode() + b"\n")
    assert {column.code for column in plan.columns} == {"words Never<Rarely<Sometimes<Often<Always"}


def test_words_that_are_counted_are_a_scale_and_amber():
    rows = ["A1,A5", "A3,A2", ",A4", "A2,", "A5,A1", "A1,A3", "A4,A4", "A2,A2", "A5,A3", "A3,A1"]
    plan = propose("\n".join(["a,b", *rows]).encode() + b"\n")
    assert plan.columns[0].code == "words A1<A2<A3<A4<A5"
    assert {amber.column for amber in plan.amber} == {0, 1}


def test_a_person_puts_words_in_order():
    rows = ["red,1", "amber,2", ",3", "green,", "red,2", "amber,1", "green,1"]
    data = "\n".join(["light,x", *rows]).encode() + b"\n"
    plan = propose(data, edits=["light: order green<amber<red"])
    table = apply(data, plan)
    np.testing.assert_array_equal(table.ratings.to_dense()[:3, 0], [3, 2, np.nan])
    assert table.written([1.2], 0) == ["green"]
