"""The view of a page on one matrix, its run, and where what is computed for it is kept.

What holds nothing of a visitor's own is computed once for all visitors: a class that is asked to take the same seed
computes it once. Everything else is kept in the session.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from metamf.answer.division import SMALL, Matrix, Selection, Task, divide
from metamf.checkpoints.bundled import describe, find_checkpoint
from metamf.datasets.archives import DRAWN
from metamf.figures.window import Axes, Window
from metamf.webapp import waiting
from metamf.webapp.explore import words
from metamf.webapp.explore.choices import is_public
from metamf.webapp.explore.edits import Edit, EditError, Edits
from metamf.webapp.explore.run import Run, measured_run, patterns
from metamf.webapp.explore.words import Measured, Off
from metamf.webapp.player.replay import floats_of, replay
from metamf.webapp.player.still import Still, scene_of
from metamf.webapp.session import remember

if TYPE_CHECKING:
    from metamf.answer.significance import Lead

T = TypeVar("T")
_SHORT = threading.RLock()
_LARGE = 20_000  # ratings from which a run is computed by the engine


@dataclass(frozen=True)
class RunKey:
    """The inputs of a run: digest of the matrix, choice of given ratings, checkpoint, sweeps or steps, and edits;
    ``told``: whether it has the features of the columns, too."""

    digest: str
    keep: int
    by: Selection
    seed: int
    model: str
    steps: int
    made: tuple[Edit, ...] = ()
    told: bool = False


class BesideSimple(NamedTuple):
    """A run next to the best simple method on the same hidden cells."""

    over: Lead
    own: Off
    simple: Off


@dataclass(frozen=True, eq=False)
class PageView:
    """What a page on one matrix draws: a run, which is computed when it is first asked for, in a window.

    ``pinned`` is the view of the run that this one is compared with: without the genre where it is told, otherwise on
    the data where it is on edited ratings. ``later`` has the words that are drawn after the picture, each with its
    place on the page.
    """

    key: RunKey
    matrix: Matrix
    window: Window
    pinned: PageView | None = None
    later: list[tuple[Any, Callable[[], None]]] = field(default_factory=list)

    @cached_property
    def run(self) -> Run:
        """The run."""
        return run_of(self.key, self.matrix)

    @property
    def given(self) -> np.ndarray:
        """(n, m) the given ratings of the window, NaN where there is none."""
        return self.window.dense(self.run.task.given)

    @property
    def axes(self) -> Axes:
        """The names of the rows and columns in the window."""
        return Axes.of(self.matrix.ratings, self.window)

    def scene(self, maps: Sequence[Still], **how: Any) -> dict[str, Any]:
        """Maps of the window as the player draws them, with dots on the given ratings; ``how`` as of ``scene_of``."""
        usual: dict[str, Any] = {"given": self.given, "shape": self.matrix.ratings.shape}
        return scene_of(self.matrix.name, maps, self.axes, **usual | how)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """The result of ``make()``, computed once per name and session."""

        def in_turn() -> T:
            with _turn(self.matrix):
                return make()

        most = 60 if self.window.dotted else 12  # some ten megabytes
        return remember("drawn", (self.key, self.window, name), in_turn, most=most)

    # -- what is made of the run, once ---------------------------------------------------------------------------------

    def replay(self) -> dict[str, Any]:
        """The run as the browser gets it, next to the pinned one."""

        def make() -> dict[str, Any]:
            pinned = None if self.pinned is None else self.pinned.run
            return replay(self.run, self.window, pinned, "the genre" if self.key.told else "your edits")

        return self.once("replay", make)

    @cached_property
    def beside_simple(self) -> BesideSimple | None:
        """The run next to the best simple method; None where no cell is hidden. It is kept for the files that a visitor
        takes away, which are made outside of a session."""
        from metamf.answer.significance import lead_over_best
        from metamf.webapp.explore.comparison import simple_errors

        def make() -> BesideSimple | None:
            task = self.run.task
            scale = self.run.answer.limits
            if not task.hidden.nnz:
                return None
            of_task = replace(self.key, model="", steps=0)  # another model on the same ratings need not compute it
            errors = cached(("simple", scale), of_task, self.matrix, lambda: simple_errors(task, scale))
            squares = {name: np.square(one) for name, one in errors.items()}
            over = lead_over_best(self.run.hidden_squares, squares, task.hidden)
            return BesideSimple(over, Off.by(self.run.hidden_deviations), Off.by(errors[over.over]))

        return self.once("beside simple", make)

    def finding(self, measured: Measured | None = None) -> str:
        """Returns the result in a few sentences; ``measured``: over many draws of the same world."""
        beside = self.beside_simple
        if not self.key.told or self.pinned is None or beside is None:
            over, own, other = beside or (None, None, None)
            liked = self.key.by == "what people like" and describe(self.run.method).data in DRAWN
            return words.finding(self.run, over, own, other, measured, liked)
        from metamf.answer.significance import lead

        gain = lead(self.run.hidden_squares, self.pinned.run.hidden_squares, self.run.task.hidden)
        return words.told(gain, beside.own.rmse, words.unit(self.matrix.ratings.scale))

    def low_rank(self) -> str:
        """The sentence on the parts of the window, or on why its factors make a matrix of low rank; '' without one."""

        def make() -> str:
            sent = self.replay()
            K = sent["K"]
            n = sent["n"]
            m = sent["m"]
            U = floats_of(sent["U"])[-n * K :].reshape(n, K)  # of the last step
            V = floats_of(sent["V"])[-m * K :].reshape(m, K)
            if sent["round"] == "sweep" or not (np.isfinite(U).all() and np.isfinite(V).all()):
                return ""  # a sweep has effects besides the factors, and does more than to mix what was proposed
            if sent["model"]["kind"] == "nmf":
                return words.parts(sent["mean"], self.run.task.given.scale is not None, V)
            return words.low_rank(K, n, m, sent["T"], patterns(U, V))

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
    if not key.told and matrix.ratings.col_features is not None:
        matrix = replace(matrix, ratings=replace(matrix.ratings, col_features=None))
    return divide(matrix, key.keep / 100, key.by, key.seed)


def run_of(key: RunKey, matrix: Matrix) -> Run:
    """The run of a key; the engine computes that of a large matrix while the page waits."""
    if matrix.ratings.nnz <= _LARGE or os.path.isabs(key.model):  # a worker may not have a visitor's checkpoint
        return cached("run", key, matrix, lambda: compute(key, matrix))
    with st.spinner(f"Filling in from {key.keep} % of {matrix.ratings.nnz:,} ratings, and checking …"):
        return waiting.compute_once(("run", key), measured_run, _edited_task(key, matrix), key.model, key.steps)


def compute(key: RunKey, matrix: Matrix) -> Run:
    """The run of a key, computed now."""
    return measured_run(_edited_task(key, matrix), key.model, key.steps)


def cached(name: Hashable, key: RunKey, matrix: Matrix, make: Callable[[], T]) -> T:
    """``make()``, computed once for all visitors where nothing of it is a visitor's own, otherwise once per session.

    It is shared for a small public matrix without edits and a bundled checkpoint.
    """
    own = key.made or not is_small(matrix) or os.path.isabs(key.model) or not is_public(matrix)
    with _turn(matrix):  # before any lock of a cache
        if own:
            return remember("own", (name, key), make, most=60)
        version = find_checkpoint(key.model).stat().st_mtime_ns if key.model else 0
        return _for_all(name, key, version, make)


def is_small(matrix: Matrix) -> bool:
    """Whether a matrix is filled in within a moment."""
    return math.prod(matrix.ratings.shape) <= SMALL


def _turn(matrix: Matrix) -> AbstractContextManager:
    """Serialises short computations, which would contend for Python's global lock.

    Without it 95 of 100 of forty visitors waited 1.8 to 3.2 s for another model (benchmarks.load.visits).
    """
    return _SHORT if is_small(matrix) else nullcontext()


@st.cache_resource(max_entries=120, show_spinner=False)  # 0.3 MB each at most
def _for_all(name: Hashable, key: RunKey, version: int, _make: Callable[[], T]) -> T:
    return _make()


def _edited_task(key: RunKey, matrix: Matrix) -> Task:
    return counted_edits(key, matrix).apply(task_of(key, matrix))


def counted_edits(key: RunKey, matrix: Matrix) -> Edits:
    """The edits of a key; none where under another seed one would hide the last given rating."""
    with suppress(EditError):
        Edits(key.made).apply(task_of(key, matrix))
        return Edits(key.made)
    return Edits()
