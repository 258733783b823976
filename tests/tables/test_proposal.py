"""What is proposed with nothing answered: header, roles, scales, lines, form, and what is amber."""

import numpy as np
import pytest
from awkward_files import workbook

from metamf.tables import TableError, apply, propose


def proposed(text, **said):
    return propose(text if isinstance(text, bytes) else text.encode(), **said)


def roles(plan, role):
    return [column.name for column in plan.columns if column.role == role]


def table_of(columns, n, seed=0, missing=0.1):
    """A CSV of ``columns``, name -> function of a random generator and n; some cells are empty."""
    rng = np.random.default_rng(seed)
    cells = {name: [str(x) for x in make(rng, n)] for name, make in columns.items()}
    for values in cells.values():
        for i in np.flatnonzero(rng.random(n) < missing):
            values[i] = ""
    lines = [",".join(cells), *(",".join(row) for row in zip(*cells.values()))]
    return "\n".join(lines) + "\n"


def whole(low, high):
    return lambda rng, n: rng.integers(low, high + 1, n)


def real(mean, spread):
    return lambda rng, n: np.round(rng.normal(mean, spread, n), 2)


CARS = table_of(
    {"mpg": real(20, 6), "cyl": whole(4, 8), "hp": whole(60, 300), "am": whole(0, 1)}, 32
)
ITEMS = table_of({f"q{j}": whole(1, 7) for j in range(1, 7)}, 30)


# Header


@pytest.mark.parametrize(
    ("text", "header", "names"),
    [
        ("a,b\n1,2\n,4\n", 1, ("a", "b")),
        ("town,2019,2020,2021\nA,120,,140\nB,99,88,\n", 1, ("town", "2019", "2020", "2021")),
        (",0,1,2\n0,5,,3\n1,,4,1\n", 1, ("column 1", "0", "1", "2")),
        ("My ratings\nspring\nuser,a,b\nann,1,\nbob,2,3\n", 3, ("user", "a", "b")),
        (",Taste,,Look,\nJudge,A,B,A,B\nx,1,,2,3\ny,3,4,,1\n", 2, None),
        ("s,Iron,Zinc\n,mg/L,mg/L\nx,1.5,\ny,,2.5\nz,3.1,1.1\n", 2, ("s", "Iron", "Zinc")),
    ],
)
def test_the_header_is_found(text, header, names):
    plan = proposed(text)
    assert plan.header == header
    if names is not None:
        assert tuple(column.name for column in plan.columns) == names


def test_names_that_come_again_get_numbers_and_are_amber():
    plan = proposed("user,A,A,B\nann,5,,3\nbob,,4,1\n")
    assert [column.name for column in plan.columns] == ["user", "A", "A (2)", "B"]
    assert "same name" in plan.amber[0].sentence


# Roles


def test_every_column_of_numbers_is_filled():
    assert roles(proposed(CARS), "fill") == ["mpg", "cyl", "hp", "am"]
    rows = [f"p{i},{1_000_003 * (i + 1)},{i % 5}" for i in range(11)]
    assert "pop" in roles(proposed("\n".join(["c,pop,x", *rows, "p11,,3"]) + "\n"), "fill")


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        ("text", ["some words", "other words", "more of them"], "texts"),
        ("one", [3] * 12, "always 3"),
        ("row", range(1, 13), "numbers of the lines"),
        ("account", [100_003 + 17 * i * i for i in range(12)], "long identifiers"),
        ("zip", [f"{k:05d}" for k in range(977, 1097, 10)], "codes with leading zeros"),
        ("when", [f"2024-03-{k:02d}" for k in range(1, 13)], "dates or times"),
        ("day", [20240301 + k for k in range(12)], "dates"),
        ("nothing", [""] * 12, "empty"),
    ],
)
def test_what_is_no_measure_is_kept(name, cells, why):
    cells = [*map(str, cells)]
    rows = [f"{i % 4 + 1},{(i * 7) % 5},{cells[i % len(cells)]}" for i in range(12)]
    plan = proposed("\n".join(["a,b," + name, *rows, ",,"]) + "\n")
    column = plan.columns[2]
    assert (column.role, column.why) == ("keep", why)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name,a,b\nann,5,\nbob,,3\ncy,1,2\n", ["name"]),
        ("id,a,b\n7,5,\n9,,3\n4,1,2\n", ["id"]),
        ("Place,Country,a\n1,Serbia,5\n2,Malta,\n3,Latvia,2\n", ["Country"]),
        ("a,b,who\n5,,ann\n,3,bob\n1,2,cy\n", ["who"]),
        ("date,a,b\n2024-01-01,5,\n2024-01-02,,3\n2024-01-03,1,2\n", ["date"]),
        ("x,y\n1,2\n3,\n5,6\n", []),  # measures name nothing
    ],
)
def test_the_column_that_names_the_rows_is_found(text, names):
    assert roles(proposed(text), "name") == names


