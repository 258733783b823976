"""The sentences on a changed matrix, from the numbers of a comparison."""

from types import SimpleNamespace

import pytest

from metamf.webapp.experiments.symmetry import CHANGES
from metamf.webapp.inside.symmetry_words import ASKS, answer


def compared(largest, largest_of_prior=None):
    return SimpleNamespace(largest=largest, largest_of_prior=largest_of_prior)


@pytest.mark.parametrize(
    ("what", "ours", "mf", "said"),
    [
        (
            "shuffle rows",
            compared(2e-7),
            compared(0.8),
            ["No: everybody gets the same answer", "its mind by up to 0.8."],
        ),
        ("shuffle both", compared(0.2), None, ["differ by up to 0.2: this checkpoint breaks the symmetry."]),
        ("shuffle columns", compared(0.0), compared(1e-5), ["MF", "found the same answer again"]),
        ("halve", compared(0.4), None, ["They may, and they do: by up to 0.4.", "Half of the rows"]),
        ("double", compared(0.3, 1e-6), None, ["The prior stays as it is", "changes by up to 0.3"]),
        ("double", compared(0.3, 0.1), None, ["by up to 0.3", "how many ratings a column has"]),
    ],
)
def test_an_answer_says_whether_it_changes_by_how_much_and_why(what, ours, mf, said):
    sentence = answer(what, ours, mf)
    assert all(part in sentence for part in said), sentence
    assert ("MF" in sentence) == (mf is not None)


def test_every_change_asks_a_question():
    assert ASKS.keys() == set(CHANGES) and all(asked.endswith("?") for asked in ASKS.values())
