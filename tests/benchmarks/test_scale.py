"""Benchmarks of size and load: their data and figures, and memory, which does not depend on N x M."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from benchmarks.browser import memory_of
from benchmarks.speed.scale import grown_matrix, peak
from benchmarks.timing import in_a_fresh_process
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


def mib_of_a_fit(nnz: int, shape: tuple[int, int] | None) -> tuple[float, bool]:
    """What fit and predict add to the peak resident size of this process, and whether all is finite."""
    torch.set_num_threads(1)
    ratings = grown_matrix(nnz, np.random.default_rng(0))
    if shape is not None:  # the same entries, spread over more rows and columns
        spread = [np.linspace(0, size - 1, old).astype(int) for size, old in zip(shape, ratings.shape)]
        ratings = Ratings(spread[0][ratings.rows], spread[1][ratings.cols], ratings.values, shape)
    MetaMFImputer("universal").fit(np.eye(3))
    rng, before = np.random.default_rng(0), peak()
    cells = [rng.integers(size, size=100_000) for size in ratings.shape]
    estimates = MetaMFImputer("universal").fit(ratings).estimate(*cells)
    return peak() - before, bool(np.isfinite(estimates).all())


@pytest.mark.slow
def test_no_array_of_all_cells():
    """20,000 x 10,000 cells are 760 MiB in float32; the fit needs memory for entries, rows and columns only."""
    mib, finite = in_a_fresh_process(mib_of_a_fit, 20_000, (20_000, 10_000))
    assert finite and mib < 500


@pytest.mark.slow
def test_a_million_ratings_fit_in_a_gibibyte():
    mib, finite = in_a_fresh_process(mib_of_a_fit, 1_000_000, None)
    assert finite and mib < 1024


def test_memory_of_a_server_includes_its_child_processes():
    before = memory_of(os.getpid())
    code = "x = bytearray(64 * 2**20); x[::4096] = bytes(len(x[::4096])); print(flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    child.stdout.readline()
    assert memory_of(os.getpid()) - before > 60
    child.communicate(b"\n")
