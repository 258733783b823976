"""The slider of Your table: what if what is missing lies lower or higher."""

import re

import numpy as np
import pytest
from opened import healthy, text
from your_table import WIDE, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.webapp.your_table import what_if

pytestmark = pytest.mark.slow


def means(at):
    """The means of the table below the slider by the names of their columns."""
    [body] = [e.proto.body for e in at.get("html") if 'class="n">change' in e.proto.body]
    return {name: float(mean) for name, mean in re.findall(r'place">([^<]*)</td>.*?%</td><td class="n">([^<]*)', body)}


def test_the_slider_moves_the_means_of_columns_with_gaps_and_says_where_the_order_turns():
    at = uploaded(stars(), "stars.csv")
    assert at.slider(key="table_shift").label == what_if.LABEL
    before = means(at)
    assert len(before) == 8 and list(before.values()) == sorted(before.values(), reverse=True)
    assert "ahead of" in text(at)
    healthy(at.slider(key="table_shift").set_value(-0.5).run())
    after = means(at)
    assert list(after) == list(before) and all(after[name] <= before[name] for name in before)
    assert sum(before.values()) - sum(after.values()) > 0.1


def test_a_table_without_gaps_has_no_slider():
    at = uploaded(b"a,b\n1,2\n3,4\n5,1\n")
    assert not [slider for slider in at.slider if slider.key == "table_shift"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (
            2.7 + np.linspace(-1, 1, 21),
            "Tea is ahead of Juice. Their order turns where what is missing lies 0.30 spreads higher.",
        ),
        (np.full(21, 2.0), "Tea stays ahead of Juice, from 1 spread lower to 1 higher."),
        (np.full(21, 3.0), "Tea and Juice have the same mean."),
    ],
)
def test_where_the_order_turns_is_said(second, said):
    assert what_if.turning_sentence(np.full(21, 3.0), second, "Tea", "Juice") == said
