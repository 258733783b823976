"""Algorithm 1: equal to the dense equations, so equivariant, and alike alone and in a batch; its
positive numbers positive; features of rows and columns, zeros where none are known."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from dense_reference import algorithm_1, dense, estimates, weights
from problems import CORNER_CASES, FEATURES, NMF, everything, featured, random_ratings, small_model
from sparse_against_dense import assert_sparse_equals_dense

from metamf.checkpoints.bundled import PRETRAINED, list_pretrained, open_checkpoint
from metamf.learning.episodes import BlockSampler
from metamf.network.exchangeable import ExchangeableLayer
from metamf.network.meta_mf import MetaMFConfig
from metamf.ratings.batch import RatingsBatch
from metamf.testing import Answer

PAPER_CHECKPOINTS = [  # those of Eqs. (4) to (7)
    *(name for name in list_pretrained() if name not in ("universal", "ml-1m-nmf")),
    str(PRETRAINED / "inside" / "film-nights-every-step.safetensors"),
]


def everything_dense(model, X, B):
    features = (None, None)
    if model.config.row_features:  # those of ``featured``, which depend on the shape alone
        known = featured(random_ratings(*X.shape))
        both = known.row_features, known.col_features
        features = [torch.as_tensor(part).to(X) for part in both]
    w = dict(model.named_parameters())
    U, V = algorithm_1(w, X, B, model.config.steps, features=features)
    return Answer(torch.stack(U, 1), torch.stack(V, 1), None, estimates(U[-1], V[-1]))


@pytest.mark.parametrize("name", PAPER_CHECKPOINTS)
@pytest.mark.parametrize("rule", ["paper", "safe"])
def test_each_bundled_checkpoint_takes_the_steps_that_plain_numpy_takes(name, rule):
    network, _ = open_checkpoint(name)
    ratings = random_ratings(20, 12, 0.3)
    batch = RatingsBatch.of([ratings])
    found = network.adapt(batch, step_rule=rule).path.numpy()
    size = network.config.col_features
    features = (None, np.zeros((12, size)) if size else None)
    T = network.config.steps
    U, V = algorithm_1(weights(network), *dense(ratings), T, rule == "safe", features)
    expected = np.concatenate([U, V], axis=1)
    assert np.abs(found - expected).max() < 1e-5 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("kind", [{}, FEATURES])
def test_trajectory_estimates_and_gradients_are_those_of_the_dense_equations(kind):
    model = small_model(learn_step_size=True, **kind)
    matrices = list(map(featured, CORNER_CASES.values()))
    assert_sparse_equals_dense(model, everything_dense, matrices, everything)


@pytest.mark.parametrize(
    "size", [{"layers": 1}, {"prior_layers": 1}, {"hidden": 1}, {"rank": 1}, {"steps": 0}], ids=str
)
def test_the_smallest_sizes_of_the_network_equal_the_dense_equations(size):
    matrices = [featured(random_ratings(6, 4))]
    model = small_model(**size, **FEATURES)
    assert_sparse_equals_dense(model, everything_dense, matrices, everything)


def test_dropout_is_active_in_training_only():
    batch, model = RatingsBatch.of([random_ratings(8, 8)]), small_model(dropout=0.5)
    assert torch.equal(everything(model, batch).cells, everything(model, batch).cells)
    without = small_model(dropout=0.0)
    without.load_state_dict(model.state_dict())
    assert torch.equal(everything(model, batch).cells, everything(without.train(), batch).cells)
    quiet = model.prior(batch).columns
    model.train()
    assert not torch.equal(everything(model, batch).cells, everything(model, batch).cells)
    noisy = model.prior(batch).columns
    assert torch.equal(noisy[0], quiet[0])  # the first layer reads the matrix itself
    assert not torch.equal(noisy[1], quiet[1])
    head, z = model.prior.f_U, torch.randn(8, 5)
    assert not torch.equal(head(z), head(z))


def test_initial_outputs_neither_vanish_nor_explode_with_depth():
    torch.manual_seed(0)
    batch = RatingsBatch.of([random_ratings(30, 30, 0.5)])
    z = batch.x.unsqueeze(1)
    for layer in [ExchangeableLayer(1, 64)] + [ExchangeableLayer(64, 64) for _ in range(5)]:
        z = torch.relu(layer(z, batch).at_observed(batch))
    assert 0.1 < z.square().mean() < 10


@pytest.mark.parametrize("slope", [1.0, -1.0])
@pytest.mark.parametrize("learn", [True, False])
def test_precision_and_step_size_stay_positive_whatever_is_learned(learn, slope):
    model = small_model(learn_step_size=learn)
    numbers = [model.log_prior_precision, model.log_step_size]
    assert [number.requires_grad for number in numbers] == [True, learn]
    optimizer = torch.optim.SGD(numbers, 1e6)
    sum(numbers).backward(torch.tensor(slope))
    optimizer.step()
    assert model.prior_precision > 0 and model.step_size > 0


def test_the_defaults_are_the_papers_settings():
    network = dict(channels=32, layers=3, hidden=32, prior_layers=4, rank=32, dropout=0.1)
    steps = dict(steps=10, step_size=0.01, learn_step_size=False)
    assert MetaMFConfig() == MetaMFConfig(**network, **steps)


@pytest.mark.parametrize("step_rule", ["paper", "safe"])
@pytest.mark.parametrize("kind", [{}, FEATURES, NMF])
def test_rows_folded_in_get_the_factors_that_they_had(kind, step_rule):
    model, ratings = small_model(**kind).double(), featured(random_ratings(9, 6))
    batch = RatingsBatch.of([ratings], torch.float64)
    adapted = model.adapt(batch, step_rule=step_rule)
    some = ratings.submatrix(np.array([7, 2, 3]), np.arange(6))
    some = replace(some, col_features=None)  # read before
    U = model.fold_in(RatingsBatch.of([some], torch.float64), adapted)
    torch.testing.assert_close(U, adapted.factors.U[[7, 2, 3]], rtol=0, atol=1e-12)


def test_a_step_size_that_is_too_large_is_noticed_and_the_safe_steps_still_descend():
    model, batch = small_model(step_size=1.0), RatingsBatch.of([random_ratings(40, 30)])
    fixed, safe = model.adapt(batch), model.adapt(batch, step_rule="safe")
    assert not model.descends(fixed, batch)
    assert model.descends(safe, batch)
    assert model.descends(model.adapt(batch, steps=0), batch)


def test_a_matrix_without_features_is_one_of_zeros():
    matrix, model = random_ratings(4, 6), small_model(**FEATURES)
    zeros = replace(matrix, row_features=np.zeros((4, 3)), col_features=np.zeros((6, 2)))
    alone = everything(model, RatingsBatch.of([matrix])).cells
    for one in (matrix, zeros):
        found = everything(model, RatingsBatch.of([one, featured(random_ratings(7, 5))]))
        torch.testing.assert_close(found.cells[:24], alone)


def test_features_of_another_number_are_refused():
    batch = RatingsBatch.of([replace(random_ratings(4, 4), row_features=np.ones((4, 2)))])
    with pytest.raises(ValueError, match="the network reads 3 features, got 2"):
        small_model(row_features=3).prior(batch)
    for wrong in (np.ones(4), np.ones((5, 2)), np.full((4, 2), np.nan)):
        with pytest.raises(ValueError, match="col_features must be finite numbers for 4 cols"):
            replace(random_ratings(4, 4), col_features=wrong)


def test_blocks_have_the_features_of_their_columns_and_one_in_five_has_none():
    numbered = random_ratings(40, 50)
    numbered = replace(
        numbered, values=numbered.cols.astype(float), col_features=np.arange(1.0, 51.0)[:, None]
    )
    plain = random_ratings(20, 20)
    sampler = BlockSampler([numbered, replace(plain, values=np.full(plain.nnz, -1.0))], size=(6, 5))
    support = sampler.sample(np.random.default_rng(0), 1000).support
    assert support.row_features is None and support.col_features.shape == (5000, 1)
    known = support.col_features.view(1000, 5)
    told = (known > 0).all(1)
    assert ((known == 0).all(1) | told).all()
    from_numbered = torch.zeros(1000).index_add_(0, support.row_matrix[support.row], support.x) > 0
    assert 0.75 < told[from_numbered].float().mean() < 0.85 and not told[~from_numbered].any()
    at = told[support.col_matrix[support.col]]
    assert torch.equal(support.x[at] + 1, support.col_features[support.col][at, 0])
