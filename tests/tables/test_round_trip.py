"""What is exported reads back: tables in any dialect, and names that begin like comments."""

import numpy as np
import pytest
from exports import fill
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.writing.filled import Filled
from metamf.tables.writing.text import to_csv_long, to_csv_wide

LABELS = st.text(alphabet="aé映'=+-@# \t\n\",;|:1", min_size=1, max_size=5).filter(lambda s: s.strip())


@st.composite
def uploads(draw):
    """A wide CSV in some dialect, as text and options."""
    decimal = draw(st.sampled_from([".", ","]))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    N, M = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    labels, header = draw(st.booleans()), draw(st.booleans())
    number = st.one_of(
        st.integers(-10, 10).map(str),
        st.sampled_from(["+3", "03", "2e1", "-0"]),
        st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda t: f"{t[0]}{decimal}{t[1]:02d}"),
    )
    cell = st.one_of(number, number, st.sampled_from(["", "NA", "?", "-"]))
    rows = [[draw(cell) for _ in range(M)] for _ in range(N)]
    rows[0][0] = draw(number)
    lines = [([draw(LABELS)] if labels else []) + row for row in rows]
    if header:
        lines.insert(0, (["user"] if labels else []) + [draw(LABELS) for _ in range(M)])
    everywhere = draw(st.booleans())

    def quoted(text):
        plain = text and not any(c in text for c in (delimiter, '"', "\n", "\r", " "))
        return text if plain and not everywhere else '"' + text.replace('"', '""') + '"'

    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(delimiter.join(map(quoted, line)) for line in lines) + newline
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]))
    options = ReadOptions(
        form="wide",
        delimiter=delimiter,
        decimal=decimal,
        thousands="",
        encoding=encoding,
        header=header,
        row_labels=labels,
    )
    return text.encode(encoding), options


def check_round_trip(upload):
    data, options = upload
    try:
        table = read_table(data, options=options)
    except TableError:
        return  # such as a first name that begins like a comment
    filled = fill(table)
    for export in (to_csv_wide(filled), to_csv_wide(Filled(table, np.full(table.ratings.shape, np.nan)))):
        back = read_table(export, options=options)
        ratings = table.ratings
        assert (back.ratings.row_labels, back.ratings.col_labels) == (ratings.row_labels, ratings.col_labels)
        at = np.searchsorted(
            back.ratings.rows * ratings.n_cols + back.ratings.cols, ratings.rows * ratings.n_cols + ratings.cols
        )
        np.testing.assert_array_equal(back.ratings.values[at], ratings.values)
        assert [table.source.cells.texts[c] for c in table.source.cells.observed] == [
            back.source.cells.texts[c] for c in back.source.cells.observed[at]
        ]


def test_a_name_on_two_lines_is_not_a_blank_line_below_which_notes_stand():
    options = ReadOptions("wide", ",", ".", "", "utf-8", False, True)
    check_round_trip((b'1,0\n1,0\n"\n1",0\n1,""\n', options))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b'#,0,0\n"#b",,0\n1,0,0\n', ("#,0,0", '"#b",', "1,0,0")),
        (b"#,0,0\n#b,2,3\n1,0,4\n", ("#,0,0", "#b,2,3", "1,0,4")),
        (b'"#",0,0\n', ('"#",0,0',)),
        (b'user,a,b\n"#x",,0\n"//",3,4\n', ("user,a,b", '"#x",', '"//",3,4')),
        (b'# user,a,b\n"#x",,0\n1,3,4\n', ("# user,a,b", '"#x",', "1,3,4")),
        (b'"% user",a,b\nx,,0\n1,3,4\n', ('"% user",a,b', "x,", "1,3,4")),
    ],
)
def test_no_line_of_the_table_becomes_a_comment(data, lines):
    options = ReadOptions(form="wide", delimiter=",", row_labels=True)
    table = read_table(data, options=options)
    export = to_csv_wide(fill(table)).decode()
    assert all(line.startswith(start) for line, start in zip(export.splitlines(), lines, strict=True))
    long = to_csv_long(fill(table))
    for back in (read_table(export.encode(), options=options), read_table(long)):
        assert back.ratings.row_labels == table.ratings.row_labels


SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
test_any_dialect_round_trip = settings(SETTINGS, max_examples=100)(given(uploads())(check_round_trip))
test_any_dialect_round_trip_long = pytest.mark.slow(
    settings(SETTINGS, max_examples=1000)(given(uploads())(check_round_trip))
)
