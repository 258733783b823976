"""Film nights: what is drawn lies in the ranges, tastes are what they say, and people rate what they like."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metamf.datasets.film_nights import KINDS, SHOWN, TITLES, FilmNightWorld, draw_night, film_night

MANY = range(60)


def test_a_night_is_determined_by_its_seed_and_nights_of_other_seeds_differ():
    night, again = film_night(3), film_night(3)
    np.testing.assert_array_equal(night.truth, again.truth)
    np.testing.assert_array_equal(night.given(), again.given())
    assert night.names(3) == again.names(3)
    assert not np.array_equal(night.truth, film_night(4).truth)


@pytest.mark.parametrize("world", [FilmNightWorld(), SHOWN], ids=["all", "shown"])
def test_nights_lie_in_the_ranges_of_their_world(world):
    nights = [film_night(seed, world) for seed in MANY]
    for night in nights:
        assert world.people[0] <= len(night.truth) <= world.people[1]
        assert world.films[0] <= night.truth.shape[1] <= world.films[1]
        assert world.kinds[0] <= 1 + night.kind.max() <= world.kinds[1]
        assert world.given[0] <= night.share <= world.given[1]
        assert set(np.unique(night.truth)) <= {1, 2, 3, 4, 5}
        largest = np.bincount(night.preference).max() / len(night.truth)
        assert largest <= world.majority[1] + 0.5 / len(night.truth)
    chosen = np.mean([night.liking > 0 for night in nights])
    assert 0.3 < chosen < 0.7


def test_people_like_the_kind_that_they_prefer():
    for seed in MANY:
        night = film_night(seed, replace(SHOWN, kinds=(2, 3)))
        preferred = night.preference[:, None] == night.kind
        assert (night.tastes[preferred] > 0).all()
        assert (night.tastes[~preferred] < 0).all()
    rest = night.signal - night.tastes  # level, row effects and column effects
    doubly_centred = rest - rest.mean(0) - rest.mean(1, keepdims=True) + rest.mean()
    np.testing.assert_allclose(doubly_centred, 0, atol=1e-12)


def test_titles_tell_the_kind_and_names_are_unique():
    night = film_night(1, FilmNightWorld(people=(30, 30), films=(16, 16), kinds=(3, 3)))
    people, titles = night.names(1)
    assert len(set(people)) == 30
    assert len(set(titles)) == 16
    for title, kind in zip(titles, night.kind):
        assert title in TITLES[KINDS[kind]]
    ratings = night.ratings(1)
    assert ratings.nnz == 30 * 16
    assert ratings.row_labels == people
    np.testing.assert_array_equal(ratings.to_dense(), night.truth)


def test_more_is_given_at_a_larger_share_and_nothing_is_taken_back():
    night = film_night(0)
    before = night.given(0.1, 1.0)
    assert before.sum() == 24
    for share in (0.3, 0.5, 1.0):
        after = night.given(share, 1.0)
        assert after.sum() == round(share * 240)
        assert after[before].all()
        before = after


def test_selection_raises_the_mean_of_what_is_given():
    def lead(liking: float) -> float:
        nights = [film_night(seed) for seed in MANY]
        return float(np.mean([n.truth[n.given(0.3, liking)].mean() - n.truth.mean() for n in nights]))

    leads = [lead(liking) for liking in (0.0, 1.0, 2.0)]
    assert abs(leads[0]) < 0.05
    assert 0.5 < leads[1] < leads[2]


def test_hard_to_please_is_the_same_night_a_star_lower():
    night, harder = film_night(0), film_night(0, replace(SHOWN, shift=-1.0))
    np.testing.assert_allclose(harder.signal, night.signal - 1)
    below_the_top = night.truth < 5  # what was clipped at five stars need not be four
    np.testing.assert_array_equal(harder.truth[below_the_top], np.maximum(night.truth - 1, 1)[below_the_top])


def test_strengths_factors_and_effects_have_the_sizes_of_the_world():
    world = FilmNightWorld(taste=(1.0, 1.0), noise=(0.0, 0.0), row_effect=(0.5, 0.5), column_effect=(0.1, 0.1))
    nights = [draw_night(np.random.default_rng(seed), replace(world, kinds=(2, 2))) for seed in MANY]
    sizes = np.concatenate([np.abs(night.tastes).ravel() for night in nights])
    assert 0.49 <= sizes.min() <= sizes.max() <= 1.69
    assert 0.97 < sizes.mean() < 1.03
    rows = [(night.signal - night.tastes).mean(1).std() for night in nights]
    cols = [(night.signal - night.tastes).mean(0).std() for night in nights]
    assert 0.43 < np.mean(rows) < 0.53
    assert 0.08 < np.mean(cols) < 0.11


@pytest.mark.parametrize(
    "field, value", [("people", (0, 3)), ("kinds", (2, 4)), ("taste", (1, 0)), ("given", (0.5, 2))]
)
def test_a_range_that_no_night_has_is_named(field, value):
    with pytest.raises(ValueError, match=field):
        FilmNightWorld(**{field: value})
