"""Shuffled, halved and doubled matrices."""

import numpy as np
import pytest
import torch
from tasks_of_tests import made_up_matrix

from metamf.checkpoints.bundled import open_checkpoint
from metamf.ratings.matrix import Ratings
from metamf.webapp.inside.symmetry import SHUFFLES, Comparison, answers, answers_of_mf, change

RATINGS = made_up_matrix().ratings


def compare(changed, checkpoint="ml-1m"):
    return Comparison(answers(RATINGS, checkpoint), answers(changed.ratings, checkpoint), changed)


@pytest.mark.parametrize("checkpoint, what", [*(("ml-1m", what) for what in SHUFFLES), ("universal", SHUFFLES[-1])])
def test_a_shuffle_changes_nothing_but_the_order(what, checkpoint):
    changed = change(RATINGS, what, 3)
    assert not np.array_equal(changed.ratings.to_dense(), RATINGS.to_dense(), equal_nan=True)
    found = compare(changed, checkpoint)
    assert found.largest < 1e-4 and found.largest_of_prior < 1e-4
    assert not np.allclose(found.after.estimate, found.before.estimate, atol=1e-2)
    np.testing.assert_allclose(found.undone, found.before.estimate, atol=1e-4)


def test_a_layer_that_knows_the_order_is_noticed(monkeypatch):
    """The bundled model, but for its first layer, which adds a little to the first row."""
    layer = open_checkpoint("ml-1m")[0].network.prior.layers[0]
    forward = layer.forward

    def broken(z, batch, col=None):
        terms = forward(z, batch, col)
        return terms._replace(row=terms.row + 0.1 * (torch.arange(batch.N).unsqueeze(1) == 0))

    monkeypatch.setattr(layer, "forward", broken)
    assert compare(change(RATINGS, "Shuffle rows", 3)).largest > 1e-3
    assert compare(change(RATINGS, "Shuffle columns", 3)).largest < 1e-4


def test_doubled_rows_keep_the_prior_and_move_the_answer():
    found = compare(change(RATINGS, "Every row twice", 0))
    assert found.changed.ratings.shape == (24, 9) and found.changed.ratings.nnz == 2 * RATINGS.nnz
    assert found.largest_of_prior < 1e-4 and found.largest > 1e-2
    np.testing.assert_allclose(found.after.estimate[:12], found.after.estimate[12:], atol=1e-4)


def test_half_of_the_rows_are_answered_differently():
    changed = change(RATINGS, "Halve", 0)
    assert changed.ratings.n_rows == 6 and changed.ratings.nnz > 0
    np.testing.assert_array_equal(changed.ratings.to_dense(), RATINGS.to_dense()[changed.rows])
    found = compare(changed)
    assert found.largest_of_prior > 1e-3 and np.isnan(found.undone).any(axis=1).sum() == 6


def test_half_of_a_small_matrix_holds_a_rating():
    X = np.full((5, 3), np.nan)
    X[4, 1] = 3.0
    for seed in range(10):
        assert change(Ratings.from_dense(X), "Halve", seed).ratings.nnz == 1
    assert change(Ratings.from_dense([[3.0]]), "Halve", 0).ratings.shape == (1, 1)


def test_changes_keep_the_names_and_follow_their_seed():
    named = Ratings.from_dense([[1.0, 2.0], [3.0, np.nan], [np.nan, 5.0]], row_labels=("a", "b", "c"))
    assert change(named, "Every row twice", 0).ratings.row_labels == (
        "a",
        "b",
        "c",
        "a (again)",
        "b (again)",
        "c (again)",
    )
    shuffled = change(named, "Shuffle rows", 1)
    assert shuffled.ratings.row_labels == tuple("abc"[i] for i in shuffled.rows)
    seeds = {tuple(change(RATINGS, "Shuffle rows", seed).rows) for seed in range(5)}
    assert len(seeds) == 5 and tuple(change(RATINGS, "Shuffle rows", 2).rows) in seeds


def test_mf_starts_again_and_ends_elsewhere():
    changed, mf = change(RATINGS, "Shuffle rows", 3), answers_of_mf(RATINGS)
    found = Comparison(mf, answers_of_mf(changed.ratings), changed)
    assert found.largest > 0.05 and found.largest_of_prior is None
    assert np.abs(mf.estimate - answers_of_mf(RATINGS, seed=1).estimate).max() > 0.05
    np.testing.assert_array_equal(mf.estimate, answers_of_mf(RATINGS).estimate)
