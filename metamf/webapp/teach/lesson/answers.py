"""The lesson's numbers, computed when they are first needed and kept for all visitors, and the answers made from them.

The lesson has its own matrices, which no visitor can change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from metamf import reproduction as paper
from metamf.answer.division import divide
from metamf.answer.methods import plain_name
from metamf.answer.significance import Lead, lead_over_best
from metamf.baselines.mf import MFPath, MFSettings, factorize
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.reproduction import Measure
from metamf.webapp.explore.choices import DEFAULT, example
from metamf.webapp.explore.comparison import of_baseline, simple_errors
from metamf.webapp.explore.curve import Curves, curves_of
from metamf.webapp.explore.run import Run, View, run
from metamf.webapp.inside import symmetry
from metamf.webapp.inside.race import LEARNED, MEANS, RANDOM, ZERO, Race, race
from metamf.webapp.inside.symmetry import Comparison
from metamf.webapp.player.replay import replay, replay_of_mf
from metamf.webapp.teach.lesson.guessing import HiddenCells, hidden_cells
from metamf.webapp.teach.lesson.steps import FAR, FULLER, MATRIX, NOISY, PAPER, Question, steps_of
from metamf.wording import listed, name_of, percent, rounded, written

LONG = 40  # MAP steps: four times as many as in training
MF = MFSettings(2, 0, steps=60, learning_rate=0.1)  # without a penalty
SHOWN = 12  # rows and columns of an episode, so that its numbers can be read
CELL_SEED = 261  # draws the cell of step 1 that the matrix asks for: a fan of crime films, and one more of these
FEW = 10  # percent of the ratings in the second question of step 1
_NEEDED = (10, 20, 33, 60)  # percents that its options stand for
LANES_ASKED = (ZERO, RANDOM, MEANS, LEARNED)  # in the order of the options in step 3
CLEAR = 0.05  # relative difference from which an error is clearly smaller or larger than another


@cache
def run_on(name: str, steps: int = DEFAULT.steps, keep: int | None = None, seed: int | None = None) -> Run:
    """The run of the lesson's model on an example matrix, divided as the lesson's links divide it."""
    state = steps_of(name)
    share = state.keep if keep is None else keep
    return run(divide(example(name), share / 100, state.by, state.seed if seed is None else seed), state.model, steps)


def film() -> Run:
    return run_on(MATRIX)


def long() -> Run:
    """Forty steps on noisy ratings."""
    return run_on(NOISY, LONG, keep=40, seed=2)


def whole_view(found: Run) -> View:
    return View(found, Window.of(found.task.given.shape))


@cache
def drawn(found: Run) -> dict[str, Any]:
    return replay(whole_view(found))


@cache
def episode(name: str) -> tuple[Ratings, np.ndarray]:
    """The first rows and columns of an example matrix with the support's ratings, and (n, m) where the query is."""
    task, part = run_on(name).task, np.arange(SHOWN)
    support, rated = (ratings.submatrix(part, part) for ratings in (task.given, task.matrix.ratings))
    return support, np.isfinite(rated.to_dense()) & np.isnan(support.to_dense())


@cache
def mf() -> MFPath:
    return factorize(run_on(FULLER).task.given, MF)


@cache
def drawn_mf() -> dict[str, Any]:
    levels = [{"name": "the mean", "value": mean_rmse(FULLER)}]
    return replay_of_mf(mf(), whole_view(run_on(FULLER))) | {"levels": levels}


def mean_rmse(name: str) -> float:
    """The error of always guessing the mean on the hidden cells of an example matrix."""
    error = run_on(name).task.mean_rmse
    assert error is not None
    return float(error)


def cell() -> HiddenCells:
    """The hidden cell of step 1."""
    return hidden_cells(film(), CELL_SEED, count=1)


@cache
def starts() -> Race:
    """The same steps from different prior means."""
    return race(run_on(FULLER))


@lru_cache(maxsize=20)
def shuffled(seed: int) -> tuple[Comparison, Comparison]:
    """The answers of the paper's model and of MF before and after a shuffle of the people and the films."""
    given = film().task.given
    changed = symmetry.change(given, "Shuffle both", seed)
    ours, others = (
        Comparison(ask(given), ask(changed.ratings), changed)
        for ask in (lambda ratings: symmetry.answers(ratings, PAPER)[0], symmetry.answers_of_mf)
    )
    return ours, others


@cache
def transfer() -> tuple[float, float] | None:
    """The squared errors on blocks of joke ratings of the models trained on films (ML-1M) and on jokes (Jester), each
    divided by that of the mean; None where the files of results are not installed."""
    table = paper.with_printed(paper.measured("combinations"), Measure(), "Table 3")
    jokes = table[(table.data == "jester") & table["mean"].notna()].set_index("setting")
    if not {"trained=ml-1m", "trained=jester"} <= set(jokes.index):
        return None
    films, own = (float(jokes["mean"][f"trained={name}"]) for name in ("ml-1m", "jester"))
    return films, own


@cache
def beside_simple(name: str) -> tuple[Lead, float]:
    """The lead over the best simple method on an example matrix, and the share of the hidden cells on which the model
    is closer than matrix factorization."""
    found = run_on(name)
    errors = simple_errors(found.task, found.answer.limits)
    squares = {method: np.square(one) for method, one in errors.items()}
    closer = float((found.hidden_squares < squares[plain_name("mf")]).mean())
    return lead_over_best(found.hidden_squares, squares, found.task.hidden), closer


