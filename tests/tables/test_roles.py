"""Which columns and rows are ratings, names, or left alone, in files as people have them."""

import io

import numpy as np
import openpyxl
import peoples_files as files
import pytest
from exports import estimated
from untouched import check_untouched

from metamf import RatingScale
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.roles import ALONE, DESCRIBES, NAME, RATING
from metamf.tables.write import to_excel


def roles_of(table):
    facts = table.report
    return {name: role.role for name, role in zip(facts.file_columns, facts.roles.columns)}


def why_of(table):
    facts = table.report
    return {name: role.why for name, role in zip(facts.file_columns, facts.roles.columns) if role.role == ALONE}


def lines_of(table):
    return [line for line, _ in table.report.roles.rows]


def of_columns(gaps=(), **columns):
    """A CSV with names of rows and these columns; the first cell of each of ``gaps`` is missing."""
    n = len(next(iter(columns.values())))
    lines = [["name", *columns]]
    for i in range(n):
        cells = ["" if name in gaps and not i else str(column[i]) for name, column in columns.items()]
        lines.append([f"row {i}", *cells])
    return files.written(lines)


def test_a_form_is_read_without_a_question_and_what_is_no_question_is_left_alone():
    table = read_table(files.form())
    assert [name for name, role in roles_of(table).items() if role == NAME] == ["Your name"]
    assert list(why_of(table)) == ["Timestamp", "Email address", "Age", "Any comments?"]
    assert table.ratings.shape == (12, 12) and table.ratings.scale.maximum == 7
    assert table.ratings.row_labels[0] == "Zoë Ángel"
    said = table.report.sentences()
    assert said[1].startswith('Ratings: "How satisfied') and "(12 columns, 1 to 7)" in said[1]
    assert '"Timestamp" (dates or times)' in said[2] and "another scale" in said[2]
    assert {was for was, _ in check_untouched(files.form(), table)} == {""}
    assert read_table(files.form(), options=ReadOptions(ratings="Age")).ratings.shape == (12, 13)
    book = to_excel(table, estimated(table, np.full(table.ratings.shape, 3.25)))
    sheet = list(openpyxl.load_workbook(io.BytesIO(book))["Filled"].iter_rows(values_only=True))
    assert sheet[0][:4] == ("Timestamp", "Email address", "Your name", "Age") and len(sheet) == 13
    assert sheet[1][2] == "Zoë Ángel" and sheet[1][3] == 19 and {type(x) for x in sheet[3][4:16]} <= {int, float}


def test_a_marks_sheet_leaves_number_group_total_and_remark_alone():
    with pytest.raises(TableError, match='"abs" is not a number') as caught:
        read_table(files.marks())
    assert caught.value.markers == ("abs",)
    table = read_table(files.marks(), options=ReadOptions(missing_markers="abs"))
    assert [name for name, role in roles_of(table).items() if role == RATING] == [f"Task {j}" for j in range(1, 8)]
    assert table.ratings.row_labels[1] == "Ana 1" and why_of(table)["Total"] == "the sum of other columns"
    assert {was for was, _ in check_untouched(files.marks(), table)} == {"", "abs"}
    kept = read_table(files.marks(), options=ReadOptions(missing_markers="abs", ratings="Total"))
    assert "Total" in kept.ratings.col_labels and kept.ratings.scale is None


def test_columns_of_different_units_are_a_question_with_one_answer_for_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 6)) * [0.1, 3, 40, 700, 9000, 1] + [1, 20, 300, 2000, 50_000, 70]
    data = files.written([["name", *"abcdef"], *([f"p{i}", *(f"{x:.4g}" for x in row)] for i, row in enumerate(X))])
    with pytest.raises(TableError, match="do not share one scale") as caught:
        read_table(data)
    assert caught.value.answers[0][1:] == ("ratings", ("all-numbers",))
    table = read_table(data, options=ReadOptions(ratings="all-numbers"))
    assert table.ratings.shape == (9, 6) and not table.report.roles.alike and table.ratings.scale is None
    assert read_table(data, options=ReadOptions(ratings=("a", "f"))).ratings.col_labels == ("a", "f")


