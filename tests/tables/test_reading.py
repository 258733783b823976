"""Reading tables: the corpus of awkward files, the report, the overrides, and the rating scale."""

import numpy as np
import pytest
from awkward_files import LONG, PLAIN, workbook
from tables_corpus import CORPUS

from metamf import RatingScale
from metamf.tables import COMMAND_LINE, WINDOW, Limits, ReadOptions, TableError, read_table


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_the_corpus_is_read_as_meant(case):
    if case.error is not None:
        with pytest.raises(TableError) as caught:
            read_table(case.data, case.name, case.options)
        assert case.error in str(caught.value)
        assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)
        return
    table = read_table(case.data, case.name, case.options)
    expected = np.array([[np.nan if v is None else v for v in row] for row in case.X], dtype=float)
    np.testing.assert_array_equal(table.ratings.to_dense(), expected)
    assert (table.ratings.row_labels, table.ratings.col_labels, table.report.layout.form) == (
        case.rows,
        case.cols,
        case.form,
    )
    kinds = [note.kind for note in table.report.notes]
    assert all(kinds.count(kind) >= case.notes.count(kind) for kind in case.notes), kinds
    if case.missing is not None:
        assert table.report.cells.missing == case.missing
    assert all(isinstance(s, str) and not s[0].islower() and s[-1] in ".?" for s in table.report.sentences())


def test_the_corpus_has_at_least_sixty_files_with_names_of_their_own():
    assert len({case.name for case in CORPUS}) == len(CORPUS) >= 60


def test_the_report_says_what_was_understood():
    table = read_table(PLAIN.replace(",", ";").replace("5;", "4,5;").encode("utf-8-sig"), "ratings.csv")
    report = table.report
    assert report.file.encoding == "UTF-8 with byte order mark"
    assert (report.layout.label_column, report.file.name, report.cells.missing) == ("user", "ratings.csv", {"": 2})
    guesses = {"form": "wide", "delimiter": ";", "decimal": ",", "thousands": "", "header": True, "row_labels": True}
    assert {option: report.guess(option) for option in guesses} == guesses
    with pytest.raises(ValueError, match="nothing about the option 'duplicates'"):
        report.guess("duplicates")
    said = " ".join(report.sentences())
    for part in ("2 rows and 3 columns: 4 of 6 cells", "semicolon", "decimal comma", "2 empty", "Zero is a rating"):
        assert part in said


def test_a_long_table_is_explained_by_its_header():
    report = read_table(LONG.encode()).report
    assert (
        report.layout.columns == ("user", "item", "rating")
        and report.layout.reason == 'its header names "user", "item", "rating"'
    )


def test_duplicates_are_counted_and_shown():
    data = ("user,item,rating\n" + "ann,Alien,5\nann,Alien,3\n" * 2 + "bob,Alien,1\nbob,Alien,1\n").encode()
    table = read_table(data, options=ReadOptions(duplicates="mean"))
    assert table.report.cells.duplicates == 2 and "lines 2 and 3" in table.report.cells.duplicate_examples[0]
    assert table.ratings.values.tolist() == [4.0, 1.0]
    assert table.source.cells.observed[0] == -1 and table.source.cells.texts[table.source.cells.observed[1]] == "1"


def test_jokes_marked_with_99_are_suspected_and_zeros_are_not():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 20)) < 0.3, 99, np.round(rng.uniform(-10, 10, (40, 20)), 2))
    X[3, :4] = 0
    table = read_table("\n".join(",".join(map(str, row)) for row in X).encode())
    assert table.report.cells.suspected == (("99", int((X == 99).sum())),)
    assert table.ratings.scale is None
    told = read_table(
        "\n".join(",".join(map(str, row)) for row in X).encode(), options=ReadOptions(missing_markers=(99,))
    )
    assert told.ratings.scale == RatingScale(-10, 10) and told.ratings.nnz == (X != 99).sum()
    assert (told.ratings.values == 0).sum() == (X == 0).sum() and told.report.cells.suspected == ()


