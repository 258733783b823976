"""The race of starts: its lanes, how long a step may be, its verdict, and its controls."""

import re

import numpy as np
import pytest
import torch
from opened import charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture
from tasks_of_tests import made_up_matrix

from metamf.answer.answer import Trajectory
from metamf.answer.division import Matrix, divide
from metamf.answer.estimator import load_pretrained
from metamf.answer.significance import lead
from metamf.datasets import example_matrices, synthetic
from metamf.datasets.examples import FULL_HOUSE
from metamf.network.map_steps import objective
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.webapp.explore import choices
from metamf.webapp.explore.run import run
from metamf.webapp.inside.race import (
    LEARNED,
    MEANS,
    RANDOM,
    RANDOM_STARTS,
    ZERO,
    Lane,
    Race,
    alt_of_curves,
    largest_curvature,
    longest_steps,
    race,
    starting_factors,
    verdict,
    why,
)


@pytest.fixture(scope="module")
def example():
    return run(divide(made_up_matrix(), 0.5, "at random", 1), "ml-1m", 10)


def lanes(found):
    return {lane.name: lane for lane in found.lanes}


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
    assert len(starts[RANDOM]) == RANDOM_STARTS and np.ptp(lanes(found)[RANDOM].hidden[:, -1]) > 0
    assert not np.array_equal(starting_factors(example, 5)[RANDOM][0][0], starts[RANDOM][0][0])
    sizes = [np.sqrt(np.mean(np.square(np.stack([U for U, _ in starts[name]])))) for name in (LEARNED, RANDOM)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.05)


def test_zero_stays_where_it_is_and_errs_like_the_mean_of_the_units(example):
    zero = lanes(race(example, step_size=0.1))[ZERO]
    assert not zero.path.U.any() and not zero.path.V.any()
    hidden, mean = example.task.hidden, example.answer.trajectory.standardization.mean
    assert zero.hidden[0] == pytest.approx(np.full(11, np.sqrt(np.mean((hidden.values - mean) ** 2))))


def test_the_start_at_the_column_means_estimates_them():
    X = np.array([[1.0, 5.0, np.nan], [2.0, 4.0, np.nan], [np.nan, 3.0, np.nan], [3.0, np.nan, np.nan]])
    found = race(run(divide(Matrix("", "", Ratings.from_dense(X)), 1.0, "at random", 1), "ml-1m", 2))
    estimate = lanes(found)[MEANS].path.estimate(0)
    np.testing.assert_allclose(estimate, np.tile([2, 4, 3], (4, 1)), atol=1e-5)
    assert lanes(found)[MEANS].hidden is None and found.order == () and found.lead is None


def test_a_step_that_is_too_long_breaks_and_the_curvature_foretells_it(example):
    gentle, broken = race(example), race(example, step_size=0.4)
    assert gentle.first_overshoot is None and (gentle.longest > gentle.step_size).all()
    assert broken.first_overshoot == 1 and broken.learned.breaks and np.isnan(broken.learned.hidden[0, -1])
    assert LEARNED not in [lane.name for lane in broken.order]
    safe = race(example, step_size=0.4, safe=True)
    assert safe.first_overshoot is None and not safe.learned.breaks and np.isfinite(safe.learned.hidden).all()


def test_the_fixed_step_breaks_by_itself_on_a_full_matrix():
    matrix = synthetic(np.random.default_rng(0), 110, 110, density=1.0, taste=0.4, noise=0.02)
    task = divide(Matrix("", "", matrix.ratings, matrix.truth), 0.9, "at random", 1)
    found = race(run(task, "ml-1m", 10), names=[LEARNED, ZERO])
    assert found.first_overshoot == 1 and found.learned.breaks and [lane.name for lane in found.order] == [ZERO]


def test_the_first_leads_the_second_by_the_share_of_their_errors(example):
    found = race(example)
    first, second = found.order[:2]
    assert first.last == min(lane.last for lane in found.lanes)
    assert (
        found.lead.share == pytest.approx(1 - np.sqrt(first.squares.mean() / second.squares.mean()))
        and found.lead.share > 0
    )


