"""Reading tables: the corpus of awkward files, layouts, duplicates, limits, and the report."""

import numpy as np
import peoples_files as files
import pytest
from awkward_files import LONG, PLAIN, workbook
from tables_corpus import CORPUS
from untouched import check_untouched

from metamf import RatingScale
from metamf.tables import COMMAND_LINE, WINDOW, Limits, ReadOptions, TableError, read_table


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_the_corpus_is_read_as_meant(case):
    if case.error is not None:
        with pytest.raises(TableError) as caught:
            read_table(case.data, case.name, case.options)
        assert case.error in str(caught.value)
        assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)
        assert "upload" not in str(caught.value)  # the library reads files for programs, too
        return
    table = read_table(case.data, case.name, case.options)
    expected = np.array([[np.nan if v is None else v for v in row] for row in case.X], dtype=float)
    np.testing.assert_array_equal(table.ratings.to_dense(), expected)
    ratings, form = table.ratings, table.report.form
    assert (ratings.row_labels, ratings.col_labels, form) == (case.rows, case.cols, case.form)
    kinds = [note.kind for note in table.report.notes]
    assert all(kinds.count(kind) >= case.notes.count(kind) for kind in case.notes), kinds
    if case.missing is not None:
        assert table.report.missing == case.missing
    assert all(isinstance(s, str) and not s[0].islower() and s[-1] in ".?" for s in table.report.sentences())


@pytest.mark.data
def test_movielens_as_it_comes():
    import os
    import zipfile

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "ml-100k.zip")) as archive:
        table = read_table(archive.read("ml-100k/u.data"))
    assert table.ratings.shape == (943, 1682) and table.ratings.nnz == 100_000 and table.report.form == "long"
    assert table.ratings.scale == RatingScale(1, 5, 1)


@pytest.mark.data
@pytest.mark.slow
def test_jester_as_it_comes(monkeypatch):
    """An .xls file without names; its first column, which counts the rated jokes, has no gaps and is left alone."""
    import functools
    import os
    import zipfile

    import xlrd

    monkeypatch.setattr(xlrd, "open_workbook", functools.cache(xlrd.open_workbook))  # whose cells take seconds

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "jester_dataset_1_1.zip")) as archive:
        data = archive.read(archive.namelist()[0])
    with pytest.raises(TableError, match="limit"):
        read_table(data)
    table = read_table(data, options=ReadOptions(missing_markers=(99,), limits=COMMAND_LINE))
    assert table.ratings.shape == (24_983, 100) and table.report.missing.keys() == {"99"}
    assert table.ratings.nnz == 1_810_455


def test_words_alone_have_the_scale_of_their_order():
    answers = "name,a,b,c\n" + "".join(f"p{i},Agree,Disagree,{('Agree', 'Disagree')[i % 2]}\n" for i in range(6))
    assert read_table(answers.encode()).ratings.scale == RatingScale(1, 2, 1)
    four = answers.replace("Disagree", "Rather not").replace("p0,Agree", "p0,Never").replace("p1,Agree", "p1,Always")
    order = ("Never", "Rather not", "Agree", "Always")
    assert read_table(four.encode(), options=ReadOptions(words=order)).ratings.scale == RatingScale(1, 4, 1)


def notes_of(table):
    return {note.kind: note for note in table.report.notes}


def test_a_title_above_the_table_is_set_aside():
    table = read_table(b"Our ratings\n\nname,a,b\nann,1,2\nbob,3,4\n")
    assert table.ratings.col_labels == ("a", "b") and table.ratings.row_labels == ("ann", "bob")
    assert "Our ratings" in notes_of(table)["title lines"].where


def test_short_lines_are_filled_up_and_empty_cells_beyond_the_table_are_cut():
    table = read_table(b"a,b,c\n1,2,3\n4\n5,1,2,,\n")
    np.testing.assert_array_equal(table.ratings.to_dense(), [[1, 2, 3], [4, np.nan, np.nan], [5, 1, 2]])
    assert notes_of(table)["ragged lines"].where == "line 3"


