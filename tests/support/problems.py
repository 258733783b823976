"""Small matrices and models that several test files share."""

from dataclasses import replace

import numpy as np
import torch

from metamf.datasets import synthetic
from metamf.network.meta_mf import FactorNetwork, MetaMFConfig
from metamf.network.positive_mf import factor_network
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.testing import Answer, all_cells

STARS = RatingScale(1, 5, 1)


def random_ratings(N: int, M: int, density: float = 0.5, seed: int = 0) -> Ratings:
    """Standard normal values at random cells."""
    rng = np.random.default_rng([N, M, seed])
    rows, cols = np.nonzero(rng.random((N, M)) < density)
    return Ratings(rows, cols, rng.standard_normal(rows.size), (N, M))


def structured_ratings(N: int, M: int, density: float = 0.5, seed: int = 0) -> Ratings:
    """Standardised row and column effects, a product of two factors, and little noise: something to
    learn."""
    rng = np.random.default_rng([N, M, seed])
    X = rng.standard_normal((N, 1)) + rng.standard_normal(M)
    X += rng.standard_normal((N, 2)) @ rng.standard_normal((2, M))
    X = (X + 0.2 * rng.standard_normal((N, M))) / 2
    X[rng.random((N, M)) >= density] = np.nan
    return Ratings.from_dense(X)


def ratings_matrix(N=12, M=9, density=0.4, seed=0) -> np.ndarray:
    """(N, M) stars, NaN where missing; the first rows hold a 1 and a 5, so that the range is the
    whole scale."""
    rng = np.random.default_rng(seed)
    X = synthetic(rng, N, M, density=density, scale=STARS).ratings.to_dense()
    X[0, 0], X[1, 1] = 1, 5
    return X


#: The shapes and patterns that go wrong first.
CORNER_CASES = {
    "a block": random_ratings(7, 5),
    "every cell observed": random_ratings(4, 6, density=1.0),
    "empty rows and columns": Ratings(
        [1, 1, 4, 5], [0, 3, 3, 2], np.array([0.5, -1.0, 2.0, 0.3]), (8, 6)
    ),
    "1 x M": random_ratings(1, 6),
    "N x 1": random_ratings(6, 1),
    "1 x 1, observed": Ratings([0], [0], np.array([1.5]), (1, 1)),
    "one observation": Ratings([2], [1], np.array([-0.7]), (4, 3)),
    "no observation": Ratings([], [], np.array([]), (3, 4)),
}


def small_model(seed: int = 0, **settings) -> FactorNetwork:
    """A small network of factors in evaluation mode, its biases away from their initial zero so
    that they count."""
    defaults = dict(channels=5, layers=3, hidden=6, prior_layers=3, rank=4, steps=6, step_size=0.05)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = factor_network(MetaMFConfig(**(defaults | settings)))
        for name, parameter in model.named_parameters():
            if name.endswith(("bias", "_features")):
                torch.nn.init.normal_(parameter, std=0.3 if name.endswith("bias") else 1.0)
    return model.eval()


#: Settings of ``small_model`` with which it reads features, or takes multiplicative steps.
FEATURES, NMF = {"row_features": 3, "col_features": 2}, {"steps_rule": "nmf", "lowest": -1.5}


def featured(ratings: Ratings) -> Ratings:
    """The matrix with random features of its rows and columns, as ``FEATURES`` has them."""
    rng = np.random.default_rng(ratings.shape)
    rows, cols = rng.standard_normal((ratings.n_rows, 3)), rng.standard_normal((ratings.n_cols, 2))
    return replace(ratings, row_features=rows, col_features=cols)


def everything(model: FactorNetwork, batch: RatingsBatch) -> Answer:
    """U(0..T), V(0..T) and the estimate of every cell."""
    adapted = model.adapt(batch)
    path = adapted.factors.path.transpose(0, 1)  # (N + M, T + 1, K)
    return Answer(path[: batch.N], path[batch.N :], None, adapted.predict(*all_cells(batch)))


def small_universal(seed: int = 0, **settings) -> Universal:
    """A small Universal in evaluation mode, with every parameter away from a start at which it
    would not count."""
    defaults = dict(channels=6, layers=2, hidden=7, rank=3, steps=3, effect_sweeps=3)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Universal(UniversalConfig(**(defaults | settings)))
        for name, parameter in model.named_parameters():
            if name.endswith("bias") or ".out." in name:
                torch.nn.init.normal_(parameter, std=0.3)
        levels = model.log_expected, model.log_weight, model.log_precision, model.log_noise
        for parameter in levels:
            parameter.data += 0.3 * torch.randn_like(parameter)
        model.factor_scale.data.fill_(0.7)
    return model.eval()
