"""Whatever the bytes are: a Table or a TableError, in bounded time and memory, and nothing is ever executed."""

import gzip
import io
import pickle
import struct
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from awkward_files import LONG, PLAIN, SHEET, edited, npy, workbook
from exports import estimated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables_corpus import CORPUS

from metamf.tables import WEB, Limits, ReadOptions, Table, TableError, read_table
from metamf.tables.write import to_csv_wide

SMALL = Limits(bytes=200_000, expanded=400_000, rows=5_000, columns=500, cells=50_000, workbook_cells=20_000)
MIB = 2**20
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))
VALID = [case.data for case in CORPUS if case.error is None]
ALPHABET = [
    *(b", ; | :: 1 5 -2.5 3,5 1.234,5 NA 99 0 ann user item rating # sep= =1 1e999 inf ' 1'000".split()),
    *(
        b"\t",
        b" ",
        b'"',
        b"\n",
        b"\r",
        b"\r\n",
        b"\xe9",
        b"\xc3\xa9",
        b"\xff\xfe",
        b"\0",
        b"\xe2\x88\x92",
        b"\xef\xbb\xbf",
    ),
]
CHOICES = {
    "form": ["wide", "long"],
    "delimiter": [",", ";", " ", "::"],
    "decimal": [".", ","],
    "thousands": ["", " ", "'"],
    "encoding": ["utf-8", "utf-16", "latin-1", "gb18030"],
    "header": [True, False],
    "row_labels": [True, False],
    "row_column": [0, 2, "user", "q"],
    "missing_markers": [(99,), ("x", "5", float("nan"))],
    "zero_is_missing": [True],
    "duplicates": ["mean", "last", "first"],
    "sheet": [0, 7, "Data"],
}


@st.composite
def some_options(draw):
    """Mostly what is guessed, so that most files get far; sometimes a word of the user's, right or wrong."""
    said = draw(st.sets(st.sampled_from(sorted(CHOICES)), max_size=2)) if draw(st.booleans()) else ()
    return ReadOptions(**{name: draw(st.sampled_from(CHOICES[name])) for name in said}, limits=SMALL)


@st.composite
def table_like(draw):
    """Lines of cells, nearly all numbers, nearly all as many, with something odd here and there."""
    delimiter = draw(st.sampled_from([b",", b";", b"\t", b"|", b" ", b"::"]))
    width = draw(st.integers(1, 5))
    cell = st.one_of(*[st.integers(0, 9).map(lambda n: b"%d" % n)] * 3, st.sampled_from([b"", b"NA", b"2.5", b"1,5"]))
    lines = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=7))
    if draw(st.booleans()):
        name = st.sampled_from([b"user", b"item", b"rating", b"A", b"=B", b"'=B", b"\xe9", b'"a\nb"'])
        lines.insert(0, draw(st.lists(name, min_size=width, max_size=width)))
    if draw(st.booleans()):
        for line in lines:
            line[0] = draw(st.sampled_from([b"ann", b"bob", b"+c", b'"d,e"', b"7"]))
    if draw(st.booleans()):
        line = draw(st.sampled_from(lines))
        line[draw(st.integers(0, width - 1))] = draw(st.sampled_from(ALPHABET))
    return draw(st.sampled_from([b"\n", b"\r\n", b"\r"])).join(delimiter.join(line) for line in lines)


OPTIONS = some_options()


def harmless(data: bytes, options: ReadOptions = ReadOptions(limits=SMALL)) -> Table | None:
    """Reads; any exception but TableError fails the test. What was read can be described and written back."""
    try:
        table = read_table(data, "x", options)
    except TableError as error:
        assert str(error) and "\n" not in str(error)
        return None
    table.report.sentences()
    to_csv_wide(table, estimated(table, np.zeros(table.ratings.shape)))
    return table


def mutate(data: bytes, draw) -> bytes:
    data = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 8))
        data[at : at + cut] = draw(st.one_of(st.binary(max_size=4), st.sampled_from(ALPHABET)))
    return bytes(data)


def check_bytes(data, options):
    harmless(data, options)


def check_mutation(data):
    harmless(mutate(data.draw(st.sampled_from(VALID)), data.draw), data.draw(OPTIONS))


test_any_bytes = settings(RELAXED, max_examples=25)(given(st.binary(max_size=300), OPTIONS)(check_bytes))
test_any_table_like_text = settings(RELAXED, max_examples=25)(given(table_like(), OPTIONS)(check_bytes))
test_any_mutation_of_a_valid_file = settings(RELAXED, max_examples=25)(given(st.data())(check_mutation))
test_any_bytes_long = pytest.mark.slow(
    settings(RELAXED, max_examples=400)(given(st.binary(max_size=3000), OPTIONS)(check_bytes))
)
test_any_text_long = pytest.mark.slow(settings(RELAXED, max_examples=400)(given(table_like(), OPTIONS)(check_bytes)))
test_any_mutation_long = pytest.mark.slow(settings(RELAXED, max_examples=400)(given(st.data())(check_mutation)))


