"""The race of starts: its lanes, how long a step may be, its verdict, and its controls."""

import re

import numpy as np
import pytest
from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.answer.answer import Trajectory
from metamf.answer.division import Matrix, divide
from metamf.answer.estimator import load_pretrained
from metamf.answer.significance import lead
from metamf.datasets import example_matrices
from metamf.datasets.examples import FULL_HOUSE
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.webapp import choices
from metamf.webapp.inside.race import _lengths, alt_of_curves, verdict, why
from metamf.webapp.run.measured_run import run
from metamf.webapp.run.starts import (
    LEARNED,
    MEANS,
    RANDOM,
    RANDOM_STARTS,
    ZERO,
    Lane,
    Race,
    race,
    starting_factors,
)
from metamf.wording import written

NaN = np.nan


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 10)


def test_the_learned_prior_s_lane_is_the_imputer_s_trajectory(example):
    found = race(example)
    theirs = load_pretrained("ml-1m").impute(example.task.given).trajectory
    np.testing.assert_allclose(found.learned.path.U, theirs.U, atol=1e-6)
    np.testing.assert_allclose(found.learned.path.V, theirs.V, atol=1e-6)
    np.testing.assert_allclose(found.learned.hidden[0], example.hidden_errors, rtol=1e-6)
    assert found.learned.name == LEARNED and found.T == 10 and not found.learned.breaks
    assert (found.step_size, found.prior_precision) == (example.step_size, example.prior_precision)


def test_every_lane_takes_the_same_steps_from_its_own_start(example):
    found, starts = race(run(example.task, "ml-1m", 3), seed=4), starting_factors(example, 4)
    assert list(starts) == [LEARNED, MEANS, RANDOM, ZERO] == [lane.name for lane in found.lanes]
    for lane in found.lanes:
        np.testing.assert_array_equal(lane.path.U[0], starts[lane.name][0][0])
        np.testing.assert_array_equal(lane.path.V[0], starts[lane.name][0][1])
        assert lane.hidden.shape == lane.given.shape == (len(starts[lane.name]), 4)
    assert len(starts[RANDOM]) == RANDOM_STARTS and np.ptp(found.lanes[2].hidden[:, -1]) > 0
    assert not np.array_equal(starting_factors(example, 5)[RANDOM][0][0], starts[RANDOM][0][0])
    learned, random = (np.stack([U for U, _ in starts[name]]) for name in (LEARNED, RANDOM))
    assert np.mean(learned**2) == pytest.approx(np.mean(random**2), rel=0.1)


def test_zero_stays_where_it_is_and_errs_like_the_mean_of_the_units(example):
    zero = race(example, step_size=0.1, names=[ZERO]).lanes[0]
    assert not zero.path.U.any() and not zero.path.V.any()
    off = example.task.hidden.values - example.answer.trajectory.standardization.mean
    assert zero.hidden[0] == pytest.approx(np.full(11, np.sqrt(np.mean(off**2))))


def test_the_start_at_the_column_means_estimates_them():
    X = np.array([[1.0, 5, NaN], [2, 4, NaN], [NaN, 3, NaN], [3, NaN, NaN]])
    task = divide(Matrix("", "", Ratings.from_dense(X)), 1.0, "at random", 1)
    found = race(run(task, "ml-1m", 2))
    [means] = [lane for lane in found.lanes if lane.name == MEANS]
    np.testing.assert_allclose(means.path.estimate(0), np.tile([2, 4, 3], (4, 1)), atol=1e-5)
    assert means.hidden is found.lead is None
    assert found.order == ()


def test_a_step_that_is_too_long_breaks_and_safe_steps_do_not(example):
    broken = race(example, step_size=0.4)
    assert not race(example).learned.breaks
    assert broken.learned.breaks and np.isnan(broken.learned.hidden[0, -1])
    assert LEARNED not in [lane.name for lane in broken.order]
    safe = race(example, step_size=0.4, safe=True)
    assert np.isfinite(safe.learned.hidden).all()
    overflows = race(example, step_size=4.0)
    assert 0 < len(overflows.limits) < overflows.T  # until the factors are not finite
    for found, names in ((safe, {"taken", "η"}), (broken, {"would be safe", "η, taken"})):
        assert {trace.name for trace in _lengths(found).chart.data if trace.name} == names


def test_who_is_first_is_ahead_also_where_the_errors_of_random_starts_differ_much():
    """Their mean error, 0.90, is below 0.95; that of their mean squares, 0.98, by which leads are
    measured, is not."""
    cells = Ratings(np.arange(12), np.arange(12), np.ones(12), (12, 12))

    def lane(name, errors):
        errors = np.array(errors)
        path = Trajectory(*np.zeros((2, 1, 12, 1)), Standardization(0, 1))
        return Lane(name, errors[:, None], errors[:, None], np.full(12, np.mean(errors**2)), path)

    both = lane(LEARNED, [0.95]), lane(RANDOM, [0.5, 1.3])
    found = Race(both, cells, 0.1, 0.1, False, np.ones((1, 2)))
    assert [lane.name for lane in found.order] == [LEARNED, RANDOM] and found.lead.share > 0


def test_a_learned_prior_does_harm_only_where_another_start_is_surely_ahead(example):
    assert not race(example).harms  # it is the first
    night = example_matrices()["Film night"].matrix
    task = divide(Matrix("", "", night.ratings, night.truth), 0.5, "at random", 1)
    found = race(run(task, "ml-1m", 10))
    first, learned = found.order[0], found.learned
    over = lead(learned.squares, first.squares, task.hidden)
    assert first is not learned and found.harms == over.behind and over.share < 0


