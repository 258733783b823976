"""benchmarks/accuracy/transfer.py: what it trains on and is judged on, and that rows of other data sets stay."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.accuracy import transfer
from metamf import datasets
from metamf.learning.episodes import split_ids


def test_rows_of_a_data_set_take_the_place_of_its_own_alone(tmp_path):
    path = tmp_path / "transfer.csv"

    def rows(name, value):
        return pd.DataFrame({"data": [name], "metric": ["rmse"], "value": [value]})

    transfer.add(path, "jester", rows("jester", "4.10"))
    transfer.add(path, "ml-1m", rows("ml-1m", "0.9"))
    transfer.add(path, "jester", rows("jester", "4.20"))
    found = pd.read_csv(path, dtype=str)
    assert found.set_index("data").value.to_dict() == {"ml-1m": "0.9", "jester": "4.20"} and len(found) == 2


def test_it_is_judged_on_meta_test_users_and_all_items(monkeypatch):
    ratings = datasets.synthetic(np.random.default_rng(0), 100, 30, density=0.5).ratings
    monkeypatch.setattr(datasets, "load", lambda name, zeros_are_missing: ratings)
    episode = transfer.left_out("jester")
    users = split_ids(ratings, 0)[0][2]
    assert episode.support.shape == episode.query.shape == (len(users), 30)
    assert episode.support.nnz + episode.query.nnz == np.isin(ratings.rows, users).sum()
    assert episode.support.nnz == pytest.approx(episode.query.nnz, abs=1)
