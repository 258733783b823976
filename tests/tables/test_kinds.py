"""Kinds of files that people report, each as a made-up table with its right reading: read at once, or asked about once,
by a question whose first answer works."""

import time

import numpy as np
import pandas as pd
import pytest
from exports import estimated

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.roles import ALONE, RATING
from metamf.tables.sums import find_sums
from metamf.tables.write import to_csv


def scale(n=24, m=6, low=1, high=5, gaps=0.1, seed=0):
    """Ratings that go along with each other, NaN in gaps."""
    rng = np.random.default_rng(seed)
    X = np.clip(np.round((low + high) / 2 + rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.6, (n, m))), low, high)
    X[rng.random((n, m)) < gaps] = np.nan
    return X


def written(names, *blocks, sign=","):
    """A table with a first column of names; NaN is an empty cell."""
    columns = [column for block in blocks for column in np.asarray(block, dtype=object).T]
    lines = [names, *([f"p{i}", *row] for i, row in enumerate(zip(*columns)))]
    cells = [
        ["" if cell != cell else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in line]
        for line in lines
    ]
    return "".join(sign.join(line) + "\n" for line in cells).encode()


def column(values):
    return np.asarray(values, dtype=object)[:, None]


def roles(table):
    return {name: role.role for name, role in zip(table.report.file_columns, table.report.roles.columns)}


def answered(data, options=ReadOptions()):
    """The table after one sheet of questions, each obeyed in its first answer."""
    with pytest.raises(TableError) as caught:
        read_table(data, options=options)
    assert caught.value.doubts
    for doubt in caught.value.doubts:
        options = options.with_answer(doubt.answers[0].option, doubt.answers[0].values)
    return read_table(data, options=options), caught.value


ITEMS = [f"v{j}" for j in range(1, 7)]


@pytest.mark.parametrize("name", ["Group avg", "x", "Note finale"])
@pytest.mark.parametrize("what", [np.nanmean, np.nansum])
def test_a_sum_or_mean_of_other_columns_is_left_alone_whatever_it_is_called(what, name):
    X = scale()
    total = what(X, axis=1).round(2)
    total[:3] = np.nan
    table = read_table(written(["who", *ITEMS, name], X, column(total)))
    assert roles(table)[name] == ALONE and list(roles(table).values()).count(RATING) == 6


def test_a_weighted_sum_and_a_sum_by_the_maxima_in_the_header_are_left_alone():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 21, (20, 3)).astype(float)
    grade = (X @ [0.2, 0.3, 0.5]).round(2)
    grade[:2] = np.nan
    assert roles(read_table(written(["who", "a", "b", "c", "final"], X, column(grade))))["final"] == ALONE
    few = written(
        ["who", "Aroma (12)", "Look (8)", "Taste (20)", "All of it (40)"], X[:4] / 2, column([20, 30, "", 25])
    )
    table = read_table(few, options=ReadOptions(ratings=(1, 2, 3)))
    assert roles(table)["All of it (40)"] == ALONE


def test_a_last_line_that_is_the_mean_of_those_above_is_no_row():
    X = scale(gaps=0)
    data = written(["who", *ITEMS], X) + ("Klasse," + ",".join(f"{x:.2f}" for x in X.mean(axis=0)) + "\n").encode()
    assert [line for line, _ in read_table(data).report.roles.rows] == [26]


def test_coded_properties_beside_items_are_one_question():
    rng = np.random.default_rng(3)
    codes = [column(rng.integers(1, high, 24)) for high in (3, 7, 5, 6)]
    codes[0][0] = codes[1][2] = ""
    names = ["id", "sexo", "edad", "zona", "nivel", *ITEMS]
    table, error = answered(written(names, *codes, scale()))
    assert [set(doubt.names) for doubt in error.doubts] == [set(names[1:5])]
    assert [name for name, role in roles(table).items() if role == RATING] == ITEMS


@pytest.mark.parametrize(
    ("high", "markers"), [(4, (8, 9)), (5, (9,)), (5, (88, 99)), (7, (77, 99)), (5, (-1,)), (5, (-9, -8)), (5, (999,))]
)
def test_numbers_that_stand_apart_from_the_scale_are_asked_about_at_once(high, markers):
    X = scale(high=high)
    rng = np.random.default_rng(5)
    for marker in markers:
        X[rng.integers(0, 24, 5), rng.integers(0, 6, 5)] = marker
    table, error = answered(written(["id", *ITEMS], X))
    assert set(error.markers) == {str(marker) for marker in markers} and len(error.doubts) == 1
    assert table.ratings.values.max() <= high and table.ratings.values.min() >= 1
    long = [["u", "i", "r"], *([f"u{i}", f"i{j}", X[i, j]] for i, j in zip(*np.nonzero(~np.isnan(X))))]
    data = "".join(f"{a},{b},{c if isinstance(c, str) else f'{c:g}'}\n" for a, b, c in long).encode()
    assert set(answered(data, ReadOptions(form="long"))[1].markers) == {str(marker) for marker in markers}


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_zero_beside_a_scale_from_one_is_asked_about(share):
    X = np.where(np.random.default_rng(0).random((24, 6)) < share, 0, scale(gaps=0))
    table, error = answered(written(["id", *ITEMS], X))
    assert error.markers == ("0",) and table.ratings.values.min() == 1


def test_a_marker_of_one_column_is_a_number_among_those_of_another():
    X, beside = scale(high=4), np.random.default_rng(4).integers(0, 11, (24, 1)).astype(float)
    X[:4, 0] = X[4:8, 3] = 8
    options = ReadOptions(missing_markers="8", ratings="liking")
    table = read_table(written(["id", *ITEMS, "liking"], X, beside), options=options)
    assert (table.ratings.values == 8).sum() == (beside == 8).sum() > 0


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("first", [1998, 2020])
def test_years_name_columns_from_three_on_also_above_larger_numbers(n, first):
    X = np.random.default_rng(0).integers(800, 40000, (8, n)).astype(float)
    table = read_table(written(["Ort", *range(first, first + n)], X, sign=";"))
    assert table.ratings.col_labels == tuple(map(str, range(first, first + n))) and table.ratings.n_rows == 8


def test_a_line_without_a_rating_below_the_header_is_no_row():
    data = written(["who", *ITEMS], scale()).replace(b"\n", b"\n(1 = bad),,,,,,\n", 1)
    assert [line for line, _ in read_table(data).report.roles.rows] == [2]


TEXTS = [
    ("{}", "٠١٢٣٤٥"),
    ("{}", "०१२३४५"),
    ("\u200f{}", "012345"),
    ("{}.0 out of 5 stars", "012345"),
    ("{} von 5 Sternen", "012345"),
    ("5つ星のうち{}", "012345"),
    ("Rated {} of 5", "012345"),
    ("{} km", "012345"),
]


@pytest.mark.parametrize(("template", "digits"), TEXTS)
def test_numbers_in_any_digits_with_signs_around_them_are_read(template, digits):
    X = scale()
    texts = [["" if x != x else template.format(digits[int(x)]) for x in row] for row in X]
    table = read_table(written(["who", *"abcdef"], texts))
    np.testing.assert_array_equal(table.ratings.to_dense(), X)


