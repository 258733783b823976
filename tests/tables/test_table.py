"""Applying a plan: the matrix, limits, digits, what is filled and what is left, and the summary."""

import hashlib

import numpy as np
import pytest

from metamf.tables import Group, TableError, apply, propose, read, write

MARKS = b"""name,note,q1,q2,weight
ann,ill,4,,71.5
bob,,2,-99,64.0
cy,,,3,
dee,late,5,1,80.2
eve,,1,2,55.1
fay,,3,4,62.3
gus,,4,5,90.7
hal,,2,2,71.9
ida,,5,-99,68.4
"""


def test_the_matrix_has_all_columns_to_fill_with_their_digits_and_limits():
    table = read(MARKS)
    assert table.ratings.shape == (9, 3)
    assert table.ratings.col_labels == ("q1", "q2", "weight")
    assert table.ratings.row_labels[:2] == ("ann", "bob")
    assert table.digits.tolist() == [0, 0, 1]
    assert table.written([70.26, np.nan], 2) == ["70.3", ""]
    assert table.limits.lower.tolist() == [1, 1, 0]
    assert table.limits.upper.tolist() == [5, 5, np.inf]
    assert table.nothing_to_fill == ""


def test_a_plan_of_another_file_may_be_applied():
    """The questions of next year: the same columns, other rows."""
    plan = propose(MARKS, edits=["q2: missing -99"])
    data = MARKS.replace(b"ann", b"zoe")
    table = apply(data, plan)
    assert table.ratings.row_labels[0] == "zoe"
    assert table.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("edits", "value", "fills"),
    [
        ([], np.nan, False),  # it is in doubt: it teaches nothing, and stays
        (["q2: missing -99"], np.nan, True),
        (["q2: number -99"], -99, False),
    ],
)
def test_a_number_in_doubt_is_what_a_person_says_of_it(edits, value, fills):
    table = read(MARKS, edits=edits)
    np.testing.assert_equal(table.ratings.to_dense()[1, 1], value)
    assert bool(table.to_fill(1, 1)) is fills
    assert table.to_fill(0, 1)


def test_a_person_counts_the_number_in_a_text():
    data = MARKS.replace(b"71.5", b"<71.5")
    assert np.isnan(read(data).ratings.to_dense()[0, 2])
    assert read(data, edits=["weight: number <71.5"]).ratings.to_dense()[0, 2] == 71.5


def test_a_scale_is_known_only_where_all_columns_share_it():
    assert read(MARKS).ratings.scale is None
    scale = read(MARKS, edits=["weight: keep", "q1: scale 0 to 5"]).ratings.scale
    assert (scale.minimum, scale.maximum) == (0, 5)


def test_every_gap_is_accounted_for():
    gaps = {gap.column: gap for gap in read(MARKS + b",,,,\n").gaps}
    assert (gaps["q1"].gaps, gaps["q1"].filled, gaps["q1"].left) == (1, 1, 0)
    assert (gaps["note"].left, gaps["note"].why) == (7, "texts")


def test_a_line_without_a_number_is_not_filled():
    table = read(MARKS + b"a remark,,,,\n")
    assert table.ratings.n_rows == 9
    assert b"a remark,,,,\n" in write.to_csv(table, Means(table))


def test_a_line_of_a_person_who_answered_nothing_is_a_row_where_it_has_a_number():
    data = b"id,a,b\n7,5,\n9,,3\n4,,\n2,1,2\n"
    assert read(data).ratings.n_rows == 4


class Means:
    """Estimates: the mean of each column."""

    method, level, lower, upper = "means", None, None, None

    def __init__(self, table):
        ratings = table.ratings
        means = np.nanmean(ratings.to_dense(), axis=0)
        self.mean = np.tile(means, (ratings.n_rows, 1))
        self.clipped = np.zeros(ratings.shape, dtype=bool)
        self.hidden = np.zeros(ratings.nnz, dtype=bool)


def test_only_the_gaps_are_written():
    table = read(MARKS)
    lines = write.to_csv(table, Means(table)).splitlines()
    changed = {i for i, (a, b) in enumerate(zip(MARKS.splitlines(), lines)) if a != b}
    assert changed == {1, 3}
    assert lines[3] == b"cy,,3,3,70.5"


def test_lines_and_places_of_the_file():
    table = read(b"# about\n" + MARKS)
    assert table.fill_columns == (2, 3, 4)
    assert table.row_lines[:2].tolist() == [3, 4]
    assert table.lines([2, 3]) == [
        ("name", "note", "q1", "q2", "weight"),
        ("ann", "ill", "4", "", "71.5"),
    ]
    assert table.n_lines == 11


def test_the_summary_is_short_and_amber_first():
    wide = "name," + ",".join(f"a rather long question number {j}?" for j in range(60))
    rows = [
        ",".join([f"p{i}", *(["x"] + [str((i * j) % 5) for j in range(59)])]) for i in range(20)
    ]
    lines = read("\n".join([wide, *rows]).encode()).summary()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 100
    assert read(MARKS).summary()[0].startswith("LOOK: ")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"user,item,rating\na,x,1\na,y,1\nb,x,1\n", "all given numbers are 1"),
        (b"name,a,b\nx,1,2\ny,3,4\n", "no number is missing"),
        (b",A,B,C,D\nA,0,,,\nB,4,0,,\nC,3,5,0,\nD,2,1,6,0\n", "mirror"),
    ],
)
def test_where_nothing_can_be_filled_it_says_why(data, sentence):
    assert sentence in read(data).nothing_to_fill


def test_a_person_fills_the_other_half_of_a_triangle():
    data = b",A,B,C,D\nA,0,,,\nB,4,0,,\nC,3,5,0,\nD,2,1,6,0\n"
    assert read(data, edits=["all: fill"]).nothing_to_fill == ""


def test_a_long_table_has_the_cells_that_its_file_lacks():
    data = b"user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\ncy,Brazil,\n"
    table = read(data)
    assert table.ratings.shape == (3, 2)
    assert table.n_gaps == 3
    assert table.plan.groups == (Group(3, 5, 1),)
    written = write.to_csv(table, Means(table))
    assert written.startswith(data[:-1])
    assert len(written.splitlines()) == 7


def test_names_of_a_long_table_may_be_of_several_columns():
    data = b"class,user,item,rating\n1,ann,Alien,5\n2,ann,Alien,3\n1,bob,Brazil,4\n"
    table = read(data, edits=["form: long class+user,item,rating"])
    assert table.ratings.row_labels == ("1 ann", "2 ann", "1 bob")


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        ("all: keep", "write"),
        ("note: fill", "write"),
        ("q1: scale 1 to 4", '"q1" has 5, outside of 1 to 4'),
    ],
)
def test_a_plan_that_cannot_be_applied_says_why(edit, sentence):
    with pytest.raises(TableError, match=sentence):
        read(MARKS, edits=[edit])
