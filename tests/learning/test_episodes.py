"""The paper's protocol: splits that share nothing, blocks, support and query entries, all from seeds."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from problems import random_ratings

from metamf.learning.episodes import BlockSampler, EpisodeBatch, divide_entries, held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings

NAMED = Ratings(*np.nonzero(np.ones((40, 30))), np.arange(1200.0), (40, 30), tuple(range(40)), tuple(range(30)))


def parts_of(split):
    return [split.train, split.validation, split.test]


def digest(ratings_or_batch) -> str:
    arrays = [getattr(ratings_or_batch, name) for name in ("rows", "cols", "values")]
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def test_the_parts_of_a_split_share_no_row_and_no_column():
    parts = parts_of(split_rows_and_columns(NAMED, seed=3))
    for side, size in (("row_labels", 40), ("col_labels", 30)):
        names = [name for part in parts for name in getattr(part, side)]
        assert sorted(names) == list(range(size))
    assert [part.shape for part in parts] == [(28, 21), (4, 3), (8, 6)]


def test_each_part_keeps_its_cells_and_their_values():
    X = NAMED.to_dense()
    for part in parts_of(split_rows_and_columns(NAMED, seed=3)):
        np.testing.assert_array_equal(part.to_dense(), X[np.ix_(part.row_labels, part.col_labels)])


def test_a_split_depends_on_its_seed_and_on_nothing_else():
    same = [split_rows_and_columns(NAMED, seed).test.row_labels for seed in (1, 1, 2)]
    assert same[0] == same[1] != same[2]


def test_a_matrix_too_small_to_split_is_named():
    with pytest.raises(ValueError, match=r"Ratings\(3 x 9, .* is too small to divide"):
        split_rows_and_columns(random_ratings(3, 9), 0)


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


def test_every_entry_is_as_likely_to_be_support():
    ratings, rng = random_ratings(4, 5, 1.0), np.random.default_rng(0)
    times = sum(~np.isnan(divide_entries(ratings, 0.5, rng).support.to_dense()) for _ in range(2000))
    assert np.abs(times - 1000).max() < 5 * np.sqrt(2000 / 4)


def test_a_block_is_a_submatrix_and_depends_on_its_seed_and_number_only():
    blocks = held_out_blocks(NAMED, 5, [7, 1], size=(6, 4))
    again = held_out_blocks(NAMED, 2, [7, 1], size=(6, 4))
    other = held_out_blocks(NAMED, 2, [7, 2], size=(6, 4))
    assert [digest(b.support) for b in blocks[:2]] == [digest(b.support) for b in again]
    assert digest(other[0].support) != digest(again[0].support)
    assert len({digest(b.support) for b in blocks}) == 5
    X = NAMED.to_dense()
    for block in blocks:
        whole = np.where(np.isnan(block.support.to_dense()), block.query.to_dense(), block.support.to_dense())
        np.testing.assert_array_equal(whole, X[np.ix_(block.support.row_labels, block.support.col_labels)])


@pytest.mark.slow
def test_blocks_are_the_same_in_a_fresh_process():
    code = """
