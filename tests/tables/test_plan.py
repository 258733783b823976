"""A plan is a value: JSON and back, changed by edits, each of which settles what was amber
there."""

import pytest

from metamf.tables import Amber, Choice, Column, Group, Line, Plan, Source, TableError

COLUMNS = (
    Column("name", "name"),
    Column("q1", "fill", "number", group=0),
    Column("q2", "fill", "number", group=0, doubtful=("-99",)),
    Column("note: long", "keep"),
    Column("2020", "keep", "number"),
)
AMBER = (
    Amber("-99 is far", column=2, edits=(Choice("count as missing", "q2: missing -99", 3),)),
    Amber("looks like totals", line=9, edits=(Choice("it is a row", "line 9: keep"),)),
)
PLAN = Plan(
    Source(delimiter=","), 1, "wide", (0,), COLUMNS, (Group(1, 5, 1),), (Line(9, "Total"),), AMBER
)
LONG = Plan(
    Source(),
    1,
    "long",
    (0, 1, 2),
    (Column("user", "name"), Column("film", "name"), Column("stars", "fill"), Column("date")),
)


def test_json_gives_the_plan_back():
    assert Plan.from_json(PLAN.to_json()) == PLAN


@pytest.mark.parametrize(
    "text", ["[]", "{}", PLAN.to_json().replace('"fill"', '"guess"'), "no JSON"]
)
def test_json_of_something_else_is_refused(text):
    with pytest.raises(TableError, match="not a plan"):
        Plan.from_json(text)


@pytest.mark.parametrize(
    ("edit", "column", "field", "value"),
    [
        ("q1: keep", 1, "role", "keep"),
        ("2: keep", 1, "role", "keep"),
        ("2020: fill", 4, "role", "fill"),
        ("note: long: name", 3, "role", "name"),
        ('"note: long": name', 3, "role", "name"),
        ("q2: missing -99", 2, "missing", ("-99",)),
        ("q2: missing -99", 2, "doubtful", ()),
        ("q2: number -99", 2, "numbers", ("-99",)),
        ("note: long: order low<mid<high", 3, "code", "words low<mid<high"),
        ("note: long: order low<mid<high", 3, "role", "fill"),
        ("q1: as percent", 1, "code", "percent"),
    ],
)
def test_an_edit_changes_a_column(edit, column, field, value):
    assert getattr(PLAN.edited(edit).columns[column], field) == value


@pytest.mark.parametrize(
    ("edit", "column", "group"),
    [
        ("q1: scale 1 to 7 step 0.5", 1, Group(1, 7, 0.5, guessed=False)),
        ("2020: scale 0 to 100", 4, Group(0, 100, None, guessed=False)),  # it had no group
    ],
)
def test_a_scale_is_that_of_the_group(edit, column, group):
    plan = PLAN.edited(edit)
    assert plan.groups[plan.columns[column].group] == group


def test_names_of_rows_are_keys_and_an_edit_settles_what_was_amber_there():
    assert PLAN.edited("q1: name").keys == (0, 1)
    assert [amber.line for amber in PLAN.edited("q2: fill").amber] == [9]


@pytest.mark.parametrize(("edit", "skipped"), [("line 9: keep", []), ("line 12: skip", [9, 12])])
def test_lines_are_skipped_and_kept(edit, skipped):
    assert [line.line for line in PLAN.edited(edit).skipped] == skipped


def test_a_plan_knows_its_edits():
    assert PLAN.edited("q1: keep", "q1: fill").edits == ("q1: keep", "q1: fill")


UNKNOWN = "q9: keep", "q1: wide", "line x: skip", "9: fill", "q1: missing"


@pytest.mark.parametrize(
    ("plan", "edit", "sentence"),
    [
        *((PLAN, edit, "The columns are") for edit in UNKNOWN),
        (PLAN, "q1: scale 5 to 1", "scale"),
        (PLAN, "q1: scale high", "scale"),
        (PLAN, "header: 2", "proposed anew"),  # which needs the file
        (LONG, "film: keep", "needed by a long table"),
    ],
)
def test_an_edit_that_cannot_be_says_why(plan, edit, sentence):
    with pytest.raises(TableError, match=sentence):
        plan.edited(edit)


def test_another_column_has_the_values_of_a_long_table():
    plan = LONG.edited("date: fill")
    assert plan.keys == (0, 1, 3)
    assert plan.columns[2].role == "keep"
