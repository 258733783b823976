"""Algorithm 1: equal to the dense equations, equivariant, finite everywhere, its positive numbers positive."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from problems import CORNER_CASES, FEATURES, NMF, everything, featured, random_ratings, small_model

from benchmarks.dense_reference import algorithm_1
from metamf import testing
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.batch import RatingsBatch
from metamf.testing import Answer


def everything_dense(model, X, B):
    features = None
    if model.config.row_features:  # those of ``featured``, which depend on the shape alone
        known = featured(random_ratings(*X.shape))
        features = torch.as_tensor(known.row_features).to(X), torch.as_tensor(known.col_features).to(X)
    trajectory = algorithm_1(model, X, B, features=features)
    return Answer(trajectory.U.transpose(0, 1), trajectory.V.transpose(0, 1), None, trajectory.estimates)


@pytest.mark.parametrize("name", CORNER_CASES)
@pytest.mark.parametrize("kind", [{}, FEATURES])
def test_trajectory_estimates_and_gradients_are_those_of_the_dense_equations(name, kind):
    model, matrix = small_model(learn_step_size=True, **kind), featured(CORNER_CASES[name])
    testing.assert_sparse_equals_dense(model, everything_dense, [matrix], everything)


@pytest.mark.parametrize("kind", [{}, FEATURES])
def test_a_batch_of_mixed_sizes_equals_the_dense_equations_matrix_by_matrix(kind):
    model, matrices = small_model(learn_step_size=True, **kind), list(map(featured, CORNER_CASES.values()))
    testing.assert_sparse_equals_dense(model, everything_dense, matrices, everything)


def test_the_papers_own_sizes_equal_the_dense_equations():
    torch.manual_seed(0)
    testing.assert_sparse_equals_dense(MetaMF(), everything_dense, [random_ratings(30, 30, 0.06)], everything)


@pytest.mark.parametrize(
    "size, smallest", [("layers", 1), ("prior_layers", 1), ("hidden", 1), ("rank", 1), ("steps", 0)]
)
@pytest.mark.parametrize("kind", [{}, FEATURES])
def test_the_smallest_sizes_of_the_network_equal_the_dense_equations(size, smallest, kind):
    model = small_model(**{size: smallest}, **kind)
    testing.assert_sparse_equals_dense(model, everything_dense, [featured(random_ratings(6, 4))], everything)


@pytest.mark.parametrize("axis", ["rows", "cols"])
@pytest.mark.parametrize("name", ["a block", "empty rows and columns", "one observation", "no observation"])
@pytest.mark.parametrize("kind", [{}, FEATURES, NMF])
def test_permutations_permute_factors_and_estimates_and_nothing_else(name, axis, kind):
    rng = np.random.default_rng(0)
    testing.assert_permutation_equivariant(small_model(**kind), featured(CORNER_CASES[name]), axis, rng, everything)


@pytest.mark.parametrize("kind", [{}, FEATURES, NMF])
def test_a_matrix_gets_the_same_answer_alone_and_in_a_batch(kind):
    matrices = [*map(featured, CORNER_CASES.values()), random_ratings(5, 3)]
    testing.assert_equal_alone_and_in_batch(small_model(**kind), matrices, everything)


@pytest.mark.parametrize("name", CORNER_CASES)
def test_output_is_finite_and_sensible(name):
    ratings, model = CORNER_CASES[name], small_model()
    batch = RatingsBatch.of([ratings])
    answer = everything(model, batch)
    assert answer.cells.shape == (ratings.n_rows * ratings.n_cols,)
    for part in (answer.rows, answer.cols, answer.cells):
        assert torch.isfinite(part).all()
    grads = torch.autograd.grad(answer.cells.square().sum(), model.prior.parameters(), allow_unused=True)
    assert all(grad is None or torch.isfinite(grad).all() for grad in grads)


def test_without_observations_every_cell_gets_the_same_estimate():
    cells = everything(small_model(), RatingsBatch.of([CORNER_CASES["no observation"]])).cells
    torch.testing.assert_close(cells, cells[:1].expand_as(cells))
    assert cells[0] != 0


def test_dropout_is_active_in_training_only():
    batch, model = RatingsBatch.of([random_ratings(8, 8)]), small_model(dropout=0.5)
    assert torch.equal(everything(model, batch).cells, everything(model, batch).cells)
    without = small_model(dropout=0.0)
    without.load_state_dict(model.state_dict())
    assert torch.equal(everything(model, batch).cells, everything(without.train(), batch).cells)
    model.train()
    assert not torch.equal(everything(model, batch).cells, everything(model, batch).cells)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [1.0, -1.0])
@pytest.mark.parametrize("learning_rate", [0.1, 10.0, 1e6])
def test_precision_and_step_size_stay_positive_whatever_the_optimizer_does(learning_rate, slope):
    model = small_model(learn_step_size=True)
    numbers = [model.log_prior_precision, model.log_step_size]
    before = [model.prior_precision.item(), model.step_size.item()]
    optimizer = torch.optim.SGD(numbers, learning_rate)
    for _ in range(3):
        optimizer.zero_grad()
        sum(numbers).backward(torch.tensor(slope))
        optimizer.step()
    after = [model.prior_precision.item(), model.step_size.item()]
    assert all(number > 0 for number in after) and after != before


def test_the_step_size_is_learned_on_request_only():
    for learn in (False, True):
        model = small_model(learn_step_size=learn)
        assert model.step_size.item() == pytest.approx(0.05)
        assert model.log_step_size.requires_grad is learn
    assert model.log_prior_precision.requires_grad
    model = small_model()
    everything(model, RatingsBatch.of([random_ratings(5, 5)])).cells.sum().backward()
    assert model.log_step_size.grad is None and model.log_prior_precision.grad != 0


def test_the_defaults_are_the_papers_settings():
    network = dict(channels=32, layers=3, hidden=32, prior_layers=4, rank=32, dropout=0.1)
    assert MetaMFConfig() == MetaMFConfig(**network, steps=10, step_size=0.01, learn_step_size=False)
    model = MetaMF()
    assert [layer.entry.shape for layer in model.prior.layers] == [(1, 32), (32, 32), (32, 32)]
    for network in (model.prior.f_U, model.prior.f_V):
        assert [m.weight.shape for m in network if isinstance(m, torch.nn.Linear)] == [(32, 32)] * 4


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(rank=0), "rank must be at least 1, got 0"),
        (dict(steps=-1), "steps must not be negative, got -1"),
        (dict(step_size=0.0), "step_size must be positive, got 0.0"),
        (dict(prior_precision=float("nan")), "prior_precision must be positive, got nan"),
        (dict(dropout=1.0), r"dropout must lie in \[0, 1\), got 1.0"),
        (dict(row_features=-1), "row_features must not be negative, got -1"),
        (dict(steps_rule="ica"), "steps_rule must be 'gradient' or 'nmf', got 'ica'"),
    ],
)
def test_settings_out_of_range_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        MetaMFConfig(**settings)


@pytest.mark.parametrize("step_rule", ["paper", "safe"])
@pytest.mark.parametrize("kind", [{}, FEATURES, NMF])
def test_rows_folded_in_get_the_factors_that_they_had(kind, step_rule):
    model, ratings = small_model(**kind).double(), featured(random_ratings(9, 6))
    batch = RatingsBatch.of([ratings], torch.float64)
    adapted = model.adapt(batch, step_rule=step_rule)
    some = replace(ratings.submatrix(np.array([7, 2, 3]), np.arange(6)), col_features=None)  # read before
    U = model.fold_in(RatingsBatch.of([some], torch.float64), adapted)
    torch.testing.assert_close(U, adapted.factors.U[[7, 2, 3]], rtol=0, atol=1e-12)


def test_a_step_size_that_is_too_large_is_noticed_and_the_safe_steps_still_descend():
    model, batch = small_model(step_size=1.0), RatingsBatch.of([random_ratings(40, 30)])
    fixed, safe = model.adapt(batch), model.adapt(batch, step_rule="safe")
    assert not model.descends(fixed, batch)
    assert model.descends(safe, batch)
    assert model.descends(model.adapt(batch, steps=0), batch)


@pytest.mark.gpu
def test_a_gpu_gives_what_the_cpu_gives():
    model, matrices = small_model(), list(CORNER_CASES.values())
    on_cpu = everything(model, RatingsBatch.of(matrices)).cells
    on_gpu = everything(model.to("cuda"), RatingsBatch.of(matrices, device="cuda")).cells
    torch.testing.assert_close(on_gpu.cpu(), on_cpu, rtol=1e-4, atol=1e-4)
