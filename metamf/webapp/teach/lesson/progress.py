"""A visitor's way through the lesson: steps, predictions and answers.

                    predict (again)                reveal
    asked ---------------------------> predicted ----------> revealed
      |                                                          ^
      +----------------------------------------------------------+   (an answer can be seen without a prediction)

Every step keeps its own state until ``ask_again``. A prediction does not change once its answer is
revealed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from metamf.webapp.teach.lesson.steps import LAST, QUESTIONS

_BY_TEXT = {str(step): step for step in range(1, LAST + 1)}  # steps as a URL names them


@dataclass
class LessonProgress:
    """Progress through the lesson: the ``step`` shown, counted from 1, and by the name of a
    question in ``QUESTIONS`` its prediction, the number of an option or a number, and whether its
    answer is ``revealed``."""

    step: int = 1
    predicted: dict[str, float] = field(default_factory=dict)
    revealed: set[str] = field(default_factory=set)

    def go(self, step: int) -> None:
        """Shows ``step``."""
        self.step = step

    def follow(self, linked: str) -> None:
        """Shows the step that a URL names, if there is such a step."""
        self.step = _BY_TEXT.get(linked, self.step)

    @property
    def asked(self) -> list[str]:
        """The names of the questions on the page: of a step's second one, once the first is
        answered."""
        name = str(self.step)
        return [name, f"{name}b"] if f"{name}b" in QUESTIONS and name in self.revealed else [name]

    def predict(self, name: str, value: float | None) -> None:
        """Keeps a prediction, or withdraws it with None, unless the answer is already revealed."""
        if name in self.revealed:
            return
        self.predicted.pop(name, None)
        if value is not None:
            self.predicted[name] = value

    def reveal(self, name: str, predicted: float | None) -> None:
        """Shows the answer next to a last prediction."""
        self.predict(name, predicted)
        self.revealed.add(name)

    def ask_again(self) -> None:
        """Hides the answers of the step and forgets its predictions."""
        for name in self.asked:
            self.predicted.pop(name, None)
            self.revealed.discard(name)
