"""Leads: their size, their standard error, and how often chance alone makes one."""

import numpy as np
import pytest

from metamf.answer.significance import Lead, beyond_chance, lead, lead_over_best, repeats_error
from metamf.ratings.matrix import Ratings


def all_cells(n, m):
    rows, cols = (at.ravel() for at in np.mgrid[:n, :m])
    return Ratings(rows, cols, np.zeros(n * m), (n, m))


def test_a_lead_is_the_share_by_which_the_error_is_smaller():
    cells = all_cells(3, 4)
    own, other = np.full(12, 0.81), np.full(12, 1.0)
    found = lead(own, other, cells, "Mean")
    assert (found.rmse, found.over, found.freedom) == (1, "Mean", 2)
    assert found.share == pytest.approx(0.1)
    assert lead(other, own, cells).share == pytest.approx(1 - 1 / 0.9)
    others = {"Mean": np.full(12, 4.0), "MF": np.full(12, 1.0)}
    best = lead_over_best(np.full(12, 2.25), others, cells)
    assert (best.over, best.rmse, best.share) == ("MF", 1.0, pytest.approx(-0.5))


def test_without_dependence_the_standard_error_is_that_of_a_ratio_of_means():
    """Against the spread of the lead itself over many draws."""
    rng, cells = np.random.default_rng(0), all_cells(25, 20)

    def drawn():
        shared = rng.standard_normal(500)
        own = (0.8 * shared) ** 2 + 0.3 * rng.random(500)
        return lead(own, (shared + 0.5 * rng.random(500)) ** 2, cells)

    found = [drawn() for _ in range(200)]
    spread = np.std([one.share for one in found])
    assert np.mean([one.standard_error for one in found]) == pytest.approx(spread, rel=0.25)


def test_chance_alone_seldom_leads_even_where_rows_are_alike():
    """Two methods that are equally good, one worse in some rows and the other in others."""
    rng, cells, alarms = np.random.default_rng(1), all_cells(24, 16), 0
    for _ in range(400):
        own, other = (
            np.repeat(rng.normal(size=24), 16) ** 2 + 0.5 * rng.normal(size=384) ** 2
            for _ in range(2)
        )
        alarms += lead(own, other, cells).ahead
    assert alarms / 400 < 0.09  # 0.05 meant; the rest is due to the small number of rows


def test_a_clear_lead_is_beyond_chance_and_a_tie_or_a_few_cells_are_not():
    rng, cells = np.random.default_rng(2), all_cells(20, 14)
    other = rng.standard_normal(280) ** 2
    own = 0.7 * other * rng.uniform(0.9, 1.1, 280)
    assert lead(own, other, cells).ahead and lead(other, own, cells).behind
    for tie in (lead(other, other, cells), lead(own * 0, own * 0, cells)):
        assert not tie.ahead and not tie.behind
    assert lead(own * 0, other, cells).ahead and lead(other, own * 0, cells).behind
    assert not lead(np.zeros(4), np.ones(4), all_cells(2, 2)).ahead


def test_better_and_worse_are_said_by_one_test():
    rng = np.random.default_rng(3)
    cells = all_cells(20, 14)
    own = rng.standard_normal(280) ** 2
    other = own * rng.uniform(1, 1.5, 280)
    assert lead(own, other, cells) == lead_over_best(own, {"": other, "worse": 9 * other}, cells)
    for share in (0.1, 0.15, 0.17, 0.21, 0.31):
        assert Lead("", share, 0.1, 1.0).ahead == Lead("", -share, 0.1, 1.0).behind
    assert not beyond_chance(0.21, 0.1, freedom=2) and not beyond_chance(1.0, 0.0, freedom=0)


def test_repeats_that_share_ratings_are_worth_fewer():
    """Nadeau and Bengio (2003): (1 / R + hidden / given) times the variance over repeats."""
    gain = np.array([1.0, 2.0, 3.0])
    assert repeats_error(gain, 10, 90) == pytest.approx(np.sqrt(1 / 3 + 1 / 9))
