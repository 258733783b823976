"""The lesson's numbers, computed when they are first needed, and the answers made from them.

The lesson has its own matrices, which no visitor can change, so all visitors share one ``Facts``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from metamf import datasets
from metamf import reproduction as paper
from metamf.baselines.mf import MFPath, MFSettings, factorize
from metamf.checkpoints.bundled import checkpoint_title, describe, open_checkpoint
from metamf.evaluate.domain_shift import domain_shift
from metamf.evaluate.run import TaskRun, View, run
from metamf.evaluate.task import Matrix, Task, divide
from metamf.figures.window import Window
from metamf.reproduction import Measure
from metamf.webapp.experiments.guessing import HiddenCells, hidden_cells
from metamf.webapp.experiments.replay import replay, replay_of_mf, text_of
from metamf.webapp.experiments.starts import LEARNED, MEANS, RANDOM, ZERO, Race, race
from metamf.webapp.experiments.symmetry import change, compare
from metamf.webapp.lesson.steps import EXTENDED, FAR, JOKES, MATRIX, PAPER, POPULAR, Choice, Number, Step
from metamf.webapp.matrix.choices import DEFAULT
from metamf.wording import listed, name_of, percent, rounded, written

LONG = 40  # MAP steps: four times as many as in training
MF_RANK = 2
MF = MFSettings(MF_RANK, 0, steps=60, learning_rate=0.1)  # without a penalty
CELL_SEED = 2  # draws a cell with several ratings in its row and column in step 1; also the seed of the shuffle
LANES_ASKED = (ZERO, RANDOM, MEANS, LEARNED)  # in the order of the options in step 3
CLEAR = 0.05  # relative difference from which an error is clearly smaller or larger than another
RISES = 0.01  # relative difference from its minimum at which an error has risen


class Transfer(NamedTuple):
    """Squared errors on blocks of joke ratings, divided by that of the mean on the same blocks.

    Attributes
    ----------
    films, jokes : errors of the model trained on films (ML-1M) and of the one trained on jokes (Jester)
    kept : share of the latter's gain over the mean that the former reaches
    splits : number of splits of the data averaged over
    """

    films: float
    jokes: float
    kept: float
    splits: int


class Facts:
    """Runs and numbers of the lesson, each computed once."""

    @cached_property
    def film(self) -> TaskRun:
        """The paper's model on the lesson's matrix."""
        return run_on(MATRIX)

    @cached_property
    def view(self) -> View:
        return whole_view(self.film)

    @cached_property
    def long(self) -> TaskRun:
        """The same with forty steps."""
        return run_on(MATRIX, steps=LONG)

    @cached_property
    def popular(self) -> TaskRun:
        """The universal model, which gives intervals, on ratings of what people like."""
        return run_on(POPULAR, EXTENDED, DEFAULT.sweeps)

    @cached_property
    def far(self) -> TaskRun:
        """The paper's model on tastes that the learned prior does not fit."""
        return run_on(FAR)

    @cached_property
    def mean_rmse(self) -> float:
        """The error of always guessing the mean on the hidden cells of ``film``."""
        error = self.film.task.mean_rmse
        assert error is not None
        return float(error)

    @cached_property
    def cell(self) -> HiddenCells:
        """The hidden cell of step 1."""
        return hidden_cells(self.film, CELL_SEED, count=1)

    @cached_property
    def trained_density(self) -> float:
        """Share of the cells that the paper's model was given in training."""
        domain = describe(PAPER).learned_from
        assert domain is not None
        return domain.density[1]

    @cached_property
    def mf(self) -> MFPath:
        return factorize(self.film.task.given, MF)

    @cached_property
    def drawn(self) -> dict[str, Any]:
        """``film`` as the player draws it."""
        return replay(self.view)

    @cached_property
    def drawn_long(self) -> dict[str, Any]:
        return replay(whole_view(self.long))

    @cached_property
    def drawn_popular(self) -> dict[str, Any]:
        return replay(whole_view(self.popular))

    @cached_property
    def drawn_mf(self) -> dict[str, Any]:
        levels = [{"name": "the mean", "value": self.mean_rmse}]
        return replay_of_mf(self.mf, self.view) | {"levels": levels}

    @cached_property
    def episodes(self) -> dict[str, dict[str, Any]]:
        """Three matrices divided into support and query, as the player draws them, by name. They are without labels,
        since no person and no thing appears in two episodes."""
        found = {}
        for name in (MATRIX, POPULAR, JOKES):
            view = whole_view(run_on(name))
            query = np.where(view.is_given, np.nan, view.matrix.ratings.to_dense())
            found[name] = replay(view) | {"truth": text_of(query), "rows": None, "cols": None}
        return found

    @cached_property
    def race(self) -> Race:
        return race(self.film)

    @cached_property
    def shuffled(self) -> float:
        """Largest difference, in rating units, between the prior's estimates before and after a shuffle."""
        given = self.film.task.given
        found = compare(given, change(given, "shuffle both", CELL_SEED), PAPER).largest_of_prior
        assert found is not None
        return found

    @cached_property
    def layers(self) -> int:
        """Number of exchangeable layers of the paper's model."""
        return open_checkpoint(PAPER)[0].network.config.layers

    @cached_property
    def transfer(self) -> Transfer | None:
        """The transfer from films to jokes; None where the files of results are not installed."""
        table = paper.with_printed(paper.measured("combinations"), Measure(), "Table 3")
        jokes = table[(table.data == "jester") & table["mean"].notna()].set_index("setting")
        if not {"trained=ml-1m", "trained=jester"} <= set(jokes.index):
            return None
        films, own = (float(jokes["mean"][f"trained={name}"]) for name in ("ml-1m", "jester"))
        return Transfer(films, own, (1 - films) / (1 - own), int(jokes.splits.min()))

    @cached_property
    def outside(self) -> list[str]:
        """How the jokes differ from the matrices that the paper's model was trained on."""
        return domain_shift(task_of(JOKES).given, describe(PAPER))