def test_places_and_times_are_numbers_and_come_back_as_such():
    data = b"who,a,b,c\nx,1st,2nd,3rd\ny,2nd,,1st\nz,1st,3rd,2nd\n"
    table = read_table(data)
    assert table.ratings.to_dense()[0].tolist() == [1, 2, 3]
    assert b"y,2nd,3rd,1st" in to_csv(table, estimated(table, np.full((3, 3), 2.9)))
    table = read_table(b"who,a,b,c\nx,1:05.02,1:01.90,1:01.50\ny,1:10.00,,1:00.25\nz,1:00.00,1:02.10,1:03.00\n")
    assert table.ratings.to_dense()[0].tolist() == [65.02, 61.9, 61.5]
    assert b"y,1:10.00,1:05.12,1:00.25" in to_csv(table, estimated(table, np.full((3, 3), 65.12)))


def test_words_that_mean_the_same_are_said_to_be_equal():
    data = b"who,a,b\nx,nah,meh\ny,meh,\nz,yep,yup\nw,yup,nah\n"
    table = read_table(data, options=ReadOptions(words=("nah", "meh", "yep=yup")))
    assert table.ratings.to_dense()[2].tolist() == [3, 3]
    hands = read_table("who,a,b\nx,👍🏽,👎\ny,👍,\nz,👎🏿,👍🏻\n".encode())
    assert hands.ratings.to_dense()[0].tolist() == [1, 0]


def test_large_measures_with_gaps_are_measures():
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(17, 1.5, (16, 5))).round()
    X[rng.random((16, 5)) < 0.15] = np.nan
    table = read_table(
        "\n".join(
            [
                "prot,a,b,c,d,e",
                *(",".join([f"p{i}", *("" if x != x else f"{x:.0f}" for x in row)]) for i, row in enumerate(X)),
            ]
        ).encode()
    )
    assert table.ratings.n_cols == 5


def test_a_thousands_sign_that_makes_one_value_a_thousand_times_the_others_is_a_question():
    data = b"p;a;b;c\nx;3.458;2,88;\ny;4,82;6,00;4.307\nz;4,13;3,32;2,89\nw;3,20;2.256;2,98\n"
    table, _ = answered(data)
    assert table.ratings.values.max() == 6


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"name q1 q2 q3\np1    4  2  5\np2    6     8\np3    5  4  3\n", "spaces separate the cells"),
        (b"%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 1 2\n2 2 3\n3 1 4\n3 3 5\n", "Matrix Market"),
    ],
)
def test_what_cannot_be_read_safely_is_refused_with_what_to_do(data, said):
    with pytest.raises(TableError, match=said):
        read_table(data)


def test_backslashes_before_quotation_marks_and_debts_in_parentheses_are_read():
    data = b'"Title";"a";"b";"c"\n"Pan: \\"The Boy\\"; a";"6";;"3"\n"Other";"5";"4";"4"\n"Third";"2";"3";"1"\n'
    table = read_table(data)
    assert table.ratings.shape == (3, 3)
    out = to_csv(table, estimated(table, np.full((3, 3), 4.5)))
    assert out.split(b"\n")[1].startswith(b'"Pan: \\"The Boy\\"; a";"6";4.5;')
    table = read_table(b"Firm,a,b\nx,0.5,(3.4)\ny,(1.6),1.3\nz,,2.5\n")
    assert table.ratings.values.tolist() == [0.5, -3.4, -1.6, 1.3, 2.5]


def test_numbers_in_parentheses_on_the_line_below_the_names_are_maxima_and_no_debts():
    X = np.random.default_rng(0).integers(7, 34, (22, 4)).astype(float)
    X[3, 1] = np.nan
    lines = written(["who", *"abcd"], X).splitlines(keepends=True)
    table = read_table(b"".join([lines[0], b"(max),(35),(35),(50),(35)\n", *lines[1:]]))
    assert table.ratings.shape == X.shape and table.ratings.values.min() >= 7


def test_all_odd_texts_are_one_question_and_ranges_stay_as_they_are():
    data = b"Wine,WA,WS,JS\na,90-92,93,\nb,93,NR,94\nc,88,95+,91\nd,90,94,92\ne,91,89,90\n"
    table, error = answered(data)
    assert set(error.markers) == {"90-92", "NR", "95+"}
    out = to_csv(table, estimated(table, np.full(table.ratings.shape, 91.0)))
    assert b"a,90-92,93,91\nb,93,91,94\nc,88,95+,91" in out


def test_further_lines_of_a_file_of_spaces_have_no_quotation_marks():
    data = b"1 113 3\n1 139 4\n1 165 4\n2 113 3\n2 139 5\n3 113 2\n3 165 1\n4 139 4\n4 165 2\n"
    table = read_table(data)
    assert b'"' not in to_csv(table, estimated(table, np.full(table.ratings.shape, 2.5)))


@pytest.mark.parametrize("form", ["#{}", "Nr. {}", "{}"])
def test_numbers_that_count_on_in_front_name_the_rows_also_with_a_sign(form):
    rows = "".join(f"{form.format(i)},{i % 5 + 1},{'' if i == 7 else i * 2 % 5 + 1}\n" for i in range(1, 13))
    table = read_table(f"Paper,a,b\n{rows}".encode())
    assert table.ratings.row_labels[11] == form.format(12) and table.ratings.col_labels == ("a", "b")


def test_rough_numbers_count_or_stay_as_they_are():
    rows = ["a,1,2,3", "b,~4,2,1", "c,5,ca. 3,2", "d,2,5,", "e,about 5,1,\u22484", "f,1,3,4", "g,3,4,1"]
    data = "\n".join(["who,q1,q2,q3", *rows, ""]).encode()
    table, error = answered(data)
    assert [answer.option for answer in error.answers] == ["number_in", "missing_markers"]
    assert table.ratings.nnz == 20 and table.ratings.to_dense()[[1, 2, 4, 4], [0, 1, 0, 2]].tolist() == [4, 3, 5, 4]
    kept = read_table(data, options=ReadOptions(missing_markers=error.markers))
    for read, n in ((table, 20), (kept, 16)):
        assert read.ratings.nnz == n
        assert to_csv(read, estimated(read, np.full((7, 3), 2.5))) == data.replace(b"d,2,5,", b"d,2,5,2.5")


def test_a_sum_with_deductions_and_places_of_the_rows_are_left_alone():
    rng = np.random.default_rng(7)
    D, E, less = rng.uniform(4, 6.5, 18).round(1), rng.uniform(7, 9.6, 18).round(3), rng.choice([0, 0.1, 0.3], 18)
    final = (D + E - less).round(3)
    place = (-final).argsort().argsort() + 1
    final[3] = E[5] = np.nan
    names = ["who", "Difficulty", "Execution", "Penalty", "Result", "Place"]
    data = written(names, column(D), column(E), column(less), column(final), column(place))
    found = roles(read_table(data, options=ReadOptions(ratings="all-numbers")))
    assert [name for name, role in found.items() if role == RATING] == names[1:4]
    X = scale(n=16)
    tied = np.array([1, 2, 2, 4, 5, 6, 6, 6, 9, 10, 11, 12, 13, 14, 15, 16])
    found = roles(read_table(written(["id", *ITEMS, "Rank"], X, column(rng.permutation(tied)))))
    assert [name for name, role in found.items() if role == RATING] == ITEMS
    judges = np.array([rng.permutation(12) + 1 for _ in range(5)], dtype=float).T
    judges[2, 1] = np.nan
    assert list(roles(read_table(written(["item", *"abcde"], judges))).values()).count(RATING) == 5


