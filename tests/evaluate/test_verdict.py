"""The verdict on errors that are known: a winner only beyond chance."""

import numpy as np
import pytest

from metamf.evaluate.holdout import NOTHING_BETTER, HoldoutReport, MethodErrors
from metamf.evaluate.methods import Method


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
    lucky = report_of(
        ("A", np.array([0.5, 1.5, 0.3, 1.1, 0.55]), False, False), ("B", 0.81 + NOISE, False, False), MEANS
    )
    assert lucky.recommended.method.key == "B" and "The 0.79 of A may be luck." in lucky.verdict()
    assert "intervals" not in lucky.verdict()
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


def errors_of(label, rmse, reference=False, **settings):
    method = Method(label, label, "", None, False, reference, settings=settings)
    return MethodErrors(method, np.array(rmse), np.array(rmse), None)


def tuned_report(gain, spread=0.0, repeats=4):
    """Repeats that become harder, the network with and without tuning, tuned in the first of them only."""
    hard = np.linspace(0.5, 1.5, 10)
    tuned = (hard * (1 - gain))[:repeats] + spread * np.array([1, -1] * 5)[:repeats]
    plain = errors_of("U", hard)
    return HoldoutReport.of([errors_of("M", 2 * hard, reference=True), plain], 0.9, 10, 100).and_of(
        errors_of("U", tuned, tune="auto")
    )


def test_a_method_of_fewer_repeats_is_compared_on_these_and_its_typical_error_is_that_of_all():
    report = tuned_report(-0.02)
    tuned = next(errors for errors in report.errors if errors.method.tuned)
    assert tuned.rmse.mean() < 0.8 and report.typical(tuned) == pytest.approx(1.02)  # the first repeats are easy
    assert [errors.method.name for errors in report.errors] == ["U", "U+tuned", "M"] and report.repeats == 10
    better = tuned_report(0.1)
    assert better.recommended.method.name == "U+tuned" and better.verdict().startswith("Use U here")
    again = HoldoutReport.from_dict(better.to_dict(), {errors.method.name: errors.method for errors in better.errors})
    assert again.to_dict() == better.to_dict()


def test_the_gain_of_tuning_has_its_spread_and_may_be_chance():
    sure, luck, loss = tuned_report(0.1, 0.001), tuned_report(0.1, 0.15), tuned_report(-0.1, 0.001)
    assert sure.tuning.share == pytest.approx(0.1, abs=0.01) and sure.tuning.sure and sure.tuning.repeats == 4
    assert "smaller, give or take" in sure.tuning_sentence() and "chance" not in sure.tuning_sentence()
    assert not luck.tuning.sure and "may be chance" in luck.tuning_sentence()
    assert luck.tuning.spread > 10 * sure.tuning.spread
    assert "larger" in loss.tuning_sentence()
    assert report_of(("U", 0.8 + NOISE, True, False), MEANS).tuning_sentence() == ""
    assert tuned_report(0.1, repeats=1).tuning is None  # once says nothing of chance


def test_a_label_with_a_comma_ends_with_one():
    report = report_of(("Universal, tuned", 0.5 + NOISE, True, False), MEANS)
    assert report.verdict().startswith("Use Universal, tuned, here: its typical error is 0.5,")
