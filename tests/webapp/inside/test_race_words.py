"""The sentences on a race of starts, from its numbers."""

import numpy as np
import pytest
from opened import no_data_sets  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.evaluate.run import run
from metamf.evaluate.task import divide
from metamf.webapp.experiments.starts import race
from metamf.webapp.inside import race_words
from metamf.webapp.matrix import sources


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 10)


@pytest.mark.parametrize("name, beyond_chance", [("Almost empty", True), ("Film club", False)])
def test_a_winner_is_called_beyond_chance_only_where_it_is(name, beyond_chance):
    found = race(run(divide(sources.example(name), 0.5, "at random", 1), "ml-1m", 10))
    said = race_words.verdict(found)
    assert said.startswith("After 10 steps, the smallest error on") and "is that of the learned prior" in said
    assert ("That is more than chance explains." in said) == beyond_chance == found.lead.ahead
    assert ("Chance alone may explain that." in said) != beyond_chance


def test_the_words_name_the_step_that_overshoots(example):
    broken = race(example, step_size=0.4)
    assert f"is {0.4 / broken.longest[0]:.1f} times the longest step" in race_words.why(broken)
    end = int(np.flatnonzero(np.isfinite(broken.learned.given[0]))[-1])
    assert f"step {end + 1} leaves no numbers at all" in race_words.verdict(broken)
    assert "learned prior without numbers" in race_words.alt_of_curves(broken)