def test_blank_lines_are_skipped_but_are_empty_cells_of_a_single_column():
    assert read_table(b"a,b,c\n1,2,3\n\n4,5,1\n").ratings.shape == (2, 3)
    assert read_table(b"# a\n\n1\n4\n").ratings.shape == (2, 1)
    assert read_table(b"1\n\n4\n\n").ratings.to_dense().ravel().tolist() == pytest.approx([1, np.nan, 4], nan_ok=True)


def test_a_line_with_too_many_cells_is_refused_with_its_number():
    with pytest.raises(TableError, match="line 3 has 4 cells where the table has 3"):
        read_table(b"a,b,c\n1,2,3\n4,5,1,2\n1,1,1\n")


def test_two_lines_of_header_make_one_name_each():
    table = read_table(files.two_header_lines())
    assert table.ratings.col_labels == ("Taste: A", "Taste: B", "Look: A", "Look: B")
    assert table.ratings.row_labels == files.PEOPLE[:6]
    check_untouched(files.two_header_lines(), table)


@pytest.mark.parametrize(
    ("content", "columns", "rows"),
    [
        (b"a,b,c\n1,2,3\n4,5,1\n", ("a", "b", "c"), None),
        (b"1,2,3\n4,5,1\n2,2,2\n", None, None),
        (b"101,102,103\n4,5,1\n2,,2\n", ("101", "102", "103"), None),  # numbers that identify columns
        (b"a,b\nann,1,2\nbob,3,4\n", ("a", "b"), ("ann", "bob")),  # R names no column of names
        (b",a,b\nann,1,2\nbob,3,4\n", ("a", "b"), ("ann", "bob")),
    ],
)
def test_names_of_columns_and_rows_are_told_from_ratings(content, columns, rows):
    ratings = read_table(content).ratings
    assert (ratings.col_labels, ratings.row_labels) == (columns, rows)


def test_what_was_said_of_the_header_is_kept_to():
    options = ReadOptions(header=False, missing_markers=tuple("abc"))
    ratings = read_table(b"a,b,c\n1,2,3\n4,5,1\n", options=options).ratings
    assert ratings.shape == (3, 3) and ratings.col_labels is None


def test_a_header_alone_is_refused():
    with pytest.raises(TableError, match="header"):
        read_table(b"a,b,c\n")


@pytest.mark.parametrize(
    ("content", "form", "reason"),
    [
        (b"ann,3\nbob,4\n", "wide", "long table needs three columns"),
        (b"user,item,rating\nann,A,3\nbob,A,4\n", "long", 'its header names "user"'),
        (b"ann,A,3\nbob,A,4\nann,B,1\n", "long", "its first two columns are names"),
        (b"1,7,3\n1,9,4\n2,7,1\n2,9,5\n", "long", "they look like identifiers"),
        (b"5,4,3\n5,5,4\n2,3,1\n1,1,2\n", "wide", "a line for each row"),
    ],
)
def test_the_cells_decide_the_form_and_the_reason_is_said(content, form, reason):
    layout = read_table(content).report
    assert layout.form == form and reason in layout.reason


def test_what_was_said_decides_before_the_cells_do():
    content = b"ann,A,3\nbob,A,4\nann,B,1\n"
    turned = read_table(content, options=ReadOptions(row_column=1, column_column=0, value_column=2))
    assert turned.ratings.row_labels == ("A", "B") and turned.report.reason == "you named its columns"
    with pytest.raises(TableError, match="a long table needs three columns and this one has 2"):
        read_table(b"ann,3\nbob,4\n", options=ReadOptions(form="long"))
    with pytest.raises(TableError, match="must differ"):
        read_table(content, options=ReadOptions(row_column=1, column_column=1))


