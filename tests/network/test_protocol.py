"""The protocol of networks: what all keep, which steps the paper's takes, and the extended one's intervals."""

import numpy as np
import pytest
import torch
from checkpoint_files import INFO
from models_of_checkpoints import extended_model, paper_model, positive_model, standardised, with_a_full_row
from problems import STARS, ratings_matrix

from metamf import MetaMFImputer
from metamf.datasets.film_nights import film_night
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import FixedUnits, OwnUnits, ScaleUnits

MODELS = [paper_model, extended_model]


@pytest.mark.parametrize("make", MODELS)
@torch.inference_mode()
def test_adapting_in_use_gives_what_it_gives_in_training_where_nothing_overshoots(make):
    network, batch = make().network, standardised(ratings_matrix())
    found, direct = network.adapt(batch, step_rule="auto"), network.adapt(batch)
    row, col = torch.arange(108) // 9, torch.arange(108) % 9
    assert torch.equal(found.predict(row, col), direct.predict(row, col))
    assert found.path.shape == (network.config.steps + 1, 12 + 9, found.U.shape[1])
    torch.testing.assert_close(found.path[-1], torch.cat([found.U, found.V]))
    assert len(network.adapt(batch, 1).path) == 2 and network.descends(found, batch)


@pytest.mark.parametrize("make", MODELS)
@torch.inference_mode()
def test_folding_in_the_fitted_rows_gives_their_factors(make):
    network, X = make().network, ratings_matrix()
    adapted = network.adapt(standardised(X), step_rule="auto")
    torch.testing.assert_close(network.fold_in(standardised(X[2:5]), adapted), adapted.U[2:5], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("columns", "density", "descends"), [(150, 0.1, True), (400, 0.02, False)])
@pytest.mark.parametrize("transposed", [False, True])
def test_one_row_or_column_that_overshoots_turns_the_matrix_to_safe_steps(columns, density, descends, transposed):
    X = with_a_full_row(columns, density)
    heavy, light = (standardised(part.T if transposed else part) for part in (X, X[1:]))
    model = paper_model().network
    assert [model.adapt(batch, None, "auto").rule for batch in (light, heavy)] == ["paper", "safe"]
    auto, paper, safe = (model.adapt(heavy, None, rule) for rule in ("auto", "paper", "safe"))
    assert model.descends(paper, heavy) == descends
    assert (paper.rule, safe.rule) == ("paper", "safe")
    assert torch.equal(auto.U, safe.U) and torch.equal(auto.V, safe.V) and not torch.equal(auto.U, paper.U)


def test_a_new_row_takes_safe_steps_if_it_alone_overshoots():
    model, rows = paper_model().network, with_a_full_row()[:3]
    light = standardised(with_a_full_row()[1:])
    auto, paper, safe = (model.adapt(light, None, rule) for rule in ("auto", "paper", "safe"))
    assert auto.rule == "paper"
    found, by_paper, by_safe = (model.fold_in(standardised(rows), adapted) for adapted in (auto, paper, safe))
    torch.testing.assert_close(found[1:], by_paper[1:])
    assert not torch.allclose(found[0], by_paper[0])
    errors = [(U[0] @ auto.V.T - standardised(rows[:1]).x).square().mean() for U in (found, by_paper)]
    assert errors[0] < errors[1]
    assert by_safe.shape == found.shape


def test_only_the_extended_model_gives_intervals_and_has_no_step_size():
    paper, extended, batch = paper_model().network, extended_model().network, standardised(ratings_matrix())
    assert paper.half_width(paper.adapt(batch), batch, 0.9, True) is None
    step_size, prior_precision = paper.gradient_steps
    assert step_size == pytest.approx(0.05) and prior_precision > 0
    assert extended.gradient_steps is None
    with torch.inference_mode():
        adapted = extended.adapt(batch, None, "safe")
        narrow, wide = (extended.half_width(adapted, batch, level, True) for level in (0.5, 0.95))
    assert adapted.rule == "exact"
    block = adapted.deviation_block(slice(2, 5), slice(0, 4))
    rows, cols = (at.ravel() for at in np.mgrid[2:5, 0:4])
    np.testing.assert_allclose(block.ravel(), adapted.deviation_at(rows, cols), rtol=1e-5)
    assert 0 < narrow < wide and (block > 0).all()


def test_the_paper_s_model_has_units_of_its_own_and_the_extended_one_those_of_the_matrix():
    known, unknown = Ratings.from_dense(ratings_matrix(), scale=STARS), Ratings.from_dense(10 * ratings_matrix())
    paper, extended = paper_model(), extended_model()
    assert paper.units(known) == FixedUnits(INFO.standardization) and isinstance(paper.units(unknown), OwnUnits)
    assert isinstance(extended.units(known), ScaleUnits) and isinstance(extended.units(unknown), OwnUnits)
    with pytest.raises(ValueError, match="no units of its own"):
        extended.units(known, "checkpoint")


def test_positive_factors_multiply_to_the_distance_from_the_lowest_rating(tmp_path):
    model, X = positive_model(), ratings_matrix()
    for ratings, lowest in (
        (Ratings.from_dense(X, scale=STARS), 1.0),
        (Ratings.from_dense(np.clip(X, 3, 5)), 1.0),  # in the checkpoint's units, whose scale begins at 1
        (Ratings.from_dense(10 * X - 50), 10 * np.nanmin(X) - 50),
    ):
        imputer = MetaMFImputer(str(model.save(tmp_path / "nmf.safetensors")), clip=False).fit(ratings)
        path, units = imputer.imputation().trajectory, imputer.standardization_
        assert units.mean == lowest and (path.U > 0).all() and (path.V > 0).all() and imputer.step_rule_ == "nmf"
        estimates = imputer.estimate(np.arange(9), np.arange(9))
        assert imputer.components_.shape == (path.V.shape[2], ratings.n_cols) and (imputer.components_ > 0).all()
        parts = imputer.U_ @ imputer.components_  # in rating units
        np.testing.assert_allclose(estimates, lowest + np.diag(parts), rtol=1e-5)
        np.testing.assert_allclose(
            imputer.transform(ratings.to_dense()[2:4]), imputer.imputation().filled[2:4], rtol=1e-4
        )
    batch = RatingsBatch.of([Ratings.from_dense(INFO.standardization.apply(X))])
    expected = INFO.standardization.undo(model.network.adapt(batch).predict(torch.arange(9), torch.arange(9)))
    imputer = MetaMFImputer(str(tmp_path / "nmf.safetensors"), clip=False).fit(Ratings.from_dense(X, scale=STARS))
    np.testing.assert_allclose(imputer.estimate(np.arange(9), np.arange(9)), expected, rtol=1e-5)
    with pytest.raises(ValueError, match="measures all ratings from the lowest"):
        model.units(ratings, "columns")


@pytest.mark.slow
def test_a_tuned_network_of_positive_factors_reads_what_it_was_tuned_on(tmp_path):
    path = positive_model().save(tmp_path / "nmf.safetensors")
    ratings = film_night(0).ratings()
    imputer = MetaMFImputer(str(path), tune=30, clip=False, random_state=1).fit(ratings)  # of 0 the untuned one is kept
    assert imputer.tuning_.error < imputer.tuning_.first_error
    assert np.abs(imputer.imputation().mean - 3).mean() < 1.5