def test_who_is_first_is_ahead_also_where_the_errors_of_random_starts_differ_much():
    """Their mean error, 0.90, is below 0.95; that of their mean squares, 0.98, by which leads are measured, is not."""
    cells = Ratings(np.arange(12), np.arange(12), np.ones(12), (12, 12))

    def lane(name, errors):
        errors = np.array(errors)
        path = Trajectory(*np.zeros((2, 1, 12, 1)), Standardization(0, 1))
        return Lane(name, errors[:, None], errors[:, None], np.full(12, np.mean(errors**2)), path)

    found = Race((lane(LEARNED, [0.95]), lane(RANDOM, [0.5, 1.3])), cells, 0.1, 0.1, False, None)
    assert [lane.name for lane in found.order] == [LEARNED, RANDOM] and found.lead.share > 0


def test_a_learned_prior_does_harm_only_where_another_start_is_surely_ahead(example):
    assert not race(example).harms  # it is the first
    night = example_matrices()["Film night"].matrix
    task = divide(Matrix("", "", night.ratings, night.truth), 0.5, "at random", 1)
    found = race(run(task, "ml-1m", 10))
    first, learned = found.order[0], found.learned
    over = lead(learned.squares, first.squares, task.hidden)
    assert first is not learned and found.harms == over.behind and over.share < 0


# -- how long a step may be -------------------------------------------------------------------------------------------

UNITS = Standardization(0.0, 1.0)


def problem(N, M, K, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, M))
    X[rng.random((N, M)) < 0.4] = np.nan
    X[0, 0] = 1.0
    return Ratings.from_dense(X), rng.standard_normal((N, K)), rng.standard_normal((M, K))


@pytest.mark.parametrize("size", [(5, 4, 3), (1, 1, 2)])
def test_the_largest_curvature_is_that_of_the_objective(size):
    ratings, U, V = problem(*size)
    batch, (N, M) = RatingsBatch.of([ratings], torch.float64), ratings.shape
    start = torch.zeros(N + M, U.shape[1], dtype=torch.float64)

    def f(w):
        return objective(w[:N], w[N:], start[:N], start[N:], batch, 0.7)

    w = torch.tensor(np.concatenate([U, V]))
    second = torch.autograd.functional.hessian(f, w).reshape(w.numel(), w.numel())
    dense = ratings.to_dense()
    found, _ = largest_curvature(U, V, (~np.isnan(dense)).astype(float), np.nan_to_num(dense), 0.7)
    assert found == pytest.approx(float(torch.linalg.eigvalsh(second)[-1]), rel=1e-3)


def test_it_ends_where_the_factors_are_not_finite_and_is_left_out_for_large_matrices(monkeypatch):
    ratings, U, V = problem(5, 4, 3)
    path = Trajectory(np.stack([U, U, np.inf * U]), np.stack([V, V, V]), UNITS)
    assert longest_steps(path, ratings, 1.0).shape == (2,)
    monkeypatch.setattr("metamf.webapp.inside.race.LARGEST_COMPUTED", 19)
    assert longest_steps(path, ratings, 1.0) is None


PAGE = "pages/inside.py"


def named(at):
    return [chart.proto.id.split("-")[-1] for chart in charts(at)]


@pytest.mark.parametrize("checkpoint, beyond_chance", [("jester", True), ("ml-1m", False)])
def test_a_lead_counts_only_beyond_chance(checkpoint, beyond_chance):
    found = race(run(divide(choices.example("Hot or mild"), 0.5, "at random", 1), checkpoint, 10))
    said = verdict(found)
    assert said.startswith("After 10 steps, the learned prior is off by")
    assert ("no clear difference" in said) != found.lead.ahead == beyond_chance


def test_the_step_that_overshoots_is_named():
    broken = race(run(divide(choices.example("Film night"), 0.5, "at random", 1), "ml-1m", 10), step_size=0.4)
    assert f"is {0.4 / broken.longest[0]:.1f} times the longest step" in why(broken)
    end = int(np.flatnonzero(np.isfinite(broken.learned.given[0]))[-1])
    assert f"step {end + 1} overflows" in verdict(broken)
    assert "learned prior diverged" in alt_of_curves(broken)


