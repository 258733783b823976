"""The lesson's numbers, computed when they are first needed and kept for all visitors, and the
answers made from them.

The lesson has its own matrices, which no visitor can change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np

from metamf import reproduction as paper
from metamf.answer.division import Selection, divide
from metamf.answer.methods import plain_name
from metamf.baselines.factorization import Factorization, factorize_by_steps
from metamf.baselines.mf import MFSettings, factorize
from metamf.checkpoints.bundled import describe, open_checkpoint
from metamf.figures.window import names_of
from metamf.learning.episodes import Episode
from metamf.network.episode_trace import EpisodeTrace, trace_episode
from metamf.network.meta_mf import MetaMF
from metamf.ratings.units import Standardization
from metamf.recipes.drawn import STAR_UNITS
from metamf.recipes.live import film_night_episode
from metamf.reproduction import Measure
from metamf.webapp.choices import DEFAULT, example
from metamf.webapp.run import shuffles
from metamf.webapp.run.comparison import of_baseline
from metamf.webapp.run.curve import Curves, curves_of, over_many
from metamf.webapp.run.measured_run import Run, run
from metamf.webapp.run.replay import replay, replay_of_mf
from metamf.webapp.run.shuffles import Comparison
from metamf.webapp.run.starts import LEARNED, MEANS, RANDOM, ZERO, Race, race
from metamf.webapp.teach.lesson.steps import HARDER, MATRIX, Question
from metamf.wording import counted, listed, percent, rounded, written

LIKED: Selection = "what people like"
MF = MFSettings(2, 0, steps=60, learning_rate=0.1)  # without a penalty
REAL = "ml-1m"  # the checkpoint whose lead on real films step 7 names
ASKED = "Ada"  # the person whose first hidden film step 1 asks for
FEW = 10  # percent of the ratings in the second question of step 1
SIMPLE = "crossed_effects"  # the simple method that step 6 draws: person and film effects
_NEEDED = (10, 20, 33, 60)  # percents that its options stand for
LANES_ASKED = (ZERO, RANDOM, MEANS, LEARNED)  # in the order of the options in step 4
CLEAR = 0.05  # relative difference from which an error is clearly smaller or larger than another
_LOWER = (0.25, 0.75)  # stars between the options of steps 6 and 7


@cache
def run_on(name: str) -> Run:
    """The run of the model on a film night whose people have rated what they like."""
    task = divide(example(name, DEFAULT.seed), DEFAULT.keep / 100, LIKED, DEFAULT.seed)
    return run(task, DEFAULT.model, DEFAULT.steps)


def film() -> Run:
    return run_on(MATRIX)


@cache
def drawn(found: Run) -> dict[str, Any]:
    return replay(found)


@cache
def mf() -> Factorization:
    return factorize(film().task.given, MF)


@cache
def drawn_mf() -> dict[str, Any]:
    return replay_of_mf(mf(), film()) | {"levels": [{"name": "the mean", "value": mean_rmse()}]}


@cache
def penalised() -> float:
    """The error on the hidden cells of matrix factorization as the app has it everywhere else."""
    task = film().task
    return float(factorize_by_steps(task.given).rmse(task.hidden)[-1])


def mean_rmse() -> float:
    """The error of always guessing the mean of the given ratings on the hidden cells."""
    error = film().task.mean_rmse
    assert error is not None
    return float(error)


class HiddenCell(NamedTuple):
    """A hidden cell: its place, and in stars its true rating and the model's estimate."""

    row: int
    col: int
    truth: float
    estimate: float


def cell() -> HiddenCell:
    """The hidden cell of step 1: the first film that Ada has not rated."""
    hidden = film().task.hidden
    row = (film().task.given.row_labels or ()).index(ASKED)
    at = int(np.flatnonzero(hidden.rows == row)[0])
    col = int(hidden.cols[at])
    estimate = film().answer.at(np.array([row]), np.array([col]))
    return HiddenCell(row, col, float(hidden.values[at]), float(estimate[0]))


@cache
def starts() -> Race:
    """The same steps from different prior means."""
    return race(film())


def network() -> MetaMF:
    """The network of the lesson."""
    return cast(MetaMF, open_checkpoint(DEFAULT.model).network)


@cache
def episode() -> tuple[EpisodeTrace, Episode, Standardization]:
    """One episode, as the network of the lesson goes through it; in standardised units, in stars,
    and the units."""
    found = film_night_episode(0)
    return trace_episode(network(), found.in_units(STAR_UNITS)), found, STAR_UNITS


@lru_cache(maxsize=20)
def shuffled(seed: int) -> tuple[Comparison, Comparison]:
    """The answers of the paper's model and of MF before and after a shuffle of the people and the
    films."""
    given = film().task.given
    changed = shuffles.change(given, "Shuffle both", seed)
    ours, others = (
        Comparison(ask(given), ask(changed.ratings), changed)
        for ask in (
            lambda ratings: shuffles.answers(ratings, DEFAULT.model)[0],
            shuffles.answers_of_mf,
        )
    )
    return ours, others


@cache
def transfer() -> tuple[float, float]:
    """The squared errors on blocks of joke ratings of the models trained on films (ML-1M) and on
    jokes (Jester), each divided by that of the mean."""
    table = paper.with_printed(paper.measured("combinations"), Measure(), "Table 3")
    jokes = table[(table.data == "jester") & table["mean"].notna()].set_index("setting")
    films, own = (float(jokes["mean"][f"trained={name}"]) for name in ("ml-1m", "jester"))
    return films, own


@cache
def simple_estimates() -> np.ndarray:
    """(N, M) the estimates of person and film effects, and the given ratings."""
    return of_baseline(SIMPLE, film().task, film().answer.limits).answer.filled


