"""Units from few entries: the formula, its limits, what an affine change does, and an estimate that finds the truth."""

from dataclasses import replace

import numpy as np
import pytest
from problems import random_ratings

from metamf.datasets import synthetic
from metamf.learning.episodes import Episode, divide_entries
from metamf.learning.recipes import fit_units
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits, Standardization

UNITS = ScaleUnits(mean=0.6, variance=0.09, mean_weight=8.0, variance_weight=16.0)
STARS = RatingScale(1, 5, 1)


def row_of(values, scale=STARS) -> Ratings:
    values = np.array(values, dtype=float)
    return Ratings(np.zeros(values.size, int), np.arange(values.size), values, (1, max(values.size, 1)), scale=scale)


def test_the_formula_is_that_of_made_up_entries():
    units = UNITS.of(row_of([5, 3]))
    mean = (5 + 3 + 8 * 3.4) / 10
    variance = ((5 - mean) ** 2 + (3 - mean) ** 2 + 16 * 0.09 * 4**2) / 18
    assert units.mean == pytest.approx(mean) and units.std == pytest.approx(variance**0.5)


def test_few_entries_move_little_many_move_all_the_way_and_none_give_the_scale_s():
    own = Standardization.of(np.array([3.0, 3, 4]))
    few, many = UNITS.of(row_of([3, 3, 4])), UNITS.of(row_of([3, 3, 4] * 5000))
    assert own.mean < few.mean < 3.4 and own.std < few.std < 1.2
    assert many.mean == pytest.approx(own.mean, rel=1e-2) and many.std == pytest.approx(own.std, rel=1e-2)
    nothing = UNITS.of(row_of([]))
    assert nothing.mean == pytest.approx(3.4) and nothing.std == pytest.approx(1.2)


def test_one_value_everywhere_still_has_a_spread():
    assert UNITS.of(row_of([4] * 10)).std > 0.5


def test_without_a_scale_they_are_the_entries_own():
    values = random_ratings(6, 5).values
    assert UNITS.of(row_of(values, None)) == Standardization.of(values)


@pytest.mark.parametrize(("factor", "shift"), [(1e-6, 0), (1e6, -1e6), (0.25, -0.25), (-1, 6)])
def test_an_affine_change_of_ratings_and_scale_changes_no_standardised_value(factor, shift):
    values = np.array([5.0, 3, 4, 1, 5])
    ends = sorted(end * factor + shift for end in (1, 5))
    moved = row_of(values * factor + shift, RatingScale(*ends))
    units = replace(UNITS, mean=0.4) if factor < 0 else UNITS
    np.testing.assert_allclose(
        units.of(moved).apply(moved.values), np.sign(factor) * UNITS.of(row_of(values)).apply(values), rtol=1e-9
    )


def test_moments_of_many_are_those_of_each():
    values = np.random.default_rng(0).integers(1, 6, (7, 4)).astype(float)
    for row, mean, std in zip(values, *UNITS.moments(values, STARS)):
        assert UNITS.of(row_of(row)) == Standardization(mean, std)


def test_an_episode_is_in_the_units_of_its_support():
    ratings = replace(random_ratings(6, 5), scale=RatingScale(-5, 5))
    episode = divide_entries(ratings, 0.5, np.random.default_rng(0))
    found, other = (
        e.standardized(UNITS)
        for e in (episode, Episode(episode.support, episode.query.with_values(9 * episode.query.values)))
    )
    units = UNITS.of(episode.support)
    np.testing.assert_array_equal(found.support.values, units.apply(episode.support.values))
    np.testing.assert_array_equal(found.query.values, units.apply(episode.query.values))
    np.testing.assert_array_equal(found.support.values, other.support.values)


@pytest.mark.parametrize("name", ["variance", "mean_weight", "variance_weight"])
def test_what_is_not_positive_is_named(name):
    with pytest.raises(ValueError, match=f"{name} must be positive, got 0"):
        ScaleUnits(**{name: 0})


def test_the_estimate_finds_what_the_matrices_were_made_with():
    """Levels spread by 0.05 of the scale around 0.6, ratings by 0.2 around their level: worth 0.2^2 / 0.05^2 = 16."""
    rng = np.random.default_rng(0)

    def episode():
        values = -10 + 20 * (0.6 + 0.05 * rng.standard_normal() + 0.2 * rng.standard_normal(40))
        return divide_entries(row_of(values, RatingScale(-10, 10)), rng.uniform(0.1, 0.9), rng)

    units = fit_units([episode() for _ in range(3000)])
    assert units.mean == pytest.approx(0.6, abs=0.005) and units.variance == pytest.approx(0.04, rel=0.1)
    assert units.mean_weight == pytest.approx(16, rel=0.2) and units.variance_weight > 50


def test_estimated_units_predict_better_than_those_of_a_handful_of_entries():
    rng = np.random.default_rng(1)
    matrices = [synthetic(rng, 20, 15, density=0.05, scale=STARS).ratings for _ in range(300)]
    episodes = [divide_entries(matrix, 0.4, rng) for matrix in matrices]
    units = fit_units(episodes[:200])

    def error(units_of):
        return np.mean([(units_of(episode.support).mean - episode.query.values) ** 2 for episode in episodes[200:]])

    assert error(units.of) < 0.97 * error(lambda ratings: Standardization.of(ratings.values))


def test_the_estimate_asks_for_the_scale_of_every_episode():
    episode = divide_entries(row_of([1.0, 2.0, 3.0, 4.0], None), 0.5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="give each one its scale"):
        fit_units([episode])
