"""Intervals: conformal widths that cover, by the size of the matrix; levels in between; the report by others."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import torch
from problems import random_ratings, small_universal

from metamf.calibration import calibrate, interval_report, standardized_residuals, width
from metamf.episodes import EpisodeBatch, divide_entries
from metamf.universal import Universal, UniversalConfig


class Given:
    """A model that estimates zero everywhere, with the standard deviation that each query entry states."""

    def __init__(self):
        self.interval_widths = Universal(UniversalConfig()).interval_widths.clone()

    def adapt(self, support):
        return SimpleNamespace(
            predict=lambda row, col: torch.zeros(len(row)), variance=lambda row, col: support.deviation.square()
        )


def episodes_of(x, deviation, matrix=None, entries=1000) -> EpisodeBatch:
    """Query entries with values x, all in rows of the matrix that is said, of which so many ``entries`` are given."""
    x, deviation = (torch.as_tensor(np.asarray(part), dtype=torch.float32) for part in (x, deviation))
    matrix = torch.zeros(len(x), dtype=torch.int64) if matrix is None else torch.as_tensor(matrix)
    D = int(matrix.max()) + 1

    class Support(SimpleNamespace):
        def __len__(self):
            return D

    given = torch.as_tensor(entries, dtype=torch.float32).expand(D).unsqueeze(1)
    support = Support(row_matrix=torch.arange(D), deviation=deviation, matrix_count=given)
    return EpisodeBatch(support, matrix, torch.zeros_like(matrix), x)


def simulated(rng, n=40_000, df=4) -> EpisodeBatch:
    """Heavy tails, and a stated standard deviation that is wrong by a constant factor."""
    spread = rng.gamma(2.0, size=n) + 0.1
    return episodes_of(spread * rng.standard_t(df, n), 0.6 * spread)


LEVELS = np.arange(1, 100) / 100


@pytest.mark.parametrize("df", [2, 4, 1000])
def test_calibrated_intervals_cover_what_they_say_whatever_the_distribution(df):
    rng, model = np.random.default_rng(df), Given()
    calibrate(model, (simulated(rng, 10_000, df) for _ in range(4)))
    score, _ = standardized_residuals(model, simulated(rng, df=df))
    covered = [(score.abs() <= width(model, level, 1000)).double().mean().item() for level in LEVELS]
    np.testing.assert_allclose(covered, LEVELS, atol=0.015)
    report = interval_report(model, simulated(rng, df=df))
    for level in (50, 80, 90, 95):
        assert report[f"cover_{level}"] == pytest.approx(level / 100, abs=0.015)


def test_before_calibration_heavy_tails_and_a_wrong_spread_are_not_covered():
    report = interval_report(Given(), simulated(np.random.default_rng(0)))
    assert report["cover_90"] < 0.8 and report["cover_50"] < 0.45


def test_all_matrices_weigh_alike():
    rng, model = np.random.default_rng(0), Given()
    sizes = (400, 25, 100)
    matrix = np.repeat(np.arange(3), sizes)
    x = rng.standard_normal(525) * np.repeat([1.0, 5.0, 0.2], sizes)
    calibrate(model, [episodes_of(x, np.ones(525), matrix)])
    score, weight = np.abs(x).astype(np.float32), 1 / np.repeat(sizes, sizes)
    for level, found in zip(LEVELS, model.interval_widths[1].tolist()):
        below = weight[score <= found].sum() / weight.sum()
        strictly_below = weight[score < found].sum() / weight.sum()
        assert strictly_below < level + 1e-9 and below >= level - 1e-9


def test_small_matrices_have_widths_of_their_own_and_those_in_between_a_mixture():
    rng, model = np.random.default_rng(0), Given()
    spread, entries = (3.0, 3.0, 1.0, 1.0), (7, 30, 300, 10**6)
    batch = episodes_of(rng.standard_normal(40_000) * np.repeat(spread, 10_000), np.ones(40_000),
                        np.repeat(np.arange(4), 10_000), entries)  # fmt: skip
    calibrate(model, [batch])
    widths = width(model, 0.8, torch.tensor([*entries, 95]))
    torch.testing.assert_close(widths, 1.2816 * torch.tensor([*spread, 2.0]), rtol=0.02, atol=0.0)
    assert interval_report(model, batch)["cover_80"] == pytest.approx(0.8, abs=1e-3)
    assert interval_report(model, batch)["width_80"] == pytest.approx(2 * widths[:4].mean().item(), rel=1e-5)


def test_a_matrix_in_between_counts_for_both_sizes():
    rng, model = np.random.default_rng(0), Given()
    x = np.concatenate([rng.standard_normal(10_000), np.full(5000, 9.0)])
    calibrate(model, [episodes_of(x, np.ones(15_000), np.repeat([0, 1, 2], 5000), (30, 300, 95))])
    shares = [(model.interval_widths[size] < 9).double().mean().item() for size in (0, 1)]
    assert shares == pytest.approx([2 / 3, 2 / 3], abs=0.02)  # half of the matrix in between, all of one's own


def test_without_small_matrices_the_larger_ones_say_what_holds_for_them():
    model = Given()
    calibrate(model, [simulated(np.random.default_rng(0))])
    assert torch.equal(*model.interval_widths) and model.interval_widths[0, 80] > 2


def test_batches_add_up():
    rng, together, apart = np.random.default_rng(0), Given(), Given()
    x, ones = rng.standard_normal(300), np.ones(300)
    calibrate(together, [episodes_of(x, ones, np.repeat([0, 1, 2], 100))])
    calibrate(apart, (episodes_of(part, ones[:100]) for part in x.reshape(3, 100)))
    assert torch.equal(together.interval_widths, apart.interval_widths)
    assert (together.interval_widths.diff() >= 0).all()


def test_widths_are_linear_between_levels():
    model = Given()
    model.interval_widths.copy_(torch.arange(1, 100).float() ** 2)
    at = lambda level: width(model, level, 1000).item()  # noqa: E731
    for percent in (1, 2, 50, 98, 99):
        assert at(percent / 100) == pytest.approx(percent**2, rel=1e-6)
    assert at(0.505) == pytest.approx((50**2 + 51**2) / 2)
    assert at(0.9825) == pytest.approx(98**2 + 0.25 * (99**2 - 98**2))


@pytest.mark.parametrize("level", [0.0, 0.005, 0.995, 1.0, 90, -0.9, float("nan")])
def test_a_level_outside_the_calibrated_ones_is_named(level):
    with pytest.raises(ValueError, match=f"interval levels lie between 0.01 and 0.99, got {level}"):
        width(Given(), level, 1000)


def test_widths_that_fall_as_levels_rise_are_refused():
    model = Given()
    model.interval_widths[1, 90] = 1.0
    with pytest.raises(ValueError, match=r"of level 0.91 are narrower than those of level 0.9, 1 against 1.64"):
        width(model, 0.5, 1000)


def test_the_report_s_scores_are_those_of_the_normal_distribution():
    rng = np.random.default_rng(0)
    x, deviation = rng.standard_normal(40) * 2, rng.gamma(2.0, size=40) + 0.2
    report = interval_report(Given(), episodes_of(x, deviation))
    normal = [scipy.stats.norm(0, d) for d in deviation]
    assert report["log_likelihood"] == pytest.approx(np.mean([n.logpdf(v) for n, v in zip(normal, x)]), rel=1e-5)

    def crps(cdf, value):
        """The integral of (F(y) - 1{y >= value})^2."""
        below = scipy.integrate.quad(lambda y: cdf(y) ** 2, -60, value, limit=200)[0]
        return below + scipy.integrate.quad(lambda y: (1 - cdf(y)) ** 2, value, 60, limit=200)[0]

    assert report["crps"] == pytest.approx(np.mean([crps(n.cdf, v) for n, v in zip(normal, x)]), rel=1e-4)


def test_the_report_s_coverage_and_width_by_hand():
    model = Given()
    model.interval_widths.copy_(torch.linspace(0.01, 0.99, 99))  # the width of level p is p
    episodes = episodes_of([0.1, -0.6, 3.0, 0.7], [1.0, 1.0, 2.0, 1.0])  # scores 0.1, 0.6, 1.5, 0.7
    report = interval_report(model, episodes, levels=(0.5, 0.65))
    assert report["cover_50"] == 0.25 and report["cover_65"] == 0.5
    assert report["width_50"] == pytest.approx(2 * 0.5 * 1.25) and report["width_65"] == pytest.approx(2 * 0.65 * 1.25)


def test_residuals_are_those_of_the_model():
    model, rng = small_universal(), np.random.default_rng(0)
    episodes = EpisodeBatch.of([divide_entries(random_ratings(9, 7), 0.5, rng)])
    score, deviation = standardized_residuals(model, episodes)
    adapted = model.adapt(episodes.support)
    at = episodes.query_row, episodes.query_col
    torch.testing.assert_close(adapted.predict(*at) + score * deviation, episodes.query_x)
    torch.testing.assert_close(deviation.square(), adapted.variance(*at))
    assert not score.requires_grad


def test_calibrating_a_model_makes_its_intervals_cover():
    model, rng = small_universal(), np.random.default_rng(0)

    def batches():
        for _ in range(15):
            yield EpisodeBatch.of([divide_entries(random_ratings(40, 30, seed=rng.integers(10**6)), 0.5, rng)])

    before = abs(interval_report(model, next(batches()))["cover_80"] - 0.8)
    calibrate(model, batches())
    after = np.mean([interval_report(model, batch)["cover_80"] for batch in batches()])
    assert after == pytest.approx(0.8, abs=0.02) and before > 0.04