@cache
def task_of(name: str) -> Task:
    """Returns an example matrix, divided into given and hidden cells as on a page that nobody has touched."""
    example = datasets.example_matrices()[name]
    matrix = Matrix(name, example.description, example.matrix.ratings, example.matrix.truth)
    return divide(matrix, DEFAULT.keep / 100, DEFAULT.by, DEFAULT.seed)


def run_on(name: str, model: str = PAPER, steps: int = DEFAULT.steps) -> TaskRun:
    """Runs a model on an example matrix."""
    return run(task_of(name), model, steps)


def whole_view(found: TaskRun) -> View:
    """Returns the view of all rows and columns of a run."""
    return View(found, Window.of(found.task.given.shape))


class LessonAnswer(NamedTuple):
    """The answer to a question.

    Attributes
    ----------
    value : the number of the right option, counted from 0, or the right number
    because : the reason, with numbers
    asked : the question with the names filled in; '' to show the step's own prompt
    """

    value: float
    because: str
    asked: str = ""


def answer(step: Step, facts: Facts) -> LessonAnswer:
    """Returns the answer to the question of ``step``."""
    return _ANSWERS[step.key](facts)


def verdict(step: Step, predicted: float | None, found: LessonAnswer) -> str:
    """Returns the verdict on a prediction."""
    question = step.question
    if isinstance(question, Choice):
        right = f"The answer: {question.options[int(found.value)]}."
        if predicted is None:
            return right
        return f"You are right. {right}" if predicted == found.value else f"Not this time. {right}"
    right = f"The answer: {_with_unit(found.value, question)}."
    return right if predicted is None else f"You said {_with_unit(predicted, question)}. {right}"


def _with_unit(value: float, question: Number) -> str:
    number = f"{value:.0f}" if value == round(value) else rounded(value)
    unit = question.unit.removesuffix("s") if value == 1 else question.unit
    return f"{number}\N{NO-BREAK SPACE}{unit}"


def names_of_cell(run: TaskRun, row: int, col: int) -> tuple[str, str]:
    """Returns the names of a cell's row and column."""
    ratings = run.task.matrix.ratings
    return name_of(ratings.row_labels, row, "row"), name_of(ratings.col_labels, col, "column")


def _empty(facts: Facts) -> LessonAnswer:
    cell = facts.cell
    row, col = names_of_cell(facts.film, int(cell.rows[0]), int(cell.cols[0]))
    truth = float(cell.truth[0])
    return LessonAnswer(
        truth,
        f"{row} would give {truth:g}. The mean of all given ratings is {rounded(cell.mean)}, and the model "
        f"{checkpoint_title(PAPER)} estimates {rounded(float(cell.model[0]))}. A single cell proves nothing, so guess "
        "ten of them below.",
        f"What would {row} give to “{col}”?",
    )


