"""No shared rows or columns: a shuffled, halved, doubled or other matrix, answered by the model and
by MF."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from opened import charts, healthy, no_data_sets, opened, players, text, tiles  # noqa: F401  a fixture
from payloads import floats_of
from tasks_of_tests import made_up_matrix

from metamf.checkpoints.bundled import open_checkpoint
from metamf.datasets import example_matrices
from metamf.ratings.matrix import Ratings
from metamf.webapp.inside import symmetry
from metamf.webapp.inside.symmetry import answer, others_of
from metamf.webapp.run.shuffles import SHUFFLES, Comparison, answers, answers_of_mf, change

RATINGS = made_up_matrix().ratings


def compare(changed, checkpoint="ml-1m"):
    """The answers of a checkpoint, and of its prior."""
    both = zip(answers(RATINGS, checkpoint), answers(changed.ratings, checkpoint))
    return [Comparison(before, after, changed) for before, after in both]


@pytest.mark.parametrize(
    "checkpoint, what", [*(("ml-1m", what) for what in SHUFFLES), ("universal", SHUFFLES[-1])]
)
def test_a_shuffle_changes_nothing_but_the_order(what, checkpoint):
    changed = change(RATINGS, what, 3)
    assert not np.array_equal(changed.ratings.to_dense(), RATINGS.to_dense(), equal_nan=True)
    found, prior = compare(changed, checkpoint)
    assert found.largest < 1e-4 and prior.largest < 1e-4
    assert not np.allclose(found.after, found.before, atol=1e-2)
    np.testing.assert_allclose(found.undone, found.before, atol=1e-4)


def test_a_layer_that_knows_the_order_is_noticed(monkeypatch):
    """The bundled model, but for its first layer, which adds a little to the first row."""
    layer = open_checkpoint("ml-1m").network.prior.layers[0]
    forward = layer.forward

    def broken(z, batch, col=None):
        terms = forward(z, batch, col)
        return terms._replace(row=terms.row + 0.1 * (torch.arange(batch.N).unsqueeze(1) == 0))

    monkeypatch.setattr(layer, "forward", broken)
    assert compare(change(RATINGS, "Shuffle rows", 3))[0].largest > 1e-3
    assert compare(change(RATINGS, "Shuffle columns", 3))[0].largest < 1e-4


def test_doubled_rows_keep_the_prior_and_move_the_answer():
    found, prior = compare(change(RATINGS, "Every row twice", 0))
    assert found.changed.ratings.shape == (24, 9) and found.changed.ratings.nnz == 2 * RATINGS.nnz
    assert prior.largest < 1e-4 and found.largest > 1e-2
    np.testing.assert_allclose(found.after[:12], found.after[12:], atol=1e-4)


def test_half_of_the_rows_are_answered_differently_and_hold_a_rating():
    changed = change(RATINGS, "Halve", 0)
    np.testing.assert_array_equal(changed.ratings.to_dense(), RATINGS.to_dense()[changed.rows])
    found, prior = compare(changed)
    assert prior.largest > 1e-3 and np.isnan(found.undone).any(axis=1).sum() == 6
    X = np.full((5, 3), np.nan)
    X[4, 1] = 3.0
    for seed in range(10):
        assert change(Ratings.from_dense(X), "Halve", seed).ratings.nnz == 1
    assert change(Ratings.from_dense([[3.0]]), "Halve", 0).ratings.shape == (1, 1)


def test_changes_keep_the_names_and_follow_their_seed():
    named = Ratings.from_dense([[1.0, 2.0], [3.0, 4.0]], row_labels=("a", "b"))
    twice = change(named, "Every row twice", 0).ratings
    assert twice.row_labels == ("a", "b", "a (again)", "b (again)")
    shuffled = change(named, "Shuffle rows", 1)
    assert shuffled.ratings.row_labels == tuple("ab"[i] for i in shuffled.rows)
    seeds = {tuple(change(RATINGS, "Shuffle rows", seed).rows) for seed in range(5)}
    assert len(seeds) == 5 and tuple(change(RATINGS, "Shuffle rows", 2).rows) in seeds


def test_mf_starts_again_and_ends_elsewhere():
    changed, mf = change(RATINGS, "Shuffle rows", 3), answers_of_mf(RATINGS)
    found = Comparison(mf, answers_of_mf(changed.ratings), changed)
    assert found.largest > 0.05
    assert np.abs(mf - answers_of_mf(RATINGS, seed=1)).max() > 0.05
    np.testing.assert_array_equal(mf, answers_of_mf(RATINGS))


SAME_ANSWER = "No, every row gets the same answer"


def visited(**query):
    return healthy(opened("pages/inside.py", experiment="No shared rows or columns", **query))


@pytest.mark.parametrize(
    ("what", "ours", "prior", "mf", "said"),
    [
        ("Shuffle rows", 2e-7, 0.0, 0.8, [SAME_ANSWER, "by up to 0.8."]),
        ("Shuffle both", 0.2, 0.0, None, ["by up to 0.2, so this checkpoint breaks the symmetry."]),
        ("Halve", 0.4, 0.2, None, ["Yes, they change by up to 0.4.", "Half of the rows"]),
        ("Every row twice", 0.3, 1e-6, None, ["The prior stays the same", "changes by up to 0.3"]),
        ("Every row twice", 0.3, 0.1, None, ["by up to 0.3", "how many ratings a column has"]),
    ],
)
def test_an_answer_tells_whether_it_changes_by_how_much_and_why(what, ours, prior, mf, said):
    largest = (None if by is None else SimpleNamespace(largest=by) for by in (ours, prior, mf))
    sentence = answer(what, *largest)
    assert all(part in sentence for part in said), sentence
    assert ("Matrix factorization" in sentence) == (mf is not None)


def test_a_shuffle_leaves_the_answer_and_mf_starts_again():
    at = visited()
    assert len(players(at)) == 2 and not charts(at)
    before, back = (player["run"] for player in players(at))
    values = [floats_of(run["maps"][0]["values"]) for run in (before, back)]
    np.testing.assert_allclose(*values, atol=1e-4)
    assert before["rows"] == back["rows"]
    found = tiles(at)
    for name in ("Trained on film nights", "Its prior alone"):
        assert found[name].endswith(("⁻⁵", "⁻⁶", "⁻⁷", "⁻⁸"))
    assert "Matrix factorization" in found and SAME_ANSWER in text(at)
    other = healthy(at.number_input(key="shuffle").set_value(2).run())
    assert tiles(other) != found


@pytest.mark.parametrize("name", list(example_matrices()))
@pytest.mark.parametrize("gaps", [True, False])
def test_another_matrix_has_other_rows_columns_and_size_and_something_to_fill_in(name, gaps):
    here = example_matrices()[name].matrix.ratings
    others = [matrix.ratings for matrix in others_of(here, gaps).values()]
    for other in others:
        assert other.shape != here.shape
        assert not set(here.row_labels) & set(other.row_labels)
        assert not set(here.col_labels) & set(other.col_labels)
        assert gaps or other.nnz < np.prod(other.shape)
    assert others[0].n_rows != here.n_rows and others[0].n_cols != here.n_cols


def test_another_matrix_is_answered_by_the_same_numbers_and_a_large_one_without_mf(monkeypatch):
    other = {"change": "Another matrix", "other": "Jokes"}
    at = visited(**other)
    given = int(np.ceil(0.3 * 346))
    assert f"fill in the {480 - given} empty cells of 24 × 20 at once" in text(at)
    [player] = players(at)
    assert [player["run"]["n"], player["run"]["m"]] == [24, 20]
    fitted = ["Matrix factorization", "Shuffled, fitted again", "What fitting changed"]
    titles = ["Given", "Its answer", "Shuffled and back", *fitted]
    assert [one["title"] for one in player["run"]["maps"]] == titles
    monkeypatch.setattr(symmetry, "LARGEST_OF_MF", 3)
    at = visited(**other | {"other": "Hot or mild"})
    assert list(tiles(at)) == ["Trained on film nights", "Its prior alone"]
    assert len(players(at)[0]["run"]["maps"]) == 3
