"""The paper's protocol: splits that share nothing, blocks, support and query entries, all from
seeds."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from problems import random_ratings

from metamf import datasets
from metamf.datasets import random_domain
from metamf.learning.episodes import (
    BlockSampler,
    Episode,
    MixedSampler,
    canonical_lines,
    canonical_order,
    divide_entries,
    held_out_blocks,
    split_rows_and_columns,
)
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits

X = np.arange(1200.0).reshape(40, 30)
NAMED = Ratings.from_dense(X, row_labels=tuple(range(40)), col_labels=tuple(range(30)))


def test_the_parts_of_a_split_share_no_row_and_no_column_and_keep_their_cells():
    parts = split_rows_and_columns(NAMED, seed=3)
    for side, size in (("row_labels", 40), ("col_labels", 30)):
        names = [name for part in parts for name in getattr(part, side)]
        assert sorted(names) == list(range(size))
    assert [part.shape for part in parts] == [(28, 21), (4, 3), (8, 6)]
    for part in parts:
        np.testing.assert_array_equal(part.to_dense(), X[np.ix_(part.row_labels, part.col_labels)])


def test_a_split_depends_on_its_seed_and_on_nothing_else():
    same = [split_rows_and_columns(NAMED, seed).test.row_labels for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


def test_a_matrix_too_small_to_split_or_without_a_block_to_score_is_named():
    with pytest.raises(ValueError, match=r"Ratings\(3 x 9, .* is too small to divide"):
        split_rows_and_columns(random_ratings(3, 9), 0)
    with pytest.raises(ValueError, match=r"no 5 x 5 block of Ratings\(9 x 9, 1 observed"):
        held_out_blocks(Ratings([0], [0], [1.0], (9, 9)), 1, [0], size=(5, 5))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("nnz", [2, 3, 10, 45])
def test_support_and_query_are_the_entries_divided(nnz, share):
    ratings = Ratings(np.zeros(nnz, int), np.arange(nnz), np.arange(float(nnz)), (2, nnz))
    episode = divide_entries(ratings, share, np.random.default_rng(0))
    assert sorted([*episode.support.values, *episode.query.values]) == list(range(nnz))
    assert episode.support.shape == episode.query.shape == ratings.shape
    assert abs(episode.support.nnz - share * nnz) < 1 and episode.query.nnz >= 1


def test_one_entry_is_support_and_a_share_of_one_takes_all():
    one = divide_entries(random_ratings(1, 1, 1.0), 0.5, np.random.default_rng(0))
    assert (one.support.nnz, one.query.nnz) == (1, 0)
    assert divide_entries(random_ratings(4, 4), 1.0, np.random.default_rng(0)).query.nnz == 0


def test_a_block_is_a_submatrix_and_depends_on_its_seed_and_number_only():
    blocks, again, other = (
        [tuple(block.support.values) for block in held_out_blocks(NAMED, count, seed, size=(6, 4))]
        for count, seed in ((5, [7, 1]), (2, [7, 1]), (2, [7, 2]))
    )
    assert blocks[:2] == again and len({*blocks, *other}) == 7
    for block in held_out_blocks(NAMED, 5, [7, 1], size=(6, 4)):
        given, hidden = block.support.to_dense(), block.query.to_dense()
        part = X[np.ix_(block.support.row_labels, block.support.col_labels)]
        np.testing.assert_array_equal(np.where(np.isnan(given), hidden, given), part)


def test_sampled_episodes_are_blocks_of_the_matrices_with_their_entries_divided():
    second = NAMED.with_values(NAMED.values + 5000.0)
    batch = BlockSampler([NAMED, second], (6, 4)).sample(np.random.default_rng(0), 10)
    support = batch.support
    assert (support.n_rows.tolist(), support.n_cols.tolist()) == ([6] * 10, [4] * 10)
    row, col = torch.cat([support.row, batch.query_row]), torch.cat([support.col, batch.query_col])
    # each cell once, support or query
    assert len(torch.unique(row * support.M + col)) == len(row) == 10 * 24
    values = torch.cat([support.x, batch.query_x])
    for d in range(10):
        mine = support.row_matrix[row] == d
        assert torch.equal(support.col_matrix[col[mine]], torch.full((24,), d))
        value, n, m = values[mine], row[mine] - 6 * d, col[mine] - 4 * d
        X = torch.zeros(6, 4).index_put((n, m), value % 5000)
        users, items = (X // 30), (X % 30)  # NAMED holds 30 n + m in cell (n, m)
        assert torch.equal(users, users[:, :1].expand(6, 4))
        assert torch.equal(items, items[:1].expand(6, 4))
        assert len(torch.unique(users)) == 6 and len(torch.unique(items)) == 4
        assert len(torch.unique(value >= 5000)) == 1  # from one matrix only
    assert 0 < (values >= 5000).sum() < len(values)


@pytest.mark.data
@pytest.mark.parametrize(
    "name, paper, columns", [("ml-100k", 28.8, 30), ("ml-1m", 19.0, 30), ("jester", 218.0, 20)]
)
def test_held_out_blocks_hold_as_many_support_entries_as_the_papers(name, paper, columns):
    """Ten splits of 20 blocks; the standard error is that of their ten levels."""
    ratings, levels = datasets.load(name), []
    for seed in range(10):
        test = split_rows_and_columns(ratings, seed).test
        blocks = held_out_blocks(test, 20, [seed, 2])
        assert {block.support.shape for block in blocks} == {(30, columns)}
        # halved, rounded up
        assert all(0 <= block.support.nnz - block.query.nnz <= 1 for block in blocks)
        assert all(block.query.nnz >= 1 for block in blocks)
        levels.append(np.mean([block.support.nnz for block in blocks]))
    standard_error = np.std(levels, ddof=1) / np.sqrt(len(levels))
    assert abs(np.mean(levels) - paper) < 2 * standard_error
    expected = ratings.density * 30 * columns / 2 + 0.25  # of all; 1/4 for rounding up
    assert abs(np.mean(levels) - expected) < 2.5 * standard_error


WIDE = random_ratings(900, 700, density=0.05)
SMALL = random_ratings(30, 20, density=0.8)


def sampler(*matrices, **settings) -> MixedSampler:
    defaults = dict(entries=4000, smallest=10, largest=(300, 600), large_share=0.0)
    return MixedSampler(matrices or (WIDE,), **(defaults | settings))


def many(sampler: MixedSampler, batches: int = 60, seed: int = 0) -> list[Episode]:
    rng = np.random.default_rng(seed)
    return [episode for _ in range(batches) for episode in sampler.episodes(rng, 16)]


@pytest.mark.slow
def test_sizes_are_log_uniform_between_their_ends():
    episodes = many(sampler(entries=10**6))
    sizes = np.array([episode.support.shape for episode in episodes])
    assert sizes.min() >= 10 and (sizes < (300, 600)).all()
    share = (np.log(sizes) - np.log(10)) / (np.log((300, 600)) - np.log(10))  # uniform in 0 ... 1
    np.testing.assert_allclose(share.mean(0), 0.5, atol=0.05)
    np.testing.assert_allclose(share.std(0), 12**-0.5, atol=0.03)


def test_a_batch_holds_about_as_many_entries_as_asked_for():
    rng = np.random.default_rng(0)
    for _ in range(30):
        sizes = [e.support.nnz + e.query.nnz for e in sampler().episodes(rng, 1000)]
        assert sum(sizes) >= 4000 > sum(sizes[:-1]) and max(sizes) <= 8000
    assert len(sampler(entries=10**9).episodes(rng, 5)) == 5


@pytest.mark.slow
def test_some_batches_are_one_large_matrix():
    rng, one = np.random.default_rng(0), sampler(WIDE, SMALL, large_share=0.5)
    batches = [one.episodes(rng, 16) for _ in range(100)]
    large = [batch[0].support.shape for batch in batches if len(batch) == 1]
    assert 35 <= len(large) <= 65
    N, M = np.array(large).T
    assert N.min() >= 120 and N.max() < 300 and M.min() >= 240 and M.max() < 600


@pytest.mark.parametrize(
    "source", [BlockSampler([WIDE, SMALL], (8, 8)), sampler(WIDE, SMALL, large_share=0.3)]
)
def test_episodes_are_determined_by_the_generator(source):
    batches = [source.sample(np.random.default_rng(seed), 16) for seed in (5, 5, 6)]
    for name in ("query_row", "query_col", "query_x"):
        first, again, other = (getattr(batch, name) for batch in batches)
        assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(batches[0].support.x, batches[1].support.x)


@pytest.mark.slow
def test_a_share_of_the_matrices_is_read_in_units_that_know_the_scale():
    units = ScaleUnits(0.5, 0.04, 1e9, 1e9)  # whatever is observed: mean 0, standard deviation 2
    ratings = WIDE.with_values(5 + WIDE.values)
    scaled = replace(ratings, scale=RatingScale(-5, 5))
    for known in (0.0, 0.3, 1.0):
        episodes = many(sampler(scaled, units=units, known_share=known), 20)
        means = np.array([e.support.values.mean() for e in episodes if e.support.nnz > 30])
        assert np.mean(np.abs(means - 2.5) < 0.5) == pytest.approx(known, abs=0.1)
    own = [e.support.values.mean() for e in many(sampler(ratings), 2) if e.support.nnz > 1]
    np.testing.assert_allclose(own, 0, atol=1e-9)


@pytest.mark.slow
def test_a_share_of_the_matrices_is_synthetic_where_they_are_not_too_large():
    ratings = WIDE.with_values(np.full(WIDE.nnz, 7.0))  # in their own units: zeros
    made = {"synthesise": random_domain, "known_share": 0.0}
    for share in (0.0, 0.4, 1.0):
        some = many(sampler(ratings, synthetic_share=share, **made), 40)
        spreads = [e.support.values.std() > 0 for e in some if e.support.nnz > 5]
        assert np.mean(spreads) == pytest.approx(share, abs=0.08)
    sizes = {"smallest": 500, "largest": (800, 700), "entries": 10**5}
    large = sampler(ratings, synthetic_share=1.0, **made, **sizes)
    assert not any(e.support.values.any() for e in many(large, 3))


@pytest.mark.slow
def test_matrices_with_nothing_to_predict_are_an_error_and_not_an_endless_search():
    one = Ratings([3], [2], np.array([1.0]), (50, 40))
    for ratings in (one, random_ratings(40, 40, density=1.0)):
        with pytest.raises(ValueError, match="1,000 draws in a row"):
            sampler(ratings, entries=10, smallest=30).episodes(np.random.default_rng(0), 4)


def whole_numbers(rng):
    return np.where(rng.random((40, 30)) < 0.4, rng.integers(0, 2, (40, 30)), np.nan)


def one_far_off(rng):
    X = rng.integers(1, 6, (40, 8)) + rng.random((40, 8)).round(2)
    X[3, 2] = 1e12
    return X


@pytest.mark.parametrize(("made", "a", "b"), [(whole_numbers, 8, -3), (one_far_off, 1, 0)])
def test_the_canonical_order_is_that_of_a_shuffled_copy_in_another_unit(made, a, b):
    rng = np.random.default_rng(0)
    X = made(rng)
    order = [rng.permutation(size) for size in X.shape]
    ratings, other = Ratings.from_dense(X), Ratings.from_dense(a * X[np.ix_(*order)] + b)
    for own, moved, back in zip(canonical_lines(ratings), canonical_lines(other), order):
        np.testing.assert_array_equal(back[moved], own)
    own, moved = (
        divide_entries(part, 0.7, np.random.default_rng(1), canonical_order(part)).query.to_dense()
        for part in (ratings, other)
    )
    np.testing.assert_array_equal(moved, a * own[np.ix_(*order)] + b)
