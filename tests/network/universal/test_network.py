"""The extended model: equal to its dense equations, equivariant, finite everywhere; folding in; variances."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from problems import CORNER_CASES, random_ratings, small_universal, structured_ratings

from benchmarks.dense_reference import exchangeable_layer
from metamf import datasets, load_pretrained, testing
from metamf.learning.episodes import Episode, EpisodeBatch
from metamf.learning.objectives import calibrated_errors
from metamf.network.universal.intervals import CALIBRATED_AT, TABULATED_LEVELS
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.network.universal.reading import soft_clip
from metamf.network.universal.variational import Posterior, estimate_variance_matrix
from metamf.ratings.batch import RatingsBatch
from metamf.testing import Answer, all_cells


def calibrated_error(method, episodes):
    total, weight = calibrated_errors(method, episodes)
    return total / weight.clamp(min=1)


def batch_of(*matrices, dtype=torch.float64) -> RatingsBatch:
    return RatingsBatch.of(matrices, dtype)


def everything(model, batch):
    """The path of the factors, their posterior covariances, and each cell's estimate and variance."""
    adapted = model.adapt(batch)
    path = adapted.factors.path.transpose(0, 1).flatten(1)  # (N + M, (T + 1) * (K + 2))
    cells = all_cells(batch)
    return Answer(
        torch.cat([path[: batch.N], adapted.rows.cov.flatten(1)], 1),
        torch.cat([path[batch.N :], adapted.cols.cov.flatten(1)], 1),
        cells=torch.stack([adapted.predict(*cells), adapted.variance(*cells)], 1),
    )


# -- the same on dense arrays, line by line as metamf/network/universal/network.py describes it --------------------


def everything_dense(model, X, B):
    """X, B: (N, M). Nothing here is clever, and nothing is shared with the sparse computation but the weights."""
    (N, M), K, b = X.shape, model.config.rank, B.to(X.dtype)
    counts = b.sum(1, keepdim=True), b.sum(0).unsqueeze(1)  # (N, 1), (M, 1)
    a, c, variances = dense_effects(model, X, b)
    effects, length = (a, c), (M, N)
    log_counts = [(n + 1).log() / 5 for n in counts]
    unit = variances[2] ** 0.5
    at_cells = [soft_clip(values.expand(N, M)) for values in (X, (X - a - c.T) / unit, a, c.T)]
    Z = torch.stack([*at_cells, log_counts[0].expand(N, M), log_counts[1].T.expand(N, M)], 2)  # (N, M, 6)
    Z = model.input(Z)
    for layer in model.layers:
        w = [getattr(layer.layer, name) for name in ("entry", "column", "row", "matrix", "bias")]
        Z = Z + layer.out(F.silu(exchangeable_layer(layer.norm(Z), B, *w)))
    Z = b.unsqueeze(2) * model.norm(Z)
    priors = []
    for side, head in enumerate((model.row_head, model.col_head)):
        share = (counts[side] / length[side]).sqrt()
        size = torch.full_like(share, np.log(length[side] + 1) / 5)
        inputs = [Z.sum(1 - side) / (counts[side] + 1), soft_clip(effects[side]), log_counts[side], share, size]
        if model.config.components:
            inputs.append((variances.log() / 4).expand(len(share), 3))
        out = head(torch.cat(inputs, 1))
        mean = torch.cat([model.factor_scale * out[:, :K] / unit**0.5, (effects[side] + out[:, K : K + 1]) / unit], 1)
        precision = (model.log_precision[side] + soft_clip(out[:, K + 1 : K + 2], 4)).exp()
        if model.config.components:
            precision = torch.cat([precision[:, :K], precision[:, K:] * variances[2] / variances[side]], 1)
        priors.append((mean, precision, (-soft_clip(out[:, K + 2], 2)).exp()))
    (mean_r, alpha_r, s), (mean_c, alpha_c, t) = priors
    weight = b * s.unsqueeze(1) * t  # (N, M)
    sides = [(mean, torch.diag_embed(1 / alpha)) for mean, alpha in ((mean_r, alpha_r), (mean_c, alpha_c))]
    sides = [with_empty(*side, n) for side, n in zip(sides, counts)]
    path = [[side[0] for side in sides]]
    for _ in range(model.config.steps):
        sides[0] = with_empty(*dense_update(mean_r, alpha_r, sides[1], weight, X / unit), counts[0])
        sides[1] = with_empty(*dense_update(mean_c, alpha_c, sides[0], weight.T, X.T / unit), counts[1])
        path.append([side[0] for side in sides])

    def one(mean):
        return torch.ones_like(mean[:, :1])

    def split(mean):
        return mean[:, :K] * unit**0.5, mean[:, K:] * unit

    U = torch.stack([torch.cat([*split(rows), one(rows)], 1) for rows, _ in path], 1)  # (N, T + 1, K + 2)
    V = torch.stack([torch.cat([split(cols)[0], one(cols), split(cols)[1]], 1) for _, cols in path], 1)
    noise = variances[2] * model.log_noise.exp() / (s.unsqueeze(1) * t)
    cells = torch.stack([U[:, -1] @ V[:, -1].T, noise * (1 + dense_variance(*sides))], 2)
    return Answer(
        torch.cat([U.flatten(1), sides[0][1].flatten(1)], 1),
        torch.cat([V.flatten(1), sides[1][1].flatten(1)], 1),
        cells=cells,
    )


