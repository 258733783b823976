"""Alternative texts say count, span and the largest, not only the kind of a figure."""

import numpy as np

from metamf.figures.alternative_texts import text_of_bars, text_of_curves

NONE = np.nan


def test_bars_are_counted_and_named_at_both_ends():
    bars = [("MetaMF", 0.651), ("Mean", 1.0), ("paper only", NONE)]
    assert text_of_bars("Errors on Jester", bars) == "Errors on Jester: 2 bars, from MetaMF, 0.65, to Mean, 1.00."
    assert text_of_bars("Errors", [("a", NONE)]) == "Errors: no bar is drawn."


def test_a_curve_says_where_it_begins_and_ends_and_where_it_is_smallest():
    curves = [("MetaMF", [1, 2, 40], [0.9, 0.8, 0.85]), ("cut", [1, 2], [NONE, 1.0]), ("none", [1], [NONE])]
    assert text_of_curves("Errors", curves) == (
        "Errors: MetaMF from 0.90 at 1 to 0.85 at 40, smallest 0.80 at 2; "
        "cut from 1.00 at 2 to 1.00 at 2, smallest 1.00 at 2."
    )
