"""What is promised of every file: only gaps are written, what is a rating is plain, and no hint destroys anything.

Checked on files that people report in public, where they are at hand (they are no part of the repository), on generated
tables, and on the corpus.
"""

import csv
import io
import re
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from exports import estimated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables_corpus import CORPUS

from metamf.tables import COMMAND_LINE, ReadOptions, TableError, read_table, write
from metamf.tables.roles import RATING
from metamf.tables.text import raw_cells, split_records

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
FILES = [path for path in sorted(CASES.glob("*")) if path.suffix != ".md"]
ANSWERS = {  # what a person answers where a file asks
    "01": {"missing_markers": "-99"},
    "02": {"ratings": ("all-numbers",), "missing_markers": ("EX",)},
    "03": {"ratings": "Assignment: Essay (Percentage)"},
    "04": {"leave_alone": "Number of Pages"},
    "06": {"words": ("A1", "A2", "A3", "A4", "A5")},
    "14": {"ratings": "all-numbers", "missing_markers": ("<0.008", ">0.7")},
    "18": {"leave_alone": "Audit 4"},
    "19": {"missing_markers": "Ne sait pas"},
    "22": {"missing_markers": ("I", "W")},
    "29": {"missing_markers": "never", "leave_alone": (0, 2, 11)},
    "31": {"missing_markers": (".a", ".b", ".r")},
}


def read(path):
    """The table in a case, with the answers of a person; None where it is refused."""
    answers = ANSWERS.get(path.name[:2], {})
    try:
        return read_table(path.read_bytes(), path.name, ReadOptions(limits=COMMAND_LINE, **answers))
    except TableError as error:
        assert str(error) and "\n" not in str(error).replace("\\n", "")
        return None


def estimates(table):
    return estimated(table, np.full(table.ratings.shape, 2.625))


def records_of(data, source):
    text = data[len(source.dialect.bom) :].decode(source.dialect.encoding)
    delimiter, quotes = source.dialect.delimiter, source.dialect.quotes
    records = split_records(text, delimiter, quotes)
    return [(raw, raw_cells(raw.rstrip("\r\n"), delimiter, quotes)) for _, _, raw in records]


def check_only_gaps_are_written(data, table):
    """A text differs from what was read in cells that were empty or a missing marker, in columns of ratings, and not in
    limits such as <0.008; a long one has more lines at its end. Without an estimate it does not differ at all."""
    source = table.source
    assert write.to_csv(table) == data
    before = records_of(data, source)
    after = records_of(write.to_csv(table, estimates(table)), source)
    gone = {text.strip() for text in table.report.missing} | {""}
    assert len(after) >= len(before) and (source.form == "long" or len(after) == len(before))
    rated = set(source.columns if source.form == "wide" else source.columns[-1:])
    changed = 0
    for (raw, was), (raw_after, now) in zip(before, after):
        for j, cell in enumerate(now):
            old = was[j] if j < len(was) else ""
            if cell != old:
                changed += 1
                assert j in rated and old.strip().strip('"').strip() in gone and "<" not in old
        if was == now:
            assert raw == raw_after or len(after) > len(before)  # the last line may have had no end
    if source.form == "wide":
        assert changed + len(source.kept[0]) == table.ratings.n_rows * table.ratings.n_cols - table.ratings.nnz


def check_workbook(data, table):
    """A workbook differs in gaps alone; values, types, formats, hidden rows and other sheets are as they were."""
    contents = data, write.to_excel(table, estimates(table))
    before, after = (openpyxl.load_workbook(io.BytesIO(content)) for content in contents)
    gaps = 0
    for old in before:
        new = after[old.title]
        hidden, still = ({i: d.hidden for i, d in s.row_dimensions.items()} for s in (old, new))
        assert hidden == still
        for row in new.iter_rows():
            for cell in row:
                was = old[cell.coordinate]
                if (was.value or None) != (cell.value or None) or was.value and was.data_type != cell.data_type:
                    gaps += 1
                    assert old.title == table.source.sheet and str(was.value or "") in table.report.missing
                    assert (
                        cell.font.italic and cell.number_format == was.number_format or was.number_format == "General"
                    )
                else:
                    assert was.number_format == cell.number_format
    assert gaps == table.ratings.n_rows * table.ratings.n_cols - table.ratings.nnz


