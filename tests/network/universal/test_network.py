"""The extended model: equal to its dense equations, so equivariant, and alike alone and in a batch;
finite everywhere; folding in; variances."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from dense_reference import exchangeable_layer
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings
from sparse_against_dense import assert_sparse_equals_dense

from metamf import datasets, load_pretrained
from metamf.learning.episodes import Episode, EpisodeBatch
from metamf.learning.objectives import calibrated_errors
from metamf.network.universal.reading import soft_clip
from metamf.network.universal.variational import Posterior, estimate_variance_matrix
from metamf.ratings.batch import RatingsBatch
from metamf.testing import Answer, all_cells


def batch_of(*matrices, dtype=torch.float64) -> RatingsBatch:
    return RatingsBatch.of(matrices, dtype)


def everything(model, batch):
    """The path of the factors, their posterior covariances, and each cell's estimate and
    variance."""
    adapted = model.adapt(batch)
    path = adapted.factors.path.transpose(0, 1).flatten(1)  # (N + M, (T + 1) * (K + 2))
    cells = all_cells(batch)
    return Answer(
        torch.cat([path[: batch.N], adapted.rows.cov.flatten(1)], 1),
        torch.cat([path[batch.N :], adapted.cols.cov.flatten(1)], 1),
        cells=torch.stack([adapted.predict(*cells), adapted.variance(*cells)], 1),
    )


def everything_dense(model, X, B):
    """X, B: (N, M). Nothing here is clever, and nothing is shared with the sparse computation but
    the weights."""
    (N, M), K, b = X.shape, model.config.rank, B.to(X.dtype)
    counts = b.sum(1, keepdim=True), b.sum(0).unsqueeze(1)  # (N, 1), (M, 1)
    a, c, variances = dense_effects(model, X, b)
    effects, length = (a, c), (M, N)
    log_counts = [(n + 1).log() / 5 for n in counts]
    unit = variances[2] ** 0.5
    at_cells = [soft_clip(values.expand(N, M)) for values in (X, (X - a - c.T) / unit, a, c.T)]
    at_cells += [log_counts[0].expand(N, M), log_counts[1].T.expand(N, M)]
    Z = model.input(torch.stack(at_cells, 2))  # (N, M, 6) before
    for layer in model.layers:
        w = [getattr(layer.layer, name) for name in ("entry", "column", "row", "matrix", "bias")]
        Z = Z + layer.out(F.silu(exchangeable_layer(layer.norm(Z), B, *w)))
    Z = b.unsqueeze(2) * model.norm(Z)
    priors = []
    for side, head in enumerate((model.row_head, model.col_head)):
        share = (counts[side] / length[side]).sqrt()
        size = torch.full_like(share, np.log(length[side] + 1) / 5)
        sums = Z.sum(1 - side) / (counts[side] + 1)
        spreads = (variances.log() / 4).expand(len(share), 3)
        inputs = sums, soft_clip(effects[side]), log_counts[side], share, size, spreads
        out = head(torch.cat(inputs, 1))
        factors = model.factor_scale * out[:, :K] / unit**0.5
        mean = torch.cat([factors, (effects[side] + out[:, K : K + 1]) / unit], 1)
        precision = (model.log_precision[side] + soft_clip(out[:, K + 1 : K + 2], 4)).exp()
        of_effect = precision[:, K:] * variances[2] / variances[side]
        precision = torch.cat([precision[:, :K], of_effect], 1)
        priors.append((mean, precision, (-soft_clip(out[:, K + 2], 2)).exp()))
    (mean_r, alpha_r, s), (mean_c, alpha_c, t) = priors
    weight = b * s.unsqueeze(1) * t  # (N, M)
    rows = with_empty(mean_r, torch.diag_embed(1 / alpha_r), counts[0])
    cols = with_empty(mean_c, torch.diag_embed(1 / alpha_c), counts[1])
    path = [(rows[0], cols[0])]
    for _ in range(model.config.steps):
        rows = with_empty(*dense_update(mean_r, alpha_r, cols, weight, X / unit), counts[0])
        cols = with_empty(*dense_update(mean_c, alpha_c, rows, weight.T, X.T / unit), counts[1])
        path.append((rows[0], cols[0]))

    def joined(mean, order):
        parts = mean[:, :K] * unit**0.5, mean[:, K:] * unit, torch.ones_like(mean[:, :1])
        return torch.cat([parts[at] for at in order], 1)

    U = torch.stack([joined(mean, (0, 1, 2)) for mean, _ in path], 1)  # (N, T + 1, K + 2)
    V = torch.stack([joined(mean, (0, 2, 1)) for _, mean in path], 1)
    noise = variances[2] * model.log_noise.exp() / (s.unsqueeze(1) * t)
    cells = torch.stack([U[:, -1] @ V[:, -1].T, noise * (1 + dense_variance(rows, cols))], 2)
    of_rows = torch.cat([U.flatten(1), rows[1].flatten(1)], 1)
    return Answer(of_rows, torch.cat([V.flatten(1), cols[1].flatten(1)], 1), cells=cells)


def with_empty(mean, cov, count):
    """Rows or columns without entries are moved towards the average of the others."""
    average = (count * mean).sum(0) / count.sum().clamp(min=1)
    few = (((count == 1) | (count == 2)).to(mean).sum() + 0.5) / ((count > 0).to(mean).sum() + 1.5)
    new = 1 / (1 + (few / 0.15) ** 2)
    return torch.where(count > 0, mean, new * average + (1 - new) * mean), cov


def dense_effects(model, X, b):
    """(N, 1), (M, 1), (3,) the effects and variances that ``fitted_effects`` describes, in sums
    over cells."""
    counts = b.sum(1, keepdim=True), b.sum(0).unsqueeze(1)
    a, c = torch.zeros_like(counts[0]), torch.zeros_like(counts[1])
    expected, weight = model.log_expected.exp(), model.log_weight.exp()
    variances = expected
    for sweep in range(model.config.effect_sweeps):
        if sweep:
            spread = [variances[2] / (n + variances[2] / v) for n, v in zip(counts, variances)]
            residuals = b * ((X - a - c.T) ** 2 + spread[0] + spread[1].T)
            squares = [
                ((effect**2 + s) * (n > 0)).sum() for effect, s, n in zip((a, c), spread, counts)
            ]
            numbers = [(counts[0] > 0).sum(), (counts[1] > 0).sum(), b.sum()]
            total = torch.stack([*squares, residuals.sum()])
            variances = (total + weight * expected) / (torch.stack(numbers) + weight)
        a = (b * (X - c.T)).sum(1, keepdim=True) / (counts[0] + variances[2] / variances[0])
        c = (b * (X - a)).sum(0).unsqueeze(1) / (counts[1] + variances[2] / variances[1])
    return a, c, variances


def with_one(mean, cov):
    """Means and second moments of (factors, effect, 1)."""
    mean = torch.cat([mean, torch.ones_like(mean[:, :1])], 1)
    return mean, F.pad(cov, (0, 1, 0, 1)) + mean.unsqueeze(2) * mean.unsqueeze(1)


def dense_update(mean, alpha, other, weight, X):
    """Posterior mean and covariance of one side given those of the ``other``; weight, X: (n, m)."""
    first, second = with_one(*other)  # of (v, b, 1)
    K = len(mean[0]) - 1
    d = [*range(K), K + 1]  # (v, 1)
    precision = torch.diag_embed(alpha) + torch.einsum("nm,mij->nij", weight, second[:, d][:, :, d])
    right = alpha * mean + (weight * X) @ first[:, d] - weight @ second[:, d, K]
    cov = torch.linalg.inv(precision.double())
    return (cov @ right.double().unsqueeze(2)).squeeze(2).to(X.dtype), cov.to(X.dtype)


def dense_variance(rows, cols):
    """(N, M) E[(u . v + a + b)^2] - E[u . v + a + b]^2, from second moments of the two sides."""
    (first_r, second_r), (first_c, second_c) = with_one(*rows), with_one(*cols)
    K = len(first_r[0]) - 2
    turned = [*range(K), K + 1, K]  # (v, 1, b), next to (u, a, 1)
    squares = torch.einsum("nij,mij->nm", second_r, second_c[:, turned][:, :, turned])
    return squares - (first_r @ first_c[:, turned].T).square()


def test_everything_and_its_gradients_are_those_of_the_dense_equations():
    matrices = [*CORNER_CASES.values(), structured_ratings(25, 18)]
    assert_sparse_equals_dense(small_universal(seed=1), everything_dense, matrices, everything)


SIZES = "channels", "layers", "hidden", "rank", "steps", "effect_sweeps"


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_smallest_sizes_equal_the_dense_equations(size):
    model = small_universal(**{size: 1})
    assert_sparse_equals_dense(model, everything_dense, [random_ratings(6, 4)], everything)


@pytest.mark.parametrize("size", [1e3, 1e-6])
def test_output_and_gradients_are_finite(size):
    model, episodes = small_universal(), []
    for ratings in CORNER_CASES.values():
        support = ratings.with_values(size * ratings.values)
        episodes.append(Episode(support, random_ratings(*ratings.shape, density=1.0)))
    batch = EpisodeBatch.of(episodes)
    assert all(part is None or part.isfinite().all() for part in everything(model, batch.support))
    calibrated_errors(model, batch)[0].backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters())


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, (1, 5)])
@pytest.mark.parametrize("shape", [(40, 20), (20, 14)])
def test_new_rows_and_columns_are_expected_near_the_others(shape, scale):
    """In a class nobody has rated one thing yet, and one person nothing: neither is a bad one."""
    imputer, rng = load_pretrained("universal", scale=scale), np.random.default_rng(0)
    for _ in range(3):
        effects = rng.normal(size=(shape[0], 1)) + rng.normal(size=shape[1])
        X = 4 + 0.3 * effects + 0.6 * rng.normal(size=shape)
        X = np.where(rng.random(shape) < 0.5, np.nan, np.clip(X.round(), 1, 5))
        X[:, 3] = X[2] = np.nan
        estimates = imputer.fit_transform(X)
        for new in (estimates[:, 3], estimates[2], imputer.transform(X[2:3])):
            assert abs(new.mean() - np.nanmean(X)) < 0.1 * np.nanstd(X)


@pytest.mark.data
@pytest.mark.slow
def test_films_that_nobody_has_rated_are_estimated_better_than_by_a_bad_guess():
    """A tenth of MovieLens 100K's films loses all of its ratings, and of these genre and year tell;
    the official split is no worse."""
    ratings, imputer = datasets.load("ml-100k"), load_pretrained("universal")
    gone = (np.random.default_rng(0).random(ratings.n_cols) < 0.1)[ratings.cols]
    train, test = datasets.load_official_split()
    genre_and_year = datasets.load_features("ml-100k", datasets.FEATURES)
    for given, hidden, unknown, told in (
        (ratings.select(~gone), ratings.select(gone), 1.12, 1.07),
        (train, test, 0.899, 0.899),
    ):
        for features, limit in ((None, unknown), (genre_and_year, told)):
            found = imputer.fit(given, col_features=features).estimate(hidden.rows, hidden.cols)
            assert np.sqrt(np.mean((found - hidden.values) ** 2)) <= limit


@pytest.mark.parametrize("name", ["a block", "one observation", "empty rows and columns"])
def test_left_out_residuals_by_their_definition(name):
    ratings = CORNER_CASES[name]
    model, batch = small_universal().double(), RatingsBatch.of([ratings], torch.float64)
    adapted = model.adapt(batch)
    base, row_noise, col_noise = (part.exp() for part in adapted.log_noise)
    estimates, X = adapted.factors.U @ adapted.factors.V.T, ratings.to_dense()
    for at, (n, m) in enumerate(zip(batch.row.tolist(), batch.col.tolist())):
        unit = adapted.context.variances.noise[0, 0]
        precision = unit / (row_noise[n] * col_noise[m])  # in units of the noise
        row = Posterior(*(part[[n]] for part in adapted.rows))
        col = Posterior(*(part[[m]] for part in adapted.cols))
        leverage = (estimate_variance_matrix(row, col)[0, 0] * precision).clamp(max=0.95)
        deviation = (base * row_noise[n] * col_noise[m] * (1 - leverage)).sqrt()
        expected = (X[n, m] - estimates[n, m]).abs() / deviation * (-0.8 * leverage**2).exp()
        torch.testing.assert_close(adapted.left_out(batch)[at], expected)