def test_two_groups_of_the_same_size_are_a_question_that_names_both():
    rng = np.random.default_rng(0)
    stars = {name: rng.integers(1, 6, 12) for name in "abc"}
    data = of_columns(**stars, **{name: rng.integers(20, 100, 12) for name in "xyz"})
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert [answer.values for answer in caught.value.answers[1:]] == [tuple("abc"), tuple("xyz")]
    assert read_table(data, options=ReadOptions(ratings=tuple("xyz"))).ratings.col_labels == tuple("xyz")
    assert read_table(data, options=ReadOptions(leave_alone=tuple("xyz"))).ratings.col_labels == tuple("abc")


def test_an_unknown_column_or_row_and_one_of_two_roles_are_refused_by_name():
    for options, said in (
        ({"leave_alone": "Ages"}, 'no column "Ages"'),
        ({"leave_rows": "Nobody"}, 'no row called "Nobody"'),
        ({"leave_rows": 99}, "no row on line 99"),
        ({"names": "Age", "ratings": "Age"}, "cannot be two things"),
        ({"form": "long", "describes": "Age"}, "describe the rows of wide tables only"),
        ({"leave_alone": 99}, "at position 99"),
    ):
        with pytest.raises(TableError, match=said):
            read_table(files.form(), options=ReadOptions(**options))


MARKS = {q: np.random.default_rng(at).integers(30, 99, 20) for at, q in enumerate(("Quiz", "Lab", "Essay", "Exam"))}


@pytest.mark.parametrize("odd", [[1, 2, 3, 2] * 5, [18, 19, 24, 21] * 5, [410, 650, 512, 777] * 5])
def test_a_column_on_another_scale_is_left_alone_and_asked_about_only_if_it_has_gaps(odd):
    table = read_table(of_columns(Group=odd, **MARKS))
    assert table.ratings.shape == (20, 4) and "another scale" in why_of(table)["Group"]
    with pytest.raises(TableError, match=f'"Group" holds {min(odd)} to {max(odd)}, where most') as caught:
        read_table(of_columns(("Group",), Group=odd, **MARKS))
    low, high = min(map(min, MARKS.values())), max(map(max, MARKS.values()))
    assert f"hold {low} to {high}" in caught.value.doubt.sentence
    assert [answer.option for answer in caught.value.answers] == ["leave_alone", "ratings", "describes"]
    kept = read_table(of_columns(("Group",), Group=odd, **MARKS), options=ReadOptions(ratings="Group"))
    assert kept.ratings.shape == (20, 5) and kept.ratings.scale is None and not kept.report.roles.alike


def test_columns_describe_the_rows_where_somebody_says_so():
    about = {"Age": [11, 12, 13, 12] * 5, "Form": ["6a", "6b"] * 10, "Late": ["no", "yes", "no", ""] * 5}
    data = of_columns(("Age", "Form"), **about, Initials=[f"p{i}" for i in range(20)], **MARKS)
    table = read_table(data, options=ReadOptions(describes=(*about, "Initials"), missing_markers="yes"))
    expected = [[229 / 19, 0, 0, 1], [12, 1, 0, 0], [13, 0, 1, 1], [12, 1, 0, 0], [11, 0, 1, 1]]  # 6b is more frequent
    np.testing.assert_allclose(table.ratings.row_features[:5], expected)
    assert table.ratings.col_labels == tuple(MARKS) and roles_of(table)["Age"] == DESCRIBES
    said = " ".join(table.report.sentences())
    assert 'Describing the rows: "Age", "Form", "Late", "Initials".' in said and 'is not used ("Initials")' in said
    assert {was for was, _ in check_untouched(data, table)} == set()
    assert read_table(data, options=ReadOptions(leave_alone="Age")).ratings.row_features is None


