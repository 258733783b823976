"""Whatever the bytes are: a Table or a TableError, in bounded time and memory, and nothing is ever
executed."""

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
from awkward_files import LONG, PLAIN, SHEET, corpus, edited, npy, workbook
from exports import estimated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pace import references

from metamf.tables import WEB, Limits, Table, TableError, apply, propose, read
from metamf.tables.write import to_csv_wide

SMALL = Limits(
    bytes=200_000, expanded=400_000, rows=5_000, columns=500, cells=50_000, workbook_cells=20_000
)
MIB = 2**20
RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))
VALID = [*corpus().values()]
SIGNS = b", ; | :: 1 5 -2.5 3,5 1.234,5 NA 99 0 ann user item rating # sep= =1 1e999 inf ' 1'000"
ALPHABET = [*SIGNS.split(), b"\t", b" ", b'"', b"\n", b"\r", b"\r\n", b"\xe9", b"\xc3\xa9"]
ALPHABET += [b"\xff\xfe", b"\0", b"\xe2\x88\x92", b"\xef\xbb\xbf"]
EDITS = [
    *("form: wide", "form: long", "form: long 1,2,3", "header: 0", "header: 2", "line 2: skip"),
    *("delimiter: ;", "delimiter: ::", "delimiter: space", "decimal: ,", "thousands: '"),
    *("encoding: utf-16", "encoding: latin-1", "encoding: none", "sheet: Data", "sheet: 1"),
    *("1: fill", "2: keep", "2: name", "2: missing 5", "2: number x", "2: order 1<2<5"),
    *("2: scale 1 to 5", "2: as {} %", "all: keep", "all: scale 0 to 9", "all: proposed"),
]


@st.composite
def some_edits(draw):
    """Mostly none, so that most files get far; sometimes what a person says, right or wrong."""
    return draw(st.lists(st.sampled_from(EDITS), max_size=2)) if draw(st.booleans()) else []


@st.composite
def table_like(draw):
    """Lines of cells, nearly all numbers, nearly all as many, with something odd here and there."""
    delimiter = draw(st.sampled_from([b",", b";", b"\t", b"|", b" ", b"::"]))
    width = draw(st.integers(1, 5))
    cell = st.one_of(
        *[st.integers(0, 9).map(lambda n: b"%d" % n)] * 3,
        st.sampled_from([b"", b"NA", b"2.5", b"1,5"]),
    )
    lines = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=7))
    if draw(st.booleans()):
        name = st.sampled_from(
            [b"user", b"item", b"rating", b"A", b"=B", b"'=B", b"\xe9", b'"a\nb"']
        )
        lines.insert(0, draw(st.lists(name, min_size=width, max_size=width)))
    if draw(st.booleans()):
        for line in lines:
            line[0] = draw(st.sampled_from([b"ann", b"bob", b"+c", b'"d,e"', b"7"]))
    if draw(st.booleans()):
        line = draw(st.sampled_from(lines))
        line[draw(st.integers(0, width - 1))] = draw(st.sampled_from(ALPHABET))
    return draw(st.sampled_from([b"\n", b"\r\n", b"\r"])).join(
        delimiter.join(line) for line in lines
    )


SAID = some_edits()


def harmless(data: bytes, edits=(), limits=SMALL) -> Table | None:
    """Reads; any exception but TableError fails the test. What was read can be described and
    written back."""
    try:
        plan = propose(data, edits=edits, limits=limits)
        table = apply(data, plan, limits=limits)
    except TableError as error:
        assert str(error) and "\n" not in str(error).replace("\\n", "")
        return None
    assert len(table.summary()) <= 12 and max(map(len, table.summary())) <= 100
    to_csv_wide(table, estimated(table, np.zeros(table.ratings.shape)))
    return table


def mutate(data: bytes, draw) -> bytes:
    data = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 8))
        data[at : at + cut] = draw(st.one_of(st.binary(max_size=4), st.sampled_from(ALPHABET)))
    return bytes(data)