import numpy as np
from test_episodes import NAMED, digest
from metamf.learning.episodes import held_out_blocks, split_rows_and_columns
print(*(digest(e.query) for e in held_out_blocks(split_rows_and_columns(NAMED, 5).train, 3, [5, 1], (6, 6))))
"""
    tests = Path(__file__).parent
    fresh = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{tests}:{tests / 'support'}:{tests.parent}", "PYTHONHASHSEED": "17"},
    )
    here = held_out_blocks(split_rows_and_columns(NAMED, 5).train, 3, [5, 1], (6, 6))
    assert fresh.stdout.split() == [digest(episode.query) for episode in here]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_every_block_of_a_very_sparse_matrix_has_support_and_query(share):
    sparse = random_ratings(60, 60, 0.004)
    for block in held_out_blocks(sparse, 50, [0], size=(20, 20), support_share=share):
        assert block.support.nnz >= 1 and block.query.nnz >= 1


def test_a_matrix_without_a_block_to_score_is_named():
    with pytest.raises(ValueError, match=r"no 5 x 5 block of Ratings\(9 x 9, 1 observed"):
        held_out_blocks(Ratings([0], [0], [1.0], (9, 9)), 1, [0], size=(5, 5))


def test_a_small_matrix_gives_all_it_has():
    (block,) = held_out_blocks(random_ratings(12, 50, 0.9), 1, [0])
    assert block.support.shape == (12, 30)


# -- meta-training episodes ---------------------------------------------------------------------------------------


def test_sampled_episodes_are_blocks_of_the_matrices_with_their_entries_divided():
    second = NAMED.with_values(NAMED.values + 5000.0)
    batch = BlockSampler([NAMED, second], (6, 4)).sample(np.random.default_rng(0), 10)
    support = batch.support
    assert len(support) == 10 and set(support.n_rows.tolist()) == {6} and set(support.n_cols.tolist()) == {4}
    row, col = torch.cat([support.row, batch.query_row]), torch.cat([support.col, batch.query_col])
    assert len(torch.unique(row * support.M + col)) == len(row) == 10 * 24  # each cell once, support or query
    values = torch.cat([support.x, batch.query_x])
    for d in range(10):
        mine = support.row_matrix[row] == d
        assert torch.equal(support.col_matrix[col[mine]], torch.full((24,), d))
        value, n, m = values[mine], row[mine] - 6 * d, col[mine] - 4 * d
        X = torch.zeros(6, 4).index_put((n, m), value % 5000)
        users, items = (X // 30), (X % 30)  # NAMED holds 30 n + m in cell (n, m)
        assert torch.equal(users, users[:, :1].expand(6, 4)) and torch.equal(items, items[:1].expand(6, 4))
        assert len(torch.unique(users)) == 6 and len(torch.unique(items)) == 4
        assert len(torch.unique(value >= 5000)) == 1  # from one matrix only
    assert 0 < (values >= 5000).sum() < len(values)


def test_every_entry_is_support_with_the_probability_given():
    sampler = BlockSampler([random_ratings(30, 30, 1.0)], (20, 20), support_share=0.3)
    batch = sampler.sample(np.random.default_rng(0), 25)
    n = 25 * 400
    assert abs(len(batch.support.x) - 0.3 * n) < 4 * np.sqrt(n * 0.3 * 0.7)
    assert len(batch.support.x) + len(batch.query_x) == n


def test_sampling_depends_on_the_generator_only():
    sampler = BlockSampler([random_ratings(40, 40)], (8, 8))
    first, same, other = (sampler.sample(np.random.default_rng(seed), 4) for seed in (1, 1, 2))
    assert torch.equal(first.support.x, same.support.x) and torch.equal(first.query_row, same.query_row)
    assert not (len(other.support.x) == len(first.support.x) and torch.equal(other.support.x, first.support.x))


def test_a_batch_of_episodes_knows_the_matrix_of_each_query_entry():
    episodes = held_out_blocks(NAMED, 3, [0], size=(4, 3))
    batch = EpisodeBatch.of(episodes, torch.float64)
    assert batch.query_matrix.tolist() == sum(([d] * e.query.nnz for d, e in enumerate(episodes)), [])
    assert torch.equal(batch.query_x, torch.as_tensor(np.concatenate([e.query.values for e in episodes])))


# -- the paper's numbers ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    from metamf.datasets import load

    return load


@pytest.mark.data
@pytest.mark.parametrize("name, paper, columns", [("ml-100k", 28.8, 30), ("ml-1m", 19.0, 30), ("jester", 218.0, 20)])
def test_held_out_blocks_hold_as_many_support_entries_as_the_papers(data, name, paper, columns):
    """Ten splits of 20 blocks. A split has a level of its own, so the standard error is that of the ten levels; the
    paper's figure, also of ten splits, has one of about the same size, which is not even counted."""
    ratings, levels = data(name), []
    for seed in range(10):
        test = split_rows_and_columns(ratings, seed).test
        blocks = held_out_blocks(test, 20, [seed, 2])
        assert {block.support.shape for block in blocks} == {(30, columns)}
        assert all(0 <= block.support.nnz - block.query.nnz <= 1 for block in blocks)  # halved, rounded up
        assert all(block.query.nnz >= 1 for block in blocks)
        levels.append(np.mean([block.support.nnz for block in blocks]))
    standard_error = np.std(levels, ddof=1) / np.sqrt(len(levels))
    assert abs(np.mean(levels) - paper) < 2 * standard_error
    expected = ratings.density * 30 * columns / 2 + 0.25  # of all splits and blocks; 1/4 for rounding up
    assert abs(np.mean(levels) - expected) < 2.5 * standard_error


@pytest.mark.data
@pytest.mark.parametrize(
    "name, shape, nnz, test_shape",
    [
        ("ml-100k", (943, 1682), 100_000, (189, 336)),
        ("ml-1m", (6040, 3952), 1_000_205, (1208, 790)),
        ("jester", (24_983, 100), 1_805_072, (4997, 20)),
    ],
)
def test_real_splits_have_the_papers_sizes_and_share_nothing(data, name, shape, nnz, test_shape):
    ratings = data(name)
    assert (ratings.shape, ratings.nnz) == (shape, nnz)
    plain = Ratings(ratings.rows, ratings.cols, ratings.values, shape, tuple(range(shape[0])), tuple(range(shape[1])))
    parts = parts_of(split_rows_and_columns(plain, 0))
    assert parts[2].shape == test_shape
    for side, size in (("row_labels", shape[0]), ("col_labels", shape[1])):
        assert sorted(name for part in parts for name in getattr(part, side)) == list(range(size))