def with_empty(mean, cov, count):
    """Rows or columns without entries are moved towards the average of the others."""
    average = (count * mean).sum(0) / count.sum().clamp(min=1)
    few = (((count == 1) | (count == 2)).to(mean.dtype).sum() + 0.5) / ((count > 0).to(mean.dtype).sum() + 1.5)
    new = 1 / (1 + (few / 0.15) ** 2)
    return torch.where(count > 0, mean, new * average + (1 - new) * mean), cov


def dense_effects(model, X, b):
    """(N, 1), (M, 1), (3,) the effects and variances that ``fitted_effects`` describes, in sums over cells."""
    counts = b.sum(1, keepdim=True), b.sum(0).unsqueeze(1)
    a, c = torch.zeros_like(counts[0]), torch.zeros_like(counts[1])
    if model.config.components:
        expected, weight = model.log_expected.exp(), model.log_weight.exp()
        variances = expected
    else:
        variances = torch.cat([1 / model.log_damping.exp(), torch.ones(1, dtype=X.dtype)])
    for sweep in range(model.config.effect_sweeps):
        if sweep and model.config.components:
            spread = [variances[2] / (n + variances[2] / v) for n, v in zip(counts, variances)]
            residuals = b * ((X - a - c.T) ** 2 + spread[0] + spread[1].T)
            squares = [((effect**2 + s) * (n > 0)).sum() for effect, s, n in zip((a, c), spread, counts)]
            numbers = [(counts[0] > 0).sum(), (counts[1] > 0).sum(), b.sum()]
            total = torch.stack([*squares, residuals.sum()])
            variances = (total + weight * expected) / (torch.stack(numbers) + weight)
        a = (b * (X - c.T)).sum(1, keepdim=True) / (counts[0] + variances[2] / variances[0])
        c = (b * (X - a)).sum(0).unsqueeze(1) / (counts[1] + variances[2] / variances[1])
    return a, c, variances


def dense_update(mean, alpha, other, weight, X):
    """Posterior mean and covariance of one side given those of the ``other``; weight, X: (n, m)."""
    other_mean, other_cov = other
    joint = other_cov + other_mean.unsqueeze(2) * other_mean.unsqueeze(1)  # E[(v, b) (v, b)^T]
    d = torch.cat([other_mean[:, :-1], torch.ones_like(other_mean[:, :1])], 1)
    last = torch.zeros_like(d)
    last[:, -1] = 1
    last = last.unsqueeze(2) * d.unsqueeze(1)  # only its last row is not zero
    dd = F.pad(joint[:, :-1, :-1], (0, 1, 0, 1)) + last + F.pad(last[:, -1:, :-1].mT, (d.shape[1] - 1, 0, 0, 1))
    db = torch.cat([joint[:, :-1, -1], other_mean[:, -1:]], 1)
    precision = torch.diag_embed(alpha) + torch.einsum("nm,mij->nij", weight, dd)
    right = alpha * mean + (weight * X) @ d - weight @ db
    cov = torch.linalg.inv(precision.double())
    return (cov @ right.double().unsqueeze(2)).squeeze(2).to(X.dtype), cov.to(X.dtype)


