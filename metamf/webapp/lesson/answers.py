"""The lesson's numbers, computed when they are first needed and kept for all visitors, and the answers made from them.

The lesson has its own matrices, which no visitor can change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from metamf import reproduction as paper
from metamf.baselines.mf import MFPath, MFSettings, factorize
from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.run import TaskRun, View, run
from metamf.evaluate.task import divide
from metamf.figures.window import Window
from metamf.reproduction import Measure
from metamf.webapp.experiments.guessing import HiddenCells, hidden_cells
from metamf.webapp.experiments.replay import replay, replay_of_mf, text_of
from metamf.webapp.inside.race import LEARNED, MEANS, RANDOM, ZERO, Race, race
from metamf.webapp.inside.symmetry import Comparison, answers, change
from metamf.webapp.lesson.steps import EXTENDED, JOKES, MATRIX, PAPER, POPULAR, Question
from metamf.webapp.matrix.choices import DEFAULT, example
from metamf.wording import listed, name_of, percent, rounded, written

LONG = 40  # MAP steps: four times as many as in training
MF = MFSettings(2, 0, steps=60, learning_rate=0.1)  # without a penalty
CELL_SEED = 2  # draws a cell with several ratings in its row and column in step 1; also the seed of the shuffle
LANES_ASKED = (ZERO, RANDOM, MEANS, LEARNED)  # in the order of the options in step 3
CLEAR = 0.05  # relative difference from which an error is clearly smaller or larger than another
RISES = 0.01  # relative difference from its minimum at which an error has risen


@cache
def run_on(name: str, model: str = PAPER, steps: int = DEFAULT.steps) -> TaskRun:
    """The run of a model on an example matrix, divided as on a page that nobody has touched."""
    return run(divide(example(name), DEFAULT.keep / 100, DEFAULT.by, DEFAULT.seed), model, steps)


def film() -> TaskRun:
    """The paper's model on the lesson's matrix."""
    return run_on(MATRIX)


def long() -> TaskRun:
    """The same with forty steps."""
    return run_on(MATRIX, steps=LONG)


def popular() -> TaskRun:
    """The universal model, which gives intervals, on ratings of what people like."""
    return run_on(POPULAR, EXTENDED, DEFAULT.sweeps)


def whole_view(found: TaskRun) -> View:
    """The view of all rows and columns of a run."""
    return View(found, Window.of(found.task.given.shape))


@cache
def drawn(found: TaskRun) -> dict[str, Any]:
    """A run as the player draws it."""
    return replay(whole_view(found))


@cache
def episodes() -> dict[str, dict[str, Any]]:
    """Three matrices divided into support and query, as the player draws them, by name. They are without labels, since
    no person and no thing appears in two episodes."""
    found = {}
    for name in (MATRIX, POPULAR, JOKES):
        view = whole_view(run_on(name))
        query = np.where(view.is_given, np.nan, view.matrix.ratings.to_dense())
        found[name] = replay(view) | {"truth": text_of(query), "rows": None, "cols": None}
    return found


@cache
def mf() -> MFPath:
    """Matrix factorization of the given ratings, step by step."""
    return factorize(film().task.given, MF)


@cache
def drawn_mf() -> dict[str, Any]:
    """The same as the player draws it."""
    levels = [{"name": "the mean", "value": mean_rmse()}]
    return replay_of_mf(mf(), whole_view(film())) | {"levels": levels}


def mean_rmse() -> float:
    """The error of always guessing the mean on the hidden cells of ``film``."""
    error = film().task.mean_rmse
    assert error is not None
    return float(error)


def cell() -> HiddenCells:
    """The hidden cell of step 1."""
    return hidden_cells(film(), CELL_SEED, count=1)


@cache
def starts() -> Race:
    """The same steps from different prior means."""
    return race(film())


@cache
def shuffled() -> float:
    """Largest difference, in rating units, between the prior's estimates before and after a shuffle."""
    given = film().task.given
    changed = change(given, "Shuffle both", CELL_SEED)
    found = Comparison(answers(given, PAPER), answers(changed.ratings, PAPER), changed).largest_of_prior
    assert found is not None
    return found


@cache
def transfer() -> tuple[float, float, int] | None:
    """The squared errors on blocks of joke ratings of the models trained on films (ML-1M) and on jokes (Jester), each
    divided by that of the mean, and the number of splits; None where the files of results are not installed."""
    table = paper.with_printed(paper.measured("combinations"), Measure(), "Table 3")
    jokes = table[(table.data == "jester") & table["mean"].notna()].set_index("setting")
    if not {"trained=ml-1m", "trained=jester"} <= set(jokes.index):
        return None
    films, own = (float(jokes["mean"][f"trained={name}"]) for name in ("ml-1m", "jester"))
    return films, own, int(jokes.splits.min())


