"""What a page on one matrix begins with: the matrix, from wherever the visitor takes it, its runs,
and the window that is drawn.

What holds nothing of a visitor's own is computed once for all visitors: a class that is asked to
take the same seed computes it once. Everything else is kept in the session.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn, TypeVar

import numpy as np
import streamlit as st

from metamf import datasets
from metamf.answer.division import SMALL, Matrix, Selection, Task, divide
from metamf.answer.domain_shift import domain_shift
from metamf.answer.significance import lead, lead_over_best
from metamf.checkpoints.bundled import describe, find_checkpoint
from metamf.datasets.archives import DRAWN
from metamf.figures.window import LARGEST_DRAWN, Axes, Window
from metamf.tables.limits import WINDOW, TableError
from metamf.webapp import caches, choices, jobs, look
from metamf.webapp.choices import DEFAULT, UPLOAD, AppState, checkpoint_choices, is_public
from metamf.webapp.data import box, own
from metamf.webapp.player.still import Still, scene_of
from metamf.webapp.run import sentences
from metamf.webapp.run.comparison import simple_errors
from metamf.webapp.run.edits import Edit, EditError, Edits, edits_of
from metamf.webapp.run.measured_run import Run, measured_run, patterns, trained_safe
from metamf.webapp.run.replay import replay
from metamf.webapp.run.sentences import BesideSimple, Measured, Off
from metamf.wording import counted

T = TypeVar("T")
# an environment variable; "on", or none: visitors may let data sets be downloaded
DOWNLOADS = "METAMF_DOWNLOADS"
_SHORT = threading.RLock()
_LARGE = 20_000  # ratings from which a run is computed by the engine


@dataclass(frozen=True)
class RunKey:
    """The inputs of a run: digest of the matrix, choice of given ratings, checkpoint, sweeps or
    steps, and edits; ``features``: whether it has the features of the columns, too."""

    digest: str
    keep: int
    by: Selection
    seed: int
    model: str
    steps: int
    made: tuple[Edit, ...] = ()
    features: bool = False

    @classmethod
    def of(cls, state: AppState, matrix: Matrix, made: Edits) -> RunKey:
        """Returns the inputs of the run that the visitor asks for."""
        sweeps = checkpoint_choices()[state.model].takes_sweeps
        T = state.sweeps if sweeps else state.steps
        return cls(matrix.digest, state.keep, state.by, state.seed, state.model, T, made.made)


@dataclass(frozen=True, eq=False)
class View:
    """What a page on one matrix draws: the run that the visitor asked for, in a window.

    ``pinned_run`` is the run that this one is compared with: without the genre where it is told,
    otherwise on the data where it is on edited ratings.
    """

    key: RunKey
    matrix: Matrix
    window: Window
    run: Run
    pinned_run: Run | None = None

    @property
    def given(self) -> np.ndarray:
        """(n, m) the given ratings of the window, NaN where there is none."""
        return self.window.dense(self.run.task.given)

    @property
    def axes(self) -> Axes:
        """The names of the rows and columns in the window."""
        return Axes.of(self.matrix.ratings, self.window)

    def scene(self, maps: Sequence[Still], **how: Any) -> dict[str, Any]:
        """Maps of the window as the player draws them, with dots on the given ratings; ``how`` as
        of ``scene_of``."""
        usual: dict[str, Any] = {"given": self.given, "shape": self.matrix.ratings.shape}
        return scene_of(self.matrix.name, maps, self.axes, **usual | how)

    @cached_property
    def replay(self) -> dict[str, Any]:
        """The run as the browser gets it, next to the pinned one."""
        by = "the genre" if self.key.features else "your edits"
        return kept(self, "replay", lambda: replay(self.run, self.window, self.pinned_run, by))

    @cached_property
    def beside_simple(self) -> BesideSimple | None:
        """The run next to the best simple method; None where no cell is hidden."""
        task = self.run.task
        if not task.hidden.nnz:
            return None
        scale = self.run.answer.limits
        # another model on the same ratings need not compute the errors again
        of_task = replace(self.key, model="", steps=0)
        errors = computed(
            ("simple", scale), of_task, self.matrix, lambda: simple_errors(task, scale)
        )
        squares = {name: np.square(one) for name, one in errors.items()}
        over = lead_over_best(self.run.hidden_squares, squares, task.hidden)
        return BesideSimple(over, Off.by(self.run.hidden_deviations), Off.by(errors[over.over]))

    def finding(self, measured: Measured | None = None) -> str:
        """Returns the result in a few sentences; ``measured``: over many draws of the same
        world."""
        beside = self.beside_simple
        if not self.key.features or self.pinned_run is None or beside is None:
            liked = self.key.by == "what people like" and describe(self.run.method).data in DRAWN
            return sentences.finding(self.run, beside, measured, liked)
        gain = lead(self.run.hidden_squares, self.pinned_run.hidden_squares, self.run.task.hidden)
        unit = sentences.unit(self.matrix.ratings.scale)
        return sentences.with_features(gain, beside.own.rmse, unit)

    def low_rank(self) -> str:
        """The sentence on the parts of the window, or on why its factors make a matrix of low rank;
        '' without one."""
        path = self.run.answer.trajectory
        U = path.U[-1, self.window.rows]
        V = path.V[-1, self.window.cols]
        if self.run.round == "sweep" or not (np.isfinite(U).all() and np.isfinite(V).all()):
            # a sweep has effects besides the factors, and does more than to mix what was proposed
            return ""
        if self.run.answer.step_rule == "nmf":
            lowest = float(path.standardization.mean)
            return sentences.parts(lowest, self.run.task.given.scale is not None, V)
        return sentences.low_rank(U.shape[1], len(U), len(V), path.T, patterns(U, V))


# -- what is computed, once


def view_of(key: RunKey, matrix: Matrix, window: Window) -> View:
    """Computes the runs of a view."""
    pinned = None
    if key.features:
        pinned = run_of(replace(key, features=False), matrix)
    elif key.made:
        pinned = run_of(replace(key, made=()), matrix)
    return View(key, matrix, window, run_of(key, matrix), pinned)


def kept(view: View, name: Hashable, make: Callable[[], T]) -> T:
    """``make()``, computed once per name, view and session."""
    keep = caches.once if view.window.dotted else caches.once_large
    return keep(name, (view.key, view.window), make)


def task_of(key: RunKey, matrix: Matrix) -> Task:
    """The task of a key, without its edits."""

    def divided() -> Task:
        told = matrix
        if not key.features and matrix.ratings.col_features is not None:
            told = replace(matrix, ratings=replace(matrix.ratings, col_features=None))
        return divide(told, key.keep / 100, key.by, key.seed)

    return computed("task", replace(key, model="", steps=0, made=()), matrix, divided)


def edited_task(key: RunKey, matrix: Matrix) -> tuple[Task, Edits]:
    """The task of a key with its edits, and these; none where under another seed one would hide the
    last given rating."""
    task = task_of(key, matrix)
    edits = Edits(key.made)
    with suppress(EditError):
        return edits.apply(task), edits
    return task, Edits()


def run_of(key: RunKey, matrix: Matrix) -> Run:
    """The run of a key; the engine computes that of a large matrix while the page waits."""
    # a worker may not have a visitor's checkpoint
    if matrix.ratings.nnz <= _LARGE or os.path.isabs(key.model):
        return computed("run", key, matrix, lambda: compute(key, matrix))
    name = f"run {key.model}{' edited' if key.made else ''}"
    task = edited_task(key, matrix)[0]
    return jobs.result(name, key, measured_run, task, key.model, key.steps)


def compute(key: RunKey, matrix: Matrix) -> Run:
    """The run of a key, computed now."""
    return measured_run(edited_task(key, matrix)[0], key.model, key.steps)


def computed(name: Hashable, key: RunKey, matrix: Matrix, make: Callable[[], T]) -> T:
    """``make()``, computed once for all visitors where nothing of it is a visitor's own, otherwise
    once per session.

    It is shared for a small public matrix without edits and a bundled checkpoint. Short
    computations wait for each other, since they would contend for Python's global lock: without
    that 95 of 100 of forty visitors waited 1.8 to 3.2 s for another model (benchmarks.load.visits).
    """
    small = math.prod(matrix.ratings.shape) <= SMALL
    own = key.made or not small or os.path.isabs(key.model) or not is_public(matrix)
    with _SHORT if small else nullcontext():  # before any lock of a cache
        if own:
            return (caches.once if small else caches.once_large)(name, key, make)
        version = find_checkpoint(key.model).stat().st_mtime_ns if key.model else 0
        return _for_all(name, key, version, make)


@st.cache_resource(max_entries=120, show_spinner=False)  # 0.3 MB each at most
def _for_all(name: Hashable, key: RunKey, version: int, _make: Callable[[], T]) -> T:
    return _make()


# -- the page


def open_page(
    title: str = "", lead: str = "", name_divergence: bool = True, picture: bool = False
) -> View:
    """Draws the head of a page and returns its view; if there is nothing to show, says why and ends
    the page.

    ``name_divergence``: whether a note names steps that diverge. ``picture``: whether the page has
    a head of its own and draws the player.
    """
    if not picture:
        look.title(title, lead)
    if not checkpoint_choices():
        _end(
            "There is no checkpoint in the folder pretrained: run `python -m metamf train` to "
            "make one."
        )
    state = AppState.read(st.session_state)
    if (name := choices.DATA_SETS.get(state.data)) is not None:
        matrix = _block(name, state.block)
    elif state.data == UPLOAD:
        matrix = _own()
    else:
        matrix = choices.example(state.data, state.seed)
    ratings = matrix.ratings
    if not ratings.values.size:
        _end("No cell of the matrix holds a number yet: type at least one rating.")
    if np.abs(ratings.values).max() > LARGEST_DRAWN:
        _end(
            f"The matrix holds numbers above {LARGEST_DRAWN:g}: divide all of them by a common "
            "factor."
        )
    key = RunKey.of(state, matrix, edits_of(matrix.digest, ratings))
    if picture and state.feature_model:
        key = replace(key, model=state.feature_model, steps=state.steps, features=True)
    window, beside = look.choose_window(ratings.shape)
    if beside is not None:
        with beside:
            look.note(
                f"The matrix has {ratings.n_rows:,} rows × {ratings.n_cols:,} columns. All of it "
                f"is filled in and measured; the page shows rows {window.rows.start + 1:,} to "
                f"{window.rows.stop:,} and columns {window.cols.start + 1:,} to "
                f"{window.cols.stop:,}."
            )
    view = view_of(key, matrix, window)
    if sentence := sentences.doubt(view.run):
        look.note(sentence, "warning")
    safe = view.run.answer.step_rule == "safe" and not trained_safe(view.run.method)
    if name_divergence and safe:
        look.note(sentences.DIVERGED)
    if not picture:
        if key.made:
            verb = "is" if len(key.made) == 1 else "are"
            edited = f"{counted(len(key.made), 'cell')} {verb} edited here."
            look.note(f"{edited} Explore shows and undoes the edits.")
        if state.data in choices.FEATURE_MODELS:
            look.small("Nothing here knows the genre of the films; a switch of Explore tells it.")
    return view


def about_training(view: View) -> None:
    """Draws how the matrix differs from those of the training, below the sentence."""
    given = view.run.task.given
    checkpoint = view.run.method
    if departures := kept(view, "departures", lambda: domain_shift(given, describe(checkpoint))):
        look.small(f"Not like the training: {'; '.join(departures)}.")


def _block(name: str, block: int) -> Matrix:
    """A held-out block of a data set; the page ends where there is none."""
    if not datasets.available(name):
        _offer_download(name)
    title = datasets.ARCHIVES[name].title
    try:
        return choices.held_out_block(name, block)
    except ValueError as error:  # an archive that is damaged, or not its publisher's
        _end(f"{title} cannot be read: {error}.")
    except OSError:  # gone since it was found, or forbidden; the message names a folder
        _end(f"{title} cannot be read on this server now. Choose other ratings.")


def _offer_download(name: str) -> NoReturn:
    archive = datasets.ARCHIVES[name]
    title = archive.title
    if os.environ.get(DOWNLOADS, "").lower() not in ("", "on"):
        look.note(
            f"{title} is not on this server, and no visitor's click downloads it. Whoever keeps "
            f"the server gets it by `metamf download {name}`. Choose an example for now."
        )
        st.stop()
    size = f"{archive.size / 1e6:.1f} MB"
    look.note(f"{title} is not on this machine yet. Its publisher has it, {size}.")
    st.markdown(f"[{archive.page}]({archive.page})")
    with st.container(horizontal=True):
        asked = st.button(f"Download {title}", type="primary")
        example = {"data": DEFAULT.data}
        st.button("Show the film night instead", on_click=st.session_state.update, args=(example,))
    look.small(archive.licence)
    if asked:
        bar = st.progress(0.0, "Asking the publisher …")

        def show(done: int, total: int) -> None:
            bar.progress(min(done / total, 1.0), f"{done / 1e6:.1f} of {total / 1e6:.1f} MB")

        try:
            datasets.download(name, progress=show)
        except (datasets.DownloadError, OSError):
            bar.empty()
            _end(
                f"{title} could not be downloaded now. Try again later, or choose an example for "
                "now."
            )
        st.rerun()
    st.stop()


def _own() -> Matrix:
    """The visitor's table as a matrix; draws the box where there is none, and how it was read."""
    upload = own.held()
    if upload is None:
        box.box(WINDOW)
        box.privacy()
        st.stop()
    # in every run, so that nothing below it is redrawn when what it held has gone
    reading = st.container()
    try:
        with reading:
            table = own.table(upload, WINDOW)
    except TableError as error:
        look.note(f"{upload.name}: {error}.", "warning")
        _to_your_table("How it is read")
        st.stop()
    if table.plan.amber:
        _to_your_table(f"Look at {counted(len(table.plan.amber), 'thing')} in how it was read")
    return Matrix(upload.name, "Your table stays in this session only.", table.ratings)


def _to_your_table(label: str) -> None:
    st.page_link("pages/your_table.py", label=f"{label}: Your table", icon=":material/table_edit:")


def _end(sentence: str) -> NoReturn:
    look.note(sentence, "warning")
    st.stop()
