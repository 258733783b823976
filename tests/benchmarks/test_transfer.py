"""benchmarks/accuracy/transfer.py: what it trains on and is judged on, and that rows of other data sets stay."""

import numpy as np
import pytest

from benchmarks.accuracy import transfer
from metamf import datasets
from metamf.learning.episodes import split_ids


def test_it_is_judged_on_meta_test_users_and_all_items(monkeypatch):
    ratings = datasets.synthetic(np.random.default_rng(0), 100, 30, density=0.5).ratings
    monkeypatch.setattr(datasets, "load", lambda name, zeros_are_missing: ratings)
    episode = transfer.left_out("jester")
    users = split_ids(ratings, 0)[0][2]
    assert episode.support.shape == episode.query.shape == (len(users), 30)
    assert episode.support.nnz + episode.query.nnz == np.isin(ratings.rows, users).sum()
    assert episode.support.nnz == pytest.approx(episode.query.nnz, abs=1)
