"""Made-up matrices: film nights, whose tastes are what they say, the example matrices, and synthetic ones,
reproducible, consistent with their truth, missing as described."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metamf.datasets import example_matrices, synthetic
from metamf.datasets.film_nights import KINDS, SHOWN, TITLES, FilmNightWorld, film_night
from metamf.ratings.scale import RatingScale

MANY = range(60)
NIGHTS = [film_night(seed) for seed in MANY]


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
        N, M = night.truth.shape
        majority = (np.bincount(night.preference).max() - 0.5) / N
        for value, (low, high) in (
            (N, world.people),
            (M, world.films),
            (1 + night.kind.max(), world.kinds),
            (night.share, world.given),
            (majority, (0, world.majority[1])),
        ):
            assert low <= value <= high
        assert set(np.unique(night.truth)) <= {1, 2, 3, 4, 5}
    assert 0.3 < np.mean([night.liking > 0 for night in nights]) < 0.7


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
    assert (len(set(people)), len(set(titles))) == (30, 16)
    assert all(title in TITLES[KINDS[kind]] for title, kind in zip(titles, night.kind))
    ratings = night.ratings(1)
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
    leads = [
        np.mean([n.truth[n.given(0.3, liking)].mean() - n.truth.mean() for n in NIGHTS])
        for liking in (0.0, 1.0, 2.0)
    ]
    assert abs(leads[0]) < 0.05
    assert 0.5 < leads[1] < leads[2]


def test_examples_are_named_described_and_reproducible():
    example_matrices().clear()
    assert len(example_matrices()) == 6
    for name, example in example_matrices().items():
        ratings = example.matrix.ratings
        assert example.name == name and example.description.endswith((".", "?"))
        for labels, size in zip((ratings.row_labels, ratings.col_labels), ratings.shape):
            assert len(set(labels)) == size
        observed = example.matrix.truth[ratings.rows, ratings.cols]
        np.testing.assert_array_equal(ratings.values, observed)
        with pytest.raises(ValueError, match="read-only"):
            example.matrix.truth[0, 0] = 0


def test_each_example_shows_what_its_description_says():
    matrix = {name: example.matrix for name, example in example_matrices().items()}
    night, hard = matrix["Film night"], matrix["Hard to please"]
    assert night.ratings.nnz == 240
    assert night.ratings.row_labels == hard.ratings.row_labels
    # ratings end at one star
    assert hard.truth.mean() == pytest.approx(night.truth.mean() - 1, abs=0.15)
    hot = matrix["Hot or mild"]
    liked = (np.arange(20) < 14)[:, None] == (np.arange(14) < 10)
    assert hot.truth[liked].mean() > 4 and hot.truth[~liked].mean() < 2 and hot.ratings.density == 1
    jokes, full = matrix["Jokes"].ratings, matrix["Full house"].ratings
    assert jokes.scale == RatingScale(-10, 10) and 0.7 < jokes.density < 0.75
    assert full.shape == (200, 300) and full.density > 0.9


SCALES = [RatingScale(1, 5, 1), RatingScale(-10, 10), RatingScale(0, 10, 3)]


def make(seed=0, n_rows=40, n_cols=30, **settings):
    return synthetic(np.random.default_rng(seed), n_rows, n_cols, **settings)


def test_the_same_seed_gives_the_same_matrix():
    one, same, other = make(3), make(3), make(4)
    np.testing.assert_array_equal(one.truth, same.truth)
    np.testing.assert_array_equal(one.ratings.cols, same.ratings.cols)
    assert not np.array_equal(one.truth, other.truth)


@pytest.mark.parametrize("missing", ["random", "popular"])
@pytest.mark.parametrize("density", [1e-9, 0.1, 0.5, 1.0])
def test_the_number_of_observed_entries_is_exact(missing, density):
    assert make(density=density, missing=missing).ratings.nnz == max(1, round(density * 1200))


@pytest.mark.parametrize("scale", SCALES)
def test_ratings_are_the_truth_where_observed_and_lie_on_the_scale(scale):
    matrix = make(scale=scale, noise=0.3)
    ratings = matrix.ratings
    np.testing.assert_array_equal(ratings.values, matrix.truth[ratings.rows, ratings.cols])
    assert ratings.scale == scale
    assert scale.minimum <= matrix.truth.min() and matrix.truth.max() <= scale.maximum
    if scale.step:
        steps = (matrix.truth - scale.minimum) / scale.step
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
        assert len(np.unique(matrix.truth)) == 1 + int((scale.maximum - scale.minimum) / scale.step)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_the_signal_is_of_the_rank_asked_for_beside_its_effects(rank):
    signal = make(rank=rank).signal
    centred = signal - signal.mean(axis=0) - signal.mean(axis=1, keepdims=True) + signal.mean()
    assert np.linalg.matrix_rank(centred, tol=1e-9) == rank
    assert np.linalg.matrix_rank(signal, tol=1e-9) == rank + 2
    taste = make(rank=rank, row_effect=0, column_effect=0, taste=1).signal - 3
    assert np.linalg.matrix_rank(taste, tol=1e-9) == rank