def check_bytes(data, edits):
    harmless(data, edits)


def check_mutation(data):
    harmless(mutate(data.draw(st.sampled_from(VALID)), data.draw), data.draw(SAID))


def hypothesis(examples, check, *strategies):
    return settings(RELAXED, max_examples=examples)(given(*strategies)(check))


test_any_bytes = hypothesis(25, check_bytes, st.binary(max_size=300), SAID)
test_any_table_like_text = hypothesis(25, check_bytes, table_like(), SAID)
test_any_mutation_of_a_valid_file = hypothesis(25, check_mutation, st.data())
LONG_ONES = [
    hypothesis(400, check_bytes, st.binary(max_size=3000), SAID),
    hypothesis(400, check_bytes, table_like(), SAID),
    hypothesis(400, check_mutation, st.data()),
]


@pytest.mark.slow
@pytest.mark.parametrize("check", LONG_ONES, ids=["bytes", "text", "mutation"])
def test_many_of_these(check):
    check()


def test_what_a_fuzzer_has_found_is_harmless():
    for found in (Path(__file__).parents[1] / "support" / "fuzzed").iterdir():
        harmless(found.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus())
def test_a_file_that_breaks_off_anywhere(name):
    data = corpus()[name]
    for at in range(0, len(data), max(1, len(data) // 6)):
        harmless(data[:at])


ROWS = {"S": [["", "a"], ["x", 1], ["y", 2]]}


def far_cell() -> bytes:
    return edited(workbook(ROWS), SHEET, b'r="B3"', b'r="XFD1048576"')


def far_row(n_sheets: int = 1) -> bytes:
    data = workbook({f"S{i}": ROWS["S"] for i in range(n_sheets)})
    for i in range(1, n_sheets + 1):
        for old, new in ((b'<row r="3"', b'<row r="1048576"'), (b'r="B3"', b'r="B1048576"')):
            data = edited(data, f"xl/worksheets/sheet{i}.xml", old, new)
    return data


@pytest.mark.parametrize("make", [far_cell, far_row, lambda: far_row(40)])
def test_a_far_cell_costs_no_time(make):
    """Reading pads the lines in front of it, a million of them in each sheet."""
    data, start = make(), time.process_time()
    harmless(data, limits=WEB)
    assert time.process_time() - start < references(40)


def padded_sheet(size: int = 70 * MIB) -> bytes:
    return edited(workbook(ROWS), SHEET, b"<sheetData>", b"<sheetData>" + b" " * size)


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    start = f'<!DOCTYPE x [<!ENTITY a0 "ha">{entities}]><workbook'.encode()
    data = edited(workbook(ROWS), "xl/workbook.xml", b"<workbook", start)
    return edited(data, "xl/workbook.xml", b'name="S"', b'name="&a9;"')


def lying_npy(header=None) -> bytes:
    shape = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    header = header or shape.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64


N = WEB.bytes
LONG_LINE = b"1\n" * 5 + b"," * 15_000 + b"9\n" + b"1\n" * 900_000
GZIP = "unpacks to more than the limit of 64 MB"
BOMBS = {
    "delimiters in one line": (lambda: b"," * N, "more columns than the limit"),
    "rows without end": (lambda: b"1\n" * (N // 2), "more rows than the limit"),
    "as many cells as fit": (lambda: (b"1," * 10_000 + b"\n") * 540, None),
    "quotation marks": (lambda: b'"' * N, "in one cell"),
    "a mark never closed": (
        lambda: b'a,b\n"' + b"1,2\n" * (N // 4 - 3),
        "more rows than the limit",
    ),
    "nested marks": (lambda: b'"a""b""","' * (N // 10), "more columns than the limit"),
    "one digit after the other": (lambda: b"1" * N, "in one cell"),
    "comments without end": (lambda: b"#\n" * (N // 2), "more rows than the limit"),
    "blank lines": (lambda: b"\n" * N, "empty"),
    "zero bytes": (lambda: b"\0" * N, "control character"),
    "one long line": (lambda: LONG_LINE, "900,005 rows"),
    "names without end": (lambda: b"".join(b"%x,b%x,1\n" % (i, i) for i in range(60_000)), None),
    "gzip bomb": (lambda: gzip.compress(b"1," * (33 * MIB), 9), GZIP),
    "gzip of many parts": (lambda: gzip.compress(b"") * (MIB // 16), "empty"),
    "xlsx bomb": (padded_sheet, "unpacks to 70 MB"),
    "xlsx with entities": (billion_laughs, "damaged"),
    "npy that lies about its shape": (lying_npy, "cut off"),
}
QUICK = [name for name in BOMBS if name.startswith(("gzip of", "xlsx with", "npy"))]


@pytest.mark.parametrize(
    "name", [pytest.param(b, marks=[pytest.mark.slow] * (b not in QUICK)) for b in BOMBS]
)
def test_a_bomb_is_refused_or_harmless_within_seconds(name):
    make, error = BOMBS[name]
    data = make()
    assert len(data) <= WEB.bytes
    start = time.process_time()
    if error is None:
        assert read(data, limits=WEB).ratings.nnz > 0
    else:
        with pytest.raises(TableError, match=error):
            read(data, limits=WEB)
    assert time.process_time() - start < references(300)


def test_a_zip_that_understates_its_size_is_not_unpacked_beyond_it():
    data = padded_sheet(MIB)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo(SHEET).file_size
    lying = data.replace(struct.pack("<I", size), struct.pack("<I", 100))
    with pytest.raises(TableError, match="damaged"):
        read(lying)


def test_a_pickle_is_never_loaded():
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was executed",))

    payload = npy(np.array([[Trap()]], dtype=object), allow_pickle=True)
    with pytest.raises(TableError, match="never read"):
        read(payload)
    with pytest.raises(TableError):
        read(pickle.dumps(Trap()))


@pytest.mark.parametrize(
    "header",
    [
        b"(" * 500,
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}",
        b"{'descr': ['f8'], 'shape': 1}",
        b"\xff" * 40,
    ],
)
def test_a_damaged_npy_header_is_refused(header):
    with pytest.raises(TableError):
        read(lying_npy(header))


def test_control_characters_are_refused_with_their_place():
    with pytest.raises(TableError, match=r"U\+001B in line 4"):
        read(PLAIN.encode() + b"\x1b[31m,1,2,3\n")


@pytest.mark.slow
@pytest.mark.parametrize("n", [200_000, 1_000_000])
def test_reading_a_long_file_takes_seconds(n):
    rows, cols = np.divmod(np.arange(n), 1000)
    body = "\n".join(f"{r},{c},{(r + c) % 5 + 1}" for r, c in zip(rows.tolist(), cols.tolist()))
    start = time.process_time()
    table = read(b"user,item,rating\n" + body.encode())
    assert time.process_time() - start < references(20 + n / 5_000)
    assert table.ratings.nnz == n


def test_a_gzip_with_rubbish_behind_it_is_read_or_refused():
    harmless(gzip.compress(LONG.encode()) + b"rubbish")
    harmless(b"\x1f\x8b" + zlib.compress(b"1,2\n3,4"))


@pytest.mark.slow
def test_thousands_of_columns_that_share_nothing_take_seconds():
    """The third power of their number took hours."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(10, 2000)) * 10 ** rng.uniform(0, 4, 2000)).round(2)
    lines = [",".join(f"q{j}" for j in range(2000)), *(",".join(map(str, x)) for x in X)]
    start = time.process_time()
    assert len(propose("\n".join(lines).encode()).columns) == 2000
    assert time.process_time() - start < references(200)
