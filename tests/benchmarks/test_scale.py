"""The benchmark of size: its data, its figures, and memory that does not depend on N x M."""

import multiprocessing
import resource
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import torch

from benchmarks.speed.scale import grown_matrix
from metamf import MetaMFImputer
from metamf.ratings.matrix import Ratings

# -- the benchmarks' own data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("nnz", [1, 10, 5000])
def test_synthetic_ratings_are_as_many_as_asked_for_and_differ_in_popularity(nnz):
    ratings = grown_matrix(nnz, np.random.default_rng(0))
    assert ratings.nnz == nnz and set(ratings.values) <= {1, 2, 3, 4, 5}
    if nnz == 5000:
        counts = ratings.col_counts
        assert ratings.shape == (70, 140) and counts[:20].mean() > 2 * counts[-20:].mean()


# -- a million entries ----------------------------------------------------------------------------------------------


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def mib_of_a_fit(nnz: int, shape: tuple[int, int] | None) -> tuple[float, bool]:
    """What fit and predict add to the peak resident size of this process, and whether all is finite."""
    torch.set_num_threads(1)
    ratings = grown_matrix(nnz, np.random.default_rng(0))
    if shape is not None:  # the same entries, spread over more rows and columns
        spread = [np.linspace(0, size - 1, old).astype(int) for size, old in zip(shape, ratings.shape)]
        ratings = Ratings(spread[0][ratings.rows], spread[1][ratings.cols], ratings.values, shape)
    MetaMFImputer("universal").fit(np.eye(3))
    rng, before = np.random.default_rng(0), peak_mib()
    cells = [rng.integers(size, size=100_000) for size in ratings.shape]
    estimates = MetaMFImputer("universal").fit(ratings).predict(*cells)
    return peak_mib() - before, bool(np.isfinite(estimates).all())


def in_a_fresh_process(function, *arguments):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:  # a process that dies is an error
        return pool.submit(function, *arguments).result()


@pytest.mark.slow
def test_no_array_of_all_cells():
    """20,000 x 10,000 cells are 760 MiB in float32; the fit needs memory for entries, rows and columns only."""
    mib, finite = in_a_fresh_process(mib_of_a_fit, 20_000, (20_000, 10_000))
    assert finite and mib < 500


@pytest.mark.slow
def test_a_million_ratings_fit_in_a_gibibyte():
    mib, finite = in_a_fresh_process(mib_of_a_fit, 1_000_000, None)
    assert finite and mib < 1024
