"""What takes a moment is computed beside the server as long as a class is here, and otherwise in it."""

import os
import signal
import time

import pytest

from metamf.webapp.serving import aside, memory
from metamf.webapp.serving.abreast import Abreast
from metamf.webapp.serving.aside import FEWEST, Aside
from metamf.webapp.serving.heavy_process import HeavyProcess


class Class:
    """A number of visitors, and what is computed for them."""

    def __init__(self):
        self.number, self.process = 0, HeavyProcess(idle=None, niceness=0)
        self.aside = Aside(lambda: self.number, self.process)

    def comes(self, number=FEWEST):
        self.number = number
        assert self.aside.look() and self.aside.is_ready()


@pytest.fixture
def visitors(monkeypatch):
    monkeypatch.setattr(aside, "_make_ready", os.getpid)  # without the imports
    monkeypatch.setattr(aside, "SETTLED", 0.0)
    monkeypatch.setattr(memory, "left", lambda: None)
    visitors = Class()
    yield visitors
    visitors.process.end()


def test_for_few_visitors_nothing_is_started(visitors):
    visitors.number = FEWEST - 1
    assert visitors.aside.look() and not visitors.aside.crowded
    assert visitors.aside.compute(os.getpid) == os.getpid() and visitors.process.pid is None


def test_it_is_started_when_the_class_has_come_and_not_while_it_comes(visitors, monkeypatch):
    monkeypatch.setattr(aside, "SETTLED", 0.2)
    visitors.number = FEWEST
    assert visitors.aside.look() and visitors.process.pid is None and visitors.aside.crowded
    visitors.number = 0
    time.sleep(0.3)
    assert visitors.aside.look() and visitors.process.pid is None and not visitors.aside.crowded
    visitors.number = FEWEST
    assert visitors.aside.look() and visitors.process.pid is None  # they have come anew
    time.sleep(0.3)
    assert visitors.aside.look() and visitors.aside.is_ready()


def test_for_a_class_it_is_computed_in_another_process(visitors):
    visitors.number = FEWEST
    assert visitors.aside.compute(divmod, 17, 5) == (3, 2)  # here, until that is ready
    visitors.comes()
    assert visitors.aside.compute(os.getpid) == visitors.process.pid != os.getpid()
    with pytest.raises(ZeroDivisionError):
        visitors.aside.compute(divmod, 1, 0)
    assert visitors.aside.compute(os.getpid) == visitors.process.pid


def test_where_that_dies_it_is_computed_here(visitors, monkeypatch):
    visitors.comes()
    os.kill(visitors.process.pid, signal.SIGKILL)
    assert visitors.aside.compute(divmod, 17, 5) == (3, 2)
    monkeypatch.setattr(visitors.aside, "_not_before", 0.0)
    visitors.comes()  # another one is started
    assert visitors.aside.compute(os.getpid) == visitors.process.pid


def test_where_it_takes_too_long_it_is_computed_here(visitors, monkeypatch):
    visitors.comes()
    monkeypatch.setattr(aside, "SECONDS", 0.1)
    begun = time.monotonic()
    assert visitors.aside.compute(time.sleep, 0.8) is None and time.monotonic() - begun > 0.8


def test_it_ends_when_the_class_has_left(visitors):
    visitors.comes()
    visitors.number = FEWEST // 2
    assert visitors.aside.look() and visitors.aside.is_ready()
    visitors.number = FEWEST // 2 - 1
    assert visitors.aside.look() and visitors.process.pid is None
    assert visitors.aside.compute(os.getpid) == os.getpid()


def test_where_memory_is_short_none_is_started(visitors, monkeypatch):
    monkeypatch.setattr(memory, "left", lambda: 2**20)
    visitors.number = FEWEST
    assert visitors.aside.look() and visitors.process.pid is None
    monkeypatch.setattr(memory, "left", lambda: None)
    assert visitors.aside.look() and visitors.process.pid is None  # it is tried again later
    monkeypatch.setattr(visitors.aside, "_not_before", 0.0)
    assert visitors.aside.look() and visitors.aside.is_ready()