def test_the_page_opens_with_the_race_and_its_answer():
    at = healthy(opened(PAGE, model="ml-1m"))
    assert named(at) == ["race", "lengths"] and all(chart.proto.alt for chart in charts(at))
    assert re.search(r"After 10 steps, the learned prior is off by \d", text(at))
    assert "Zero factors never move" in text(at) and "T = 10 steps" in text(at)


@pytest.mark.slow
def test_a_longer_step_diverges_and_one_click_leads_back():
    at = opened(PAGE, model="ml-1m")
    at = healthy(at.button(key="try Make the step 100 times as long").click().run())
    assert at.select_slider(key="race_eta").value == 100
    assert "The steps are too long" in text(at) and "overflows" in text(at)
    at = healthy(at.toggle(key="race_safe").set_value(True).run())
    assert "The steps are too long" not in text(at) and "A safe step for row n" in text(at)
    at = healthy(at.button(key="race_back").click().run())
    assert at.select_slider(key="race_eta").value == 1 and not at.toggle(key="race_safe").value
    assert "The steps are too long" not in text(at)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["Universal", "ml-1m-nmf"])
def test_a_model_without_a_step_size_races_with_the_paper_s_steps(model):
    at = healthy(opened(PAGE, model=model, section="Figure 5"))  # of another page, which is ignored
    assert "so here the model trained on films steps" in text(at) and len(charts(at)) == 2


def test_without_hidden_cells_nobody_wins():
    at = opened(PAGE, data="Your own grid", keep=100)
    assert "No rating is hidden" in text(healthy(at)) and named(at) == ["lengths"]


@pytest.mark.slow
def test_one_click_leads_to_a_table_on_which_the_step_is_too_long_and_one_back():
    at = healthy(opened(PAGE, data="Hot or mild"))
    at = healthy(at.button(key="too_long").click().run())
    assert at.selectbox(key="data").value == FULL_HOUSE and "The steps are too long" in text(at)
    at = healthy(at.button(key="too_long_back").click().run())
    assert at.selectbox(key="data").value == "Hot or mild" and "The steps are too long" not in text(at)


@pytest.mark.slow
def test_a_switch_shows_what_the_prior_is_trained_for():
    """One click: the prior of the same nights that was trained for every step has the better guess."""
    at = healthy(opened(PAGE))
    first, last = (
        float(x) for x in re.search(r"the guess is off by ([\d.]+) and the end by ([\d.]+\d)", text(at)).groups()
    )
    other_first, other_last = (
        float(x) for x in re.search(r"Trained for every step: ([\d.]+) and ([\d.]+\d)", text(at)).groups()
    )
    assert other_first < 0.9 * first and abs(other_last - last) < 0.15 * last
    assert f"the learned prior is off by {last:.2f}" in text(at)
    [switch] = [group for group in at.get("button_group") if group.key == "race_trained"]
    healthy(switch.set_value("film-nights-every-step").run())
    assert f"the learned prior is off by {other_last:.2f}" in text(at)
    assert at.toggle(key="race_safe").disabled


@pytest.mark.slow
def test_without_the_pull_of_the_prior_given_cells_fit_better_and_hidden_ones_worse():
    at = healthy(opened(PAGE))
    assert "instead of" not in text(at)
    at = healthy(at.button(key="try No prior: λ = 0, 40 steps").click().run())
    found = re.search(
        r"given cells end ([\d.]+) off instead of ([\d.]+), and the hidden ones ([\d.]+) instead of ([\d.]+\d)",
        text(at),
    )
    given, usual_given, hidden, usual_hidden = map(float, found.groups())
    assert given < 0.6 * usual_given and hidden > 1.05 * usual_hidden
    at = healthy(at.button(key="race_back").click().run())
    assert "instead of" not in text(at) and "T = 10 steps" in text(at)
