"""A visitor's file and what is said about it, without a page."""

import gzip
import multiprocessing
import traceback
from concurrent.futures import ProcessPoolExecutor

import pytest
import server_alone
from awkward_files import workbook

from metamf.tables import read as read_module
from metamf.tables.limits import WEB, WINDOW, TableError
from metamf.webapp.your_table import uploads
from metamf.webapp.your_table.uploads import Upload


@pytest.fixture
def session(monkeypatch):
    values = {}
    monkeypatch.setattr(uploads.st, "session_state", values)
    return values


def test_what_was_said_becomes_options():
    about = (("decimal", ","), ("markers", " 99 ; ; n/a"), ("zero", True), ("duplicates", "mean"))
    options = uploads.stated_options(about, WINDOW)
    assert options.decimal == "," and options.missing_markers == ("99", "n/a") and options.zero_is_missing
    assert options.duplicates == "mean" and options.limits is WINDOW and options.form == "auto"
    with pytest.raises(TableError, match="cannot both be"):
        uploads.stated_options((("decimal", ","), ("thousands", ",")), WINDOW)


def test_a_file_is_read_as_was_said_and_its_content_is_in_no_message():
    upload = Upload("mine.csv", b"name,a,b\nann,1,19\nbob,2,3\n")
    assert uploads.read_upload(upload, (), WINDOW).ratings.nnz == 4
    assert uploads.read_upload(upload, (("markers", "19"),), WINDOW).ratings.nnz == 3
    assert "ann" not in repr(upload) and upload.size == "26 bytes" and len(upload.digest) == 64
    assert upload.digest == Upload("other.csv", upload.content).digest


def test_a_file_that_was_refused_is_not_read_again_until_something_else_is_said(session, monkeypatch):
    read, real = [], read_module.read_table
    monkeypatch.setattr(read_module, "read_table", lambda *given: read.append(given) or real(*given))
    bad = Upload("bad.csv", b"a,b,c\n1,2,3\n4,lots,1\n2,,5\n")
    said = []
    for about in ((), (), (("markers", "lots"),)):
        try:
            uploads.read_upload(bad, about, WINDOW)
        except TableError as error:
            said.append((str(error), error.columns, error.markers))
            assert len(list(traceback.walk_tb(error.__traceback__))) < 9 and error.__context__ is None
    assert len(read) == 2 and said == said[:1] * 2 and said[0][1]


@pytest.mark.slow
def test_the_engine_reads_workbooks_large_files_and_compressed_ones(straight_engine):
    lines = "\n".join(f"u{i // 700},i{i % 700},{i % 5 + 1}" for i in range(25_000))
    text = f"user,item,rating\n{lines}\n".encode()
    assert uploads.read_upload(Upload("large.csv", text), (), WINDOW).ratings.nnz == 25_000
    uploads.read_upload(Upload("small.csv.gz", gzip.compress(b"a,b\n1,2\n3,4\n")), (), WINDOW)
    uploads.read_upload(Upload("small.xlsx", workbook({"one": [["a", "b"], [1, 2], [3, 4]]})), (), WINDOW)
    assert straight_engine.called == ["read_table"] * 3
    with pytest.raises(TableError, match="600,000 rows, above the limit of 200,000"):
        uploads.read_upload(Upload("long.csv", b"a,b\n" + b"1,2\n" * 600_000), (), WINDOW)
    uploads.read_upload(Upload("small.csv", b"a,b\n1,2\n3,4\n"), (), WINDOW)
    assert len(straight_engine.called) == 4


def test_chips_of_before_do_not_take_back_what_was_said_since(monkeypatch):
    session = {"table_pills": [2, 3], "table_describes": (1,), "table_names": (0,)}
    monkeypatch.setattr(uploads.st, "session_state", session)
    uploads._press("table_pills", (0, 1, 2, 3, 4))
    assert session["table_ratings"] == (2, 3) and session["table_leave_alone"] == (4,)


def test_a_table_may_be_as_large_as_the_memory_of_a_worker_allows(session, straight_engine):
    assert WEB.within(2 * 2**30) == WEB
    little = WEB.within(2**30)
    assert 2_000_000 < little.cells == little.matrix < 3_000_000 and little.bytes == WEB.bytes
    assert WINDOW.within(2**30).matrix == WINDOW.matrix and WEB.within(0).cells == 200_000
    straight_engine.memory = 0
    with pytest.raises(TableError, match="200,000"):
        uploads.read_upload(Upload("a.csv", b"\n".join([b"1," * 600] * 400)), (), WEB)


@pytest.fixture(scope="module")
def server():
    """A process of its own: nothing that other tests left behind takes its time."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as made:
        yield made
        made.submit(server_alone.close).result()


@pytest.mark.slow
@pytest.mark.parametrize("kind", server_alone.FILES)
def test_the_server_computes_nothing_of_a_file_that_is_not_text(kind, server):
    of_few, of_many = server.submit(server_alone.read_and_write, kind).result()
    for few, many in zip(of_few, of_many):
        looks = 0.05 * many.clock  # of the engine and of Dask at the cluster, all the time
        assert many.server < few.server + looks + 0.1 * many.worker
