"""Widths of intervals: a mixture of held-out matrices and of the own entries of the matrix."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats
import torch

from metamf.learning.episodes import EpisodeBatch
from metamf.network.universal.intervals import calibrate, interval_report, widths
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.batch import RatingsBatch

LEVELS = np.arange(1, 100) / 100


class Given:
    """A model that estimates zero everywhere, with the standard deviation that each query entry
    states and the left-out scores that each observed entry states."""

    def __init__(self):
        model = Universal(UniversalConfig())
        self.interval_widths = model.interval_widths.clone()
        self.left_out_widths = model.left_out_widths.clone()

    def adapt(self, support):
        return SimpleNamespace(
            predict=lambda row, col: torch.zeros(len(row)),
            variance=lambda row, col: support.deviation.square(),
            left_out=lambda support: support.x,
        )

    def widths(self, support, levels, known=True):
        return widths(self, self.adapt(support), support, levels, known)


def support_of(entries, left_out=1.0) -> RatingsBatch:
    """Matrices of one row with these numbers of observed ``entries``, whose scores are normal with
    the spread ``left_out``."""
    entries = np.array(entries, ndmin=1)
    spread = np.broadcast_to(left_out, len(entries))
    scores = [scipy.stats.halfnorm.ppf((np.arange(n) + 0.5) / n) for n in entries]
    x = np.concatenate([s * score for s, score in zip(spread, scores)])
    row = np.repeat(np.arange(len(entries)), entries)
    sizes = np.ones_like(entries), entries
    return RatingsBatch.from_arrays(x, row, np.arange(len(x)), *sizes, torch.float64)


@pytest.mark.slow
@pytest.mark.parametrize("n, spread", [(0, 3.0), (10, 0.25), (10, 3.0), (50, 3.0), (100_000, 0.25)])
def test_widths_are_quantiles_of_a_mixture_of_held_out_matrices_and_of_the_own_entries(n, spread):
    """Held-out cells 1.5 times as wide as what their observed entries said: so are those of the own
    entries."""
    model = Given()
    model.interval_widths *= 1.5
    weight, normal = 0.7 * n / (n + 50), scipy.stats.halfnorm.cdf

    def below(width, level):
        return weight * normal(width / 1.5 / spread) + (1 - weight) * normal(width / 1.5) - level

    found = model.widths(support_of(n, spread), LEVELS)[:, 0]
    expected = [scipy.optimize.brentq(below, 0, 30, args=(level,)) for level in LEVELS]
    if n in (0, 100_000):
        np.testing.assert_allclose(found[:97], expected[:97], rtol=0.01, atol=2e-3)
    else:
        np.testing.assert_allclose(found[9:95], expected[9:95], rtol=0.12)
    assert (found.diff() > 0).all()


def test_each_matrix_of_a_batch_gets_what_it_gets_alone():
    model, entries, spread = Given(), (40, 0, 500), (2.0, 1.0, 0.5)
    together = model.widths(support_of(entries, spread), [0.5, 0.9])
    for at, (n, s) in enumerate(zip(entries, spread)):
        assert torch.equal(together[:, at], model.widths(support_of(n, s), [0.5, 0.9])[:, 0])


def test_equal_entries_or_nearly_equal_ones_give_one_width():
    support = support_of(30)
    support.x[:] = 2.0
    equal = Given().widths(support, LEVELS)
    support.x[:] = 2.0 + 1e-12 * torch.arange(30)
    torch.testing.assert_close(Given().widths(support, LEVELS), equal, rtol=1e-6, atol=0.0)


def test_entries_that_fit_exactly_do_not_make_an_interval_vanish():
    found = Given().widths(support_of(1000, 0.0), [0.5, 0.9])[:, 0]
    assert 0 < found[0] < 0.01 and found[0] < found[1]


@pytest.mark.parametrize("level", [0.0, 0.005, 0.995, 1.0, 90, -0.9, float("nan")])
def test_a_level_outside_the_calibrated_ones_is_named(level):
    with pytest.raises(ValueError, match=f"interval levels lie between 0.01 and 0.99, got {level}"):
        Given().widths(support_of(100), [level])


def test_widths_that_fall_as_levels_rise_are_refused():
    model = Given()
    model.interval_widths[1, 3, 90] = 1.0
    with pytest.raises(
        ValueError, match=r"of level 0.91 are narrower than those of level 0.9, 1 against 1.64"
    ):
        model.widths(support_of(100), [0.5])


def episodes_of(x, deviation, matrix=None, entries=1000, left_out=1.0) -> EpisodeBatch:
    """Query entries with values x, of the matrix that is said, of which ``entries`` are given."""
    x, deviation = (
        torch.as_tensor(np.asarray(part), dtype=torch.float32) for part in (x, deviation)
    )
    matrix = torch.zeros(len(x), dtype=torch.int64) if matrix is None else torch.as_tensor(matrix)
    D = int(matrix.max()) + 1
    support = support_of(np.broadcast_to(entries, D), left_out)
    object.__setattr__(support, "deviation", deviation)
    return EpisodeBatch(support, matrix, torch.zeros_like(matrix), x)


def simulated(rng, n=40_000, df=4) -> EpisodeBatch:
    """Heavy tails, and a stated standard deviation that is wrong by a constant factor."""
    spread = rng.gamma(2.0, size=n) + 0.1
    return episodes_of(spread * rng.standard_t(df, n), 0.6 * spread)


@pytest.mark.parametrize("df", [2, 4, 1000])
def test_calibrated_intervals_cover_what_they_say_whatever_the_distribution(df):
    rng, model = np.random.default_rng(df), Given()
    batches = [simulated(rng, 10_000, df) for _ in range(4)]
    calibrate(model, [batches], [batches])
    episodes = simulated(rng, df=df)
    score = episodes.query_x / episodes.support.deviation
    found = model.widths(support_of(1000), LEVELS)[:, 0]
    covered = [(score.abs() <= half).double().mean().item() for half in found]
    np.testing.assert_allclose(covered, LEVELS, atol=0.015)
    report = interval_report(model, simulated(rng, df=df))
    for level in (50, 80, 90, 95):
        assert report[f"cover_{level}"] == pytest.approx(level / 100, abs=0.015)


@pytest.mark.parametrize("what", ["interval_widths", "left_out_widths"])
def test_all_matrices_weigh_alike(what):
    rng, model = np.random.default_rng(0), Given()
    sizes, spread = (400, 325, 1000), (1.0, 5.0, 0.2)
    matrix = np.repeat(np.arange(3), sizes)
    x = rng.standard_normal(1725) * np.repeat(spread, sizes)
    batch = episodes_of(x, np.ones(1725), matrix, sizes, spread)
    calibrate(model, [[batch]], [[batch]])
    held_out = what == "interval_widths"
    score = np.abs(x).astype(np.float32) if held_out else batch.support.x.numpy()
    weight = 1 / np.repeat(sizes, sizes)
    for level, found in zip(LEVELS, getattr(model, what)[0, -1]):
        below = weight[score <= found.item() * (1 + 1e-6)].sum() / weight.sum()
        strictly_below = weight[score < found.item() * (1 - 1e-6)].sum() / weight.sum()
        assert strictly_below < level + 1e-9 and below >= level - 1e-9


def test_a_known_scale_has_widths_of_its_own_and_every_domain_is_covered():
    rng, model = np.random.default_rng(0), Given()

    def of(spread):
        return [episodes_of(rng.standard_normal(20_000) * spread, np.ones(20_000))]

    calibrate(model, [of(1.0), of(2.0)], [of(3.0), of(0.5)])
    for known, expected in ((True, 2.0), (False, 3.0)):
        [[found]] = model.widths(support_of(0), [0.8], known).tolist()
        assert found == pytest.approx(1.2816 * expected, rel=0.03)


@pytest.mark.slow
def test_the_report_s_scores_are_those_of_the_normal_distribution():
    rng = np.random.default_rng(0)
    x, deviation = rng.standard_normal(40) * 2, rng.gamma(2.0, size=40) + 0.2
    report = interval_report(Given(), episodes_of(x, deviation))
    normal = [scipy.stats.norm(0, d) for d in deviation]
    assert report["log_likelihood"] == pytest.approx(
        np.mean([n.logpdf(v) for n, v in zip(normal, x)]), rel=1e-5
    )

    def crps(cdf, value):
        """The integral of (F(y) - 1{y >= value})^2."""
        below = scipy.integrate.quad(lambda y: cdf(y) ** 2, -60, value, limit=200)[0]
        return below + scipy.integrate.quad(lambda y: (1 - cdf(y)) ** 2, value, 60, limit=200)[0]

    assert report["crps"] == pytest.approx(
        np.mean([crps(n.cdf, v) for n, v in zip(normal, x)]), rel=1e-4
    )