class LessonAnswer(NamedTuple):
    """The answer to a question: its ``value``, the number of the right option, counted from 0, or the right number.

    ``because`` gives the reason, with numbers; ``asked`` is the question with the names filled in, or ''.
    """

    value: float
    because: str
    asked: str = ""


def verdict(question: Question, predicted: float | None, right: float) -> str:
    """Returns the verdict on a prediction."""
    answer = f"The answer: {question.in_words(right)}."
    if predicted is None:
        return answer
    if not question.options:
        return f"You said {question.in_words(predicted)}. {answer}"
    return f"You are right. {answer}" if predicted == right else f"Not this time. {answer}"


def names_of_cell(run: TaskRun, row: int, col: int) -> tuple[str, str]:
    """Returns the names of a cell's row and column."""
    ratings = run.task.matrix.ratings
    return name_of(ratings.row_labels, row, "row"), name_of(ratings.col_labels, col, "column")


def _empty() -> LessonAnswer:
    asked = cell()
    row, col = names_of_cell(film(), int(asked.rows[0]), int(asked.cols[0]))
    truth = float(asked.truth[0])
    return LessonAnswer(
        truth,
        f"{row} would give {truth:g}. The mean of all given ratings is {rounded(asked.mean)}, and the model "
        f"{checkpoint_title(PAPER)} estimates {rounded(float(asked.model[0]))}. A single cell proves nothing, so guess "
        "ten of them below.",
        f"What would {row} give to “{col}”?",
    )


def _alone() -> LessonAnswer:
    task, mean = film().task, mean_rmse()
    given, hidden = mf().rmse(task.given), mf().rmse(task.hidden)
    return LessonAnswer(
        0 if hidden[-1] < (1 - CLEAR) * mean else 2 if hidden[-1] > (1 + CLEAR) * mean else 1,
        f"With {MF.rank} factors and no penalty, the error of MF (RMSE, in stars) falls from {rounded(given[0])} to "
        f"{rounded(given[-1])} on the given cells, but goes from {rounded(hidden[0])} to {rounded(hidden[-1])} on the "
        f"hidden cells. Always guessing the mean gives {rounded(mean)}.",
    )


def _prior() -> LessonAnswer:
    lanes = {lane.name: lane for lane in starts().lanes}
    found, learned = [lanes[name] for name in LANES_ASKED], lanes[LEARNED].hidden
    assert learned is not None
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in sorted(found, key=lambda lane: lane.last)])
    lead = starts().lead
    chance = "" if lead is not None and lead.ahead else " On one small matrix, such a lead may be due to chance."
    return LessonAnswer(
        min(range(len(found)), key=lambda i: found[i].last),
        f"Error on the hidden cells (RMSE) after {starts().T} steps: {ends}. Always guessing the mean gives "
        f"{rounded(mean_rmse())}. Before the first step, the learned prior has "
        f"{rounded(learned[0, 0])}: it is a good place to start, not yet the answer.{chance}",
    )


def _network() -> LessonAnswer:
    return LessonAnswer(
        0 if shuffled() < 1e-3 else 1,
        f"Shuffled and put back in order, the prior's estimates differ by at most {written(shuffled())} stars, "
        "which is rounding. The network uses rows and columns only through averages, and an average does not depend "
        "on the order of its numbers.",
    )


def _steps() -> LessonAnswer:
    hidden, given, learned = long().hidden_errors, long().given_errors, film().T
    assert hidden is not None
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


def _training() -> LessonAnswer:
    found = transfer()
    if found is None:
        return LessonAnswer(2, "The measured results are not installed here. The page Paper tells how to compute them.")
    films, jokes, splits = found
    kept = (1 - films) / (1 - jokes)  # of the gain over the mean
    return LessonAnswer(
        0 if kept < 0.25 else 1 if kept < 0.75 else 2,
        f"On blocks of joke ratings, the model trained on films has {percent(films)} of the squared error of the mean, "
        f"and the model trained on jokes {percent(jokes)}, averaged over {splits} splits of the data. So "
        f"{percent(kept)} of the gain carries over: the model learned how people rate, not what.",
    )


def _trust() -> LessonAnswer:
    run, task = popular(), popular().task
    assert run.covered is not None and run.imputation.level is not None
    return LessonAnswer(
        round(100 * run.covered / task.hidden.nnz),
        f"{run.covered} of {task.hidden.nnz} hidden ratings lie inside their {percent(run.imputation.level)} interval. "
        f"The given ratings have a mean of {rounded(task.given.values.mean())}, the hidden ones of "
        f"{rounded(task.hidden.values.mean())}, and the given ratings alone cannot show this. The widths of the "
        "intervals were calibrated on other matrices.",
    )


ANSWERS: dict[str, Callable[[], LessonAnswer]] = {  # by the key of the step
    "empty": _empty,
    "alone": _alone,
    "prior": _prior,
    "network": _network,
    "steps": _steps,
    "training": _training,
    "trust": _trust,
}