class LessonAnswer(NamedTuple):
    """The answer to a question: its ``value``, the number of the right option, counted from 0, or
    the right number.

    ``because`` gives the reason, with numbers; ``asked`` is the question with the names filled in,
    or ''.
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


def _empty() -> LessonAnswer:
    asked = cell()
    given = film().task.given
    row, col = names_of(given, asked.row, asked.col)
    return LessonAnswer(
        asked.truth,
        f"The model estimates {rounded(asked.estimate)}; the mean of the given ratings is "
        f"{rounded(float(given.values.mean()))}. One cell proves nothing.",
        f"What would {row} give to “{col}”?",
    )


def curves() -> Curves:
    """The errors on film nights against the share of ratings given."""
    found = curves_of(MATRIX, "at random", DEFAULT.model)
    assert found is not None
    return found


def _curve() -> LessonAnswer:
    lines = curves().lines
    error = lines["model"].at(FEW)
    percents = range(FEW, 101)
    needed = next((percent for percent in percents if lines["simple"].at(percent) <= error), None)
    as_good = f"{needed} %" if needed else "more than there are"
    return LessonAnswer(
        min(range(len(_NEEDED)), key=lambda i: abs(_NEEDED[i] - (needed or 100))),
        f"The model needs a tenth where the best simple method needs {as_good}.",
    )


def _alone() -> LessonAnswer:
    task = film().task
    mean = mean_rmse()
    given, hidden = mf().rmse(task.given), mf().rmse(task.hidden)
    return LessonAnswer(
        0 if hidden[-1] < (1 - CLEAR) * mean else 2 if hidden[-1] > (1 + CLEAR) * mean else 1,
        f"{MF.rank * sum(task.given.shape)} numbers for {task.given.nnz} ratings: MF fits them to "
        f"{given[-1]:.2f}. On "
        f"the hidden cells, it is off by {rounded(hidden[-1])}; the mean by {rounded(mean)}. With "
        f"a penalty and ten steps, as on Explore, it is off by {rounded(penalised())}.",
    )


def _steps() -> LessonAnswer:
    hidden = film().hidden_errors
    assert hidden is not None
    share = 1 - hidden[-1] / hidden[0]
    first = 1 - hidden[1] / hidden[0]
    return LessonAnswer(
        float(round(100 * share)),
        f"From {rounded(hidden[0])} at the start to {rounded(hidden[-1])}. The first step alone "
        "takes away "
        f"{percent(first)}.",
    )


def _guess() -> LessonAnswer:
    order = sorted(starts().lanes, key=lambda lane: -lane.first)
    first, *others = (f"{lane.name} {rounded(lane.first)}" for lane in order)
    said = f"The worst guess: {first}. The others, before any step: {listed(others)}."
    return LessonAnswer(LANES_ASKED.index(order[0].name), said)


def _prior() -> LessonAnswer:
    order = sorted(starts().lanes, key=lambda lane: lane.last)
    lead = starts().lead
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in order])
    chance = "" if lead is not None and lead.ahead else " No clear difference."
    return LessonAnswer(
        LANES_ASKED.index(order[0].name),
        f"Off by, after {counted(starts().T, 'step')}: {ends}.{chance} The prior is the best "
        "start, not the best "
        "guess.",
    )


def _network() -> LessonAnswer:
    ours, _ = shuffled(1)
    return LessonAnswer(
        0 if ours.largest < shuffles.SAME else 1,
        f"They move with the person. They differ by {written(ours.largest)} stars, which is "
        "rounding. MF gives other "
        "answers each time.",
    )


def _training() -> LessonAnswer:
    films, jokes = transfer()
    kept = (1 - films) / (1 - jokes)  # of the gain over the mean
    return LessonAnswer(
        0 if kept < 0.25 else 1 if kept < 0.75 else 2,
        f"The film model keeps {percent(kept)} of the joke model's gain: it learned how people "
        "rate, not what.",
    )


def _liking() -> LessonAnswer:
    task = film().task
    truth = task.matrix.truth
    assert truth is not None
    given = float(task.given.values.mean())
    every = float(truth.mean())
    model = float(film().answer.mean.mean())
    simple = float(simple_estimates().mean())
    return LessonAnswer(
        _how_much_lower(given - every),
        f"The given ratings have a mean of {rounded(given)}, all of them {rounded(every)}. Filled "
        "in by the model: "
        f"{rounded(model)}; by {plain_name(SIMPLE)}: {rounded(simple)}.",
    )


def _wrong() -> LessonAnswer:
    harsher, usual = (
        over_many(name, LIKED, DEFAULT.model, DEFAULT.keep) for name in (HARDER, MATRIX)
    )
    assert harsher is not None and usual is not None
    films = describe(REAL).errors["ratio"]
    return LessonAnswer(
        _how_much_lower(harsher.model.bias),
        f"Over {harsher.draws}, it is off by {harsher.model.said('stars')}; on nights like those "
        f"it learned from, by {usual.model.said()}. And real films are harder than made-up ones: "
        f"there the error of a model that learned on films is {percent(1 - films**0.5)} below "
        "that of the mean.",
    )


def _how_much_lower(stars: float) -> float:
    """The option that says by how many stars."""
    return float(np.searchsorted(_LOWER, stars))


ANSWERS: dict[str, Callable[[], LessonAnswer]] = {  # by the name of the question
    "1": _empty,
    "1b": _curve,
    "2": _alone,
    "3": _network,
    "3b": _training,
    "4": _guess,
    "4b": _prior,
    "5": _steps,
    "6": _liking,
    "7": _wrong,
}
