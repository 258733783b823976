"""Errors on observed ratings that are hidden from the methods, and the verdict on them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_checkpoints import made_up

from benchmarks.rows import RESULTS
from metamf.answer.answer import Answer
from metamf.answer.holdout import NOTHING_BETTER, MethodErrors, Report, holdout_steps
from metamf.answer.methods import Method, method, offered
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


def holdout_report(*args, **settings):
    """The report of the last of the ``holdout_steps``, which take the same arguments."""
    *_, last = holdout_steps(*args, **settings)
    return last.report


def spy(seen, key="spy", error=0.0, half=None):
    """A method that knows the truth: row + 10 column, and errs by ``error``."""

    def predict(given, level):
        def estimate(rows, cols):
            seen.append((given, set(zip(rows.tolist(), cols.tolist()))))
            return rows + 10.0 * cols + error

        widths = None if half is None else lambda rows, cols: np.full(len(rows), half)
        return Answer(given, estimate, given.scale, widths)

    return Method(key, key, "", predict, gives_intervals=half is not None)


def grid(n=8, m=5, scale=None):
    rows, cols = (at.ravel() for at in np.mgrid[:n, :m])
    return Ratings(rows, cols, rows + 10.0 * cols, (n, m), scale=scale)


def test_held_out_cells_are_hidden_from_the_method_and_each_is_held_out_once():
    seen = []
    steps = list(holdout_steps(grid(), [spy(seen)], 0.9, 10, 0.1, rng=np.random.default_rng(0)))
    report = steps[-1].report
    for given, hidden in seen:
        assert given.nnz == 36 and len(hidden) == report.n_hidden == 4
        assert not hidden & set(zip(given.rows.tolist(), given.cols.tolist()))
    assert len(set.union(*(hidden for _, hidden in seen))) == 40
    assert [step[:3] for step in steps] == [*((k, 10, "spy") for k in range(10)), (10, 10, "")]
    assert (report.repeats, report.observed) == (10, 40)


def test_errors_and_coverage_are_those_of_the_held_out_cells():
    three, two, bare = spy([], "3", 3.0, half=2.9), spy([], "2", -2.0, half=2.1), spy([], "4", 4.0)
    rng = np.random.default_rng(0)
    steps = list(holdout_steps(grid(), [three, two, bare], 0.9, 3, rng=rng))
    assert [len(step.report.errors) for step in steps if step.report is not None] == [1, 2, 3]
    errors = steps[-1].report.errors
    assert [each.method for each in errors] == [two, three, bare]
    for part in ("rmse", "mae"):
        expected = [[2] * 3, [3] * 3, [4] * 3]
        np.testing.assert_allclose([getattr(each, part) for each in errors], expected)
    np.testing.assert_array_equal([each.covered for each in errors[:2]], [[1] * 3, [0] * 3])
    assert errors[2].covered is None
    on_scale = grid(scale=RatingScale(0, 60))
    (far,) = holdout_report(on_scale, [spy([], error=1000.0)], 0.9, rng=rng).errors
    assert far.rmse.max() <= 60  # clipped to the scale


def test_errors_in_units_of_columns_do_not_depend_on_their_scales():
    X, found = made_up(25, 8).to_dense(), []
    for units in (1.0, np.array([1, 10, 1e-3, 1, 1, 1e4, 1, 1])):
        about = Ratings.from_dense(X * units), [method("col_means")], 0.9, 4
        report = holdout_report(*about, rng=np.random.default_rng(0), relative=True)
        found.append(report.errors[0].rmse)
    np.testing.assert_allclose(*found, rtol=0.2)
    assert report.relative and 0.7 < found[0].mean() < 1.4


def test_too_few_cells_and_odd_settings_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="9 observed cells are too few"):
        holdout_report(grid(3, 3), [spy([])], 0.9, rng=rng)
    for settings in (dict(share=0.0), dict(share=1.0), dict(repeats=0), dict(methods=[])):
        with pytest.raises(ValueError, match="0 < share < 1"):
            holdout_report(**dict(ratings=grid(), methods=[spy([])], level=0.9, rng=rng) | settings)


@pytest.mark.slow
@pytest.mark.usefixtures("small_checkpoints")
def test_all_offered_methods_are_measured_and_the_report_travels_as_values():
    methods = offered(made_up())
    report = holdout_report(made_up(30, 20), methods, 0.9, 2, rng=np.random.default_rng(0))
    by_key = {e.method.key: e for e in report.errors}
    assert 0 <= by_key["universal"].covered.mean() <= 1 and by_key["mean"].covered is None
    assert all(np.isfinite(e.rmse).all() and (e.mae <= e.rmse + 1e-9).all() for e in report.errors)
    assert report.verdict().startswith(("Use ", "Keep ", NOTHING_BETTER))
    again = Report.from_dict(report.to_dict(), {how.name: how for how in methods})
    assert again.to_dict() == report.to_dict()


def test_a_tuned_method_is_tuned_without_the_hidden_cells_and_measured_three_times():
    seen = []
    slow = replace(spy(seen, error=1.0), settings={"tune": "auto"})
    rng = np.random.default_rng(0)
    known = holdout_report(grid(), [spy([], "plain", 2.0), slow], 0.9, 6, rng=rng)
    assert [len(errors.rmse) for errors in known.errors] == [3, 6]
    assert known.repeats == 6
    for given, hidden in seen:
        assert not hidden & set(zip(given.rows.tolist(), given.cols.tolist()))


NOISE = np.array([0.01, -0.02, 0.015, -0.01, 0.005])


def errors_of(label, rmse, gives_intervals=False, reference=False, **settings):
    how = Method(label, label, "", None, gives_intervals, reference, settings=settings)
    rmse = np.array(rmse)
    return MethodErrors(how, rmse, rmse, rmse if gives_intervals else None)


MEANS = errors_of("row_means", 1.0 + NOISE, reference=True)


def report_of(*errors):
    return Report.of(errors, 0.9, 10, 100)


def test_the_verdict_names_a_clear_winner():
    other = errors_of("other", 1.2 - NOISE)
    report = report_of(errors_of("U", 0.8 + 0.5 * NOISE, True), MEANS, other)
    assert report.recommended.method.key == "U"
    assert report.verdict() == (
        "Use U here. Its typical error is 0.8, 20\N{NO-BREAK SPACE}% less than with the average "
        "of the row (1), which is more than chance explains."
    )
    measured = pd.read_csv(RESULTS / "selection.csv").query("kept == 0.5 and slope == 1")
    true, check = measured[["true", "check"]].mean()
    said = f"{true:.2f} standard deviations, and such a check estimated {check:.2f}."
    assert said in report.selection_sentence()
    comma = report_of(errors_of("Universal, tuned", 0.5 + NOISE, True), MEANS)
    assert comma.verdict().startswith("Use Universal, tuned, here. Its typical error is 0.5,")


def test_the_verdict_admits_that_a_difference_may_be_chance_or_that_an_average_is_better():
    wild = np.array([0.3, -0.4, 0.2, -0.35, 0.2])
    verdict = report_of(errors_of("U", 0.97 + wild, True), MEANS).verdict()
    assert verdict.startswith(f"{NOTHING_BETTER} beyond chance: do not rely on the estimates.")
    assert verdict.endswith("; U (0.96), which may be better only by chance.")
    worse = report_of(errors_of("U", 1.3 + NOISE, True), MEANS, errors_of("other", 1.4 - NOISE))
    assert worse.recommended.method.key == "row_means" and not worse.winners
    assert worse.verdict().startswith(f"{NOTHING_BETTER}: do not use the estimates.")
    assert worse.selection_sentence() == ""


TIES = [  # U with intervals and A without, what is recommended, and how the verdict ends
    (0.81 - NOISE, 0.805 + NOISE, "U", "A (0.805) is smaller, perhaps by chance, and without"),
    (0.81 + NOISE, 0.80 + NOISE, "U", "A (0.8) is slightly smaller, but without intervals."),
    (0.83 + NOISE, 0.79 + NOISE, "A", ""),
    (0.81 + NOISE, [0.5, 1.5, 0.3, 1.1, 0.55], "U", "A (0.79) may be better only by chance."),
]


@pytest.mark.parametrize(("U", "A", "recommended", "said"), TIES)
def test_within_a_tie_the_method_with_intervals_is_recommended(U, A, recommended, said):
    report = report_of(errors_of("U", U, True), errors_of("A", A), MEANS)
    assert report.recommended.method.key == recommended
    assert said in report.verdict()


def tuned_report(gain, spread=0.0, repeats=4):
    """Repeats that become harder, the network with and without tuning, tuned in the first of them
    only."""
    hard = np.linspace(0.5, 1.5, 10)
    tuned = (hard * (1 - gain))[:repeats] + spread * np.array([1, -1] * 5)[:repeats]
    plain = errors_of("U", hard)
    return report_of(
        errors_of("M", 2 * hard, reference=True), plain, errors_of("U", tuned, tune="auto")
    )


def test_the_gain_of_tuning_has_its_spread_and_may_be_chance():
    sure, luck, loss = tuned_report(0.1, 0.001), tuned_report(0.1, 0.15), tuned_report(-0.1, 0.001)
    assert sure.tuning.share == pytest.approx(0.1, abs=0.01)
    assert sure.tuning.sure and sure.tuning.repeats == 4
    said = sure.tuning_sentence()
    assert "±" in said and "smaller" in said and "chance" not in said
    assert luck.tuning.spread > 10 * sure.tuning.spread
    assert "may be chance" in luck.tuning_sentence()
    assert "larger" in loss.tuning_sentence()
    assert report_of(errors_of("U", 0.8 + NOISE, True), MEANS).tuning_sentence() == ""
    assert tuned_report(0.1, repeats=1).tuning is None  # once tells nothing about chance
