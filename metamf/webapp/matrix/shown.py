"""The view of a page on one matrix, whose run is computed once per visit, and only if something needs it.

The first page opens with what ``opening`` keeps in a file, so torch need not be there before its picture is.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from metamf.checkpoints.bundled import describe, find_checkpoint
from metamf.evaluate.domain_shift import domain_shift
from metamf.evaluate.run import View, patterns
from metamf.evaluate.task import SMALL, Matrix, Task, divide
from metamf.figures.window import Window
from metamf.ratings.scale import RatingScale
from metamf.webapp.experiments.edits import Edit, EditError, Edits
from metamf.webapp.experiments.replay import floats_of, replay
from metamf.webapp.matrix import words
from metamf.webapp.matrix.sources import is_public
from metamf.webapp.serving import heavy
from metamf.webapp.serving.aside import ASIDE
from metamf.webapp.serving.heavy_worker import on_all_cores
from metamf.webapp.serving.threads import SHORT

if TYPE_CHECKING:
    from metamf.evaluate.run import TaskRun
    from metamf.evaluate.significance import Lead

T = TypeVar("T")
_LARGE = 20_000  # ratings from which a run has its turn, and a spinner says so
_HEAVY = 200_000  # ratings from which it is computed in a process of its own, some 2 seconds
_KEPT = 6  # runs of a session: one for each checkpoint, and more; some 40 MB each for a million ratings
_LARGE_RUNS = "runs_of_large_matrices"  # in the session, by key


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


class RunWords(NamedTuple):
    """Texts of Fill in and Watch on a run.

    Attributes
    ----------
    finding : sentence on what one sees
    tiles : name, number and meaning of each error
    hidden_cells : meaning of "error on hidden cells" for this matrix
    no_intervals : sentence for a model that gives no intervals
    """

    finding: str
    tiles: list[tuple[str, str, str]]
    hidden_cells: str
    no_intervals: str


class ShownView(View):
    """A view whose run is computed when it is first asked for, and that keeps what was made of it, to draw it again.

    Attributes
    ----------
    key : the inputs of the run
    matrix : the matrix
    pinned : the view of the run on the data where this one is on edited ratings; None where nothing is edited
    made : the latest results of ``once``, by name
    later : words that are drawn after the picture, each with its place on the page
    find : function that computes the run, or finds it; by default ``run_of``
    """

    def __init__(
        self,
        key: RunKey,
        matrix: Matrix,
        window: Window,
        pinned: ShownView | None = None,
        made: Mapping[Hashable, object] | None = None,
        find: Callable[[RunKey, Matrix], TaskRun] | None = None,
    ):
        later: list[tuple[Any, Callable[[], None]]] = []
        vars(self).update(key=key, matrix=matrix, window=window, pinned=pinned, made=dict(made or {}), later=later)
        vars(self).update(find=find or run_of)

    @cached_property
    def run(self) -> TaskRun:
        """The run."""
        return self.find(self.key, self.matrix)

    @property
    def data_task(self) -> Task:
        """The task without edits."""
        return task_of(self.key, self.matrix)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """The result of ``make()``, computed once per name; of many results the oldest is forgotten."""
        if name not in self.made:
            if len(self.made) >= (60 if self.window.dotted else 12):  # some ten megabytes
                del self.made[next(iter(self.made))]
            with in_line(self.matrix):
                self.made[name] = make()
        return self.made[name]

    # -- what is made of the run, once; ``opening`` keeps all four for the first page ---------------------------------

    def replay(self) -> dict[str, Any]:
        """The run as the browser gets it, beside the pinned one."""
        return self.once("replay", lambda: replay(self, self.pinned))

    def lead(self) -> Lead | None:
        """The lead over the best simple method; None where no cell is hidden."""
        from metamf.evaluate.comparison import lead_of

        squares = partial(squares_of_simple, self.key, self.matrix)
        return self.once("lead", lambda: lead_of(self.run, squares))

    def doubt(self, note_rule: bool) -> tuple[str, str]:
        """A sentence on when not to believe the run, and the kind of its note; ``note_rule`` as in ``words.doubt``."""

        def make() -> tuple[str, str]:
            unlike = domain_shift(self.run.task.given, describe(self.run.checkpoint))
            return words.doubt(self.run.summaries[-1], self.lead(), unlike, note_rule)

        return self.once(("doubt", note_rule), make)

    def words(self) -> RunWords:
        """The sentences of Fill in and Watch."""

        def make() -> RunWords:
            last, ahead = self.run.summaries[-1], self.lead()
            return RunWords(
                words.finding(last, ahead), words.tiles(last, ahead), words.hidden_cells(last), words.no_intervals(last)
            )

        return self.once("said", make)

    def low_rank(self) -> str:
        """The sentence on why the factors of the window make a matrix of low rank; '' where there is none."""

        def make() -> str:
            sent = self.replay()
            K, n, m, last = (sent[name] for name in ("K", "n", "m", "T"))
            U = floats_of(sent["U"])[-n * K :].reshape(n, K)  # of the last step
            V = floats_of(sent["V"])[-m * K :].reshape(m, K)
            if sent["round"] == "sweep" or not (np.isfinite(U).all() and np.isfinite(V).all()):
                return ""  # a sweep has effects beside the factors, and does more than to mix what was proposed
            return words.low_rank(K, n, m, last, patterns(U, V))

        return self.once("low rank", make)

    # -- words that wait for the picture ------------------------------------------------------------------------------

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


def task_of(key: RunKey, matrix: Matrix) -> Task:
    """The task of a key, without its edits."""
    return divide(matrix, key.keep / 100, key.by, key.seed)


def run_of(key: RunKey, matrix: Matrix) -> TaskRun:
    """The run of a key; says that it is computed where that takes long."""
    if matrix.ratings.values.size > _LARGE:
        return _large_run(key, matrix)
    with in_line(matrix):
        version = shareable(key, matrix)
        return _run_for_all(key, version, matrix) if version else _run(key, matrix)


def in_line(matrix: Matrix) -> AbstractContextManager:
    """The line of visitors who compute something short of a small matrix (``SHORT``); for a larger one none.

    None, too, where a process beside the server computes it: the pages that ask for it have a line of their own.
    """
    return SHORT if is_small(matrix) and not ASIDE.is_ready() else nullcontext()


def is_small(matrix: Matrix) -> bool:
    """Whether what is computed of a matrix takes a moment: aside, or one visitor after the other, and kept for all."""
    return math.prod(matrix.ratings.shape) <= SMALL


def shareable(key: RunKey, matrix: Matrix) -> str:
    """The version of the checkpoint if what is computed for a key may be kept for all visitors, otherwise ''.

    It may if nothing of it is a visitor's own: a small public matrix without edits, and a bundled checkpoint. A class
    that is asked to take the same seed computes it once.
    """
    if key.made or not is_small(matrix) or os.path.isabs(key.model) or not is_public(matrix):
        return ""
    return str(find_checkpoint(key.model).stat().st_mtime_ns)


# A visitor's data must not reach another visitor: all caches belong to the session, but for what ``shareable`` allows.
in_session = partial(st.cache_resource, scope="session", show_spinner=False)
for_all = partial(st.cache_resource, max_entries=24, show_spinner=False)  # 0.3 MB each at most


@for_all
def _run_for_all(key: RunKey, version: str, _matrix: Matrix) -> TaskRun:
    return compute(key, _matrix)


def squares_of_simple(key: RunKey, matrix: Matrix, task: Task, scale: RatingScale | None) -> Mapping[str, np.ndarray]:
    """``comparison.simple_squares`` of the task of a key, which another model on the same ratings need not compute."""
    of_task = replace(key, model="", steps=0)
    if shareable(key, matrix):
        return _squares_for_all(of_task, scale, task)
    return _squares(of_task, scale, task) if is_small(matrix) else _simple_squares(task, scale)


@for_all
def _squares_for_all(key: RunKey, scale: RatingScale | None, _task: Task) -> Mapping[str, np.ndarray]:
    return _simple_squares(_task, scale)


@in_session(max_entries=6)  # at most 80 kB each
def _squares(key: RunKey, scale: RatingScale | None, _task: Task) -> Mapping[str, np.ndarray]:
    return _simple_squares(_task, scale)


def _simple_squares(task: Task, scale: RatingScale | None) -> Mapping[str, np.ndarray]:
    from metamf.evaluate.comparison import simple_squares  # with torch

    return a_moment(task.matrix, simple_squares, task, scale)


def compute(key: RunKey, matrix: Matrix) -> TaskRun:
    """The run of a key, computed now and in any thread."""
    from metamf.evaluate.run import measured_run  # with torch

    return a_moment(matrix, measured_run, _edited_task(key, matrix), key.model, key.steps)


def a_moment(matrix: Matrix, function: Callable[..., T], *arguments: object) -> T:
    """The result of a function that takes a moment, computed aside for a small matrix."""
    return ASIDE.compute(function, *arguments) if is_small(matrix) else function(*arguments)


def _edited_task(key: RunKey, matrix: Matrix) -> Task:
    task = task_of(key, matrix)
    with suppress(EditError):  # under another seed an edit may hide the last given rating: then no edit counts
        task = Edits(key.made).apply(task)
    return task


@in_session(max_entries=_KEPT)
def _run(key: RunKey, _matrix: Matrix) -> TaskRun:
    return compute(key, _matrix)


def _large_run(key: RunKey, matrix: Matrix) -> TaskRun:
    """The run of a large matrix, computed in its turn; kept in the session."""
    from metamf.evaluate.run import measured_run  # with torch

    kept: dict[RunKey, TaskRun] = st.session_state.setdefault(_LARGE_RUNS, {})
    if key not in kept:
        n_ratings, task = matrix.ratings.values.size, _edited_task(key, matrix)
        work = on_all_cores, measured_run, task, key.model, key.steps
        with st.spinner(f"Filling in from {key.keep} % of {n_ratings:,} ratings, and checking …"):
            if n_ratings > _HEAVY:
                found = heavy.compute(("run", key), *work)
            else:
                with heavy.turn():
                    found = on_all_cores(*work[1:])
        while len(kept) >= _KEPT:
            del kept[next(iter(kept))]
        kept[key] = found
    return kept[key]