def test_a_column_that_follows_from_others_is_kept():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 21, (12, 4))
    rows = [",".join(map(str, [*x, x.sum()])) for x in X]
    plan = proposed("\n".join(["a,b,c,d,e", *rows, "1,2,3,4,"]) + "\n")
    assert plan.columns[4].why == "the sum of other columns"


def test_a_column_that_says_that_it_is_a_total_is_kept_and_amber():
    text = "a,b,c,Total\n1,2,3,60\n2,,1,10\n3,3,2,\n1,1,1,20\n"
    plan = proposed(text)
    assert plan.columns[3].role == "keep"
    assert [amber.column for amber in plan.amber] == [3]
    assert plan.amber[0].edits[0].edit == "Total: fill"


def test_a_second_table_beside_the_first_is_kept():
    rows = [["A", "q1", "q2", None, "B", "t1"]]
    rows += [[f"p{i}", i % 5, None if i == 2 else i % 3, None, f"r{i}", i] for i in range(6)]
    rows += [[None, None, None, None, "r9", 7]]
    plan = proposed(workbook({"S": rows}))
    assert roles(plan, "fill") == ["q1", "q2"]
    assert plan.amber
    assert apply(workbook({"S": rows}), plan).ratings.n_rows == 6


def test_names_in_the_first_line_of_a_group_are_filled_down():
    text = "Region,a,b\nN,1,\n,2,3\n,,4\nS,1,2\n,3,\n"
    plan = proposed(text)
    assert plan.columns[0].code == "down"
    assert apply(text.encode(), plan).ratings.row_labels == ("N", "N", "N", "S", "S")


# Numbers in doubt


@pytest.mark.parametrize("marker", [-99, -9, 99, 999, 9999])
def test_a_marker_stays_as_it_is_and_teaches_nothing(marker):
    text = ITEMS + f"{marker},1,2,3,,5\n{marker},1,2,3,4,\n"
    plan = proposed(text)
    assert plan.columns[0].doubtful == (str(marker),)
    assert plan.amber[0].edits[0] == (
        type(plan.amber[0].edits[0])(f"count {marker} as missing", f"q1: missing {marker}", 2)
    )
    assert apply(text.encode(), plan).ratings.values.max() <= 7


BODIES = table_of({"height": real(170, 9), "age": whole(18, 80)}, 40)
FOURS = table_of({f"q{j}": whole(1, 4) for j in range(1, 7)}, 30)
WEIGHTS = table_of({"w": lambda rng, n: np.round(rng.normal(70, 9, n), 1), "x": whole(0, 6)}, 21)


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        (BODIES + "171,-9\n165,-9\n", [(), ("-9",)]),  # in a column much wider than nine
        (FOURS + "9,1,2,3,,4\n1,9,2,3,4,\n", [("9",), ("9",), (), (), (), ()]),  # beyond a scale
        (WEIGHTS + "0.0,1\n0.0,2\n", [("0.0",), ()]),  # far below all others
    ],
)
def test_numbers_in_doubt(text, doubtful):
    assert [column.doubtful for column in proposed(text).columns] == doubtful


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("high", [5, 7, 10])
def test_nothing_is_amber_in_a_plain_survey(high, seed):
    low = 0 if high == 10 else 1
    plan = proposed(table_of({f"q{j}": whole(low, high) for j in range(8)}, 40, seed))
    assert not plan.amber
    assert str(plan.groups[0]) == f"{low} to {high}"


def test_zero_is_a_count_like_others():
    cells = table_of({"siblings": whole(0, 4), "age": whole(15, 40)}, 30)
    assert not proposed(cells).amber


def test_a_text_among_numbers_stays_and_is_amber():
    text = ITEMS + "<5,1,2,3,,5\n"
    plan = proposed(text)
    assert "<5" in plan.amber[0].sentence
    table = apply(text.encode(), plan)
    assert not table.to_fill(30, 0)
    assert table.to_fill(30, 4)


# Scales


def test_a_scale_is_what_was_observed_of_the_columns_that_share_it():
    halves = table_of({f"q{j}": lambda g, n: g.integers(2, 15, n) / 2 for j in range(5)}, 60)
    group = proposed(halves).groups[0]
    assert (group.low, group.high, group.step, group.guessed) == (1, 7, 0.5, True)

    items = {f"q{j}": whole(1, 5) for j in range(5)}
    others = {"height": whole(150, 200), "q9": whole(2, 4)}  # another unit, and a part of the scale
    plan = proposed(table_of(items | others, 40))
    assert [column.group for column in plan.columns] == [0] * 5 + [None, 0]
    assert plan.columns[5].low == 0


