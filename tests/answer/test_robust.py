"""Any matrix: finite, honest about bounds, and equivariant, whatever its shape, density, values and
units.

Units are those that float64 can tell apart: values x become a x + b, with |b| / a up to 1e9.
Matrices of up to half a million entries are adapted to in double precision, so an answer moves by
rounding only.
"""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from problems import small_universal

from metamf import MetaMFImputer
from metamf.checkpoints.files import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.network.universal.network import Universal

LEVEL = 0.9


@pytest.fixture(scope="module")
def random_weights(tmp_path_factory):
    """A checkpoint that was never trained: robust by construction, not by training."""
    path = tmp_path_factory.mktemp("checkpoints") / "random.safetensors"
    info = CheckpointInfo("random", "nothing", None, None, split_seed=0)
    return str(save_checkpoint(path, small_universal(rank=5, steps=4), info))


def stars(rng, N, M):
    return rng.integers(1, 6, (N, M)).astype(float)


def structured(rng, N, M):
    effects = rng.standard_normal((N, 1)) + rng.standard_normal(M)
    return effects + rng.standard_normal((N, 2)) @ rng.standard_normal((2, M))


KINDS = {
    "stars": stars,
    "structured": structured,
    "zeros and ones": lambda rng, N, M: (rng.random((N, M)) < 0.3).astype(float),
    "Cauchy": lambda rng, N, M: rng.standard_cauchy((N, M)),
    "outliers": lambda rng, N, M: np.where(rng.random((N, M)) < 0.02, 1e12, stars(rng, N, M)),
    "constant": lambda rng, N, M: np.full((N, M), rng.normal()),
    "duplicate rows": lambda rng, N, M: np.tile(structured(rng, 1, M), (N, 1)),
    "two kinds of rows": lambda rng, N, M: structured(rng, 2, M)[rng.integers(0, 2, N)],
}


def matrix(kind: str, N: int, M: int, density: float, seed: int) -> np.ndarray:
    """(N, M), NaN where missing; at least one cell is observed."""
    rng = np.random.default_rng(seed)
    X = KINDS[kind](rng, N, M)
    observed = rng.random((N, M)) < density
    observed[rng.integers(N), rng.integers(M)] = True
    return np.where(observed, X, np.nan)


def matrices(largest: int):
    """Shapes log-uniform in 1 ... largest; from one cell to all."""
    size = st.sampled_from(sorted({round(largest ** (k / 40)) for k in range(41)}))
    density = st.sampled_from([0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.0])
    return st.builds(
        matrix, st.sampled_from(sorted(KINDS)), size, size, density, st.integers(0, 2**32 - 1)
    )


# a, and b / a
units = st.tuples(st.floats(-6, 6).map(lambda power: 10**power), st.floats(-1e3, 1e3))
default_tier = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def assert_honest(checkpoint: str, X: np.ndarray):
    """What holds of every answer; returns it, not clipped."""
    result = MetaMFImputer(checkpoint).impute(X, interval=LEVEL)
    known = ~np.isnan(X)
    low, high = X[known].min(), X[known].max()
    for part in (result.mean, result.lower, result.upper, result.filled):
        assert part.shape == X.shape and np.isfinite(part).all()
    for part in (result.mean, result.filled):
        assert part.min() >= low and part.max() <= high
    assert (result.lower <= result.mean).all() and (result.mean <= result.upper).all()
    np.testing.assert_array_equal(result.filled[known], X[known])
    free = replace(result, limits=None)
    for part in (free.mean, free.lower, free.upper):
        assert np.isfinite(part).all()
    assert (free.lower <= free.mean).all() and (free.mean <= free.upper).all()
    if low < high:
        assert (free.lower < free.upper).all()
    return free


def assert_equivariant(checkpoint, X, a, shift, seed, free):
    """In another order and other units an answer is the same; differences are in standard
    deviations of X."""
    rng = np.random.default_rng(seed)
    order = np.ix_(*(rng.permutation(size) for size in X.shape))
    shift *= a * spread(X)
    moved = MetaMFImputer(checkpoint, clip=False).impute(a * X[order] + shift, interval=LEVEL)
    for name in ("mean", "lower", "upper"):
        before, after = getattr(free, name)[order], (getattr(moved, name) - shift) / a
        off = np.abs(after - before).max() / max(spread(X), np.abs(before - np.nanmean(X)).max())
        assert off <= 1e-6, f"{name} is off by {off:.3g}"


def spread(X: np.ndarray) -> float:
    """The standard deviation; of a matrix in which nothing varies, its size."""
    size = np.nanmax(np.abs(X)) or 1.0
    std = size * np.nanstd(X / size)
    return std if std > 1e-12 * size else size


@default_tier
@given(matrices(60), units, st.integers(0, 2**32 - 1))
@example(np.array([[3.0]]), (1.0, 0.0), 0)
@example(np.array([[np.nan, np.nan], [np.nan, 4.0]]), (1e6, 1e3), 0)
@example(np.full((5, 4), -0.1), (1e-6, -1e3), 0)
@example(matrix("stars", 12, 9, 0.5, seed=0) + 1e17, (1.0, 0.0), 0)  # they drown in the offset
@example(1e-300 * matrix("structured", 12, 9, 0.5, seed=0), (1.0, 0.0), 0)
@example(1e200 * matrix("structured", 12, 9, 0.5, seed=0), (1.0, 0.0), 0)
def test_any_small_matrix(random_weights, X, unit, seed):
    free = assert_honest(random_weights, X)
    assert_equivariant(random_weights, X, *unit, seed, free)


@pytest.mark.slow
def test_a_matrix_without_noise_and_too_large_for_double_precision(monkeypatch):
    """Its sums, taken in single precision, once threw the sweeps off by millions of standard
    deviations."""
    shape = 1000, 530
    X = matrix("duplicate rows", *shape, 1.0, seed=0)
    single = MetaMFImputer("universal", clip=False).fit(X)
    monkeypatch.setattr(Universal, "double_up_to", X.size)
    double = MetaMFImputer("universal", clip=False).fit(X)
    cells = np.indices(shape)
    close = functools.partial(np.testing.assert_allclose, rtol=0, atol=2e-3 * spread(X))
    close(single.estimate(*cells), double.estimate(*cells))
    close(single.transform(X[:5]), double.transform(X[:5]))


@pytest.mark.slow
@settings(default_tier, max_examples=20)
@given(matrices(2000), units, st.integers(0, 2**32 - 1))
def test_any_matrix_up_to_2000_by_2000(X, unit, seed):
    known = np.flatnonzero(~np.isnan(X))
    if known.size > 500_000:  # those of which every cell is observed: above
        X.flat[np.random.default_rng(seed).permutation(known)[500_000:]] = np.nan
    assert_equivariant("universal", X, *unit, seed, assert_honest("universal", X))