def test_years_below_a_line_of_units_are_names_and_a_note_below_the_table_is_no_row():
    rows = "".join(f"{c},{3.2 + i},{'' if i == 2 else 4.1 + i},{5.3 - i / 2},{6 + i}\n" for i, c in enumerate("ABCDE"))
    data = f"Unemployment rate,,,,\n,%,%,%,%\nCountry,2000,2005,2010,2015\n{rows}Source: the office,,,,\n"
    table = read_table(data.encode())
    assert table.ratings.shape == (5, 4) and table.ratings.col_labels[0] == "%: 2000" and table.ratings.nnz == 19
    assert [line for line, _ in table.report.roles.rows] == [9]
    new = read_table(b"name,a,b,c\nann,1,2,3\nbob,4,,2\nbo lee,,,\n")
    assert new.ratings.row_labels == ("ann", "bob", "bo lee")


def test_markers_of_a_column_that_is_asked_about_come_in_the_same_message():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal([12, 5], [4, 2], (25, 2)), rng.normal(1013, 6, 25)]).round(1)
    X[4, 2] = 9999
    X[3, 0] = X[8, 0] = -999
    X[5, 1] = X[7, 2] = np.nan
    table, error = answered(written(["day", "t", "wind", "p"], X))
    assert set(error.markers) == {"-999", "9999"} and len(error.doubts) == 2


def test_an_error_of_a_spreadsheet_is_no_rough_number_and_two_words_of_a_scale_are_no_marker():
    rows = "".join(f"k{i},{i % 5 + 1},{i * 3 % 5 + 1},{i * 2 % 4 + 1}\n" for i in range(9))
    with pytest.raises(TableError) as caught:
        read_table(f"kid,a,b,c\n{rows}x,#DIV/0!,2,3\n".encode())
    assert [answer.option for answer in caught.value.answers] == ["missing_markers"]
    words = ("never", "rarely", "sometimes", "often", "always")
    rows = "".join(f"s{i},{words[i % 5]},{words[i * 3 % 5]}\n" for i in range(12))
    with pytest.raises(TableError) as caught:
        read_table(f"id,a,b\n{rows}x,rarely/sometimes,never\ny,often,not there\n".encode())
    assert caught.value.markers == ("not there",)


def test_a_difference_and_a_share_of_a_total_are_told_from_what_they_are_made_of():
    rng = np.random.default_rng(11)
    before, after = rng.integers(3, 11, (2, 20)).astype(float)
    change = after - before
    after[[2, 7]] = change[4] = np.nan
    found = roles(read_table(written(["id", "pre", "post", "change"], *map(column, (before, after, change)))))
    assert found == {"id": "name", "pre": RATING, "post": RATING, "change": ALONE}
    X = rng.integers(0, 21, (15, 4)).astype(float)
    share = (X.sum(axis=1) / 80 * 100).round(1)
    share[3] = X[5, 2] = np.nan
    found = roles(read_table(written(["who", "T1", "T2", "T3", "T4", "%"], X, column(share))))
    assert found["%"] == ALONE and list(found.values()).count(RATING) == 4


def test_a_year_above_the_names_is_a_title():
    sold = np.random.default_rng(0).integers(20, 90, (8, 3))
    rows = "".join(f"shop{i},{a},{'' if i % 3 else b},{c}\n" for i, (a, b, c) in enumerate(sold))
    table = read_table(f"2023,,,\n,Jan,Feb,Mar\n{rows}".encode())
    assert table.ratings.col_labels == ("Jan", "Feb", "Mar") and table.ratings.shape == (8, 3)


def test_two_decimal_signs_in_one_column_are_asked_about():
    data = b"k;a;b\np0;1,5;2,5\np1;2.5;3,5\np2;;4,5\np3;3,5;1.5\np4;2,5;1,5\n"
    table, error = answered(data)
    assert [answer.option for answer in error.answers] == ["decimal"] and table.ratings.nnz == 9


def test_amounts_of_money_in_parentheses_are_below_zero():
    data = b'dept,q1,q2\na,"$1,500",($447)\nb,"$2,300","$1,900"\nc,,"($1,045)"\nd,$800,$950\n'
    table = read_table(data)
    assert table.ratings.values.tolist() == [1500, -447, 2300, 1900, -1045, 800, 950]


def test_a_wide_code_beside_few_items_is_no_item():
    rng = np.random.default_rng(23)
    X = scale(n=30, m=4, low=0, high=10)
    codes = [column(rng.integers(1, high, 30)) for high in (7, 24, 6)]
    codes[0][4] = codes[2][6] = ""
    names = ["id", "household", "district", "rooms", "overall", "staff", "clean", "value"]
    table, _ = answered(written(names, *codes, X))
    assert [name for name, role in roles(table).items() if role == RATING] == names[4:]


def test_means_of_groups_of_lines_are_no_rows_and_do_not_count_for_the_columns():
    X = scale(n=18, high=10, gaps=0)
    groups = [X[i : i + 6] for i in range(0, 18, 6)]
    lines = [row for group in groups for row in (*group, group.mean(axis=0).round(2))]
    table = read_table(written(["who", *ITEMS], np.array(lines)))
    assert [line for line, _ in table.report.roles.rows] == [8, 15, 22] and table.ratings.n_rows == 18
    X[2, 3] = np.nan
    total = np.nansum(X, axis=0)
    table = read_table(
        written(["who", *ITEMS, "all"], np.vstack([X, total]), column([*np.nansum(X, axis=1), total.sum()]))
    )
    assert list(roles(table).values()).count(RATING) == 6 and table.ratings.values.max() <= 10


def trimmed(X):
    return (np.sort(X, axis=1)[:, 1:-1].mean(axis=1)).round(2)


@pytest.mark.parametrize(
    "what",
    [trimmed, lambda X: (X >= 4).sum(axis=1), lambda X: X.mean(axis=1).round(), lambda X: np.ptp(X, axis=1)],
    ids=["trimmed", "high", "round", "range"],
)
def test_other_summaries_of_columns_are_found_by_arithmetic(what):
    X = scale(n=30, gaps=0)
    total = what(X).astype(float)
    total[[3, 9]] = X[4, 2] = np.nan
    total[4] = np.nan
    assert roles(read_table(written(["who", *ITEMS, "x"], X, column(total))))["x"] == ALONE


def test_a_word_that_most_names_have_says_nothing():
    names = ["id", *(f"Essay {j} [Total Pts: 20]" for j in range(4))]
    assert list(roles(read_table(written(names, scale(m=4, high=20)))).values()).count(RATING) == 4


def test_a_code_with_the_range_of_the_items_that_does_not_go_along_with_them_is_asked_about():
    code = np.tile([1.0, 5, 2, 4, 3], 8)
    code[5] = np.nan
    names = ["who", "rooms", "food", "staff", "price", "beds", "view", "zona"]
    table, error = answered(written(names, scale(n=40, gaps=0.05), column(code)))
    assert error.doubts[0].names == ("zona",) and table.ratings.n_cols == 6


