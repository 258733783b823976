"""A table that was read: what it keeps of its file, for a round trip."""

import numpy as np

from metamf.tables import ReadOptions, read_table


def texts_of(source, codes):
    return [source.cells.texts[code] for code in codes]


def test_a_wide_table_keeps_what_stands_above_it_and_the_text_of_each_cell():
    source = read_table(b"# from a survey\nSecond week\nname,a,b\nann,5.0,NA\nbo,,+3\n", "week.csv").source
    assert source.form == "wide" and source.frame is source.long_names is source.line_order is None
    heading = source.heading
    assert (heading.comments, heading.titles) == (("# from a survey",), ("Second week",))
    assert heading.header == ("name", "a", "b") and source.row_texts == ("ann", "bo")
    assert texts_of(source, source.cells.observed) == ["5.0", "+3"]
    assert texts_of(source, source.cells.missing) == ["NA"]  # the empty cell has no text to keep
    assert (source.cells.missing_rows.tolist(), source.cells.missing_cols.tolist()) == ([0], [1])


def test_a_long_table_keeps_the_names_of_its_columns_and_the_order_of_its_lines():
    content = b"user,film,rating\nbo,y,4\nann,x,5\nbo,y,2\nbo,x,1\n"
    source = read_table(content, "log.csv", ReadOptions(duplicates="mean")).source
    assert source.form == "long" and source.long_names == ("user", "film", "rating")
    rows, cols = source.line_order
    assert (rows.tolist(), cols.tolist()) == ([0, 1, 0, 0], [0, 1, 0, 1])
    observed = sorted(code if code < 0 else int(source.cells.texts[code]) for code in source.cells.observed)
    assert observed == [-1, 1, 5]  # the mean of 4 and 2 is written nowhere


def test_a_table_of_which_a_part_is_left_alone_keeps_all_of_its_cells():
    content = b"name,age,a,b\nann,44,5,4\nbo,31,,3\ncy,27,1,\n"
    source = read_table(content, "form.csv", ReadOptions(leave_alone=("age",))).source
    frame = source.frame
    assert frame.n_header == 1 and frame.rows.tolist() == [-1, 0, 1, 2] and frame.cols.tolist() == [-1, -1, 0, 1]
    lines = [",".join(texts_of(source, line)) for line in np.asarray(frame.cells)]
    assert "\n".join(lines) + "\n" == content.decode()
