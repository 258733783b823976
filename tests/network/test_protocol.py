"""The protocol of networks: what all keep, which steps the paper's takes, and the extended one's
intervals."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from checkpoint_files import INFO
from problems import STARS, ratings_matrix, small_model, small_universal

from metamf import MetaMFImputer
from metamf.checkpoints.files import Checkpoint
from metamf.datasets.film_nights import film_night
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings


def paper_model() -> Checkpoint:
    return Checkpoint(small_model().requires_grad_(False), INFO)


def positive_model() -> Checkpoint:
    lowest = INFO.standardization.apply(INFO.scale.minimum)
    return Checkpoint(small_model(steps_rule="nmf", lowest=lowest).requires_grad_(False), INFO)


def extended_model() -> Checkpoint:
    info = replace(INFO, kind="universal", standardization=None, scale=None)
    return Checkpoint(small_universal().requires_grad_(False), info)


def standardised(X: np.ndarray) -> RatingsBatch:
    return RatingsBatch.of([Ratings.from_dense((X - 3) / 1.2)])


def with_a_full_row(columns=400, density=0.02) -> np.ndarray:
    """60 x M stars, few observed, but for the first row, which is full."""
    X = ratings_matrix(60, columns, density=density)
    X[0] = np.resize([1.0, 5, 4, 2], columns)
    return X


@pytest.mark.parametrize("make", [paper_model, extended_model])
@torch.inference_mode()
def test_adapting_in_use_gives_what_it_gives_in_training_where_nothing_overshoots(make):
    network, batch = make().network, standardised(ratings_matrix())
    found, direct = network.adapt(batch, step_rule="auto"), network.adapt(batch)
    row, col = torch.arange(108) // 9, torch.arange(108) % 9
    assert torch.equal(found.predict(row, col), direct.predict(row, col))
    assert len(network.adapt(batch, 1).path) == 2 and network.descends(found, batch)


@pytest.mark.parametrize(("columns", "density", "descends"), [(150, 0.1, True), (400, 0.02, False)])
@pytest.mark.parametrize("transposed", [False, True])
def test_one_row_or_column_that_overshoots_turns_the_matrix_to_safe_steps(
    columns, density, descends, transposed
):
    X = with_a_full_row(columns, density)
    heavy, light = (standardised(part.T if transposed else part) for part in (X, X[1:]))
    model = paper_model().network
    assert [model.adapt(batch, None, "auto").rule for batch in (light, heavy)] == ["paper", "safe"]
    auto, paper, safe = (model.adapt(heavy, None, rule) for rule in ("auto", "paper", "safe"))
    assert model.descends(paper, heavy) == descends
    assert torch.equal(auto.path, safe.path) and not torch.equal(auto.U, paper.U)


def test_a_new_row_takes_safe_steps_if_it_alone_overshoots():
    model, rows = paper_model().network, with_a_full_row()[:3]
    light = standardised(with_a_full_row()[1:])
    auto, paper = (model.adapt(light, None, rule) for rule in ("auto", "paper"))
    assert auto.rule == "paper"
    found, by_paper = (model.fold_in(standardised(rows), each) for each in (auto, paper))
    torch.testing.assert_close(found[1:], by_paper[1:])
    given = standardised(rows[:1]).x
    errors = [(U[0] @ auto.V.T - given).square().mean() for U in (found, by_paper)]
    assert errors[0] < errors[1]


def test_only_the_extended_model_gives_intervals_and_has_no_step_size():
    paper, extended = paper_model().network, extended_model().network
    batch = standardised(ratings_matrix())
    assert paper.half_width(paper.adapt(batch), batch, 0.9, True) is None
    assert paper.gradient_steps[0] == pytest.approx(0.05) and extended.gradient_steps is None
    with torch.inference_mode():
        adapted = extended.adapt(batch, None, "safe")
        narrow, wide = (extended.half_width(adapted, batch, level, True) for level in (0.5, 0.95))
    block = adapted.deviation_at(*np.ogrid[2:5, :4])
    rows, cols = (at.ravel() for at in np.mgrid[2:5, 0:4])
    np.testing.assert_allclose(block.ravel(), adapted.deviation_at(rows, cols), rtol=1e-5)
    assert 0 < narrow < wide and (block > 0).all()


X = ratings_matrix()


@pytest.mark.parametrize(
    ("ratings", "lowest"),
    [
        (Ratings.from_dense(X, scale=STARS), 1.0),
        # in the checkpoint's units, whose scale begins at 1
        (Ratings.from_dense(np.clip(X, 3, 5)), 1.0),
        (Ratings.from_dense(10 * X - 50), 10 * np.nanmin(X) - 50),
    ],
)
def test_positive_factors_multiply_to_the_distance_from_the_lowest_rating(
    tmp_path, ratings, lowest
):
    model = positive_model()
    checkpoint = str(model.save(tmp_path / "nmf.safetensors"))
    imputer = MetaMFImputer(checkpoint, clip=False).fit(ratings)
    path = imputer.impute().trajectory
    assert imputer.standardization_.mean == lowest and imputer.step_rule_ == "nmf"
    assert (path.U > 0).all() and (path.V > 0).all() and (imputer.components_ > 0).all()
    at = np.arange(9)
    parts = imputer.U_ @ imputer.components_  # in rating units
    np.testing.assert_allclose(imputer.estimate(at, at), lowest + np.diag(parts), rtol=1e-5)
    again = imputer.transform(ratings.to_dense()[2:4])
    np.testing.assert_allclose(again, imputer.impute().filled[2:4], rtol=1e-4)
    with pytest.raises(ValueError, match="measures all ratings from the lowest"):
        model.units(ratings, "columns")


@pytest.mark.slow
def test_a_tuned_network_of_positive_factors_reads_what_it_was_tuned_on(tmp_path):
    path = positive_model().save(tmp_path / "nmf.safetensors")
    ratings = film_night(0).ratings()
    imputer = MetaMFImputer(str(path), tune=30, clip=False, random_state=1)  # of 0 none is kept
    imputer.fit(ratings)
    assert imputer.tuning_.error < imputer.tuning_.first_error
    assert np.abs(imputer.impute().mean - 3).mean() < 1.5