def test_what_a_fuzzer_has_found_is_harmless():
    for found in (Path(__file__).parents[1] / "support" / "fuzzed").iterdir():
        harmless(found.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_a_file_that_breaks_off_anywhere(case):
    for at in range(0, len(case.data), max(1, len(case.data) // 6)):
        harmless(case.data[:at])


def far_cell() -> bytes:
    return edited(workbook({"S": [["", "a"], ["x", 1], ["y", 2]]}), SHEET, b'r="B3"', b'r="XFD1048576"')


def far_row(n_sheets: int = 1) -> bytes:
    data = workbook({f"S{i}": [["", "a"], ["x", 1], ["y", 2]] for i in range(n_sheets)})
    for i in range(1, n_sheets + 1):
        for old, new in ((b'<row r="3"', b'<row r="1048576"'), (b'r="B3"', b'r="B1048576"')):
            data = edited(data, f"xl/worksheets/sheet{i}.xml", old, new)
    return data


@pytest.mark.parametrize("make", [far_cell, far_row, lambda: far_row(40)])
def test_a_far_cell_costs_no_time(make):
    """Reading pads the lines in front of it, a million of them in each sheet."""
    data, start = make(), time.process_time()
    harmless(data, ReadOptions())
    assert time.process_time() - start < 2


def padded_sheet() -> bytes:
    sheet = workbook({"S": [["", "a"], ["x", 1], ["y", 2]]})
    return edited(sheet, SHEET, b"<sheetData>", b"<sheetData>" + b" " * (70 * MIB))


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    data = workbook({"S": [["", "a"], ["x", 1], ["y", 2]]})
    data = edited(
        data, "xl/workbook.xml", b"<workbook", f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><workbook'.encode()
    )
    return edited(data, "xl/workbook.xml", b'name="S"', b'name="&a9;"')


def lying_npy() -> bytes:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }".ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64


N = WEB.bytes
BOMBS = {
    "delimiters in one line": (lambda: b"," * N, "more columns than the limit"),
    "rows without end": (lambda: b"1\n" * (N // 2), "more rows than the limit"),
    "as many cells as fit": (lambda: (b"1," * 10_000 + b"\n") * 540, None),
    "quotation marks": (lambda: b'"' * N, "in one cell"),
    "a quotation mark never closed": (lambda: b'a,b\n"' + b"1,2\n" * (N // 4 - 3), "more rows than the limit"),
    "nested quotation marks": (lambda: b'"a""b""","' * (N // 10), "more columns than the limit"),
    "one digit after the other": (lambda: b"1" * N, "in one cell"),
    "comments without end": (lambda: b"#\n" * (N // 2), "more rows than the limit"),
    "blank lines": (lambda: b"\n" * N, "empty"),
    "zero bytes": (lambda: b"\0" * N, "control character"),
    "one long line": (lambda: b"1\n" * 5 + b"," * 15_000 + b"9\n" + b"1\n" * 900_000, "has 15,001 cells where"),
    "names without end": (lambda: b"".join(b"%x,b%x,1\n" % (i, i) for i in range(60_000)), "60,000 columns"),
    "gzip bomb": (lambda: gzip.compress(b"1," * (33 * MIB), 9), "unpacks to more than the limit of 64 MB"),
    "gzip of many parts": (lambda: gzip.compress(b"") * (MIB // 16), "empty"),
    "xlsx bomb": (padded_sheet, "unpacks to 70 MB"),
    "xlsx with a far cell": (far_cell, "limit"),
    "xlsx with entities": (billion_laughs, "damaged"),
    "npy that lies about its shape": (lying_npy, "cut off"),
}


QUICK = {"gzip of many parts", "xlsx with a far cell", "xlsx with entities", "npy that lies about its shape"}


@pytest.mark.parametrize("name", [pytest.param(b, marks=[pytest.mark.slow] * (b not in QUICK)) for b in BOMBS])
def test_a_bomb_is_refused_or_harmless_within_seconds(name):
    make, error = BOMBS[name]
    data = make()
    assert len(data) <= WEB.bytes
    start = time.process_time()
    if error is None:
        assert read_table(data).ratings.nnz > 5_000_000
    else:
        with pytest.raises(TableError, match=error):
            read_table(data, name)
    assert time.process_time() - start < 15


def test_a_zip_that_understates_its_size_is_not_unpacked_beyond_it():
    sheet = workbook({"S": [["", "a"], ["x", 1], ["y", 2]]})
    data = edited(sheet, SHEET, b"<sheetData>", b"<sheetData>" + b" " * MIB)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo(SHEET).file_size
    lying = data.replace(struct.pack("<I", size), struct.pack("<I", 100))
    with pytest.raises(TableError, match="damaged"):
        read_table(lying)


def test_a_pickle_is_never_loaded():
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was executed",))

    payload = npy(np.array([[Trap()]], dtype=object), allow_pickle=True)
    with pytest.raises(TableError, match="never read"):
        read_table(payload)
    with pytest.raises(TableError):
        read_table(pickle.dumps(Trap()))


def test_a_damaged_npy_header_is_refused():
    for header in (
        b"(" * 500,
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}",
        b"{'descr': ['f8'], 'shape': 1}",
        b"\xff" * 40,
    ):
        with pytest.raises(TableError):
            read_table(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 8)


def test_control_characters_are_refused_with_their_place():
    with pytest.raises(TableError, match=r"U\+001B in line 4"):
        read_table(PLAIN.encode() + b"\x1b[31m,1,2,3\n")


@pytest.mark.slow
@pytest.mark.parametrize("n", [200_000, 1_000_000])
def test_reading_a_long_file_takes_seconds(n):
    rows, cols = np.divmod(np.arange(n), 1000)
    body = "\n".join(f"{r},{c},{(r + c) % 5 + 1}" for r, c in zip(rows.tolist(), cols.tolist()))
    start = time.process_time()
    table = read_table(b"user,item,rating\n" + body.encode())
    assert table.ratings.nnz == n and time.process_time() - start < 1 + n / 100_000


def test_a_gzip_with_rubbish_behind_it_is_read_or_refused():
    harmless(gzip.compress(LONG.encode()) + b"rubbish")
    harmless(b"\x1f\x8b" + zlib.compress(b"1,2\n3,4"))