@pytest.fixture(scope="module")
def ready():
    """The process with its imports made."""
    process = HeavyProcess(idle=None)
    ready = Aside(lambda: FEWEST, process)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aside, "SETTLED", 0.0)
        assert ready.look() and ready.is_ready()
    yield ready
    process.end()


@pytest.fixture
def beside(ready, monkeypatch):
    """The same, and pages ask for it."""
    from metamf.webapp import uploads
    from metamf.webapp.matrix import shown

    monkeypatch.setattr(shown, "ASIDE", ready)
    monkeypatch.setattr(uploads, "ASIDE", ready)
    return ready


def test_a_run_is_the_same_on_either_side(beside, monkeypatch):
    from metamf.webapp.matrix import shown, sources
    from metamf.webapp.matrix.shown import RunKey, compute

    matrix = sources.example("Film club")
    key = RunKey(matrix.digest, 40, "at random", 5, "ml-1m", 10)
    there = compute(key, matrix)
    monkeypatch.setattr(shown, "ASIDE", Aside(lambda: 0))
    here = compute(key, matrix)
    assert abs(there.imputation.mean - here.imputation.mean).max() < 1e-9
    assert there.summaries == here.summaries


def test_a_small_file_is_read_there_and_a_larger_one_is_not(beside, monkeypatch):
    from metamf.tables.limits import WINDOW, TableError
    from metamf.webapp import uploads
    from metamf.webapp.uploads import SMALL, Upload

    called = []
    call = beside.process.call
    monkeypatch.setattr(beside.process, "call", lambda *said, **how: called.append(said) or call(*said, **how))
    monkeypatch.setattr(uploads.st, "session_state", {})
    table = uploads.read_upload(Upload("small.csv", b"name,a,b\nann,1,99\nbob,2,3\n"), (), WINDOW)
    assert table.ratings.nnz == 4 and len(called) == 1
    with pytest.raises(TableError, match='does not have a column "1"'):
        uploads.read_upload(Upload("wrong.csv", b"a,b\n1,2\n4,5\n"), (("ratings", ("1", "2")),), WINDOW)
    assert len(called) == 2
    uploads.read_upload(Upload("larger.csv", b"a,b\n" + b"1,2\n" * (SMALL // 4)), (), WINDOW)
    assert len(called) == 2


def test_nobody_holds_the_line_for_what_is_computed_there(beside, monkeypatch):
    from metamf.figures.window import Window
    from metamf.webapp.matrix import shown, sources
    from metamf.webapp.matrix.shown import RunKey, ShownView

    class Line:
        def __enter__(self):
            raise AssertionError

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(shown, "SHORT", Line())
    matrix = sources.example("Film club")
    key = RunKey(matrix.digest, 40, "at random", 5, "ml-1m", 10)
    view = ShownView(key, matrix, Window.of(matrix.ratings.shape))
    assert view.once("where", lambda: shown.a_moment(matrix, os.getpid)) == beside.process.pid
    assert shown.run_of(key, matrix).task.matrix.digest == matrix.digest
    monkeypatch.setattr(shown, "ASIDE", Aside(lambda: 0))
    with pytest.raises(AssertionError):
        view.once("here", os.getpid)


def test_a_page_lends_its_place_while_it_waits_for_that_process(visitors, monkeypatch):
    line, had = Abreast(places=1), []
    monkeypatch.setattr(aside, "ABREAST", line)
    visitors.comes()
    call = visitors.process.call
    monkeypatch.setattr(visitors.process, "call", lambda *said, **how: had.append(line.drawn()) or call(*said, **how))
    with line.place():
        assert visitors.aside.compute(divmod, 17, 5) == (3, 2)
        assert had == [0] and line.drawn() == 1
        with pytest.raises(ZeroDivisionError):
            visitors.aside.compute(divmod, 1, 0)
        assert had == [0, 0] and line.drawn() == 1
