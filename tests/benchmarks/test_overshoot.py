"""When the paper's steps overshoot: the matrices are as they are described, and a higher threshold lets more pass."""

import numpy as np

from benchmarks.accuracy import overshoot


def test_one_to_three_columns_are_nearly_full():
    for seed in range(5):
        episode = overshoot.nearly_full_columns(seed)
        counts = np.bincount(
            np.concatenate([episode.support.cols, episode.query.cols]), minlength=episode.support.n_cols
        )
        assert 1 <= np.sum(counts > 0.9 * episode.support.n_rows) <= 3
        assert abs(episode.support.nnz - episode.query.nnz) <= 1


def test_a_higher_threshold_takes_safe_steps_for_fewer_matrices():
    found = list(overshoot.rows("made up", [overshoot.nearly_full_columns(seed) for seed in range(4)]))
    shares = [float(row["takes_safe"]) for row in found]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0
    assert [row["mean_error"] for row in found if row["threshold"] == 0.01] == ["+0.00000"]
