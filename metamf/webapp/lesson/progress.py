"""The state of the lesson, without Streamlit: which step, what was predicted, what is revealed.

                    predict (again)                reveal
    asked ---------------------------> predicted ----------> revealed
      |                                                          ^
      +----------------------------------------------------------+   (one may look without having predicted)

Every step has such a state of its own, and keeps it when one leaves the step, until ``ask_again``. A prediction is
never changed once the answer is revealed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?", re.ASCII)


@dataclass
class LessonProgress:
    """Progress of a visitor through the lesson.

    Attributes
    ----------
    last : number of steps; they count from 1
    step : the step that is shown
    predicted : predictions by step: the number of an option, or a number
    revealed : the steps whose answer is shown
    """

    last: int
    step: int = 1
    predicted: dict[int, float] = field(default_factory=dict)
    revealed: set[int] = field(default_factory=set)

    def go(self, step: int) -> None:
        """Shows ``step``, or the one nearest to it."""
        self.step = max(1, min(step, self.last))

    def follow(self, linked: str | None) -> None:
        """Shows the step that an address names; an address that names none leaves all as it is."""
        if linked in map(str, range(1, self.last + 1)):
            self.step = int(linked)

    @property
    def predicted_text(self) -> str:
        """The predictions as an address says them: '1:4,3:0' is 4 in the first step and 0 in the third."""
        return ",".join(f"{step}:{value:g}" for step, value in sorted(self.predicted.items()))

    @property
    def revealed_text(self) -> str:
        """The steps whose answer is shown, as an address says them: '1,3'."""
        return ",".join(map(str, sorted(self.revealed)))

    def recall(self, predicted: str, revealed: str, possible: Callable[[int, float], bool]) -> bool:
        """Takes over the predictions and answers that an address says; whether it could take all of them.

        Parameters
        ----------
        predicted, revealed : the texts of the address
        possible : whether a step can be answered by a number
        """
        good = True
        for part in filter(None, revealed.split(",")[: self.last]):
            if part in map(str, range(1, self.last + 1)):
                self.revealed.add(int(part))
            else:
                good = False
        for part in filter(None, predicted.split(",")[: self.last]):
            step, _, text = part.partition(":")
            value = float(text) if _NUMBER.fullmatch(text) else math.nan
            if step in map(str, range(1, self.last + 1)) and possible(int(step), value):
                self.predicted[int(step)] = value
            else:
                good = False
        return good and max(predicted.count(","), revealed.count(",")) < self.last

    def next(self) -> None:
        self.go(self.step + 1)

    def back(self) -> None:
        self.go(self.step - 1)

    @property
    def prediction(self) -> float | None:
        """The prediction in this step."""
        return self.predicted.get(self.step)

    @property
    def is_revealed(self) -> bool:
        """Whether the answer of this step is shown."""
        return self.step in self.revealed

    def predict(self, value: float | None) -> None:
        """Keeps a prediction for this step, or takes it back with None; too late once the answer is shown."""
        if self.is_revealed:
            return
        if value is None:
            self.predicted.pop(self.step, None)
        else:
            self.predicted[self.step] = value

    def reveal(self) -> None:
        """Shows the answer of this step."""
        self.revealed.add(self.step)

    def ask_again(self) -> None:
        """Hides the answer of this step, and forgets the prediction: another class."""
        self.predicted.pop(self.step, None)
        self.revealed.discard(self.step)


@dataclass
class Guessing:
    """A game of some hidden cells, one after the other: guess, reveal, next.

    Attributes
    ----------
    count : number of cells
    at : the cell that is asked, from 0; ``count`` at the end
    guesses : guessed ratings, one for each cell; None where the cell was left out
    is_revealed : whether the answer of the cell that is asked is shown
    """

    count: int
    at: int = 0
    guesses: list[float | None] = field(default_factory=list)
    is_revealed: bool = False

    def __post_init__(self):
        self.guesses = self.guesses or [None] * self.count

    @property
    def text(self) -> str:
        """The game as an address says it: a guess for each cell that was asked, and '!' where the last one is shown."""
        done = self.guesses[: self.at + self.is_revealed]
        return "_".join("x" if guess is None else f"{guess:.9g}" for guess in done) + "!" * self.is_revealed

    @classmethod
    def from_text(cls, text: str, count: int, low: float, high: float) -> Guessing | None:
        """The game of ``count`` cells, guesses from ``low`` to ``high``, that an address says; None if it says none."""
        parts, shown = text.removesuffix("!").split("_") if text else [], text.endswith("!")
        guesses = [None if part == "x" else float(part) for part in parts if part == "x" or _NUMBER.fullmatch(part)]
        known = [guess for guess in guesses if guess is not None]
        if len(guesses) != len(parts) or len(parts) > count or not all(low <= guess <= high for guess in known):
            return None
        if shown and (not guesses or guesses[-1] is None):
            return None
        return cls(count, len(guesses) - shown, guesses + [None] * (count - len(guesses)), shown)

    @property
    def is_over(self) -> bool:
        """Whether all cells were asked."""
        return self.at >= self.count

    def guess(self, value: float) -> None:
        """Guesses the rating of the cell that is asked, and shows its answer; a second guess is too late."""
        if not self.is_over and not self.is_revealed:
            self.guesses[self.at] = value
            self.is_revealed = True

    def next(self) -> None:
        """Asks the next cell; a cell that was not guessed is left out."""
        if not self.is_over:
            self.at += 1
            self.is_revealed = False
