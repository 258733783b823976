"""The report: what was understood, in values and in sentences."""

import pytest
from awkward_files import LONG, PLAIN

from metamf.tables import ReadOptions, TableError, read_table


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


def test_an_error_tells_what_there_is_to_choose_from():
    with pytest.raises(TableError, match="is not a number") as caught:
        read_table(b"who,what,how,much\nA,x,good,1\nA,y,bad,2\nB,x,so so,3\n", options=ReadOptions(form="long"))
    assert caught.value.columns == ("who", "what", "how", "much") and caught.value.sheets == ()
    report = read_table(b"a,b\n1,2\n").report
    assert report.layout.file_columns == ("a", "b") and report.file.sheets == ()