def test_fractions_are_odd_among_whole_numbers_and_halves_are_not():
    rng = np.random.default_rng(0)
    questions = {f"Q{at}": rng.integers(1, 6, 20) for at in range(5)}
    weights = rng.uniform(1.1, 4.9, 20).round(3)
    with pytest.raises(TableError, match='"Weight" holds .*mostly fractions, where most of the others hold 1 to 5'):
        read_table(of_columns(("Weight",), Weight=weights, **questions))
    halves = rng.integers(2, 10, 20) / 2
    assert read_table(of_columns(Half=halves, **questions)).ratings.shape == (20, 6)
    line = {f"S{at}": rng.uniform(0, 15, 20).round(1) for at in range(5)}
    assert read_table(of_columns(Serving=[1, 2, 3, 4] * 5, **line)).ratings.shape == (20, 5)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([2] * 12, "always 2"),
        ([""] * 12, "empty"),
        ([1774512345 + i for i in range(12)], "long whole numbers"),
        ([1990 + 7 * i % 23 for i in range(12)], "years"),
        ([f"0{i}75" for i in range(12)], "numbers with leading zeros"),
        (list(range(5, 17)), "numbers of the rows"),
        ([f"2024-03-{i + 10}" for i in range(12)], "dates or times"),
        ([f"a{i}@example.org" for i in range(12)], "addresses"),
        (["red", "blue", "green"] * 4, "words that repeat"),
        ([0, 1] * 6, "0 to 1, another scale"),
    ],
)
def test_what_is_no_rating_is_left_alone_with_its_reason(cells, why):
    questions = {f"Q{at}": np.random.default_rng(at).integers(1, 6, 12) for at in range(4)}
    table = read_table(of_columns(("Q1",), **questions, Other=cells))
    assert table.ratings.col_labels == ("Q0", "Q1", "Q2", "Q3") and why_of(table)["Other"] == why


def test_a_number_such_as_99_is_looked_for_in_each_column_and_asked_about():
    columns = {f"Q{at}": np.random.default_rng(at).integers(1, 8, 20) for at in range(4)}
    columns["Q3"] = np.where(np.arange(20) % 7 == 0, -99, columns["Q3"])
    data = of_columns(Duration=np.random.default_rng(9).integers(90, 4000, 20), **columns)
    with pytest.raises(TableError, match='"Q3" contains -99, far from its other values') as caught:
        read_table(data)
    assert caught.value.markers == ("-99",)
    table = read_table(data, options=ReadOptions(missing_markers="-99"))
    assert table.ratings.values.min() == 1 and table.ratings.shape == (20, 4)
    assert read_table(data, options=ReadOptions(ratings="Q3")).ratings.values.min() == -99


def test_a_marker_is_no_gap_among_the_numbers_of_a_column_of_counts():
    jokes = {f"J{at}": np.random.default_rng(at).uniform(-9.9, 10, 20).round(2) for at in range(4)}
    jokes = {name: np.where(np.arange(20) % 7 == 0, 99, values) for name, values in jokes.items()}
    data = of_columns(Count=[36, 99, 100, 74, 99] * 4, **jokes)
    table = read_table(data, options=ReadOptions(missing_markers=99))
    assert table.ratings.col_labels == tuple(jokes) and table.report.missing == {"99.0": 12}


def test_a_flood_of_zeros_is_asked_about_and_stays_where_somebody_says_so():
    X = np.where(np.random.default_rng(0).random((20, 6)) < 0.7, 0, np.random.default_rng(1).integers(0, 6, (20, 6)))
    data = of_columns(**dict(zip("abcdef", X.T)))
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert caught.value.markers == ("0",)
    table = read_table(data, options=ReadOptions(ratings=tuple("abcdef")))
    assert table.report.suspected == (("0", int((X == 0).sum())),) and table.ratings.nnz == X.size


def test_rows_and_columns_of_averages_are_left_alone():
    data = files.with_averages()
    table = read_table(data)
    assert table.ratings.shape == (8, 5) and lines_of(table) == [10] and "Ø" in why_of(table)
    assert 'line 10 (called "All")' in " ".join(table.report.sentences())
    check_untouched(data, table)
    kept = read_table(data, options=ReadOptions(keep_rows="All", ratings="Ø"))
    assert kept.ratings.shape == (9, 6)
    assert read_table(data, options=ReadOptions(leave_rows=("Ana", 10))).ratings.shape == (7, 5)


def test_lines_called_points_possible_total_or_blank_are_left_alone_with_what_stands_beside_them():
    rows = [[files.PEOPLE[i], *row] for i, row in enumerate(files.ratings(9, 4, seed=3, missing=0.2))]
    last = [["Total", "31", "30", "32", "28"], ["Max", "5", "5", "5", "5"]]
    lines = [["Name", *"abcd"], ["   Points Possible", "5", "5", "5", "5"], *rows, *last]
    table = read_table(files.written(lines))
    assert table.ratings.n_rows == 9 and lines_of(table) == [2, 12, 13]
    assert read_table(files.written([["Name", *"abcd"], *rows, ["Max", "5", "5", "5", "5"]])).ratings.n_rows == 10