def test_coded_properties_beside_items_are_filled_and_amber():
    columns = {"sex": whole(1, 2), **{f"v{j}": whole(1, 5) for j in range(8)}}
    plan = proposed(table_of(columns, 40))
    assert plan.columns[0].role == "fill"
    assert [amber.column for amber in plan.amber] == [0]


# Lines


@pytest.mark.parametrize(
    ("fourth", "skipped"),
    [
        *((f"{label},6,5", [4]) for label in ("Total", "Mean", "Overall average", "Ø", "Summe")),
        ("Max,4,2", []),  # a person
        ("name,a,b", [4]),  # the names once more
    ],
)
def test_a_line_of_totals_or_names_is_no_row(fourth, skipped):
    text = f"name,a,b\nann,5,\nbob,,3\n{fourth}\n"
    assert [line.line for line in proposed(text).skipped] == skipped


def test_a_line_that_is_the_mean_of_the_others_is_no_row():
    rng = np.random.default_rng(5)
    X = rng.integers(1, 30, (9, 6))
    rows = [f"p{i}," + ",".join(map(str, x)) for i, x in enumerate(X)]
    means = ",".join(f"{m:.2f}" for m in X.mean(axis=0))
    plan = proposed("\n".join(["who,a,b,c,d,e,f", *rows, f"x,{means}"]) + "\n")
    assert plan.skipped[0].why == "the mean of the other lines"


def test_maxima_are_no_row_and_limit_their_columns():
    text = "who,a,b\nPoints possible,10,100\nx,8,\ny,,71\nz,5,64\nw,7,90\n"
    plan = proposed(text)
    assert [line.line for line in plan.skipped] == [2]
    assert (plan.columns[1].high, plan.columns[2].high) == (10, 100)
    assert plan.amber[0].line == 2


def test_a_cell_too_many_is_left_out_and_amber():
    plan = proposed("user,a,b\nann,5,\nbob,,3\ncleo,1,2,3\n")
    assert [amber.line for amber in plan.amber] == [4]
    assert len(plan.columns) == 3


# Form


@pytest.mark.parametrize(
    "text",
    [
        "sport,grade,sex\nfootball,1,2\ngolf,,1\nchess,3,1\n",
        "state,year,tax\nA,1990,3\nA,1991,\nB,1990,5\nB,1991,4\n",
        "student,class,mark\nann,A,3\nbob,A,\ncy,B,2\n",
    ],
)
def test_a_line_for_each_row_is_a_wide_table(text):
    assert proposed(text).form == "wide"


def test_pairs_that_come_again_are_averaged_and_amber():
    text = "user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\nann,Alien,2\n"
    plan = proposed(text)
    assert "the mean counts" in plan.amber[0].sentence
    assert apply(text.encode(), plan).ratings.to_dense()[0, 0] == 3.5


@pytest.mark.parametrize(
    ("edit", "form", "keys"),
    [
        ("form: wide", "wide", (0,)),
        ("form: long user,item,rating", "long", (0, 1, 2)),
        ("form: long 2,1,3", "long", (1, 0, 2)),
    ],
)
def test_a_person_says_the_form(edit, form, keys):
    text = "user,item,rating\nann,Alien,5\nann,Brazil,3\nbob,Alien,4\n"
    plan = proposed(text, edits=[edit])
    assert (plan.form, plan.keys) == (form, keys)


# Edits and errors


def test_a_header_that_a_person_gave_holds_and_what_was_proposed_comes_back():
    assert proposed("a,b\n1,2\n3,4\n,5\n", edits=["header: 2"]).header == 2
    edited = ["q1: keep", "header: 2", "all: proposed"]
    assert proposed(ITEMS, edits=edited) == proposed(ITEMS)
    # an earlier edit of a column that is gone is forgotten
    assert proposed(ITEMS, edits=["q1: keep", "header: 0"]).columns[0].role == "fill"


def test_the_last_edit_must_name_something():
    with pytest.raises(TableError, match="names nothing known"):
        proposed(ITEMS, edits=["q99: keep"])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "empty"),
        (b"user,a\nann,x y\nbob,z w\n", "no number"),
        (b"name  q1 q2\np1  4  5\np2  4\n", "save the table with commas"),
    ],
)
def test_what_is_no_table_is_refused_with_a_sentence(data, sentence):
    with pytest.raises(TableError, match=sentence):
        proposed(data)


@pytest.mark.parametrize(
    "edit", ["header: x", "form: tall", "delimiter: x", "decimal: x", "thousands: x", "sheet: 9"]
)
def test_a_statement_that_cannot_be_is_refused(edit):
    with pytest.raises(TableError):
        proposed(workbook({"S": [["a", "b"], [1, 2], [None, 3]]}), edits=[edit])
