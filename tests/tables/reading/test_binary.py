"""Workbooks: the sheet that is read."""

import pytest
from awkward_files import workbook

from metamf.tables import ReadOptions, TableError, read_table


def test_a_sheet_is_chosen_by_name_or_position():
    data = workbook({"A": [[1, 2], [3, 4]], "B": [[5, 6], [7, 8]]})
    for sheet, first in ((None, 1), ("B", 5), (1, 5)):
        table = read_table(data, options=ReadOptions(sheet=sheet))
        assert table.ratings.values[0] == first and table.report.file.sheet == ("A" if first == 1 else "B")


def test_a_cover_sheet_and_a_key_to_the_questions_are_not_taken_for_the_table():
    cover = [["Course evaluation"], ["Contact", "Dr. Meier"], ["Version", 3], ["Scale", "1 = bad, 5 = good"]]
    key = [["Code", "Question", "Note"], ["Q1", "How was the food?", "1 to 5"], ["Q2", "And the room?", "1 to 5"]]
    answers = [["Name", "Q1", "Q2", "Q3"], ["Ada", 4, None, 5], ["Ben", 1, 2, None], ["Cleo", None, 3, 4]]
    words = [["Name", "Q1", "Q2"], ["Ada", "Agree", "Neutral"], ["Ben", "Disagree", "Agree"]]
    for data in (answers, words):
        report = read_table(workbook({"Read me": cover, "Key": key, "Answers": data})).report
        assert report.file.sheet == "Answers"
        assert any('Sheet "Answers" was read; choose another one' in sentence for sentence in report.sentences())
    asked = ReadOptions(sheet="Key")
    with pytest.raises(TableError, match="How was the food") as refused:
        read_table(workbook({"Key": key, "Answers": answers}), options=asked)
    assert refused.value.sheets == ("Key", "Answers") and refused.value.sheet == "Key"