def test_a_flood_of_zeros_is_suspected_but_stays():
    X = np.zeros((20, 10), dtype=int)
    X[:, 0], X[:, 1], X[:, 2] = 5, 3, 4
    X[0, 3] = 1
    table = read_table("\n".join(",".join(map(str, row)) for row in X).encode())
    assert table.report.cells.suspected == (("0", int((X == 0).sum())),) and table.ratings.nnz == X.size


@pytest.mark.parametrize(
    "limits, error",
    [
        (Limits(bytes=20), "limit is"),
        (Limits(rows=1), "more than 1 rows"),
        (Limits(columns=2), "more than 2 columns"),
        (Limits(cells=11), "more than 11 cells"),
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
    with pytest.raises(TableError, match="the table has 100 rows; the limit is 99"):
        read_table(data.encode(), options=ReadOptions(limits=Limits(matrix_rows=99)))


def test_progress_is_told_while_a_long_text_is_read(monkeypatch):
    monkeypatch.setattr("metamf.tables.reading.grid._TOLD", 10)
    data, told = "user,item,rating\n" + "".join(f"u{i},m{i},3\n" for i in range(100)), []
    ratings = read_table(data.encode(), progress=told.append).ratings
    assert len(told) == 11 and told == sorted(told) and 0 <= told[0] < 0.2 and 0.9 < told[-1] <= 1
    np.testing.assert_array_equal(ratings.values, read_table(data.encode()).ratings.values)


@pytest.mark.parametrize(
    "name, value", [("form", "tall"), ("delimiter", "x"), ("encoding", "rot13"), ("duplicates", "max")]
)
def test_an_option_that_does_not_exist_is_named(name, value):
    with pytest.raises(TableError, match=f"{name} must be one of .* got '{value}'"):
        ReadOptions(**{name: value})


def test_a_sheet_is_chosen_by_name_or_position():
    data = workbook({"A": [[1, 2], [3, 4]], "B": [[5, 6], [7, 8]]})
    for sheet, first in ((None, 1), ("B", 5), (1, 5)):
        table = read_table(data, options=ReadOptions(sheet=sheet))
        assert table.ratings.values[0] == first and table.report.file.sheet == ("A" if first == 1 else "B")


def test_text_that_no_one_asked_for_cannot_reach_a_terminal():
    with pytest.raises(TableError) as caught:
        read_table("a,b\n1,\u202eevil\u200b".encode() + b"x" * 500 + b"\n2,3\n")
    assert "\u202e" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.data
def test_movielens_as_it_comes():
    import os
    import zipfile

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "ml-100k.zip")) as archive:
        table = read_table(archive.read("ml-100k/u.data"))
    assert table.ratings.shape == (943, 1682) and table.ratings.nnz == 100_000 and table.report.layout.form == "long"
    assert table.ratings.scale == RatingScale(1, 5, 1)


@pytest.mark.data
@pytest.mark.slow
def test_jester_as_it_comes():
    """An .xls file without names; its first column, which counts the rated jokes, is read as one more."""
    import os
    import zipfile

    with zipfile.ZipFile(os.path.join(os.environ["METAMF_DATA"], "jester_dataset_1_1.zip")) as archive:
        data = archive.read(archive.namelist()[0])
    with pytest.raises(TableError, match="limit"):
        read_table(data)
    table = read_table(data, options=ReadOptions(missing_markers=(99,), limits=COMMAND_LINE))
    assert table.ratings.shape == (24_983, 101) and table.report.cells.missing.keys() == {"99"}
    assert 1_810_455 <= table.ratings.nnz <= 1_810_455 + 24_983


def test_an_error_tells_what_there_is_to_choose_from():
    with pytest.raises(TableError, match="is not a number") as caught:
        read_table(b"who,what,how,much\nA,x,good,1\nA,y,bad,2\nB,x,so so,3\n", options=ReadOptions(form="long"))
    assert caught.value.columns == ("who", "what", "how", "much") and caught.value.sheets == ()
    report = read_table(b"a,b\n1,2\n").report
    assert report.layout.file_columns == ("a", "b") and report.file.sheets == ()