def test_two_runs_of_items_that_do_not_go_along_with_each_other_are_items():
    X = np.hstack([scale(n=50, m=5, high=7, seed=1), scale(n=50, m=5, high=7, seed=2)])
    names = ["id", *(f"a{j}" for j in range(1, 6)), *(f"b{j}" for j in range(1, 6))]
    assert read_table(written(names, X)).ratings.n_cols == 10


def test_a_column_on_a_wider_scale_beside_items_is_asked_about():
    X = scale(n=60, m=5)
    wide = np.tile([0.0, 10, 7, 3, 9, 4], 10)
    wide[7] = np.nan
    table, error = answered(written(["id", "a", "b", "c", "d", "e", "nps"], X, column(wide)))
    assert error.doubts[0].names == ("nps",) and table.ratings.values.max() == 5


def test_a_complete_large_measure_beside_those_with_gaps_is_a_measure():
    X = np.exp(np.random.default_rng(3).normal(12.6, 0.3, (20, 3))).round()
    X[3, 0] = X[8, 2] = np.nan
    assert read_table(written(["house", "a", "b", "c"], X)).ratings.n_cols == 3


def test_zero_far_below_measures_is_asked_about():
    X = np.random.default_rng(0).normal(75, 8, (30, 4)).round()
    X[2, 1] = X[7, 0] = 0
    X[5, 2] = np.nan
    assert answered(written(["id", "w0", "w4", "w8", "w12"], X))[1].markers == ("0",)


def test_markers_are_named_as_the_table_writes_numbers():
    X = scale(n=30, m=4, high=9) + 0.5
    X[3, 1] = X[8, 2] = 99.9
    data = written(["id", "a", "b", "c", "d"], X, sign=";").replace(b".", b",")
    table, error = answered(data)
    assert error.markers == ("99,9",) and table.ratings.values.max() < 10


def test_scores_on_both_sides_of_zero_are_no_markers():
    X = np.random.default_rng(0).choice([-4.0, -2, -1, 1, 2, 3, 5], (20, 4))
    X[3, 2] = np.nan
    assert read_table(written(["player", *"abcd"], X)).ratings.values.min() == -4
    X = np.where(np.random.default_rng(1).random((40, 5)) < 0.1, -1, scale(n=40, m=5, gaps=0))
    X[[1, 7, 9], [2, 3, 4]] = -2
    assert set(answered(written(["id", *"abcde"], X))[1].markers) == {"-1", "-2"}


def test_numbers_below_zero_with_the_sign_behind_and_grouped_as_in_india_are_read():
    table = read_table(b"acct;a;b;c\nx;7,5-;3,2;1,0\ny;2,1;;4,4-\nz;12,0-;6,6;2,2\n")
    assert table.ratings.values.tolist() == [-7.5, 3.2, 1, 2.1, -4.4, -12, 6.6, 2.2]
    table = read_table(b'city,a,b\nx,"1,90,958","12,34,567"\ny,"45,000",\nz,"3,10,000","2,00,100"\n')
    assert table.ratings.values.tolist() == [190958, 1234567, 45000, 310000, 200100]


def test_a_point_that_would_make_numbers_a_thousandth_of_those_beside_groups_thousands():
    table = read_table(b"shop;a;b;c\nx;1.234;950;812\ny;905;;1.102\nz;1.480;777;930\n")
    assert table.ratings.values.max() == 1480


def test_amounts_behind_a_currency_are_numbers():
    data = "item,a,b\nx,CHF 1\u2019389.50,CHF 1\u2019200.00\ny,CHF 707.25,\nz,CHF 9.00,CHF 730.10\n".encode()
    assert read_table(data).ratings.values.tolist() == [1389.5, 1200, 707.25, 9, 730.1]


@pytest.mark.parametrize(
    "names", [(0, 0.1, 0.3, 1, 3, 10), (0, 5, 10, 15, 30, 60), (400.5, 401.5, 402.5, 403.5, 404.5, 405.5)]
)
def test_numbers_that_rise_above_lines_that_do_not_are_names(names):
    X = np.random.default_rng(1).uniform(20, 50, (11, 6)).round(1)
    X[4, 1] = np.nan
    table = read_table(written(["Compound", *names], X))
    assert table.ratings.col_labels == tuple(map(str, names)) and table.ratings.n_rows == 11