def test_duplicates_are_counted_and_shown():
    data = ("user,item,rating\n" + "ann,Alien,5\nann,Alien,3\n" * 2 + "bob,Alien,1\nbob,Alien,1\n").encode()
    table = read_table(data, options=ReadOptions(duplicates="mean"))
    assert table.report.duplicates == 2 and "lines 2 and 3" in notes_of(table)["duplicates"].where
    assert table.ratings.values.tolist() == [4.0, 1.0]
    assert table.source.codes[0] == -1 and table.source.grid.texts[table.source.codes[1]] == "1"


@pytest.mark.parametrize("how, value", [("mean", 3.5), ("first", 5), ("last", 2)])
def test_duplicates_are_resolved_as_asked_and_the_report_says_how(how, value):
    data = LONG.encode() + b"ann,Alien,2\n"
    table = read_table(data, options=ReadOptions(duplicates=how))
    assert table.ratings.to_dense()[0, 0] == value and table.ratings.nnz == 3
    (note,) = (note for note in table.report.notes if note.kind == "duplicates")
    assert how in note.message


def test_duplicates_are_refused_with_their_place_unless_a_rule_is_chosen():
    with pytest.raises(TableError, match=r'\("ann", "Alien"\) in lines 2 and 5: choose whether') as caught:
        read_table(LONG.encode() + b"ann,Alien,2\n")
    assert [answer.values for answer in caught.value.answers] == [("mean",), ("last",), ("first",)]


@pytest.mark.parametrize(
    ("more", "said"),
    [("", r"1 \(row, column\) pair is given"), ("b,x,1\nb,x,2\n", r"2 \(row, column\) pairs are given")],
)
def test_the_error_counts_the_pairs(more, said):
    with pytest.raises(TableError, match=said):
        read_table(f"user,item,rating\na,x,3\na,x,4\nc,y,5\n{more}".encode())


def test_a_sheet_is_chosen_by_name_or_position():
    data = workbook({"A": [[1, 2], [3, 4]], "B": [[5, 6], [7, 8]]})
    for sheet, first in ((None, 1), ("B", 5), (1, 5)):
        table = read_table(data, options=ReadOptions(sheet=sheet))
        assert table.ratings.values[0] == first and table.report.sheet == ("A" if first == 1 else "B")


def test_a_cover_sheet_and_a_key_to_the_questions_are_not_taken_for_the_table():
    cover = [["Course evaluation"], ["Contact", "Dr. Meier"], ["Version", 3], ["Scale", "1 = bad, 5 = good"]]
    key = [["Code", "Question", "Note"], ["Q1", "How was the food?", "1 to 5"], ["Q2", "And the room?", "1 to 5"]]
    answers = [["Name", "Q1", "Q2", "Q3"], ["Ada", 4, None, 5], ["Ben", 1, 2, None], ["Cleo", None, 3, 4]]
    words = [["Name", "Q1", "Q2"], ["Ada", "Agree", "Neutral"], ["Ben", "Disagree", "Agree"]]
    for data in (answers, words):
        report = read_table(workbook({"Read me": cover, "Key": key, "Answers": data})).report
        assert report.sheet == "Answers"
        assert any('Sheet "Answers" was read; choose another one' in sentence for sentence in report.sentences())
    asked = ReadOptions(sheet="Key")
    with pytest.raises(TableError, match="How was the food") as refused:
        read_table(workbook({"Key": key, "Answers": answers}), options=asked)
    assert refused.value.sheets == ("Key", "Answers") and refused.value.sheet == "Key"


def test_the_report_says_what_was_understood():
    table = read_table(PLAIN.replace(",", ";").replace("5;", "4,5;").encode("utf-8-sig"), "ratings.csv")
    report = table.report
    assert report.encoding == "UTF-8 with byte order mark"
    assert (report.label_column, report.name, report.missing) == ("user", "ratings.csv", {"": 2})
    guesses = {"form": "wide", "delimiter": ";", "decimal": ",", "thousands": "", "header_lines": 1, "row_labels": True}
    assert report.guesses == guesses | {"encoding": "UTF-8 with byte order mark", "sheet": None}
    said = " ".join(report.sentences())
    for part in ("2 rows and 3 columns: 4 of 6 cells", "semicolon", "decimal comma", "2 empty", "Zero is a rating"):
        assert part in said


