"""Data sets made ready: split, standardised by the meta-training part alone, with the same blocks each time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from made_up import made_up_ratings

from metamf import datasets
from metamf.learning.data import load_domains, prepare_ratings
from metamf.learning.episodes import split_rows_and_columns
from metamf.ratings.scale import RatingScale

RATINGS = made_up_ratings("ml-1m")


def prepared(ratings=RATINGS, split=0):
    return prepare_ratings(ratings, split, blocks=3, size=(12, 10))


def test_the_units_are_those_of_the_meta_training_part_alone():
    found = prepared()
    assert found.train.values.mean() == pytest.approx(0, abs=1e-6) and found.train.values.std() == pytest.approx(1)
    train = split_rows_and_columns(RATINGS, 0).train
    np.testing.assert_allclose(found.standardization.undo(found.train.values), train.values, rtol=1e-6)
    everywhere = np.isin(np.arange(RATINGS.nnz), train_entries(RATINGS))
    shifted = prepared(RATINGS.with_values(np.where(everywhere, RATINGS.values, RATINGS.values + 100)))
    assert shifted.standardization == found.standardization
    np.testing.assert_array_equal(shifted.train.values, found.train.values)
    for part in ("validation", "test"):
        before, after = (getattr(each, part).support.x for each in (found, shifted))
        torch.testing.assert_close(after, before + 100 / found.standardization.std, rtol=1e-5, atol=1e-4)


def train_entries(ratings):
    """Which entries lie in the meta-training part."""
    numbered = replace(ratings, scale=None).with_values(np.arange(ratings.nnz, dtype=float))
    return split_rows_and_columns(numbered, 0).train.values


def test_the_scale_is_the_data_set_s_or_else_the_range_of_all_its_ratings():
    assert prepared().scale == RatingScale(1, 5, 1)
    assert prepared(replace(RATINGS, scale=None)).scale == RatingScale(RATINGS.values.min(), RATINGS.values.max())


def test_blocks_are_the_same_each_time_and_others_for_another_split():
    first, again, other = prepared(), prepared(), prepared(split=1)
    for part in ("validation", "test"):
        x, same, different = (getattr(each, part).support.x for each in (first, again, other))
        assert torch.equal(x, same) and not torch.equal(x[:20], different[:20])
        assert getattr(first, part).support.n_rows.tolist() == [12] * 3
    assert not torch.equal(first.validation.support.x[:20], first.test.support.x[:20])


def test_domains_are_the_parts_of_each_split_and_jester_keeps_its_zeros(monkeypatch):
    options = {}
    monkeypatch.setattr(datasets, "load", lambda name, folder, **o: options.update({name: o}) or made_up_ratings(name))
    domains = load_domains(["ml-1m", "jester"], 3)
    assert options == {"ml-1m": {"zeros_are_missing": True}, "jester": {"zeros_are_missing": False}}
    assert all(ratings.shape == (25, 160) for ratings in domains.calibration.values())
    for part, share in ((domains.train, 0.7), (domains.validation, 0.1), (domains.test, 0.2)):
        assert list(part) == ["ml-1m", "jester"]
        assert all(ratings.shape == (250 * share, 200 * share) for ratings in part.values())
    again = load_domains(["jester"], 4)
    assert not np.array_equal(again.test["jester"].values[:9], domains.test["jester"].values[:9])


def test_calibration_rows_and_columns_are_none_of_the_meta_test(monkeypatch):
    numbered = made_up_ratings("jester")
    numbered = replace(numbered, scale=None).with_values(np.arange(numbered.nnz, dtype=float))
    monkeypatch.setattr(datasets, "load", lambda *_, **__: numbered)
    domains = load_domains(["jester"], 0)
    cells = {part: set(getattr(domains, part)["jester"].values) for part in ("train", "validation", "calibration")}
    assert cells["validation"] < cells["calibration"] and not cells["train"] & cells["calibration"]
    rows, cols = (
        set(numbered_ids[domains.test["jester"].values.astype(int)]) for numbered_ids in (numbered.rows, numbered.cols)
    )
    at = np.array(sorted(cells["calibration"])).astype(int)
    assert not rows & set(numbered.rows[at]) and not cols & set(numbered.cols[at])