def test_the_band_of_safe_steps_is_half_of_one_over_the_curvature_of_a_row_or_column(example):
    found = race(example, safe=True)
    path = found.learned.path
    given = example.task.given.with_values(np.ones(example.task.given.nnz)).to_dense()
    observed = np.nan_to_num(given)
    for t, ends in enumerate(found.limits):
        rows = observed @ np.square(path.V[t]).sum(axis=1)
        cols = observed.T @ np.square(path.U[t]).sum(axis=1)
        expected = 0.5 / (found.prior_precision + np.concatenate([rows, cols]))
        np.testing.assert_allclose(ends, [expected.min(), expected.max()], rtol=1e-5)
    np.testing.assert_array_equal(found.taken, np.minimum(found.step_size, found.limits))


PAGE = "pages/inside.py"


@pytest.mark.parametrize("checkpoint, beyond_chance", [("jester", True), ("ml-1m", False)])
def test_a_lead_counts_only_beyond_chance(checkpoint, beyond_chance):
    found = race(run(divide(choices.example("Hot or mild"), 0.5, "at random", 1), checkpoint, 10))
    said = verdict(found)
    assert said.startswith("After 10 steps, the learned prior is off by")
    assert ("may be chance" in said) != found.lead.ahead == beyond_chance


def test_how_much_longer_than_safe_a_step_is_that_diverges_is_said():
    task = divide(choices.example("Film night"), 0.5, "at random", 1)
    broken = race(run(task, "ml-1m", 10), step_size=0.4)
    assert f"η = {written(0.4)} is {0.4 / broken.limits[0, 0]:.1f} times as long" in why(broken)
    end = int(np.flatnonzero(np.isfinite(broken.learned.given[0]))[-1])
    assert f"step {end + 1} overflows" in verdict(broken)
    assert "learned prior diverged" in alt_of_curves(broken)


def test_without_hidden_cells_nobody_wins():
    at = healthy(opened(PAGE, keep=100))
    assert "No rating is hidden" in text(at)
    [chart] = charts(at)
    assert chart.proto.id.endswith("lengths")


@pytest.mark.slow
def test_one_click_leads_to_a_table_on_which_the_step_is_too_long():
    at = healthy(opened(PAGE, data="Hot or mild", race_eta=0.1))
    at = healthy(at.button(key="too_long").click().run())
    assert at.selectbox(key="data").value == FULL_HOUSE
    assert at.select_slider(key="race_eta").value == 1
    assert "The steps are too long" in text(at)
    at = healthy(at.toggle(key="race_safe").set_value(True).run())
    assert "The steps are too long" not in text(at)


WITHOUT_PULL = "try No pull of the prior: λ = 0, 40 steps"


@pytest.mark.slow
def test_a_switch_shows_what_the_prior_is_trained_for_and_buttons_what_steps_do():
    """The prior of the same nights that was trained for every step has the better guess; without
    the pull of the prior given cells fit better and hidden ones worse. The bundled nights were
    trained with safe steps, without which a long one overshoots."""
    at = healthy(opened(PAGE))
    ends = r"are off by ([\d.]+), after the last by ([\d.]+\d).*every step: ([\d.]+) and ([\d.]+\d)"
    first, last, other_first, other_last = map(float, re.search(ends, text(at), re.S).groups())
    assert other_first < 0.9 * first
    assert abs(other_last - last) < 0.15 * last
    assert f"the learned prior is off by {last:.2f}" in text(at)
    assert at.toggle(key="race_safe_trained").value
    assert "The steps are too long" not in text(at)
    assert "instead of" not in text(at)

    at = healthy(at.button(key=WITHOUT_PULL).click().run())
    ends = r"end (\S+) off instead of (\S+), and the hidden ones (\S+) instead of ([\d.]+\d)"
    given, usual_given, hidden, usual_hidden = map(float, re.search(ends, text(at)).groups())
    assert given < 0.6 * usual_given
    assert hidden > 1.03 * usual_hidden

    at = healthy(at.button(key="try Make the step 100 times as long").click().run())
    assert at.select_slider(key="race_lambda").value == 1  # each starts from what was learned
    assert not at.toggle(key="race_safe_trained").value
    for said in ("T = 10 steps", "The steps are too long", "clipped to the rating scale"):
        assert said in text(at)
    at = healthy(at.button(key=WITHOUT_PULL).click().run())
    assert at.toggle(key="race_safe_trained").value
    assert at.select_slider(key="race_eta").value == 1

    at = healthy(at.button(key="race_back").click().run())
    assert "instead of" not in text(at)
    assert "T = 10 steps" in text(at)
    assert "race_back" not in [button.key for button in at.button]  # nothing to go back from
    healthy(at.button_group(key="race_trained").set_value("film-nights-every-step").run())
    assert f"the learned prior is off by {other_last:.2f}" in text(at)


@pytest.mark.slow
def test_a_model_without_a_step_size_races_with_the_paper_s_steps_and_buttons_change_them():
    at = healthy(opened(PAGE, model="Universal"))
    assert "so the model trained on films takes the steps here" in text(at)
    assert len(charts(at)) == 2
    at = healthy(at.button(key=WITHOUT_PULL).click().run())
    assert "After 40 steps" in text(at)
