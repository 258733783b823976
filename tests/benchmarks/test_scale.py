"""Benchmarks of size and load: their data and figures, and memory, which does not depend on N x
M."""

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


def test_synthetic_ratings_are_as_many_as_asked_for_and_differ_in_popularity():
    assert [grown_matrix(nnz, np.random.default_rng(0)).nnz for nnz in (1, 10)] == [1, 10]
    ratings = grown_matrix(5000, np.random.default_rng(0))
    assert ratings.nnz == 5000 and set(ratings.values) <= {1, 2, 3, 4, 5}
    assert ratings.col_counts[:20].mean() > 2 * ratings.col_counts[-20:].mean()


def mib_of_a_fit(nnz: int, shape: tuple[int, int]) -> tuple[float, bool]:
    """What fit and predict add to the peak resident size of this process, and whether all is
    finite."""
    torch.set_num_threads(1)
    ratings = grown_matrix(nnz, np.random.default_rng(0))
    ends = zip(shape, ratings.shape)  # the same entries, spread over more rows and columns
    rows, cols = (np.linspace(0, new - 1, old).astype(int) for new, old in ends)
    ratings = Ratings(rows[ratings.rows], cols[ratings.cols], ratings.values, shape)
    MetaMFImputer("universal").fit(np.eye(3))
    rng, before = np.random.default_rng(0), peak()
    cells = [rng.integers(size, size=100_000) for size in ratings.shape]
    estimates = MetaMFImputer("universal").fit(ratings).estimate(*cells)
    return peak() - before, bool(np.isfinite(estimates).all())


@pytest.mark.slow
def test_memory_is_for_entries_rows_and_columns_and_not_for_cells():
    """20,000 x 10,000 cells are 760 MiB in float32; a million ratings fit in a gibibyte."""
    mib, finite = in_a_fresh_process(mib_of_a_fit, 100_000, (20_000, 10_000))
    assert finite and mib < 500


def test_memory_of_a_server_includes_its_child_processes():
    before = memory_of(os.getpid())
    code = "x = b'x' * (64 * 2**20); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", code], **pipes)
    child.stdout.readline()
    assert memory_of(os.getpid()) - before > 60
    child.communicate(b"\n")