def test_years_above_the_names_of_quarters_and_names_above_words_are_header_lines():
    X = np.random.default_rng(1).uniform(2, 15, (9, 4)).round(1)
    lines = "".join(f"r{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(X))
    table = read_table(f",2021,,2022,\nRegion,Q1,Q2,Q1,Q2\n{lines}".encode())
    assert table.ratings.col_labels == ("2021: Q1", "2021: Q2", "2022: Q1", "2022: Q2") and table.ratings.n_rows == 9
    words = ("Poor", "Fair", "Good")
    lines = "".join(f"{i + 7},web,{words[i % 3]},{words[i * i % 3]}\n" for i in range(12))
    table = read_table(f"Respondent,Collector,Rate us,\n,,Food,Staff\n{lines}".encode())
    assert table.ratings.n_rows == 12 and table.ratings.col_labels[1] == "Rate us: Staff"


def test_drawn_lines_and_a_header_of_numbers_that_comes_again_are_no_rows():
    rows = "".join(f"| {who} | {who == 'b' and 'NULL' or 3} | 2 | 5 |\n" for who in "abcd")
    border = "+---+---+---+---+\n"
    table = read_table(f"{border}| who | x | y | z |\n{border}{rows}{border}".encode())
    assert table.ratings.shape == (4, 3) and table.ratings.nnz == 11
    P = np.random.default_rng(0).uniform(0.1, 0.9, (4, 6)).round(2)
    plate = "".join("ABCD"[i] + "," + ",".join(map(str, row)) + "\n" for i, row in enumerate(P))
    table = read_table(f"Plate 1,1,2,3,4,5,6\n{plate}\nPlate 2,1,2,3,4,5,6\n{plate}".encode())
    assert table.ratings.shape == (8, 6) and table.ratings.values.max() < 1


def test_a_legend_beside_the_table_holds_no_ratings():
    X = scale(n=14, m=3)
    legend = [*range(1, 6), *[""] * 9]
    table = read_table(written(["who", "a", "b", "c", "key"], X, column(legend)))
    assert roles(table)["key"] == ALONE


def test_cells_that_hold_another_delimiter_are_not_cut():
    lines = "".join(f"1{i}.03.2024 12:3{i};u{i};film {j};{j},5\n" for i in range(8) for j in range(4) if (i + j) % 3)
    table = read_table(f"Datum;Kunde;Film;Note\n{lines}".encode())
    assert table.ratings.shape == (8, 4) and table.ratings.values.max() == 3.5
    lines = "".join(f"u{i},Film {j},{j}.5\n" for i in range(8) for j in range(4) if (i + j) % 3)
    assert read_table(lines.encode()).ratings.shape == (8, 4)


def test_numbers_that_count_blocks_of_lines_name_the_rows_of_a_long_table():
    lines = "".join(f"{i + 1},{j + 1},img{j},{(i * j) % 5 + 1}\n" for i in range(9) for j in range(6) if (i + j) % 4)
    table = read_table(f"subject,trial,stimulus,rating\n{lines}".encode())
    assert table.report.columns == ("subject", "stimulus", "rating") and table.ratings.shape == (9, 6)


def test_words_with_their_number_behind_are_labels_and_no_keys():
    words = ("Bad (1)", "Meh (2)", "OK (3)", "Good (4)")
    X = scale(n=20, m=5, high=4)
    texts = [["" if x != x else words[int(x) - 1] for x in row] for row in X]
    np.testing.assert_array_equal(read_table(written(["who", *"abcde"], texts)).ratings.to_dense(), X)
    texts = [["" if x != x else "uvwy"[int(x) - 1] for x in row] for row in X]
    with pytest.raises(TableError) as caught:
        read_table(written(["who", *"abcde"], texts))
    assert set(caught.value.doubts[0].names) == {*"abcde"}  # a wide table of words


def test_an_order_of_words_and_numbers_counts_in_all_columns():
    grades = ("1", "1-", "2+", "2", "2-", "3+", "3")
    X = scale(n=20, m=4, high=7, gaps=0)
    texts = [[grades[int(x) - 1] for x in row] for row in X]
    table = read_table(written(["who", *"abcd"], texts), options=ReadOptions(words=grades))
    np.testing.assert_array_equal(table.ratings.to_dense(), X)
    few = [[*(("1-", "2+", "2-", "3+")[int(x) % 4] for x in row[:3]), f"{row[3] // 3 + 1:g}"] for row in X]
    few[4][3] = "2-"
    with pytest.raises(TableError) as caught:
        read_table(written(["who", *"abcd"], few))
    assert len(caught.value.doubts) == 1 and caught.value.doubts[0].words


def test_a_text_in_many_cells_and_two_numbers_in_one_may_mean_missing():
    X = scale(n=24, gaps=0.4)
    texts = [["x" if x != x else f"{x:g}" for x in row] for row in X]
    assert answered(written(["film", *ITEMS], texts))[1].markers == ("x",)
    texts[0][0], texts[3][2] = "2 or 3", "sick"
    assert set(answered(written(["film", *ITEMS], texts))[1].markers) == {"x", "2 or 3", "sick"}


def test_one_zero_far_from_all_others_and_a_code_named_as_the_items_are_asked_about():
    X = np.random.default_rng(0).normal(37, 0.5, (30, 4)).round(1)
    X[4, 1], X[5, 2] = 0, np.nan
    assert answered(written(["id", "d1", "d2", "d3", "d4"], X))[1].markers == ("0",)
    code = np.tile([1.0, 2, 2, 1, 1], 12)
    code[7] = np.nan
    table, error = answered(written(["id", "ST4", *(f"ST{j}" for j in range(10, 17))], column(code), scale(n=60, m=7)))
    assert error.doubts[0].names == ("ST4",) and table.ratings.n_cols == 7


POINTS = ReadOptions(ratings=("a", "b", "c"))


def graded(n=20, tops=(10, 20, 50), seed=0):
    """Points up to the ``tops`` of each column, some missing."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(0.3, 0.97, (n, len(tops))) * tops)
    X[rng.random(X.shape) < 0.08] = np.nan
    return X


@pytest.mark.parametrize("name", ["", "Weight", "Gewichtung", "Max points"])
@pytest.mark.parametrize("line", ["0.2,0.3,0.5", "20,30,50", "10,20,50"])
@pytest.mark.parametrize("last", [False, True])
def test_a_line_of_weights_or_maxima_is_no_row(name, line, last):
    data = written(["who", "a", "b", "c"], graded()).splitlines(keepends=True)
    data.insert(len(data) if last else 1, f"{name},{line}\n".encode())
    table = read_table(b"".join(data), options=POINTS)
    assert table.ratings.n_rows == 20 and table.ratings.values.max() <= 50
    assert [line for line, _ in table.report.roles.rows] == [22 if last else 2]


@pytest.mark.parametrize("line", [",1,2,1", "Weight,1,2,1", "Basis,10,20,50", "Basis,0.2,0.3,0.5", ",7,,"])
def test_a_line_that_may_say_what_columns_weigh_is_asked_about(line):
    data = written(["who", "a", "b", "c"], graded()).replace(b"\n", f"\n{line}\n".encode(), 1)
    table, error = answered(data, POINTS)
    assert [answer.option for answer in error.answers] == ["leave_rows", "keep_rows"] and table.ratings.n_rows == 20
    assert read_table(data, options=ReadOptions(ratings=("a", "b", "c"), keep_rows=(2,))).ratings.n_rows == 21


def test_the_numbers_of_questions_below_their_names_are_no_row():
    data = written(["who", *"abcdef"], scale()).replace(b"\n", b"\n,1,2,3,4,5,6\n", 1)
    assert read_table(data).ratings.n_rows == 24


@pytest.mark.parametrize(
    ("factor", "offset", "decimals"), [(5, 0, 0), (100 / 17, 0, 1), (-1, 20, 0), (1.8, 32, 1)], ids=str
)
@pytest.mark.parametrize("alone", [False, True])
def test_a_column_that_is_another_one_in_another_unit_is_left_alone(factor, offset, decimals, alone):
    X = graded(24, (20, 20, 20))[:, : 1 if alone else 3]
    copy = (X[:, 0] * factor + offset).round(decimals)
    copy[[2, 5]] = np.nan
    names = ["who", "a", "b", "c"][: 1 + X.shape[1]]
    found = read_table(written([*names, "a %"], X, column(copy))).report.roles.columns[-1]
    assert found.role == ALONE and found.why == '"a" in another unit'


def test_a_column_of_maxima_is_left_alone():
    tops = np.array([5, 10, 20, 10, 15, 5, 10, 20])
    X = graded(12, tops).T
    found = roles(read_table(written(["task", "Max", *"abcdefghijkl"], column(tops), X)))
    assert found["Max"] == ALONE and list(found.values()).count(RATING) == 12


@pytest.mark.parametrize("texts", ["{:g}K 1.2M", "{:g} Tsd. 1,2 Mio.", "{:g}k 950"])
def test_numbers_with_a_sign_for_thousands_are_read_and_written_so(texts):
    form, large = texts.split(" ", 1) if "Tsd" not in texts else ("{:g} Tsd.", "1,2 Mio.")
    rows = "".join(f"v{i};{form.format(10 + i)};{large if i % 3 == 0 else form.format(30 - i)}\n" for i in range(12))
    data = f"video;likes;views\n{rows}x;;{large}\n".encode()
    table = read_table(data, options=ReadOptions(ratings="all-numbers"))
    sizes = {"1.2M": 1.2e6, "1,2 Mio.": 1.2e6, "950": 950}
    assert table.ratings.to_dense()[0].tolist() == [10_000, sizes[large]]
    out = to_csv(table, estimated(table, np.full(table.ratings.shape, 25_300.0)))
    assert out.decode().splitlines()[-1].split(";")[1] == form.format(25.3).replace(".3", ",3" if "T" in form else ".3")


@pytest.mark.parametrize("flag", [" b", "B"])
def test_a_lone_letter_for_billions_beside_plain_numbers_is_a_flag(flag):
    texts = [[f"{x:g}" for x in row] for row in np.random.default_rng(0).uniform(3, 13, (12, 4)).round(1)]
    texts[2][1], texts[5][2], texts[7][0] = "8.5" + flag, "9.7" + flag, ""
    table, error = answered(written(["land", *"abcd"], texts))
    assert [answer.option for answer in error.doubts[0].answers] == ["number_in", "missing_markers"]
    assert len(error.doubts) == 1 and table.ratings.to_dense()[2, 1] == 8.5


def test_quartiles_beside_means_and_papers_with_a_number_are_named():
    X = pd.DataFrame(scale(gaps=0.05), columns=ITEMS, index=[f"p{i}" for i in range(24)])
    table = read_table(pd.concat([X, X.describe()]).to_csv().encode())
    assert table.ratings.n_rows == 24
    lines = "".join(
        f"R{i},#{10 + j},{(i * j) % 5 + 1},{(i + 2 * j) % 4 + 1}\n"
        for i in range(20)
        for j in range(7)
        if i % 3 - j % 2
    )
    assert read_table(f"rater,paper,score,sure\n{lines}".encode()).report.columns == ("rater", "paper", "score")


@pytest.mark.parametrize(("high", "first"), [(10, "ratings"), (4, "ratings"), (5, "missing_markers")])
@pytest.mark.parametrize("long", [False, True])
def test_of_a_zero_that_may_be_the_end_of_a_scale_the_answer_that_loses_none_comes_first(high, first, long):
    X = np.where(np.random.default_rng(0).random((24, 6)) < 0.4, 0, scale(high=high, gaps=0))
    lines = "".join(f"u{i},t{j},{X[i, j]:g}\n" for i in range(24) for j in range(6) if i % 5 - j)
    data = f"u,t,r\n{lines}".encode() if long else written(["id", *ITEMS], X)
    table, error = answered(data)
    assert [answer.option for answer in error.doubts[0].answers][0] == first
    assert (table.ratings.values == 0).any() == (first == "ratings")


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [0, 2])
def test_sums_among_many_columns_are_found_in_seconds(decimals):
    X = np.hstack([scale(n=500, m=100, low=10, high=90, seed=seed) for seed in (0, 1)]) / 10**decimals
    X[:, 120] = X[:, 100:120].sum(axis=1)
    began = time.process_time()
    found, _ = find_sums(X, [decimals] * 200)
    assert found == {120: "the sum"} and time.process_time() - began < 10  # 2 s where nothing else runs


def test_sums_of_groups_of_lines_are_no_rows_where_a_cell_is_missing_since():
    X = scale(n=18, m=4, low=0, high=30, gaps=0)
    groups = [X[i : i + 6] for i in range(0, 18, 6)]
    lines = np.vstack([np.vstack([group, group.sum(axis=0)]) for group in groups])
    lines[2, 1] = lines[9, 2] = np.nan
    table = read_table(written(["who", *"abcd"], lines))
    assert [line for line, _ in table.report.roles.rows] == [8, 15, 22]


@pytest.mark.parametrize(
    ("codes", "items"),
    [
        ({"Q1": (1, 6), "Q2": (1, 5), "Q3": (1, 5)}, [f"Q5_{j}" for j in range(6)]),
        ({"town": (1, 5), "job": (1, 9), "kids": (0, 4)}, ["price", "service", "place"]),
    ],
)
def test_codes_that_are_numbered_as_items_are_or_as_many_as_these_are_asked_about(codes, items):
    rng = np.random.default_rng(0)
    X = scale(n=40, m=len(items), high=5 if "Q1" in codes else 7)
    beside = [rng.integers(*ends, 40).astype(float) for ends in codes.values()]
    for x in beside:
        x[rng.integers(0, 40)] = np.nan
    table, error = answered(written(["id", *codes, *items], np.column_stack(beside), X))
    assert error.doubts[0].names == tuple(codes) and table.ratings.col_labels == tuple(items)


@pytest.mark.parametrize(("low", "marker"), [(1, 99), (20, -9), (20, 999)])
def test_a_single_number_far_from_all_others_is_asked_about(low, marker):
    X = scale(n=30, m=4, low=low, high=5 * low)
    X[4, 2] = marker
    assert answered(written(["id", *"abcd"], X))[1].markers == (str(marker),)


def test_zeros_far_below_a_complete_column_on_another_scale_are_asked_about():
    rng = np.random.default_rng(0)
    X = rng.normal([170, 70, 120], [8, 9, 10], (30, 3)).round()
    X[[3, 8], 0] = 0
    X[7, 2] = np.nan
    table, error = answered(written(["id", "height", "weight", "pressure"], X))
    assert {marker.rpartition("=")[2] for marker in error.markers} == {"0"} and table.ratings.values.min() > 0


def test_years_name_columns_also_above_numbers_of_their_size():
    X = 1900 + np.random.default_rng(3).integers(10, 200, (7, 4)).astype(float)
    table = read_table(written(["Land", "2019", "2020", "2021", "2022"], X))
    assert table.ratings.shape == (7, 4) and table.ratings.col_labels[0] == "2019"


def test_a_table_of_pupils_with_a_grade_is_wide_and_a_letter_is_no_key():
    X = scale(n=22, m=4, low=20, high=99)
    letters = [["A", "B", "C", "D"][i % 4] for i in range(22)]
    table = read_table(written(["student", "hw", "quiz", "mid", "final", "grade"], X, column(letters)))
    assert table.report.form == "wide" and table.ratings.n_cols == 4


def test_a_column_that_reaches_far_beyond_all_others_is_asked_about():
    X = scale(n=30, m=5, low=0, high=20, gaps=0)
    best = np.sort(X, axis=1)[:, 2:].sum(axis=1)
    X[3, 2] = best[[4, 9]] = np.nan
    table, error = answered(written(["id", *"abcde", "result"], X, column(best)))
    assert error.doubts[0].names == ("result",) and table.ratings.n_cols == 5


def test_two_sets_of_items_on_scales_of_their_own_have_no_common_scale():
    X = np.hstack([scale(n=40, m=5), scale(n=40, m=4, low=0, high=40, seed=1) // 4])
    X[10] = [1] * 5 + [0] * 4
    X[11] = [5] * 5 + [10] * 4
    table = read_table(written(["id", *(f"a{j}" for j in range(5)), *(f"b{j}" for j in range(4))], X))
    assert table.ratings.n_cols == 9 and not table.report.roles.alike and table.ratings.scale is None


@pytest.mark.parametrize(("high", "n", "first"), [(7, 1, "ratings"), (6, 3, "ratings"), (6, 30, "missing_markers")])
def test_few_zeros_beside_a_scale_from_one_are_asked_about_and_many_are_likely_missing(high, n, first):
    X = scale(n=30, high=high, gaps=0.05)
    X.flat[np.random.default_rng(0).permutation(X.size)[:n]] = 0
    X[0] = 1
    table, error = answered(written(["id", *ITEMS], X))
    assert error.markers == ("0",) and error.doubts[0].answers[0].option == first


def test_zeros_far_below_scores_are_asked_about_and_may_be_scores():
    X = np.random.default_rng(0).integers(25, 96, (40, 5)).astype(float)
    X[[3, 8, 30], [1, 2, 0]] = 0
    table, error = answered(written(["pupil", *"abcde"], X))
    assert error.markers == ("0",) and table.ratings.values.min() == 0


def test_a_sum_of_all_columns_of_a_few_rows_is_left_alone_whatever_it_is_called():
    X = scale(n=5, m=4, low=0, high=10, gaps=0)
    total = X.sum(axis=1)
    total[2] = X[4, 1] = np.nan
    assert roles(read_table(written(["Имя", *"АБВГ", "Итого"], X, column(total))))["Итого"] == ALONE


def test_a_title_and_a_line_of_empty_cells_above_the_names_are_no_rows():
    data = b"My canteen,,,,,,\n,,,,,,\n" + written(["dish", *ITEMS], scale(n=10))
    table = read_table(data)
    assert table.ratings.shape == (10, 6) and table.ratings.col_labels == tuple(ITEMS)


def test_a_column_on_a_wider_scale_beside_items_that_do_not_go_along_is_asked_about():
    rng = np.random.default_rng(4)
    X = rng.integers(1, 6, (30, 5)).astype(float)
    wide = rng.integers(0, 11, 30).astype(float)
    wide[4] = X[7, 1] = np.nan
    table, error = answered(written(["id", "tea", "rice", "fish", "beef", "soup", "again"], X, column(wide)))
    assert error.doubts[0].names == ("again",) and table.ratings.n_cols == 5


@pytest.mark.parametrize("n", [6, 11])
def test_markers_of_a_small_survey_are_seen_in_all_items_together(n):
    X = scale(n=n, m=7, low=0, high=3, gaps=0, seed=2)
    X[2, 3] = X[5, 1] = X[4, 6] = 9
    X[1, 2] = np.nan
    table, error = answered(written(["id", *(f"q{j}" for j in range(7))], X))
    assert error.markers == ("9",) and table.ratings.values.max() == 3


def test_shares_beside_percentages_are_percentages():
    X = scale(n=14, m=3, low=2, high=9)
    texts = [["" if x != x else f"{10 * x:g}%" if i % 3 else f"{x / 10:.2f}" for x in row] for i, row in enumerate(X)]
    np.testing.assert_allclose(read_table(written(["id", *"abc"], texts)).ratings.to_dense(), 10 * X)


def pairs_of(X, *further):
    """A long table of some ratings and of ``further`` lines."""
    lines = [f"p{i};q{j};{X[i, j]:g}" for i, j in np.argwhere(~np.isnan(X))]
    return "\n".join(["person;item;rating", *lines, *further, ""]).encode()


@pytest.mark.parametrize("what", [np.nanmean, np.nansum])
def test_items_and_persons_of_a_long_table_that_are_sums_or_means_of_others_are_left_alone(what):
    X = scale(n=12, m=5)
    overall = [f"p{i};x;{x:.2f}" for i, x in enumerate(what(X, axis=1))]
    table = read_table(pairs_of(X, *overall, *(f"all;q{j};{x:.3f}" for j, x in enumerate(what(X, axis=0)))))
    assert table.ratings.shape == X.shape and table.ratings.nnz == (~np.isnan(X)).sum()
    out = to_csv(table, estimated(table, np.full(X.shape, 2.5))).decode()
    assert all(f"{line}\n" in out for line in overall) and out.count(";x;") == 12
    assert read_table(pairs_of(X, *overall), options=ReadOptions(keep_rows="x")).ratings.n_cols == 6


@pytest.mark.parametrize(("low", "high", "odd"), [(1, 10, 11), (1, 5, 6), (1, 5, 55)])
@pytest.mark.parametrize("long", [False, True])
def test_a_lone_number_beyond_a_scale_of_which_all_steps_are_used_is_asked_about(low, high, odd, long):
    X = np.random.default_rng(0).integers(low, high + 1, (40, 6)).astype(float)
    X[3, 2], X[4, 1] = odd, np.nan
    table, error = answered(pairs_of(X) if long else written(["id", *ITEMS], X))
    next_step = odd == high + 1  # may be the end of the scale: the answer that loses nothing comes first
    assert error.markers == (str(odd),) and table.ratings.values.max() == (odd if next_step else high)


@pytest.mark.parametrize("long", [False, True])
def test_a_number_far_from_a_few_ratings_is_asked_about_though_it_stands_in_one_cell(long):
    X = np.random.default_rng(0).integers(0, 6, (8, 4)).astype(float)
    X[3, 2], X[4, 1] = 99, np.nan
    table, error = answered(pairs_of(X) if long else written(["id", *ITEMS[:4]], X))
    assert "99" in error.markers and table.ratings.values.max() == 5


@pytest.mark.parametrize("form", ["{} kr", "{} €", "{}"])
@pytest.mark.parametrize("long", [False, True])
def test_a_point_between_thousands_beside_a_currency_and_names_with_numbers_separates_them(form, long):
    X = np.random.default_rng(0).integers(600, 2400, (9, 3)).astype(float)
    texts = [[form.format(f"{x:,.0f}".replace(",", ".")) for x in row] for row in X]
    texts[4][1] = ""
    lines = [f"p{i};q{j};{texts[i][j]}" for i, j in np.ndindex(9, 3) if texts[i][j]]
    data = "\n".join(["who;what;price", *lines]).encode() if long else written(["who", *"abc"], texts, sign=";")
    assert read_table(data).ratings.values.tolist() == np.delete(X.ravel(), 13).tolist()


@pytest.mark.parametrize("beside", ["22", "2268"])
def test_three_digits_behind_a_point_beside_larger_whole_numbers_are_asked_about(beside):
    rows = "".join(f"k{i};{beside};{'1.250' if i % 3 else beside};{i + 11}\n" for i in range(8))
    table, error = answered(f"k;a;b;c\n{rows}x;;{beside};9\n".encode(), ReadOptions(ratings=("a", "b", "c")))
    assert [answer.option for answer in error.answers] == ["thousands", "decimal"]
    assert (table.ratings.values == 1250).sum() == 5


def test_grades_of_a_sum_and_a_median_behind_start_numbers_are_left_alone():
    X = scale(n=22, m=5, low=0, high=20, gaps=0)
    X[:, :3] += np.random.default_rng(0).integers(-8, 9, (22, 3))
    total = X.sum(axis=1)
    X[3, 1] = np.nan
    middle = np.nanmedian(X, axis=1)
    start = np.arange(22) * 7 % 50 + 1
    names = ["who", "no", "q1", "q2", "q3", "q4", "q5", "mid", "all", "grade"]
    found = roles(read_table(written(names, column(start), X, *map(column, (middle, total, 6 - total // 12)))))
    assert [found[name] for name in names[-3:]] == [ALONE] * 3


def test_lines_of_groups_and_a_line_of_equal_maxima_are_no_rows():
    X = scale(n=16, m=5)
    lines = written(["who", *"abcde"], X).splitlines(keepends=True)
    grouped = [lines[0], b"Group A,,,,,\n", *lines[1:9], b"Group B,,,,,\n", *lines[9:], b"new,,,,,\n"]
    assert [line for line, _ in read_table(b"".join(grouped)).report.roles.rows] == [2, 11]
    table, error = answered(b"".join([lines[0], b"Max,5,5,5,5,5\n", *lines[1:]]))
    assert error.doubts[0].answers[0].values == (2,) and table.ratings.n_rows == 16


def test_numbers_with_narrow_spaces_and_a_column_with_few_fractions_are_ratings():
    X = np.random.default_rng(0).uniform(200, 4900, (12, 3)).round(1)
    texts = [[f"{x:,.1f}".replace(",", "\u202f").replace(".", ",") for x in row] for row in X]
    texts[4][1] = ""
    assert read_table(written(["who", *"abc"], texts, sign=";")).ratings.shape == (12, 3)
    X = np.random.default_rng(1).uniform(-6, 6, (12, 4)).round(1)
    X[:8, 3], X[2, 0] = X[:8, 3].round(), np.nan
    assert read_table(written(["who", *"abcd"], X)).ratings.n_cols == 4


@pytest.mark.parametrize("named", [(), "G1Q2 how"])
def test_a_wider_column_named_as_the_items_of_a_run_is_left_alone_also_where_one_of_them_was_named(named):
    term = np.random.default_rng(0).integers(1, 13, (24, 1)).astype(float)
    dose = column([5, 10, 20, 10] * 6)
    data = written(["who", *(f"G1Q{j} how" for j in range(5)), "G2 term", "dose"], scale(m=5, high=9), term, dose)
    found = roles(read_table(data, options=ReadOptions(ratings=named)))
    assert [name for name, role in found.items() if role == RATING] == [f"G1Q{j} how" for j in range(5)]


@pytest.mark.parametrize(("low", "codes"), [(1, (-3, -2)), (1, (-1, -9)), (2, (-1, -2))])
def test_with_one_code_below_zero_go_all_others_and_a_scale_on_both_sides_has_none(low, codes):
    X = scale(low=low, gaps=0)
    X[3:6, 1] = codes[0]
    X[7, 4], X[8, 0] = codes[1], np.nan
    table, error = answered(written(["id", *ITEMS], X))
    assert {*error.markers} == {*map(str, codes)} and table.ratings.values.min() >= low
    both = np.clip(X, low, 5) - low - 1
    both[9, 1] = -2
    assert read_table(written(["id", *ITEMS], both)).ratings.values.min() == -2


@pytest.mark.parametrize("point", [".", ","])
def test_a_group_of_thousands_does_not_begin_with_zero(point):
    rng = np.random.default_rng(0)
    texts = [f"{x:.3f}".replace(".", point) for x in (1, *rng.uniform(0.05, 1, 19))]
    texts[5] = ""
    data = written(["id", "index", "vas", "bmi"], column(texts), rng.integers(60, 160, (20, 2)), sign=";")
    table = read_table(data, options=ReadOptions(ratings=("index", "vas", "bmi")))
    assert table.ratings.values[0] == 1 and (table.ratings.values < 1).sum() == 18


SUMMARIES_OF_LINES = {
    "median": lambda X: np.nanmedian(X, axis=0),
    "lowest": lambda X: np.nanmin(X, axis=0),
    "number": lambda X: (~np.isnan(X)).sum(axis=0),
    "mean": lambda X: np.nanmean(X, axis=0).round(2),
}


@pytest.mark.parametrize("on_top", [False, True])
@pytest.mark.parametrize("what", SUMMARIES_OF_LINES)
def test_a_line_at_either_end_that_sums_up_the_others_is_no_row_whatever_it_is_called(what, on_top):
    X = scale(n=30, m=9, high=10, gaps=0.15) + np.arange(9) % 4
    line = SUMMARIES_OF_LINES[what](X)
    data = written(["who", *(f"v{j}" for j in range(9))], np.vstack([line, X] if on_top else [X, line]))
    table = answered(data)[0] if what == "median" else read_table(data)  # a person may be in the middle everywhere
    assert table.ratings.n_rows == 30 and [at for at, _ in table.report.roles.rows] == [2 if on_top else 32]


def test_lines_above_a_mean_at_the_end_that_sum_up_the_others_go_with_it():
    X = scale(n=30, high=10, gaps=0)
    ends = [np.full(6, 10.0), X.min(axis=0), X.mean(axis=0).round(2), X.max(axis=0)]
    table = read_table(written(["who", *ITEMS], np.vstack([X.clip(max=9), *ends])))
    assert table.ratings.n_rows == 30
    assert answered(written(["who", *ITEMS], np.vstack([X, X.min(axis=0)])))[0].ratings.n_rows == 30


def test_a_line_of_numbers_on_another_scale_is_asked_about_and_makes_no_column_a_sum():
    X = scale(n=30, high=7, gaps=0)
    ages = np.array([26.0, 33, 36, 29, 52, 47])
    for lines, at in (([ages, X], 2), ([X, ages], 32)):
        data = written(["who", *ITEMS], np.vstack(lines))
        with pytest.raises(TableError, match=f"line {at} may sum up") as caught:
            read_table(data)
        answer = caught.value.answers[0]
        table = read_table(data, options=ReadOptions().with_answer(answer.option, answer.values))
        assert table.ratings.shape == (30, 6) and table.ratings.values.max() <= 7


def test_columns_that_are_nearly_equal_are_no_means_of_each_other():
    rows = [[1, 1, 1], [5, 5, 5], [2, 2, 2], [1, 1, 1], [1, 2, 1], [1, 1, 1], [2, 1, 1], [1, 2, 1]]
    table = read_table(written(["who", "a", "b", "c"], np.array(3 * rows, dtype=float)))
    assert roles(table) == {"who": "name", "a": RATING, "b": RATING, "c": RATING}


def test_numbers_that_go_one_to_one_with_names_that_repeat_are_no_ratings():
    teams = [[j % 9 + 1, f"Team {'ABCDEFGHI'[j % 9]}"] for j in range(36)]
    data = written(["judge", "no", "team", *"abcd"], np.array(teams, dtype=object), scale(n=36, m=4, high=10))
    assert roles(read_table(data))["no"] == ALONE
    X = scale(gaps=0)
    answers = [[("none", "few", "some", "many", "all")[int(x) - 1] + " of it" for x in row] for row in X]
    found = roles(read_table(written(["id", *ITEMS, *(f"{item} text" for item in ITEMS)], X, answers)))
    assert [found[item] for item in ITEMS] == [RATING] * 6  # numbers and words of the same answers


def test_grades_with_signs_are_one_question_of_order_with_all_their_texts():
    grades = ("1", "2-", "2", "2+", "3-", "3", "3+", "4-", "4")
    texts = [[grades[int(x) - 1] for x in row] for row in scale(n=22, m=5, high=9, gaps=0)]
    texts[2][1], texts[5][0] = "np", "bz"
    with pytest.raises(TableError) as caught:
        read_table(written(["who", *"abcde"], texts))
    (order,) = (doubt for doubt in caught.value.doubts if doubt.words)
    used = {text for row in texts for text in row}
    assert order.names == (*"abcde",) and order.words == tuple(grade for grade in grades if grade in used)
    assert set(caught.value.markers) == {"np", "bz"} and len(caught.value.doubts) == 2


def test_of_a_table_without_ratings_the_columns_whose_texts_begin_with_a_number_are_named():
    rows = "".join(f"{i},On things {i},{i % 3} ({i % 5 + 1}),-{i % 2} ({i % 4 + 1})\n" for i in range(12))
    with pytest.raises(TableError) as caught:
        read_table(f"#,Title,Review 1,Review 2\n{rows}".encode())
    assert caught.value.doubts[0].names == ("Review 1", "Review 2")
