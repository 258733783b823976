"""Episodes of every size: their sizes, shares and number, and that no query entry is looked at."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from problems import random_ratings

from metamf.datasets import random_domain
from metamf.learning.episodes import Episode, MixedSampler
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits

WIDE = random_ratings(900, 700, density=0.05)
SMALL = random_ratings(30, 20, density=0.8)


def sampler(*matrices, **settings) -> MixedSampler:
    defaults = dict(entries=4000, smallest=10, largest=(300, 600), large_share=0.0)
    return MixedSampler(matrices or (WIDE,), **(defaults | settings))


def many(sampler: MixedSampler, batches: int = 60, seed: int = 0) -> list[Episode]:
    rng = np.random.default_rng(seed)
    return [episode for _ in range(batches) for episode in sampler.episodes(rng, 16)]


def test_sizes_are_log_uniform_between_their_ends():
    episodes = many(sampler(entries=10**6))
    sizes = np.array([episode.support.shape for episode in episodes])
    assert sizes.min() >= 10 and (sizes < (300, 600)).all()
    share = (np.log(sizes) - np.log(10)) / (np.log((300, 600)) - np.log(10))  # uniform in 0 ... 1
    np.testing.assert_allclose(share.mean(0), 0.5, atol=0.05)
    np.testing.assert_allclose(share.std(0), 12**-0.5, atol=0.03)


def test_support_shares_are_uniform_between_their_ends():
    episodes = [e for e in many(sampler(support_shares=(0.2, 0.6))) if e.support.nnz + e.query.nnz > 200]
    shares = np.array([e.support.nnz / (e.support.nnz + e.query.nnz) for e in episodes])
    assert shares.min() >= 0.2 and shares.max() <= 0.61
    assert shares.mean() == pytest.approx(0.4, abs=0.03) and shares.std() == pytest.approx(0.4 * 12**-0.5, abs=0.02)


def test_a_batch_holds_about_as_many_entries_as_asked_for():
    rng = np.random.default_rng(0)
    for _ in range(30):
        sizes = [episode.support.nnz + episode.query.nnz for episode in sampler().episodes(rng, 1000)]
        assert sum(sizes) >= 4000 > sum(sizes[:-1]) and max(sizes) <= 8000
    assert len(sampler(entries=10**9).episodes(rng, 5)) == 5


def test_some_batches_are_one_large_matrix():
    rng, one = np.random.default_rng(0), sampler(WIDE, SMALL, large_share=0.5)
    batches = [one.episodes(rng, 16) for _ in range(100)]
    large = [batch[0].support.shape for batch in batches if len(batch) == 1]
    assert 35 <= len(large) <= 65
    N, M = np.array(large).T
    assert N.min() >= 120 and N.max() < 300 and M.min() >= 240 and M.max() < 600


def test_matrices_without_the_columns_are_never_taken_as_large_ones():
    narrow = sampler(SMALL, large_share=1.0, entries=2000)
    assert min(len(narrow.episodes(np.random.default_rng(seed), 16)) for seed in range(9)) > 1


def test_a_matrix_smaller_than_asked_gives_all_it_has():
    episodes = many(sampler(SMALL), 10)
    assert max(e.support.n_rows for e in episodes) == 30 and max(e.support.n_cols for e in episodes) == 20
    tiny = many(sampler(random_ratings(4, 3, density=1.0)), 3)
    assert {e.support.shape for e in tiny} == {(4, 3)}


def test_every_matrix_takes_its_turn():
    densities = [e.support.density + e.query.density for e in many(sampler(WIDE, SMALL), 40)]
    assert 0.4 < np.mean(np.array(densities) > 0.4) < 0.6  # 0.8 in one matrix, 0.05 in the other


def test_episodes_are_determined_by_the_generator():
    batches = [sampler(WIDE, SMALL, large_share=0.3).sample(np.random.default_rng(seed), 16) for seed in (5, 5, 6)]
    for name in ("query_row", "query_col", "query_x"):
        first, again, other = (getattr(batch, name) for batch in batches)
        assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(batches[0].support.x, batches[1].support.x)


def test_support_and_query_are_disjoint_cells_of_one_matrix():
    values = np.arange(WIDE.nnz, dtype=float)
    for episode in many(sampler(WIDE.with_values(values)), 5):
        support, query = episode.support, episode.query
        assert support.shape == query.shape and query.nnz and support.nnz
        M = support.n_cols
        assert not np.intersect1d(support.rows * M + support.cols, query.rows * M + query.cols).size


def test_an_episode_is_in_the_units_of_its_support_entries():
    for episode in many(sampler(WIDE.with_values(5 + 3 * WIDE.values)), 5):
        if episode.support.nnz > 1:
            values = episode.support.values
            assert abs(values.mean()) < 1e-9 and values.std() == pytest.approx(1)


def test_a_share_of_the_matrices_is_read_in_units_that_know_the_scale():
    units = ScaleUnits(0.5, 0.04, 1e9, 1e9)  # whatever is observed: mean 0, standard deviation 2
    ratings = WIDE.with_values(5 + WIDE.values)
    for known in (0.0, 0.3, 1.0):
        episodes = many(sampler(replace(ratings, scale=RatingScale(-5, 5)), units=units, known_share=known), 20)
        shares = [abs(episode.support.values.mean() - 2.5) < 0.5 for episode in episodes if episode.support.nnz > 30]
        assert np.mean(shares) == pytest.approx(known, abs=0.1)
        assert all(e.support.nnz < 2 or abs(e.support.values.mean()) < 1e-9 for e in many(sampler(ratings), 2))


def test_a_share_of_the_matrices_is_synthetic_where_they_are_not_too_large():
    ratings = WIDE.with_values(np.full(WIDE.nnz, 7.0))  # in their own units: zeros
    for share in (0.0, 0.4, 1.0):
        some = many(sampler(ratings, synthetic_share=share, synthesise=random_domain, known_share=0.0), 40)
        spreads = [e.support.values.std() > 0 for e in some if e.support.nnz > 5]
        assert np.mean(spreads) == pytest.approx(share, abs=0.08)
    large = sampler(ratings, synthetic_share=1.0, known_share=0.0, smallest=500, largest=(800, 700), entries=10**5)
    assert all(not e.support.values.any() for e in many(large, 3))


def test_matrices_with_nothing_to_predict_are_an_error_and_not_an_endless_search():
    for ratings in (Ratings([3], [2], np.array([1.0]), (50, 40)), random_ratings(40, 40, density=1.0)):
        with pytest.raises(ValueError, match="1,000 draws in a row"):
            sampler(ratings, entries=10, smallest=30).episodes(np.random.default_rng(0), 4)
