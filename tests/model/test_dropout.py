"""Dropout by gaps: which values it drops, how it scales, and its derivatives."""

import pytest
import torch
from scipy import stats

from metamf.model.dropout import Dropout, zero_positions


@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("count", [1, 7, 1000])
def test_every_position_is_dropped_as_often_as_p_says_and_independently(p, count):
    torch.manual_seed(0)
    rounds = 4000
    drawn = torch.zeros(rounds, count)
    for row in drawn:
        at = zero_positions(count, p)
        assert torch.equal(at, at.unique())  # ascending, none twice
        row[at] = 1
    # with another seed each of these would fail in one of 10,000 runs
    for at in (0, count // 2, count - 1):
        assert stats.binomtest(int(drawn[:, at].sum()), rounds, p).pvalue > 1e-4
    assert stats.binomtest(int(drawn.sum()), rounds * count, p).pvalue > 1e-4
    # the number in a round has the variance of independent draws
    variance = count * p * (1 - p)
    spread = ((2 + 1 / variance) / rounds) ** 0.5
    assert float(drawn.sum(1).var()) == pytest.approx(variance, rel=5 * spread)


def test_as_many_gaps_as_it_takes(monkeypatch):
    """Uniform numbers near zero give gaps of one: many times as many draws as foreseen."""
    monkeypatch.setattr(torch, "rand", torch.zeros)
    assert torch.equal(zero_positions(5000, 0.01), torch.arange(5000))


def test_values_are_zero_or_scaled_and_whole_in_evaluation():
    torch.manual_seed(0)
    values, dropout = torch.randn(300, 40), Dropout(0.2)
    found = dropout(values)
    kept = found != 0
    torch.testing.assert_close(found[kept], values[kept] / 0.8)
    assert 0.75 < kept.float().mean() < 0.85
    assert torch.equal(dropout.eval()(values), values)
    assert torch.equal(Dropout(0.0)(values), values)
    assert dropout.train()(torch.empty(0, 40)).shape == (0, 40)


@pytest.mark.parametrize("check", [torch.autograd.gradcheck, torch.autograd.gradgradcheck])
def test_derivatives_of_first_and_second_order(check):
    def function(values):
        torch.manual_seed(3)
        return Dropout(0.4)(values).sin() * values

    assert check(function, (torch.randn(6, 3, dtype=torch.float64, requires_grad=True),))


def test_values_that_do_not_lie_row_by_row_in_memory():
    values = torch.randn(5, 30).T
    torch.manual_seed(2)
    expected = Dropout(0.5)(values.contiguous())
    torch.manual_seed(2)
    assert torch.equal(Dropout(0.5)(values), expected)


@pytest.mark.parametrize("p", [1.0, -0.1, float("nan")])
def test_a_probability_that_keeps_nothing_or_is_none_is_named(p):
    with pytest.raises(ValueError, match=rf"dropout must lie in \[0, 1\), got {p}"):
        Dropout(p)


@pytest.mark.gpu
def test_on_a_gpu_values_are_zero_or_scaled():
    torch.manual_seed(0)
    values, dropout = torch.randn(10, 40, device="cuda") + 9, Dropout(0.4)
    found = dropout(values)
    kept = found != 0
    torch.testing.assert_close(found[kept], values[kept] / 0.6)
    assert 180 < kept.sum() < 300