def _alone(facts: Facts) -> LessonAnswer:
    task, fit = facts.film.task, facts.mf
    given, hidden, mean = fit.rmse(task.given), fit.rmse(task.hidden), facts.mean_rmse
    return LessonAnswer(
        0 if hidden[-1] < (1 - CLEAR) * mean else 2 if hidden[-1] > (1 + CLEAR) * mean else 1,
        f"With {MF_RANK} factors and no penalty, the error of MF (RMSE, in stars) falls from {rounded(given[0])} to "
        f"{rounded(given[-1])} on the given cells, but goes from {rounded(hidden[0])} to {rounded(hidden[-1])} on the "
        f"hidden cells. Always guessing the mean gives {rounded(mean)}.",
    )


def _prior(facts: Facts) -> LessonAnswer:
    lanes = {lane.name: lane for lane in facts.race.lanes}
    found, learned = [lanes[name] for name in LANES_ASKED], lanes[LEARNED].hidden
    assert learned is not None
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in sorted(found, key=lambda lane: lane.last)])
    ahead = facts.race.lead is not None and facts.race.lead.ahead
    chance = "" if ahead else " On one small matrix, such a lead may be due to chance."
    return LessonAnswer(
        min(range(len(found)), key=lambda i: found[i].last),
        f"Error on the hidden cells (RMSE) after {facts.race.T} steps: {ends}. Always guessing the mean gives "
        f"{rounded(facts.mean_rmse)}. Before the first step, the learned prior has "
        f"{rounded(learned[0, 0])}: it is a good place to start, not yet the answer.{chance}",
    )


def _network(facts: Facts) -> LessonAnswer:
    return LessonAnswer(
        0 if facts.shuffled < 1e-3 else 1,
        f"Shuffled and put back in order, the prior's estimates differ by at most {written(facts.shuffled)} stars, "
        "which is rounding. The network uses rows and columns only through averages, and an average does not depend "
        "on the order of its numbers.",
    )


def _steps(facts: Facts) -> LessonAnswer:
    errors, given, learned = facts.long.hidden_errors, facts.long.given_errors.rmse, facts.film.T
    assert errors is not None
    hidden = errors.rmse
    best = int(np.argmin(hidden))
    rises = hidden[-1] > (1 + RISES) * hidden[best]
    lesson = (
        f"It is smallest after {best} steps. Later steps increasingly fit the noise in the given ratings."
        if rises
        else "In step 2, MF ended worse on the hidden cells than it began. Here the prior pulls back at every step."
    )
    return LessonAnswer(
        2 if rises else 0 if hidden[-1] < (1 - RISES) * hidden[learned] else 1,
        f"On the hidden cells, the error is {rounded(hidden[0])} at the prior, {rounded(hidden[learned])} after "
        f"{learned} steps and {rounded(hidden[-1])} after {LONG}. On the given cells, it is {rounded(given[learned])} "
        f"after {learned} steps and {rounded(given[-1])} after {LONG}. {lesson}",
    )


def _training(facts: Facts) -> LessonAnswer:
    found = facts.transfer
    if found is None:
        return LessonAnswer(2, "The measured results are not installed here. The page Paper tells how to compute them.")
    return LessonAnswer(
        0 if found.kept < 0.25 else 1 if found.kept < 0.75 else 2,
        f"On blocks of joke ratings, the model trained on films has {percent(found.films)} of the squared error of the "
        f"mean, and the model trained on jokes {percent(found.jokes)}, averaged over {found.splits} splits of the "
        f"data. So {percent(found.kept)} of the gain carries over: the model learned how people rate, not what.",
    )


def _trust(facts: Facts) -> LessonAnswer:
    run, task = facts.popular, facts.popular.task
    assert run.covered is not None and run.imputation.level is not None
    return LessonAnswer(
        round(100 * run.covered / task.hidden.nnz),
        f"{run.covered} of {task.hidden.nnz} hidden ratings lie inside their {percent(run.imputation.level)} interval. "
        f"The given ratings have a mean of {rounded(task.given.values.mean())}, the hidden ones of "
        f"{rounded(task.hidden.values.mean())}, and the given ratings alone cannot show this. The widths of the "
        "intervals were calibrated on other matrices.",
    )


_ANSWERS: dict[str, Callable[[Facts], LessonAnswer]] = {
    "empty": _empty,
    "alone": _alone,
    "prior": _prior,
    "network": _network,
    "steps": _steps,
    "training": _training,
    "trust": _trust,
}
