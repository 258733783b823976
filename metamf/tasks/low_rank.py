"""The number of patterns that make up a product U V^T of factors: its rank, but for a small rest.

A pattern is one number for every row times one for every column. Where U V^T has singular values s_1 >= s_2 >= ...,
its r largest patterns hold the share (s_1^2 + ... + s_r^2) / (s_1^2 + s_2^2 + ...) of the sum of its squares, and no
other r patterns hold more (Eckart and Young 1936). Section 3.2 of the paper: a MAP step, Eqs. (6) and (7), adds
multiples of factors of the other side and of the prior means, so all factors stay in the span of the prior means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SHARE = 0.99  # of the sum of squares, from which the rest counts as small


class Patterns(NamedTuple):
    """The patterns that make up a product.

    Attributes
    ----------
    count : the smallest number of patterns that hold ``SHARE`` of the sum of squares
    share : share that they hold, 0 to 1; 1 for a product that is zero
    """

    count: int
    share: float


def patterns(U: np.ndarray, V: np.ndarray) -> Patterns:
    """The patterns of U V^T.

    Parameters
    ----------
    U : np.ndarray
        (N, K) factors of the rows.
    V : np.ndarray
        (M, K) factors of the columns.
    """
    small = np.linalg.qr(U.astype(float), "r") @ np.linalg.qr(V.astype(float), "r").T  # the same singular values
    squares = np.linalg.svd(small, compute_uv=False) ** 2
    total = squares.sum()
    if total == 0:
        return Patterns(0, 1.0)
    held = np.minimum(np.cumsum(squares) / total, 1.0)
    count = int(np.argmax(held >= SHARE)) + 1
    return Patterns(count, float(held[count - 1]))