def blank(m):
    return [[""] * (m + 1)]


def stack(n=8, seed=0, title=None):
    """Lines of a table with names of rows, of equal length."""
    rows = files.ratings(n, 3, seed=seed, missing=0.2)
    lines = [] if title is None else [[title, "", "", ""]]
    return [*lines, ["Name", *"abc"], *([files.PEOPLE[i], *row] for i, row in enumerate(rows))]


def test_what_stands_between_and_below_rows_is_left_alone():
    content = files.written([*stack(6), *blank(3), *stack(7, seed=1, title="Second year")])
    found = read_table(content)
    said = " ".join(found.report.sentences())
    assert found.ratings.n_rows == 13
    for line in ("line 8 (a blank line)", "line 9 (a line of text)", "line 10 (the column names again)"):
        assert line in said
    check_untouched(content, found)
    content = files.written([*stack(8), *blank(3), ["Source: our own meetings", "", "", ""]])
    found = read_table(content)
    assert found.ratings.n_rows == 8 and "line 11 (a line of text)" in " ".join(found.report.sentences())
    check_untouched(content, found)
    silent = files.written([*stack(8), ["Zoe", "", "", ""]])  # no blank line before her
    assert read_table(silent).ratings.row_labels[-1] == "Zoe"
    broken = silent.replace(b"Zoe", b'"Zoe\nand Ann"').replace(b"Gus", b'"Gus\nand Eva"')
    assert read_table(broken).ratings.row_labels[-1] == "Zoe\nand Ann"  # lines of a name are not blank lines


def test_another_table_below_is_refused_and_no_hint_merges_it():
    other = [line[:] for line in stack(6, seed=2)]
    other[0] = ["Name", "x", "y", "z"]
    with pytest.raises(TableError, match="line 10 .* another table") as caught:
        read_table(files.written([*stack(7), *blank(3), *other]))
    assert not caught.value.markers and not caught.value.answers


ZIPS = ["03075", "02695", "90210", "01002", "06119", "02139", "94110", "07030", "60614", "02138", "03060", "10001"]


def lines(names, corner="zip", header=True):
    """A wide table of ratings from 1 to 5, with ``names`` in the first column."""
    ratings = 1 + np.arange(len(names))[:, None] * np.array([1, 2, 3]) % 5
    head = [f"{corner},park,school,shop"] if header else []
    return "\n".join([*head, *(",".join([name, *map(str, row)]) for name, row in zip(names, ratings))]) + "\n"


@pytest.mark.parametrize("corner", ["zip", "Gemeinde", ""])
@pytest.mark.parametrize("header", [True, False])
def test_zip_codes_with_leading_zeros_are_names(corner, header):
    table = read_table(lines(ZIPS, corner=corner, header=header).encode())
    assert table.report.label_column is not None and table.ratings.row_labels == tuple(ZIPS)
    assert table.ratings.shape == (12, 3) and table.ratings.scale == RatingScale(1, 5, 1)


@pytest.mark.parametrize("corner", ["ZIP", "Postal Code", "PLZ", "key", "date", "Participant ID", "productCode"])
def test_names_of_key_columns_are_known(corner):
    table = read_table(lines(["310", "120", "775"], corner=corner).encode())
    assert table.ratings.row_labels == ("310", "120", "775") and table.ratings.shape == (3, 3)


@pytest.mark.parametrize("corner", ["school", "yes or no", "valid", "monkey", "update"])
def test_a_name_that_only_contains_such_a_word_is_a_column_of_ratings(corner):
    table = read_table(lines(["3", "1", "2"], corner=corner).encode())
    assert table.ratings.row_labels is None and table.ratings.shape == (3, 4)


