"""The sentences of the game of ten cells."""

import pytest

from metamf.webapp.experiments.guessing import Score
from metamf.webapp.lesson.cells import closest_in_words, rating


@pytest.mark.parametrize(
    "value, text", [(4.0, "4"), (3.5, "3.5"), (-10.0, "−10"), (-8.01072, "−8.01"), (0.318, "0.32")]
)
def test_ratings_are_written_as_people_write_them(value, text):
    assert rating(value) == text


@pytest.mark.parametrize(
    "best, sentence",
    [
        (("you",), "On 3 cells, you were closest: 0.50 from the true rating on average."),
        (("model",), "On 3 cells, the model was closest: 0.50 from the true rating on average."),
        (
            ("you", "mean"),
            "On 3 cells, you and always the mean were equally close: 0.50 from the true rating on average.",
        ),
    ],
)
def test_who_was_closest_is_said_in_a_sentence(best, sentence):
    assert closest_in_words(Score(3, dict.fromkeys(("you", "model", "mean"), 0.5), {}, best)) == sentence