def dense_variance(rows, cols):
    """(N, M) E[(u . v + a + b)^2] - E[u . v + a + b]^2, from second moments of the two sides."""
    (mean_r, cov_r), (mean_c, cov_c) = rows, cols
    u, v = mean_r[:, :-1], mean_c[:, :-1]
    second_u = cov_r[:, :-1, :-1] + u.unsqueeze(2) * u.unsqueeze(1)  # E[u u^T]
    second_v = cov_c[:, :-1, :-1] + v.unsqueeze(2) * v.unsqueeze(1)
    moments = torch.einsum("nij,mij->nm", second_u, second_v)
    effects = cov_r[:, -1, -1].unsqueeze(1) + cov_c[:, -1, -1]
    return moments - (u @ v.T).square() + effects + 2 * (cov_r[:, -1, :-1] @ v.T + u @ cov_c[:, -1, :-1].T)


@pytest.mark.parametrize("name", CORNER_CASES)
def test_everything_and_its_gradients_are_those_of_the_dense_equations(name):
    testing.assert_sparse_equals_dense(small_universal(), everything_dense, [CORNER_CASES[name]], everything)


def test_a_batch_of_mixed_sizes_equals_the_dense_equations_matrix_by_matrix():
    matrices = [*CORNER_CASES.values(), structured_ratings(25, 18)]
    testing.assert_sparse_equals_dense(small_universal(seed=1), everything_dense, matrices, everything)


def test_without_variance_components_it_equals_the_dense_equations():
    matrices = [CORNER_CASES["a block"], CORNER_CASES["empty rows and columns"], random_ratings(9, 7)]
    testing.assert_sparse_equals_dense(small_universal(components=False), everything_dense, matrices, everything)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["layers", "rank", "steps", "effect_sweeps", "channels", "hidden"])
def test_the_smallest_sizes_equal_the_dense_equations(setting):
    model = small_universal(**{setting: 1})
    testing.assert_sparse_equals_dense(model, everything_dense, [random_ratings(6, 4)], everything)


# -- symmetry ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", ["rows", "cols"])
@pytest.mark.parametrize("name", ["a block", "empty rows and columns", "one observation", "no observation"])
def test_permutations_permute_factors_estimates_and_variances_and_nothing_else(name, axis):
    rng = np.random.default_rng(0)
    testing.assert_permutation_equivariant(small_universal(), CORNER_CASES[name], axis, rng, everything)


def test_a_matrix_gets_the_same_answer_alone_and_in_a_batch():
    testing.assert_equal_alone_and_in_batch(small_universal(), list(CORNER_CASES.values()), everything)


# -- what comes out ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", CORNER_CASES)
@pytest.mark.parametrize("size", [1.0, 1e3, 1e-6])
def test_output_and_gradients_are_finite(name, size):
    ratings, model = CORNER_CASES[name], small_universal()
    ratings = ratings.with_values(size * ratings.values)
    answer = everything(model, batch_of(ratings, dtype=torch.float32))
    assert answer.cells.shape == (ratings.n_rows * ratings.n_cols, 2)
    assert all(torch.isfinite(part).all() for part in answer if part is not None)
    episodes = EpisodeBatch.of([Episode(ratings, random_ratings(*ratings.shape, density=1.0))])
    calibrated_error(model, episodes).backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters())


@pytest.mark.parametrize("name", ["channels", "layers", "hidden", "rank", "steps", "effect_sweeps"])
def test_settings_out_of_range_are_named(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
        UniversalConfig(**{name: 0})


def test_a_new_model_s_intervals_are_the_normal_distribution_s():
    model = Universal(UniversalConfig())
    assert model.interval_widths.shape == model.left_out_widths.shape == (2, len(CALIBRATED_AT), TABULATED_LEVELS)
    for widths in torch.cat([model.interval_widths, model.left_out_widths]).view(-1, TABULATED_LEVELS):
        assert (widths[89].item(), widths[49].item()) == pytest.approx((1.6449, 0.6745), abs=1e-3)


# -- folding in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_rows_folded_in_get_what_they_had(seed):
    model, ratings = small_universal(seed).double(), random_ratings(9, 6, seed=seed)
    adapted = model.adapt(batch_of(ratings))
    for some in ([7, 2, 3], [0], list(range(9))):
        U, side, log_noise = model.posterior_of_rows(batch_of(ratings.submatrix(np.array(some), np.arange(6))), adapted)
        expected = adapted.factors.U[some], adapted.rows.mean[some], adapted.rows.cov[some], adapted.log_noise[1][some]
        for found, there in zip((U, *side, log_noise), expected):
            torch.testing.assert_close(found, there, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, (1, 5)])