@pytest.mark.skipif(not FILES, reason="the files that people report are not at hand")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_gaps_of_peoples_files_are_written(path):
    table = read(path)
    if table is not None and table.source.kind == "text":
        check_only_gaps_are_written(path.read_bytes(), table)
    elif table is not None and table.source.kind == "xlsx":
        check_workbook(path.read_bytes(), table)


@pytest.mark.parametrize("case", [case for case in CORPUS if case.error is None], ids=lambda case: case.name)
def test_only_gaps_of_the_corpus_are_written(case):
    table = read_table(case.data, case.name, case.options)
    if table.source.kind == "xlsx":
        check_workbook(case.data, table)
    elif table.source.kind == "text" and case.data[:2] != b"\x1f\x8b":
        check_only_gaps_are_written(case.data, table)


@pytest.mark.skipif(not FILES, reason="the files that people report are not at hand")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_ratings_of_peoples_files_share_a_scale_and_nothing_else_is_filled_in(path):
    """No column of one value or none, of long numbers, years or dates is a rating unless somebody says so."""
    try:
        table = read_table(path.read_bytes(), path.name, ReadOptions(limits=COMMAND_LINE))
    except TableError:
        return
    roles = table.report.roles
    if roles is None:
        return
    X = table.ratings.to_dense()
    assert roles.alike and np.nanmax(X) < 100_000 and not (np.nanmin(X) >= 1900 and np.nanmax(X) <= 2100)
    for j, x in zip(roles.of(RATING), X.T):
        values = np.unique(x[~np.isnan(x)])
        assert len(values) > 1 or np.count_nonzero(~np.isnan(x)) < 5, table.report.file_columns[j]


@pytest.mark.skipif(not FILES, reason="the files that people report are not at hand")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_hint_for_peoples_files_destroys_anything(path):
    """A text is offered as a missing marker only if it holds no number and its line is not a line of such texts; and no
    order of words is offered that is that of the alphabet alone."""
    try:
        read_table(path.read_bytes(), path.name, ReadOptions(limits=COMMAND_LINE))
    except TableError as error:
        for text in (marker.rpartition("=")[2] for marker in error.markers):  # COLUMN=0 is one of a column
            plain = re.fullmatch(r"-?[\d.]+|#[A-Z/0]+[!?]", text) or not re.search(r"[\d½%]", text)
            assert plain or "stay as they are" in str(error), text
        if doubt := error.doubt:
            assert not doubt.ordered or all(re.fullmatch(r"\D+\d+", word) for word in doubt.words)
        options = [answer.option for answer in error.answers]
        assert "missing_markers" not in options or error.markers


