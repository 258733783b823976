"""How many patterns make up a product of factors."""

import numpy as np
import pytest

from metamf.evaluate.run import SHARE, patterns


def orthonormal(n, k, seed):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, k)))[0]


def test_patterns_are_counted_up_to_the_share_by_known_singular_values():
    rows, cols, turn = orthonormal(20, 3, 0), orthonormal(14, 3, 1), orthonormal(32, 3, 2)
    U, V = rows * [4.0, 2.0, 0.1] @ turn.T, cols @ turn.T  # 32 factors, singular values 4, 2 and 0.1
    count, share = patterns(U, V)
    assert count == 2 and share == pytest.approx(20 / 20.01) and share >= SHARE
    assert patterns(rows @ turn.T, V) == (3, pytest.approx(1.0))


def test_a_product_of_nothing_has_no_patterns():
    assert patterns(np.zeros((4, 2)), np.ones((3, 2))) == (0, 1.0)
    assert patterns(np.ones((1, 5)), np.ones((1, 5))) == (1, pytest.approx(1.0))
