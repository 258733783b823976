"""The verdict on errors that are known: a winner only beyond chance."""

import numpy as np

from metamf.filling.methods import Method
from metamf.filling.verdict import NOTHING_BETTER, HoldoutReport, MethodErrors


def report_of(*methods):
    """A report from (label, errors per repeat, gives intervals, is reference)."""
    errors = [
        MethodErrors(
            Method(label, label, "", None, gives, reference),
            np.array(rmse),
            np.array(rmse),
            np.array(rmse) if gives else None,
        )
        for label, rmse, gives, reference in methods
    ]
    return HoldoutReport(tuple(sorted(errors, key=lambda e: e.rmse.mean())), 0.9, 10, 100)


NOISE = np.array([0.01, -0.02, 0.015, -0.01, 0.005])
MEANS = ("Row means", 1.0 + NOISE, False, True)


def test_the_verdict_names_a_clear_winner():
    report = report_of(("U", 0.8 + 0.5 * NOISE, True, False), MEANS, ("Mean", 1.2 - NOISE, False, False))
    assert report.recommended.method.key == "U"
    assert report.verdict() == (
        "Use U here: its typical error is 0.8, 20\N{NO-BREAK SPACE}% less than the 1 of the row means, more than "
        "chance explains."
    )


def test_the_verdict_admits_that_a_difference_may_be_chance():
    wild = np.array([0.3, -0.4, 0.2, -0.35, 0.2])
    verdict = report_of(("U", 0.97 + wild, True, False), MEANS).verdict()
    assert verdict.startswith(f"{NOTHING_BETTER} beyond chance: do not rely on the estimates.")
    assert "the 0.96 of U may be luck" in verdict


def test_the_verdict_sends_to_a_simple_method_where_that_is_better():
    report = report_of(("U", 1.3 + NOISE, True, False), MEANS, ("Mean", 1.4 - NOISE, False, False))
    assert report.recommended.method.key == "Row means"
    assert report.verdict().startswith(f"{NOTHING_BETTER}: do not use the estimates.") and not report.winners


def test_intervals_are_worth_a_difference_that_is_chance_but_not_a_sure_one():
    near = report_of(("U", 0.81 - NOISE, True, False), ("A", 0.805 + NOISE, False, False), MEANS)
    assert near.recommended.method.key == "U" and "as good as the 0.805 of A within chance" in near.verdict()
    sure = report_of(("U", 0.81 + NOISE, True, False), ("A", 0.79 + NOISE, False, False), MEANS)
    assert sure.recommended.method.key == "A"


def test_noise_is_seldom_called_a_difference():
    """Two methods of equal error: the test errs in about one case of twenty or less."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        report = report_of(
            ("A", 1 + 0.1 * rng.normal(size=5), False, False), ("R", 1 + 0.1 * rng.normal(size=5), False, True)
        )
        wrong += report.surely_smaller(*report.errors)
    assert wrong <= 40  # the smaller of two: at most twice one in twenty
