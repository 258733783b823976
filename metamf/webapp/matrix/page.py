"""The start that all pages on one matrix share: title, data, and the view that the figures are drawn from.

A rerun computes nothing again: runs and the figures made of them are kept in the visitor's session.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.checkpoints.bundled import describe
from metamf.figures.window import LARGEST_DRAWN, LARGEST_WINDOW, Window
from metamf.filling.departures import departures
from metamf.tables.limits import WINDOW, TableError
from metamf.tasks.comparison import Contender, in_order, lead_of, meta_learned, of_baseline, of_run, training_data
from metamf.tasks.edits import Edit, EditError, Edits
from metamf.tasks.lead import Lead
from metamf.tasks.run import TaskRun, run
from metamf.tasks.task import Matrix, Task, divide
from metamf.tasks.view import View
from metamf.webapp import look, uploads
from metamf.webapp.matrix import edits, grid, links, sources, words
from metamf.webapp.matrix.checkpoints import checkpoint_choices
from metamf.webapp.matrix.state import DEFAULT, FILE, GRID, UPLOAD, AppState
from metamf.wording import in_mib

T = TypeVar("T")
_LARGE = 20_000  # ratings from which a spinner says that something is being computed; chosen by hand


@dataclass(frozen=True)
class RunKey:
    """The inputs that a run depends on; equal keys have equal runs.

    Attributes
    ----------
    digest : digest of the matrix
    keep, by, seed : the choice of the given ratings, as in ``AppState``
    model : name or path of the checkpoint
    steps : number of its sweeps or steps
    made : the edits of the given ratings
    """

    digest: str
    keep: int
    by: str
    seed: int
    model: str
    steps: int
    made: tuple[Edit, ...] = ()


@dataclass(frozen=True, eq=False)
class ShownView(View):
    """A view that keeps the figures and sentences made of it, to draw them again.

    Attributes
    ----------
    pinned : the view of the run on the data where this one is on edited ratings; None where nothing is edited
    made : the latest results of ``once``, by name
    later : words that are drawn after the picture, each with its place on the page
    """

    pinned: View | None = None
    made: dict[Hashable, object] = field(default_factory=dict)
    later: list[tuple[Any, Callable[[], None]]] = field(default_factory=list)

    @property
    def data_task(self) -> Task:
        """The task without edits."""
        return (self.pinned or self).run.task

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """The result of ``make()``, computed once per name; of many results the oldest is forgotten."""
        if name not in self.made:
            if len(self.made) >= (60 if self.window.dotted else 12):  # some ten megabytes; chosen by hand
                del self.made[next(iter(self.made))]
            self.made[name] = make()
        return self.made[name]

    def say(self, draw: Callable[[], None]) -> None:
        """Draws words above the picture. Those on edited ratings take longer than the picture: they come after it."""
        place = st.container()
        self.later.append((place, draw))
        if self.pinned is None:
            self.say_rest()

    def say_rest(self) -> None:
        """Draws the words that have waited for the picture."""
        for place, draw in self.later:
            with place:
                draw()
        self.later.clear()


def open_page(title: str, lead: str, note_rule: bool = True, picture: bool = False) -> ShownView:
    """Draws the head of a page and returns its view; if there is nothing to show, says why and ends the page.

    Parameters
    ----------
    title, lead : the title, and the sentence below it
    note_rule : whether the note on when not to believe it names steps that diverge
    picture : whether the page draws the player, which then calls ``say_rest``
    """
    look.title(title, lead)
    if not checkpoint_choices():
        _end("There is no checkpoint in the folder pretrained: run `python -m metamf train` to make one.")
    state = AppState.read(st.session_state)
    matrix = _matrix(state)
    if not matrix.ratings.values.size:
        _end("No cell of the matrix holds a number yet: type at least one rating.")
    if np.abs(matrix.ratings.values).max() > LARGEST_DRAWN:
        _end(f"The matrix holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common factor.")
    key = _key(state, matrix, edits.of_matrix(_source(state, matrix), matrix.ratings))
    corner = _corner(matrix.ratings.shape)
    view = _view(key, corner, _run_of(key, matrix), _run_of(replace(key, made=()), matrix) if key.made else None)
    links.note()
    view.later.clear()  # of a run that was stopped
    view.say(lambda: _note_doubt(view, note_rule))
    if not picture:
        view.say_rest()
        if key.made:
            look.note(edits.elsewhere(len(key.made)))
    return view


def lead(view: ShownView) -> Lead | None:
    """The lead of the shown model over the best simple method; None where no cell is hidden."""
    return view.once("lead", lambda: lead_of(view.run))


def _note_doubt(view: ShownView, note_rule: bool) -> None:
    sentence, kind = view.once(("doubt", note_rule), lambda: _doubt(view, note_rule))
    if sentence:
        look.note(sentence, kind)


def _doubt(view: ShownView, note_rule: bool) -> tuple[str, str]:
    run = view.run
    unlike = departures(run.task.given, describe(run.checkpoint))
    return words.doubt(run.summaries[-1], lead(view), unlike, note_rule)


def contenders(view: View, baselines: Sequence[str]) -> Iterator[tuple[list[Contender], str | None]]:
    """Yields the methods that have answered, and the key of the baseline that is computed next, None at the end.

    The first to answer are all checkpoints that can be chosen. If cells are hidden, the best method comes first.
    """
    state, task = AppState.read(st.session_state), view.run.task
    made = edits.desk().edits
    keys = {name: _key(replace(state, model=name), task.matrix, made) for name in checkpoint_choices()}
    runs = {name: _run_of(key, task.matrix) for name, key in keys.items()}

    def answer(method: str) -> Contender:
        units_of = runs[training_data(method, state.model)] if meta_learned(method) else None
        return _baseline(keys[state.model], method, view.run, units_of)

    for found, waiting in in_order(baselines, answer):
        found = [*map(of_run, runs.values()), *found]
        yield sorted(found, key=lambda c: c.rmse) if task.hidden.nnz else found, waiting


def _key(state: AppState, matrix: Matrix, made: Edits) -> RunKey:
    T = state.sweeps if checkpoint_choices()[state.model].takes_sweeps else state.steps
    return RunKey(matrix.digest, state.keep, state.by, state.seed, state.model, T, made.made)


def _source(state: AppState, matrix: Matrix) -> str:
    """Which matrix it is, as long as its cells mean the same: numbers that are typed into a grid leave it the same."""
    if state.data == GRID:
        return f"{GRID} {grid.desk().brought} {matrix.ratings.shape}"
    return matrix.digest


def _run_of(key: RunKey, matrix: Matrix) -> TaskRun:
    size = matrix.ratings.values.size
    waiting = f"Filling in from {key.keep} % of {size:,} ratings, and checking …"
    with st.spinner(waiting) if size > _LARGE else nullcontext():
        return _run(key, matrix)


# A visitor's data must not reach another visitor: all caches belong to the session.
_cached = partial(st.cache_resource, scope="session", show_spinner=False)


@_cached(max_entries=6)  # one for each checkpoint, and more: some 40 MB each for a million ratings
def _run(key: RunKey, _matrix: Matrix) -> TaskRun:
    task = divide(_matrix, key.keep / 100, key.by, key.seed)
    with suppress(EditError):  # under another seed an edit may hide the last given rating: then no edit counts
        task = Edits(key.made).apply(task)
    found = run(task, key.model, key.steps)
    _ = found.summaries  # with the run, since it takes a second for a million ratings
    return found


@_cached(max_entries=6)
def _view(key: RunKey, corner: tuple[int, int], _run: TaskRun, _pinned: TaskRun | None) -> ShownView:
    window = Window.of(_run.task.matrix.ratings.shape, *corner)
    return ShownView(_run, window, None if _pinned is None else View(_pinned, window))


@_cached(max_entries=40)
def _baseline(key: RunKey, method: str, _run: TaskRun, _units_of: TaskRun | None) -> Contender:
    return of_baseline(method, _run.task, _run.imputation.scale, _units_of)


def _matrix(state: AppState) -> Matrix:
    if (name := sources.DATA_SETS.get(state.data)) is not None:
        if not datasets.available(name):
            _offer_download(name)
        try:
            return sources.held_out_block(name, state.block)
        except ValueError as error:  # an archive that is damaged, or not what its publisher distributes
            _end(f"{datasets.ARCHIVES[name].title} cannot be read: {error}.")
    if state.data == UPLOAD:
        return _uploaded()
    if state.data == GRID:
        return grid.draw()
    return sources.example(state.data)


def _offer_download(name: str) -> None:
    archive = datasets.ARCHIVES[name]
    look.note(
        f"{archive.title} is not on this machine yet. It is downloaded from its publisher, "
        f"{archive.size / 1e6:.1f} MB. {archive.licence}"
    )
    st.markdown(f"[{archive.page}]({archive.page})")
    if st.button(f"Download {archive.title}", type="primary"):
        bar = st.progress(0.0, "Asking the publisher …")
        try:
            datasets.download(
                name,
                progress=lambda done, total: bar.progress(
                    min(done / total, 1.0), f"{done / 1e6:.1f} of {total / 1e6:.1f} MB"
                ),
            )
        except (datasets.DownloadError, OSError):
            bar.empty()
            _end(f"{archive.title} could not be downloaded now. Try again later, or choose an example meanwhile.")
        st.rerun()
    st.stop()


def _uploaded() -> Matrix:
    if "upload" not in st.session_state:
        look.note(
            "Choose a file with the button in the sidebar: a table with rows, columns and numbers, empty where "
            "there is no rating; or a list of row, column, rating. It stays in this session only."
        )
        st.stop()
    session, upload, about = st.session_state, st.session_state.upload, uploads.said(FILE)
    bar = st.empty()  # in every run, so that nothing below it is drawn anew when it has gone
    if "upload_read" in session and session.upload_read.about != about:
        del session.upload_read  # before the next one takes memory
    if "upload_read" not in session:

        def show(share: float) -> None:
            bar.progress(share, f"Reading {in_mib(len(upload.content))} …")

        try:
            session.upload_read = _read(upload, about, show)
        except TableError as error:
            _end(f"{upload.name}: {error}.")
        finally:
            bar.empty()
    with st.expander(f"{upload.name}: what was understood"):
        for sentence in session.upload_read.sentences:
            look.small(sentence)
    return session.upload_read.matrix


class _Read(NamedTuple):
    """A visitor's file as it was read.

    Attributes
    ----------
    about : what the visitor said about the reading
    matrix : the matrix in the file
    sentences : how the file was understood
    """

    about: uploads.Said
    matrix: Matrix
    sentences: list[str]


def _read(upload: uploads.Upload, about: uploads.Said, progress: Callable[[float], None]) -> _Read:
    table = uploads.read(upload, about, WINDOW, progress)
    matrix = Matrix(upload.name or "Your file", "Your file stays in this session only.", table.ratings)
    return _Read(about, matrix, table.report.sentences())


def _corner(shape: tuple[int, int]) -> tuple[int, int]:
    """First row and column to show, counted from 0; the visitor chooses them if the matrix is large."""
    N, M = shape
    if max(N, M) <= LARGEST_WINDOW:
        return 0, 0
    note, top, left = st.columns([3, 1, 1], vertical_alignment="bottom")
    first_row = top.number_input("First row", 1, N, DEFAULT.top, key="top", bind="query-params")
    first_col = left.number_input("First column", 1, M, DEFAULT.left, key="left", bind="query-params")
    window = Window.of(shape, first_row - 1, first_col - 1)
    with note:
        look.note(
            f"The matrix has {N:,} rows × {M:,} columns. All of it is filled in and measured; the page shows rows "
            f"{window.top + 1:,} to {window.top + window.height:,} and columns {window.left + 1:,} to "
            f"{window.left + window.width:,}."
        )
    return window.top, window.left


def _end(sentence: str) -> None:
    look.note(sentence, "warning")
    st.stop()
