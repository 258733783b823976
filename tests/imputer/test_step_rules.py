"""The fixed and the safe step size on one matrix: finite whatever happens, and the sizes that would have been safe."""

import warnings

import numpy as np
import pytest
import torch

from metamf import MetaMFImputer, RatingScale
from metamf.datasets import example_matrices, synthetic
from metamf.imputer.step_rules import compare_step_rules


def made_up(N, M, density, taste=0.25):
    rng = np.random.default_rng(1)
    return synthetic(rng, N, M, density=density, scale=RatingScale(1, 5, 1), column_effect=0.2, taste=taste).ratings


@pytest.fixture(scope="module")
def diverging():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Sparse CSR tensor support")  # as the library has it, see entry_products
        return compare_step_rules(example_matrices()["Full house"].matrix.ratings, "ml-1m", 10)


def test_where_the_fixed_step_diverges_all_that_is_given_is_finite(diverging):
    fixed = diverging.fixed
    assert diverging.diverges and 1 < fixed.overflow < 10
    assert len(fixed.rmse) == len(diverging.safe_sizes) == fixed.trajectory.T + 1 == fixed.overflow
    assert fixed.rmse[-1] > 1e6 * fixed.rmse[0]
    for values in (fixed.rmse, diverging.safe_sizes, fixed.trajectory.U, fixed.trajectory.V):
        assert np.isfinite(values).all()
    with np.errstate(all="raise"):
        assert np.isfinite(fixed.trajectory.estimate(fixed.overflow - 1)).all()


def test_the_safe_step_descends_there(diverging):
    safe = diverging.safe
    assert safe.overflow is None and safe.trajectory.T == 10
    assert safe.rmse[-1] < 0.8 * safe.rmse[0] == pytest.approx(0.8 * diverging.fixed.rmse[0])


def test_the_largest_safe_step_is_that_of_the_row_or_column_that_curves_most(diverging):
    ratings, path = example_matrices()["Full house"].matrix.ratings, diverging.fixed.trajectory
    observed = ~np.isnan(ratings.to_dense())
    for t, found in enumerate(diverging.safe_sizes[:3]):
        rows = observed @ np.square(path.V[t]).sum(1)
        cols = observed.T @ np.square(path.U[t]).sum(1)
        largest = max(rows.max(), cols.max()) + diverging.prior_precision
        assert found == pytest.approx(0.5 / largest, rel=1e-4)
    assert diverging.safe_sizes[0] < diverging.step_size / 2


def test_on_a_small_matrix_the_rules_agree_with_the_imputer():
    ratings = made_up(12, 9, 0.4)
    rules = compare_step_rules(ratings, "ml-100k", 4)
    assert not rules.diverges and rules.fixed.overflow is None and rules.fixed.trajectory.T == 4
    for rule, found in (("paper", rules.fixed), ("safe", rules.safe)):
        path = MetaMFImputer("ml-100k", steps=4, step_rule=rule).impute(ratings).trajectory
        np.testing.assert_allclose(found.trajectory.U, path.U, atol=1e-6)
        estimate = path.estimate(4)[ratings.rows, ratings.cols]
        assert found.rmse[4] == pytest.approx(np.sqrt(np.mean((estimate - ratings.values) ** 2)), rel=1e-5)


def test_a_checkpoint_without_steps_is_refused():
    with pytest.raises(ValueError, match="'universal' takes no steps of a size: name one of the paper's"):
        compare_step_rules(made_up(4, 4, 0.5), "universal")
    assert torch.is_grad_enabled()