@st.composite
def tables(draw, gaps=("", "", "NA", "-"), marker=None, people=12):
    """A wide table of ``people`` names, with ratings on one scale and columns of other kinds somewhere among them;
    which columns hold ratings, and which of them a ``marker``."""
    n, m = draw(st.integers(6, 12)), draw(st.integers(2, 5))
    low, high = draw(st.sampled_from([(1, 5), (0, 10), (1, 7), (0, 100)]))
    marked = draw(st.sets(st.integers(0, m - 1), min_size=1)) if marker else set()
    columns = {}
    for j in range(m):
        cells = [str(draw(st.integers(low, high))) for _ in range(n)]
        cells[:3] = [str(low), str(high), str(low + 1)]
        chosen = range(3, n) if gaps else ()
        cells = [
            draw(st.sampled_from(gaps)) if i in chosen and not draw(st.integers(0, 4)) else cell
            for i, cell in enumerate(cells)
        ]
        cells[-2:] = [str(marker)] * 2 if j in marked else cells[-2:]
        columns[f"Q{j}"] = cells
    others = {
        "Zeit": [f"2024-03-{i + 10}" for i in range(n)],
        "Jahr": [str(1950 + 7 * i) for i in range(n)],
        "Nr": [str(700_000 + 13 * i) for i in range(n)],
        "Ort": [("Bern", "Köln", "Graz")[i % 3] for i in range(n)],
        "Leer": [""] * n,
        "Immer": ["3"] * n,
        "Mail": [f"p{i}@example.org" for i in range(n)],
        "Formel": [f'="{i:05d}"' for i in range(n)],
    }
    chosen = draw(st.lists(st.sampled_from(sorted(others)), unique=True, max_size=4))
    names = draw(st.permutations([*columns, *chosen]))
    stream = io.StringIO()
    writer = csv.writer(
        stream,
        delimiter=draw(st.sampled_from(",;\t")),
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow(["Name", *names])
    everything = columns | others
    for i in range(n):
        writer.writerow([f"Person {i % people}", *(everything[name][i] for name in names)])
    data = stream.getvalue().encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1252"])))
    return data, set(columns), {f"Q{j}" for j in marked}


def read_as_meant(data, options=ReadOptions()):
    """A generated table, in which zero is a rating: that is said where it is asked, and is not asked again; so is that
    7 is one, where a table on 1 to 7 happens to hold hardly anything but 1 and 2 next to it."""
    try:
        return read_table(data, options=options)
    except TableError as error:
        asked = [answer.values for answer in error.answers if answer.option == "missing_markers"]
        assert asked == [("7",)] or (asked == [("0",)] and len(error.doubts) == 1 and len(error.answers) == 2)
        for doubt in error.doubts:
            (rating,) = [answer for answer in doubt.answers if answer.option == "ratings"]
            options = options.with_answer(rating.option, rating.values)
        return read_table(data, options=options)


GENERATED = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))


@GENERATED
@given(tables())
def test_generated_tables_are_read_as_they_are_meant_and_only_their_gaps_are_written(made):
    data, rated, _ = made
    table = read_as_meant(data)
    assert set(table.ratings.col_labels) == rated and table.ratings.row_labels[0] == "Person 0"
    check_only_gaps_are_written(data, table)


@GENERATED
@given(tables(gaps=()), tables(gaps=(), people=3), tables())
def test_generated_tables_without_gaps_say_so_and_name_the_form_where_names_repeat(full, repeated, made):
    for data, people in ((full[0], 12), (repeated[0], 3)):
        report = read_as_meant(data, ReadOptions(form="wide", names=0)).report
        assert f"all {report.observed} cells" in report.nothing_missing
        assert ("read it as a long table" in report.nothing_missing) == (people == 3)
    table = read_as_meant(made[0])
    assert (table.report.nothing_missing is None) == (table.ratings.nnz < np.prod(table.ratings.shape))


@GENERATED
@given(st.data(), st.sampled_from([-999, -99999, 999]))
def test_markers_in_generated_tables_are_looked_for_in_each_column(draws, marker):
    """However wide the other columns are, the question names those with the marker; answered, it is gone."""
    data, rated, marked = draws.draw(tables(marker=marker))
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert {*caught.value.markers} - {"0"} == {str(marker)} and set(caught.value.doubt.names) == marked
    table = read_as_meant(data, ReadOptions(missing_markers=marker))
    assert (
        set(table.ratings.col_labels) == rated and 0 <= table.ratings.values.min() <= table.ratings.values.max() <= 100
    )
    check_only_gaps_are_written(data, table)


def test_a_table_without_gaps_says_that_there_is_nothing_to_fill_in_and_what_may_help():
    full = b"name,a,b\nann,1,2\nbob,3,1\n"
    assert "all 4 cells" in read_table(full).report.nothing_missing
    long = b"who,q1,q2\n" + b"".join(b"p%d,%d,%d\n" % (i % 3, i % 5 + 1, i % 4 + 1) for i in range(9))
    assert "read it as a long table" in read_table(long, options=ReadOptions(form="wide")).report.nothing_missing
    rows = b"".join(b"p%d,%d,%d,%s\n" % (i, i % 5, i % 4, b"x"[: i % 2]) for i in range(9))
    assert 'left alone: "c"' in read_table(b"name,a,b,c\n" + rows).report.nothing_missing
    assert read_table(b"name,a,b\nann,1,2\nbob,3,\n").report.nothing_missing is None