def test_a_long_table_is_explained_by_its_header():
    report = read_table(LONG.encode()).report
    assert report.columns == ("user", "item", "rating")
    assert report.reason == 'its header names "user", "item", "rating"'


def test_an_error_tells_what_there_is_to_choose_from():
    with pytest.raises(TableError, match="is not a number") as caught:
        read_table(b"who,what,how,much\nA,x,1,1\nA,y,2,2\nB,x,three,3\n", options=ReadOptions(value_column="how"))
    assert caught.value.columns == ("who", "what", "how", "much") and caught.value.sheets == ()
    report = read_table(b"a,b\n1,2\n").report
    assert report.file_columns == ("a", "b") and report.sheets == ()


@pytest.mark.parametrize(
    "limits, error",
    [
        (Limits(bytes=20), "above the limit"),
        (Limits(rows=1), "more rows than the limit of 1"),
        (Limits(columns=2), "more columns than the limit of 2"),
        (Limits(cells=11), "more cells than the limit of 11"),
    ],
)
def test_past_a_limit_the_table_is_refused(limits, error):
    with pytest.raises(TableError, match=error):
        read_table(PLAIN.encode(), options=ReadOptions(limits=limits))


def test_a_long_table_of_too_large_a_matrix_is_refused():
    data = "user,item,rating\n" + "".join(f"u{i},m{i},3\n" for i in range(100))
    with pytest.raises(TableError, match="100 rows x 100 columns = 10,000 cells"):
        read_table(data.encode(), options=ReadOptions(limits=Limits(matrix=9_999)))


def test_the_limits_are_stated():
    said = Limits().sentence()
    for limit in ("32 MB", "1,500,000 lines", "200,000 rows and 5,500,000 cells"):
        assert limit in said
    assert WINDOW.sentence().endswith("a matrix of up to 200,000 rows.")


def test_a_matrix_of_too_many_rows_is_refused():
    data = "user,item,rating\n" + "".join(f"u{i},m,3\n" for i in range(100))
    with pytest.raises(TableError, match="the table has 100 rows, above the limit of 99"):
        read_table(data.encode(), options=ReadOptions(limits=Limits(matrix_rows=99)))


@pytest.mark.parametrize(
    "name, value", [("form", "tall"), ("delimiter", "x"), ("encoding", "rot13"), ("duplicates", "max")]
)
def test_an_option_that_does_not_exist_is_named(name, value):
    with pytest.raises(TableError, match=f"{name} must be one of .* got '{value}'"):
        ReadOptions(**{name: value})


def test_a_sign_cannot_be_two_things():
    with pytest.raises(TableError, match="decimal and thousands sign cannot both be ','"):
        ReadOptions(decimal=",", thousands=",")


def test_one_marker_needs_no_tuple():
    assert ReadOptions(missing_markers=99).missing_markers == (99,)


def test_progress_is_told_while_a_long_text_is_read():
    data, told = b"user,item,rating\n" + b"".join(b"u%d,m%d,3\n" % divmod(i, 500) for i in range(110_000)), []
    read_table(data, progress=told.append)
    assert len(told) == 3 and told == sorted(told) and 0 <= told[0] < 0.2 and 0.8 < told[-1] <= 1


def test_all_sheets_of_a_workbook_count_whichever_is_read():
    ratings = [["name", "a", "b"], ["Ada", 4, 2], ["Ben", 1, 5]]
    content = workbook({"Ratings": ratings, "Log": [[1, 2, 3]] * 2000})
    limits = Limits(workbook_cells=5000)
    for sheet in (None, "Ratings"):
        with pytest.raises(TableError, match="5,000 cells"):
            read_table(content, "club.xlsx", ReadOptions(sheet=sheet, limits=limits))
    assert read_table(content, "club.xlsx").ratings.nnz == 4