def test_column_numbers_with_leading_zeros_or_many_digits_are_a_header():
    for names in (("0042", "0007", "1300"), ("4006381333948", "4006381333931", "4006381333955")):
        table = read_table(f"sku,{','.join(names)}\nann,5,,3\nbob,,4,1\n".encode())
        assert table.ratings.col_labels == names and table.ratings.shape == (2, 3)
        table = read_table(f"sku,{','.join(names)}\n00012,5,,3\n00007,,4,1\n".encode())
        assert table.ratings.col_labels == names and table.ratings.row_labels == ("00012", "00007")


def test_ratings_that_are_all_written_with_two_digits_stay_ratings():
    table = read_table(b"park,school,shop\n05,10,07\n03,08,10\n09,01,02\n")
    assert table.ratings.row_labels is None and table.ratings.shape == (3, 3)
    assert table.ratings.scale == RatingScale(1, 10, 1)


def test_leading_zeros_keep_names_apart_and_do_not_make_a_long_table():
    table = read_table(b"user,item,rating\n007,a,5\n7,a,3\n007,b,1\n")
    assert table.ratings.row_labels == ("007", "7") and table.ratings.shape == (2, 2)
    data = b"zip,park,school,shop\n03075,3,1,4\n03075,4,2,2\n02695,1,5,3\n02695,5,3,1\n90210,2,2,2\n90210,1,4,5\n"
    assert read_table(data).report.form == "wide" and read_table(data).ratings.shape == (6, 3)


def test_a_column_of_dates_among_the_ratings_is_left_alone():
    data = b"user,joined,a,b\nann,2024-01-02,3,4\nbob,2024-02-03,,5\ncleo,2024-03-04,1,2\n"
    table = read_table(data)
    assert table.ratings.col_labels == ("a", "b") and table.ratings.row_labels == ("ann", "bob", "cleo")
    with pytest.raises(TableError, match='column "joined".* it looks like a date'):
        read_table(data, options=ReadOptions(ratings="joined"))
    table = read_table(b"date,a,b\n2024-01-02,3,4\n2024-02-03,,5\n2024-03-04,1,2\n")
    assert table.ratings.row_labels == ("2024-01-02", "2024-02-03", "2024-03-04")


def test_all_columns_of_a_numpy_matrix_are_ratings_even_those_without_any():
    X = np.full((12, 4), np.nan)
    X[:, ::2] = np.random.default_rng(0).integers(1, 6, (12, 2))
    stream = io.BytesIO()
    np.save(stream, X)
    table = read_table(stream.getvalue())
    assert table.ratings.shape == (12, 4) and table.ratings.scale == RatingScale(1, 5, 1)


# Words and decorated numbers


def test_words_stand_on_a_scale_whose_order_can_be_changed():
    table = read_table(files.agreement())
    assert table.ratings.row_labels is None and table.ratings.shape == (12, 6)
    assert set(table.ratings.values) <= {1, 2, 3, 4, 5} and table.ratings.scale == RatingScale(1, 5, 1)
    assert "Strongly disagree = 1" in " ".join(table.report.sentences())
    assert {now for _, now in check_untouched(files.agreement(), table)} == {"Neutral"}
    turned = read_table(files.agreement(), options=ReadOptions(words=[files.AGREEMENT[::-1]]))
    np.testing.assert_array_equal(turned.ratings.values, 6 - table.ratings.values)


def test_words_of_no_known_scale_are_asked_about_and_no_order_is_made_up():
    data = files.agreement()
    for word, other in zip(files.AGREEMENT[::-1], ("fab", "nice", "meh", "bah", "ugh")):
        data = data.replace(word.encode(), other.encode())
    with pytest.raises(TableError, match="the order of the words in") as caught:
        read_table(data)
    doubt = caught.value.doubt
    assert set(doubt.words) == {"fab", "nice", "meh", "bah", "ugh"} and not doubt.ordered
    table = read_table(data, options=ReadOptions(words=("ugh", "bah", "meh", "nice", "fab")))
    np.testing.assert_array_equal(table.ratings.values, read_table(files.agreement()).ratings.values)
    for word, code in zip(("fab", "nice", "meh", "bah", "ugh"), ("A5", "A4", "A3", "A2", "A1")):
        data = data.replace(word.encode(), code.encode())
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert caught.value.doubt.words == ("A1", "A2", "A3", "A4", "A5") and caught.value.doubt.ordered