@cache
def plain_mf(name: str) -> np.ndarray:
    """(N, M) the estimates of matrix factorization on an example matrix, and the given ratings."""
    found = run_on(name)
    return of_baseline("mf", found.task, found.answer.limits).estimate(whole_view(found))


class LessonAnswer(NamedTuple):
    """The answer to a question: its ``value``, the number of the right option, counted from 0, or the right number.

    ``because`` gives the reason, with numbers; ``asked`` is the question with the names filled in, or ''.
    """

    value: float
    because: str
    asked: str = ""


def verdict(question: Question, predicted: float | None, right: float) -> str:
    answer = f"The answer: {question.in_words(right)}."
    if predicted is None:
        return answer
    if not question.options:
        return f"You said {question.in_words(predicted)}. {answer}"
    return f"You are right. {answer}" if predicted == right else f"Not this time. {answer}"


def names_of_cell(run: Run, row: int, col: int) -> tuple[str, str]:
    ratings = run.task.matrix.ratings
    return name_of(ratings.row_labels, row, "row"), name_of(ratings.col_labels, col, "column")


def _empty() -> LessonAnswer:
    asked = cell()
    row, col = names_of_cell(film(), int(asked.rows[0]), int(asked.cols[0]))
    return LessonAnswer(
        float(asked.truth[0]),
        f"The model estimates {rounded(float(asked.model[0]))}; the mean is {rounded(asked.mean)}. One cell proves "
        "nothing.",
        f"What would {row} give to “{col}”?",
    )


def curves() -> Curves:
    """The errors on film nights against the share of ratings given."""
    found = curves_of(MATRIX, "at random", DEFAULT.model)
    assert found is not None
    return found


def _curve() -> LessonAnswer:
    lines = curves().lines
    error, percents = lines["model"].at(FEW), range(FEW, 101)
    needed = next((percent for percent in percents if lines["simple"].at(percent) <= error), None)
    as_good = f"{needed} %" if needed else "more than there are"
    return LessonAnswer(
        min(range(len(_NEEDED)), key=lambda i: abs(_NEEDED[i] - (needed or 100))),
        f"{as_good}, in fact. What the model learned from others is worth most where ratings are few.",
    )


def _alone() -> LessonAnswer:
    task, mean = run_on(FULLER).task, mean_rmse(FULLER)
    given, hidden = mf().rmse(task.given), mf().rmse(task.hidden)
    return LessonAnswer(
        0 if hidden[-1] < (1 - CLEAR) * mean else 2 if hidden[-1] > (1 + CLEAR) * mean else 1,
        f"{MF.rank * sum(task.given.shape)} numbers fit {task.given.nnz} ratings up to {given[-1]:.2f}. On the hidden "
        f"cells, the error is {rounded(hidden[-1])}; the mean has {rounded(mean)}.",
    )


def _prior() -> LessonAnswer:
    lanes = {lane.name: lane for lane in starts().lanes}
    found, lead = [lanes[name] for name in LANES_ASKED], starts().lead
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in sorted(found, key=lambda lane: lane.last)])
    chance = "" if lead is not None and lead.ahead else " No clear difference."
    return LessonAnswer(
        min(range(len(found)), key=lambda i: found[i].last),
        f"Typical error: {ends}; the mean {rounded(mean_rmse(FULLER))}.{chance}",
    )


def _network() -> LessonAnswer:
    ours, _ = shuffled(1)
    return LessonAnswer(
        0 if ours.largest < symmetry.SAME else 1,
        f"The model's estimates differ by {written(ours.largest)} stars, which is rounding. MF changes its mind.",
    )


def _steps() -> LessonAnswer:
    hidden = long().hidden_errors
    assert hidden is not None
    best = int(np.argmin(hidden))
    return LessonAnswer(
        best,
        f"The error falls from {rounded(hidden[0])} to {rounded(hidden[best])}, then rises to {rounded(hidden[-1])}: "
        "later steps fit noise.",
    )


def _training() -> LessonAnswer:
    found = transfer()
    if found is None:
        return LessonAnswer(
            2, "The measured results are not installed here. Compute them by `python -m benchmarks.paper combinations`."
        )
    films, jokes = found
    kept = (1 - films) / (1 - jokes)  # of the gain over the mean
    return LessonAnswer(
        0 if kept < 0.25 else 1 if kept < 0.75 else 2,
        f"{percent(kept)}: {percent(films)} of the mean's squared error, against {percent(jokes)}. It learned how "
        "people rate, not what.",
    )


def _trust() -> LessonAnswer:
    (over, closer), (other, _) = map(beside_simple, FAR)
    own = [float(np.sqrt(run_on(name).hidden_squares.mean())) for name in FAR]
    return LessonAnswer(
        round(100 * closer),
        f"{FAR[0]}: typical error {rounded(own[0])}, and {rounded(over.rmse)} with {over.over}. {FAR[1]}: "
        f"{rounded(own[1])} and {rounded(other.rmse)}.",
    )


ANSWERS: dict[str, Callable[[], LessonAnswer]] = {  # by the name of the question
    "1": _empty,
    "1b": _curve,
    "2": _alone,
    "3": _prior,
    "4": _network,
    "5": _steps,
    "6": _training,
    "7": _trust,
}