@pytest.mark.parametrize("shape", [(25, 12), (40, 20), (20, 14)])
def test_new_rows_and_columns_are_expected_near_the_others(shape, scale):
    """In a class nobody has rated one thing yet, and one person nothing: neither is a bad one."""
    imputer, rng = load_pretrained("universal", scale=scale), np.random.default_rng(0)
    for _ in range(3):
        X = 4 + 0.3 * rng.normal(size=(shape[0], 1)) + 0.3 * rng.normal(size=shape[1]) + 0.6 * rng.normal(size=shape)
        X = np.where(rng.random(shape) < 0.5, np.nan, np.clip(X.round(), 1, 5))
        X[:, 3] = X[2] = np.nan
        estimates = imputer.fit_transform(X)
        for new in (estimates[:, 3], estimates[2], imputer.transform(X[2:3])):
            assert abs(new.mean() - np.nanmean(X)) < 0.1 * np.nanstd(X)


@pytest.mark.data
@pytest.mark.slow
def test_films_that_nobody_has_rated_are_estimated_better_than_by_a_bad_guess():
    """A tenth of MovieLens 100K's films loses all of its ratings, and of these genre and year tell; the official split
    is no worse."""
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


# -- it learns from what is given -------------------------------------------------------------------------------------


@pytest.mark.gpu
def test_a_gpu_gives_what_the_cpu_gives():
    model, matrices = small_universal(), list(CORNER_CASES.values())
    on_cpu = everything(model, batch_of(*matrices, dtype=torch.float32)).cells
    on_gpu = everything(model.to("cuda"), RatingsBatch.of(matrices, device="cuda")).cells
    torch.testing.assert_close(on_gpu.cpu(), on_cpu, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CORNER_CASES)
def test_variances_are_at_least_the_noise_and_the_same_by_cell_and_as_a_matrix(name):
    ratings = CORNER_CASES[name]
    batch = RatingsBatch.of([ratings], torch.float64)
    adapted = small_universal().double().adapt(batch)
    base, row_noise, col_noise = adapted.log_noise
    noise = (base + row_noise.unsqueeze(1) + col_noise).exp()
    variance = adapted.variance_matrix()
    assert (variance > noise).all() and (noise > 0).all()
    torch.testing.assert_close(adapted.variance(*all_cells(batch)).view(ratings.shape), variance)


@pytest.mark.parametrize("name", ["a block", "one observation", "empty rows and columns"])
def test_left_out_residuals_by_their_definition(name):
    ratings = CORNER_CASES[name]
    model, batch = small_universal().double(), RatingsBatch.of([ratings], torch.float64)
    adapted = model.adapt(batch)
    base, row_noise, col_noise = (part.exp() for part in adapted.log_noise)
    estimates, X = adapted.factors.U @ adapted.factors.V.T, ratings.to_dense()
    for at, (n, m) in enumerate(zip(batch.row.tolist(), batch.col.tolist())):
        precision = adapted.context.variances.noise[0, 0] / (row_noise[n] * col_noise[m])  # in units of the noise
        row, col = Posterior(*(part[[n]] for part in adapted.rows)), Posterior(*(part[[m]] for part in adapted.cols))
        leverage = (estimate_variance_matrix(row, col)[0, 0] * precision).clamp(max=0.95)
        deviation = (base * row_noise[n] * col_noise[m] * (1 - leverage)).sqrt()
        expected = (X[n, m] - estimates[n, m]).abs() / deviation * (-0.8 * leverage**2).exp()
        torch.testing.assert_close(adapted.left_out(batch)[at], expected)