def test_a_word_beside_a_scale_is_asked_about_and_no_column_is_dropped_for_it():
    rows = [["Agree", "Neutral"], ["Disagree", "Not applicable"], ["Neutral", "Agree"], ["Agree", "Disagree"]] * 3
    content = files.written([["name", "S0", "S1"], *([f"p{i}", *row] for i, row in enumerate(rows))])
    with pytest.raises(TableError, match='next to the words of a scale, "S1" holds "Not applicable"') as refused:
        read_table(content)
    assert refused.value.markers == ("Not applicable",)
    table = read_table(content, options=ReadOptions(missing_markers="Not applicable"))
    assert table.ratings.shape == (12, 2) and table.ratings.nnz == 21
    with pytest.raises(TableError, match='next to the words of a scale, .* hold "Neutral"'):
        read_table(content, options=ReadOptions(words=("Agree", "Disagree"), missing_markers="Not applicable"))


def test_letters_are_grades_where_they_have_signs_and_answers_otherwise():
    grades = of_columns(a=["A-", "B+", "C", "A"] * 3, b=["C+", "B", "D", "F"] * 3)
    table = read_table(grades)
    values = dict(zip(("A-", "B+", "C", "A"), table.ratings.to_dense()[:4, 0]))
    assert values["C"] < values["B+"] < values["A-"] < values["A"]
    with pytest.raises(TableError, match="the order of the words in"):
        read_table(of_columns(a=["A", "B", "C", "D"] * 3, b=["C", "B", "D", "A"] * 3))


def test_yes_and_no_are_one_and_zero():
    table = read_table(b"who,tea,coffee\nA,yes,no\nB,no,\nC,yes,no\n")
    assert table.ratings.values.tolist() == [1, 0, 0, 1, 0] and table.ratings.col_labels == ("tea", "coffee")


@pytest.mark.parametrize("sign", ["{}%", "{} %", "{} stars", "{}/5", "{} out of 5", "€ {}"])
def test_decorated_numbers_are_numbers_and_estimates_look_alike(sign):
    data = files.decorated(sign)
    table, plain = read_table(data), read_table(files.decorated("{}%" if "%" in sign else "{}"))
    np.testing.assert_array_equal(table.ratings.values, plain.ratings.values)
    assert {now for _, now in check_untouched(data, table)} == {sign.format("3.4")}


def test_labelled_and_drawn_numbers_are_numbers_too():
    labelled = files.decorated("{}")
    drawn = labelled
    for number, word in zip("12345", ("bad", "poor", "fair", "good", "great")):
        labelled = labelled.replace(f",{number}".encode(), f",{number} - {word}".encode())
        drawn = drawn.replace(f",{number}".encode(), f",{'★' * int(number)}".encode())
    plain = read_table(files.decorated("{}")).ratings.values
    for data, nearest in ((labelled, "3 - fair"), (drawn, "★★★")):
        table = read_table(data)
        np.testing.assert_array_equal(table.ratings.values, plain)
        assert {now for _, now in check_untouched(data, table)} == {nearest}


def test_labels_at_the_ends_of_a_scale_are_the_numbers_in_front_of_them_with_and_without_words():
    ends = {"0": "0 – mostly me", "5": "5 – mostly others"}
    columns = {f"Q{at}": [str(v) for v in np.random.default_rng(at).integers(0, 6, 12)] for at in range(4)}
    plain = read_table(of_columns(**columns), options=ReadOptions(ratings=tuple(columns))).ratings.to_dense()
    columns["Q1"] = [ends.get(cell, cell) for cell in columns["Q1"]]
    order = (ends["0"], "1", "2", "3", "4", ends["5"])
    for options in (ReadOptions(), ReadOptions(words=order)):
        np.testing.assert_array_equal(read_table(of_columns(**columns), options=options).ratings.to_dense(), plain)


def test_half_stars_and_fractions_are_numbers():
    table = read_table(of_columns(a=["★½", "★★★", "★★½", "★"] * 3, b=["★★", "★★★½", "★", "★★★★"] * 3))
    assert table.ratings.to_dense()[:2].tolist() == [[1.5, 2.0], [3.0, 3.5]]
    table = read_table(of_columns(a=["½", "2½", "0", "1"] * 3, b=["1", "½", "3", "2"] * 3))
    assert table.ratings.values[:2].tolist() == [0.5, 1.0]