def test_a_line_of_units_or_of_odd_texts_is_not_offered_as_missing_marker():
    rows = "".join(f"S{i},{i % 5 + 1},{i % 4 + 1},{i % 3 + 1}\n" for i in range(8))
    table = read_table(f"Sample,a,b,c\n,mg/L,mg/L,g\n{rows}".encode())
    assert table.ratings.col_labels == ("a: mg/L", "b: mg/L", "c: g") and table.report.header_lines == 2
    with pytest.raises(TableError, match="line 2 has texts found nowhere else") as caught:
        read_table(f"Sample,a,b,c\nRange,low,low,low\n{rows}".encode())
    assert not caught.value.markers and [a.option for a in caught.value.answers] == ["header_lines", "leave_rows"]
    for options in (ReadOptions(header_lines=2), ReadOptions(leave_rows=2)):
        table = read_table(f"Sample,a,b,c\nRange,low,low,low\n{rows}".encode(), options=options)
        assert table.ratings.shape == (8, 3)
    three = f"My survey,,,\nspring,2024,,\nSample,a,b,c\n{rows}"
    assert read_table(three.encode(), options=ReadOptions(header_lines=3)).ratings.col_labels == ("a", "b", "c")
    assert read_table(rows.encode(), options=ReadOptions(header_lines=0)).ratings.col_labels is None


@pytest.mark.parametrize("cell", ["<0.5", "3-4", "2,3"])
def test_what_an_odd_cell_looks_like_is_said_and_a_limit_or_a_range_stays_where_it_is_called_missing(cell):
    rows = "".join(f"S{i},{i % 5 + 1},{i % 4 + 1}\n" for i in range(8))
    data = f'Sample,a,b\n{rows}X,"{cell}",2\nY,3,"{cell}"\nZ,,1\n'.encode()
    with pytest.raises(TableError) as caught:
        read_table(data)
    assert re.search("bound|range|two answers", str(caught.value))
    assert caught.value.markers == (() if cell == "2,3" else (cell,))
    if caught.value.markers:
        table = read_table(data, options=ReadOptions(missing_markers=cell))
        assert write.to_csv(table, estimates(table)) == data.replace(b"Z,,1", b"Z,2.625,1")


def test_a_long_table_comes_back_long_in_its_own_order_with_all_its_columns():
    data = "when;user;item;rating\n1;ann;tea;4 - good\n2;bob;rum;2 - poor\n3;ann;rum;\n4;cy;tea;1 - bad\n"
    table = read_table(data.encode())
    assert table.report.form == "long" and table.ratings.shape == (3, 2)
    lines = write.to_csv(table, estimates(table)).decode().splitlines()
    assert lines[:3] == data.splitlines()[:3] and lines[3] == "3;ann;rum;2 - poor" and lines[4] == data.splitlines()[4]
    assert lines[5:] == [";bob;tea;2 - poor", ";cy;rum;2 - poor"]


def test_several_columns_may_name_a_row_of_a_long_table():
    pairs = [(s, a) for s in (1, 2) for a in ("ann", "bo")]
    rows = [f"{s},{a},{w},{(s + len(a) + i) % 5 + 1}" for s, a in pairs for i, w in enumerate(("x", "y"))]
    data = ("session,assessor,wine,score\n" + "\n".join(rows) + "\n").encode()
    options = ReadOptions(row_column=("session", "assessor"), column_column="wine", value_column="score")
    table = read_table(data, options=options)
    assert table.ratings.row_labels == ("1 ann", "1 bo", "2 ann", "2 bo") and table.ratings.col_labels == ("x", "y")
