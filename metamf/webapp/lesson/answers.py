"""The answers that are revealed: to each step's question the right one, computed from the facts, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metamf.checkpoints.bundled import checkpoint_title
from metamf.evaluate.run import TaskRun
from metamf.webapp.experiments.starts import LEARNED, MEANS, RANDOM, ZERO
from metamf.webapp.lesson.facts import LONG, MF_RANK, Facts
from metamf.webapp.lesson.form import PAPER, Choice, Number, Step
from metamf.wording import listed, name_of, percent, rounded, written

LANES_ASKED = (ZERO, RANDOM, MEANS, LEARNED)  # in the order of the options of the third step
CLEAR = 0.05  # from this share on, one error is called clearly smaller or larger than another
FELL = 0.01  # an error that rises by this share above its smallest value has risen


@dataclass(frozen=True)
class LessonAnswer:
    """The answer to a question.

    Attributes
    ----------
    value : the number of the right option, from 0, or the right number
    because : sentences on it, with the numbers
    asked : the question with the names in it; '' where the step's own prompt says all
    """

    value: float
    because: str
    asked: str = ""


def answer(step: Step, facts: Facts) -> LessonAnswer:
    """The answer to the question of ``step``."""
    return _ANSWERS[step.key](facts)


def verdict(step: Step, predicted: float | None, found: LessonAnswer) -> str:
    """The verdict on a prediction."""
    question = step.question
    if isinstance(question, Choice):
        right = f"The answer: {question.options[int(found.value)]}."
        if predicted is None:
            return right
        return f"You are right. {right}" if predicted == found.value else f"Not this time. {right}"
    right = f"The answer: {_with_unit(found.value, question)}."
    if predicted is None:
        return right
    return f"You said {_with_unit(predicted, question)}. {right}"


def _with_unit(value: float, question: Number) -> str:
    number = f"{value:.0f}" if value == round(value) else rounded(value)
    unit = question.unit.removesuffix("s") if value == 1 and question.unit.endswith("s") else question.unit
    return f"{number}\N{NO-BREAK SPACE}{unit}"


def names_of_cell(run: TaskRun, row: int, col: int) -> tuple[str, str]:
    """The names of a cell's row and column."""
    ratings = run.task.matrix.ratings
    return name_of(ratings.row_labels, row, "row"), name_of(ratings.col_labels, col, "column")


def _empty_answer(facts: Facts) -> LessonAnswer:
    cell, run = facts.cell, facts.film
    row, col = names_of_cell(run, int(cell.rows[0]), int(cell.cols[0]))
    truth, model = float(cell.truth[0]), float(cell.model[0])
    return LessonAnswer(
        truth,
        f"{row} would give {truth:g}. The mean of all given ratings is {rounded(cell.mean)}; the model "
        f"{checkpoint_title(PAPER)} estimates {rounded(model)}. One cell decides nothing: guess ten of them below.",
        f"What would {row} give to “{col}”?",
    )


def _fit_answer(facts: Facts) -> LessonAnswer:
    task, fit = facts.film.task, facts.mf
    given, hidden, mean = fit.rmse(task.given), fit.rmse(task.hidden), task.mean_rmse
    value = 0 if hidden[-1] < (1 - CLEAR) * mean else 2 if hidden[-1] > (1 + CLEAR) * mean else 1
    return LessonAnswer(
        value,
        f"With {MF_RANK} factors and no penalty, MF comes from {rounded(given[0])} to {rounded(given[-1])} on the "
        f"given cells and from {rounded(hidden[0])} to {rounded(hidden[-1])} on the hidden ones (RMSE, in stars). "
        f"Always guessing the mean: {rounded(mean)}.",
    )


def _prior_answer(facts: Facts) -> LessonAnswer:
    lanes = {lane.name: lane for lane in facts.race.lanes}
    found, learned = [lanes[name] for name in LANES_ASKED], lanes[LEARNED]
    ends = listed([f"{lane.name} {rounded(lane.last)}" for lane in sorted(found, key=lambda lane: lane.last)])
    ahead = facts.race.lead is not None and facts.race.lead.ahead
    chance = "" if ahead else " On one small matrix, chance alone may explain such a lead."
    return LessonAnswer(
        min(range(len(found)), key=lambda i: found[i].last),
        f"Error on the hidden cells (RMSE) after {facts.race.T} steps: {ends}; always guessing the mean: "
        f"{rounded(facts.film.task.mean_rmse)}. The learned prior alone, before the first step, has "
        f"{rounded(learned.hidden[0, 0])}: it is where to start from, and not yet the answer.{chance}",
    )


def _network_answer(facts: Facts) -> LessonAnswer:
    return LessonAnswer(
        0 if facts.shuffled < 1e-3 else 1,
        "The largest difference of an estimate of the prior, over all cells, between the matrix and the shuffled "
        f"matrix: {written(facts.shuffled)} stars, which is rounding. A sum does not depend on the order of its "
        "terms, and the network uses rows and columns in no other way than by averages.",
    )


def _steps_answer(facts: Facts) -> LessonAnswer:
    hidden, given = facts.long.hidden_errors.rmse, facts.long.given_errors.rmse
    best, learned = int(np.argmin(hidden)), facts.film.T
    rises = hidden[-1] > (1 + FELL) * hidden[best]
    value = 2 if rises else 0 if hidden[-1] < (1 - FELL) * hidden[learned] else 1
    lesson = (
        f"It is smallest after {best} steps: then the estimates match the noise of the given ratings more and more."
        if rises
        else "MF in step 2 ended worse on the hidden cells than it began; here the prior pulls back at every step."
    )
    return LessonAnswer(
        value,
        f"On the hidden cells the error is {rounded(hidden[0])} at the prior, {rounded(hidden[learned])} after "
        f"{learned} steps and {rounded(hidden[-1])} after {LONG}; on the given cells {rounded(given[learned])} after "
        f"{learned} and {rounded(given[-1])} after {LONG}. {lesson}",
    )


def _training_answer(facts: Facts) -> LessonAnswer:
    found = facts.transfer
    if found is None:
        return LessonAnswer(
            2, "The files of results are not installed here; the page Paper says how they are computed."
        )
    value = 0 if found.kept < 0.25 else 1 if found.kept < 0.75 else 2
    return LessonAnswer(
        value,
        f"On blocks of ratings of jokes, the model trained on films has {percent(found.films)} of the squared error of "
        f"the mean, the one trained on jokes {percent(found.jokes)} (averages over {found.splits} divisions of the "
        f"data): {percent(found.kept)} of the gain remains. What was learned is how people rate, not what they rate.",
    )


def _trust_answer(facts: Facts) -> LessonAnswer:
    last, task = facts.popular.summaries[-1], facts.popular.task
    return LessonAnswer(
        round(100 * last.covered / last.n_hidden),
        f"{last.covered} of {last.n_hidden} hidden ratings lie in their {percent(last.level)} interval. The mean of "
        f"the given ratings is {rounded(task.given.values.mean())}, that of the hidden ones "
        f"{rounded(task.hidden.values.mean())}, and nothing in the given ratings says so. How wide the intervals are "
        "was set on other matrices.",
    )


_ANSWERS: dict[str, Callable[[Facts], LessonAnswer]] = {
    "empty": _empty_answer,
    "alone": _fit_answer,
    "prior": _prior_answer,
    "network": _network_answer,
    "steps": _steps_answer,
    "training": _training_answer,
    "trust": _trust_answer,
}
