"""The numbers of the lesson, computed when they are asked for, from the library and from the files of results.

The lesson has matrices of its own, which no visitor can change, so all visitors share one ``Facts``.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from metamf import datasets
from metamf.baselines.mf_path import MFPath, MFSettings, factorize
from metamf.checkpoints.bundled import describe, open_checkpoint
from metamf.evaluate.domain_shift import domain_shift
from metamf.evaluate.run import TaskRun, View, run
from metamf.evaluate.task import Matrix, Task, divide
from metamf.figures.window import Window
from metamf.reproduction import numbers as paper
from metamf.reproduction.numbers import Measure
from metamf.webapp.experiments.guessing import HiddenCells, hidden_cells
from metamf.webapp.experiments.replay import replay, replay_of_mf, text_of
from metamf.webapp.experiments.starts import Race, race
from metamf.webapp.experiments.symmetry import change, compare
from metamf.webapp.lesson.form import EXTENDED, FAR, JOKES, MATRIX, PAPER, POPULAR
from metamf.webapp.matrix.choices import AppState

LONG = 40  # MAP steps: four times as many as in training, as the page offers at most
MF_RANK = 2  # rank of the MF without a penalty
MF = MFSettings(MF_RANK, 0, steps=60, learning_rate=0.1)  # steps that one can go through
CELL_SEED = (
    2  # of the cell that the first step asks for, with several ratings in its row and column; and of the shuffle
)


class Transfer(NamedTuple):
    """Squared errors on blocks of ratings of jokes, divided by that of the mean on the same blocks.

    Attributes
    ----------
    films, jokes : errors of the model trained on films (ML-1M), and of the one trained on jokes (Jester)
    kept : share of the other's gain over the mean that the model trained on films has
    splits : number of splits of the data that they are averaged over
    """

    films: float
    jokes: float
    kept: float
    splits: int


class Facts:
    """Runs and numbers, each computed once."""

    @cached_property
    def film(self) -> TaskRun:
        """The paper's model on the lesson's matrix."""
        return self.run()

    @cached_property
    def view(self) -> View:
        """The whole of ``film``."""
        return whole_view(self.film)

    @cached_property
    def long(self) -> TaskRun:
        """The same with forty steps."""
        return self.run(steps=LONG)

    @cached_property
    def popular(self) -> TaskRun:
        """The universal model, which gives intervals, on ratings of what people like."""
        return self.run(POPULAR, EXTENDED, AppState().sweeps)

    @cached_property
    def far(self) -> TaskRun:
        """The paper's model on tastes that the learned prior does not fit."""
        return self.run(FAR)

    def run(self, name: str = MATRIX, model: str = PAPER, steps: int | None = None) -> TaskRun:
        """A model on an example matrix, with the choices of a page that nobody has touched."""
        return run(task_of(name), model, AppState().steps if steps is None else steps)

    @cached_property
    def cell(self) -> HiddenCells:
        """The one hidden cell that the first step asks for."""
        return hidden_cells(self.film, CELL_SEED, count=1)

    @cached_property
    def trained_density(self) -> float:
        """The share of the cells that the paper's model was given in training."""
        return describe(PAPER).learned_from.density[1]

    @cached_property
    def mf(self) -> MFPath:
        """MF without a penalty on the lesson's matrix, with all its steps."""
        return factorize(self.film.task.given, MF)

    @cached_property
    def drawn(self) -> dict[str, Any]:
        """``film`` as the player draws it."""
        return replay(self.view)

    @cached_property
    def drawn_long(self) -> dict[str, Any]:
        """``long`` as the player draws it."""
        return replay(whole_view(self.long))

    @cached_property
    def drawn_popular(self) -> dict[str, Any]:
        """``popular`` as the player draws it."""
        return replay(whole_view(self.popular))

    @cached_property
    def drawn_mf(self) -> dict[str, Any]:
        """``mf`` as the player draws it, beside the error of always guessing the mean."""
        levels = [{"name": "the mean", "value": float(self.film.task.mean_rmse)}]
        return replay_of_mf(self.mf, self.view) | {"levels": levels}

    @cached_property
    def episodes(self) -> dict[str, dict[str, Any]]:
        """Three matrices as exercises, as the player draws them, by name: which ratings are given, and which held back.

        Nobody is named: people and things of an episode appear in no other.
        """
        return {name: self._episode(name) for name in (MATRIX, POPULAR, JOKES)}

    def _episode(self, name: str) -> dict[str, Any]:
        view = whole_view(self.run(name))
        query = np.where(view.is_given, np.nan, view.matrix.ratings.to_dense())
        return replay(view) | {"truth": text_of(query), "rows": None, "cols": None}

    @cached_property
    def race(self) -> Race:
        """The same steps from several prior means, on the lesson's matrix."""
        return race(self.film)

    @cached_property
    def shuffled(self) -> float:
        """The largest difference, in rating units, between the prior's estimates of a cell before and after the rows
        and the columns are shuffled."""
        given = self.film.task.given
        return compare(given, change(given, "shuffle both", CELL_SEED), PAPER).largest_of_prior

    @cached_property
    def layers(self) -> int:
        """Number of exchangeable layers of the paper's model."""
        return open_checkpoint(PAPER)[0].network.config.layers

    @cached_property
    def transfer(self) -> Transfer | None:
        """The transfer from films to jokes, read from the files of results; None where they are not installed."""
        rows = paper.measured("combinations")
        table = paper.with_printed(rows, Measure(), "Table 3")
        jokes = table[(table.data == "jester") & table["mean"].notna()].set_index("setting")
        if not {"trained=ml-1m", "trained=jester"} <= set(jokes.index):
            return None
        films, own = (float(jokes["mean"][f"trained={name}"]) for name in ("ml-1m", "jester"))
        return Transfer(films, own, (1 - films) / (1 - own), int(jokes.splits.min()))

    @cached_property
    def outside(self) -> list[str]:
        """The ways in which the jokes lie outside the training domain of the paper's model."""
        return domain_shift(task_of(JOKES).given, describe(PAPER))


@cache
def task_of(name: str) -> Task:
    """An example matrix with the given cells of a page that nobody has touched."""
    example, state = datasets.example_matrices()[name], AppState()
    matrix = Matrix(name, example.description, example.matrix.ratings, example.matrix.truth)
    return divide(matrix, state.keep / 100, state.by, state.seed)


def whole_view(found: TaskRun) -> View:
    """All rows and columns of a run."""
    return View(found, Window.of(found.task.given.shape))
