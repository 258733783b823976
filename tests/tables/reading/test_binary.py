"""Workbooks: the sheet that is read."""

from awkward_files import workbook

from metamf.tables import ReadOptions, read_table


def test_a_sheet_is_chosen_by_name_or_position():
    data = workbook({"A": [[1, 2], [3, 4]], "B": [[5, 6], [7, 8]]})
    for sheet, first in ((None, 1), ("B", 5), (1, 5)):
        table = read_table(data, options=ReadOptions(sheet=sheet))
        assert table.ratings.values[0] == first and table.report.file.sheet == ("A" if first == 1 else "B")
