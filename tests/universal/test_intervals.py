"""Widths of intervals: a mixture of held-out matrices and of the own entries of the matrix."""

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
import torch
from given_scores import Given, support_of

LEVELS = np.arange(1, 100) / 100


@pytest.mark.parametrize("spread", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("n", [0, 10, 50, 100_000])
def test_widths_are_quantiles_of_a_mixture_of_held_out_matrices_and_of_the_own_entries(n, spread):
    """Held-out cells 1.5 times as wide as what their observed entries said: so are those of the own entries."""
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
    with pytest.raises(ValueError, match=r"of level 0.91 are narrower than those of level 0.9, 1 against 1.64"):
        model.widths(support_of(100), [0.5])
