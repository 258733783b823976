"""Data sets made ready: split, standardised by the meta-training part alone, with the same blocks
each time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from made_up import made_up_ratings

from metamf import datasets
from metamf.learning.episodes import split_rows_and_columns
from metamf.ratings.scale import RatingScale
from metamf.recipes.data import load_domains, prepare_ratings

RATINGS = made_up_ratings("ml-1m")


def prepared(ratings=RATINGS, split=0):
    return prepare_ratings(ratings, split, blocks=3, size=(12, 10))


def test_the_units_are_those_of_the_meta_training_part_alone():
    found = prepared()
    assert found.train.values.std() == pytest.approx(1)
    train = split_rows_and_columns(RATINGS, 0).train
    units = found.standardization
    np.testing.assert_allclose(units.undo(found.train.values), train.values, rtol=1e-6)
    learned = np.isin(np.arange(RATINGS.nnz), split_rows_and_columns(numbered(), 0).train.values)
    shifted = prepared(RATINGS.with_values(np.where(learned, RATINGS.values, RATINGS.values + 100)))
    assert shifted.standardization == units
    np.testing.assert_array_equal(shifted.train.values, found.train.values)
    for part in ("validation", "test"):
        before, after = (getattr(each, part).support.x for each in (found, shifted))
        torch.testing.assert_close(after, before + 100 / units.std, rtol=1e-5, atol=1e-4)


def numbered(ratings=RATINGS):
    """The same cells, with the number of the entry as its value."""
    return replace(ratings, scale=None).with_values(np.arange(ratings.nnz, dtype=float))


def test_the_scale_is_the_data_set_s_or_else_the_range_of_all_its_ratings():
    assert prepared().scale == RatingScale(1, 5, 1)
    ends = RATINGS.values.min(), RATINGS.values.max()
    assert prepared(replace(RATINGS, scale=None)).scale == RatingScale(*ends)


def test_blocks_are_the_same_each_time_and_others_for_another_split():
    first, again, other = prepared(), prepared(), prepared(split=1)
    for part in ("validation", "test"):
        x, same, different = (getattr(each, part).support.x for each in (first, again, other))
        assert torch.equal(x, same) and not torch.equal(x[:20], different[:20])
        assert getattr(first, part).support.n_rows.tolist() == [12] * 3
    assert not torch.equal(first.validation.support.x[:20], first.test.support.x[:20])


def test_domains_are_the_parts_of_each_split_and_jester_keeps_its_zeros(monkeypatch):
    options = {}

    def load(name, folder, **others):
        options[name] = others
        return made_up_ratings(name)

    monkeypatch.setattr(datasets, "load", load)
    domains = load_domains(["ml-1m", "jester"], 3)
    assert options == {"ml-1m": {"zeros_are_missing": True}, "jester": {"zeros_are_missing": False}}
    assert all(ratings.shape == (25, 160) for ratings in domains.calibration.values())
    for part, share in ((domains.train, 0.7), (domains.validation, 0.1), (domains.test, 0.2)):
        assert list(part) == ["ml-1m", "jester"]
        assert all(ratings.shape == (250 * share, 200 * share) for ratings in part.values())
    again = load_domains(["jester"], 4)
    assert not np.array_equal(again.test["jester"].values[:9], domains.test["jester"].values[:9])


def test_calibration_rows_and_columns_are_none_of_the_meta_test(monkeypatch):
    ratings = numbered(made_up_ratings("jester"))
    monkeypatch.setattr(datasets, "load", lambda *_, **__: ratings)
    domains = load_domains(["jester"], 0)
    train, validation, calibration, test = (
        getattr(domains, part)["jester"].values.astype(int)
        for part in ("train", "validation", "calibration", "test")
    )
    assert set(validation) < set(calibration) and not set(train) & set(calibration)
    for lines in (ratings.rows, ratings.cols):
        assert not set(lines[test]) & set(lines[calibration])
