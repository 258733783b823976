"""The table of methods: marks only beyond chance, gains over the mean, names that are text."""

import re

import numpy as np

from metamf.evaluate.comparison import Contender
from metamf.ratings.matrix import Ratings
from metamf.webapp.compare import table

ROWS, COLS = (at.ravel() for at in np.mgrid[:20, :14])
CELLS = Ratings(ROWS, COLS, np.zeros(280), (20, 14))
RNG = np.random.default_rng(0)
SQUARES = RNG.standard_normal(280) ** 2


def method(name, factor):
    squares = factor * SQUARES * RNG.uniform(0.8, 1.2, 280)
    return Contender(name, "", False, False, None, float(np.sqrt(squares.mean())), 0.5, squares)


def test_the_best_is_marked_only_where_chance_does_not_explain_its_lead():
    clear = [method("A", 0.5), method("B", 1.0), method("C", 1.1)]
    assert table.marks(clear, CELLS) == ["best", "", ""]
    close = [method("A", 0.5), method("B", 0.505), method("C", 1.1)]
    assert table.marks(close, CELLS) == ["may be best", "may be best", ""]
    assert table.marks(clear[:1], CELLS) == ["best"]


def test_bars_show_the_gain_over_the_mean_to_both_sides(monkeypatch):
    drawn = []
    monkeypatch.setattr(table.st, "html", drawn.append)
    table.draw([method("<b>A</b>", 0.5), method("B", 1.5)], CELLS, float(np.sqrt(SQUARES.mean())))
    [html] = drawn
    assert "<b>A" not in html and "&lt;b&gt;A" in html and "gain more" in html and "gain less" in html
    assert re.search(r"\+(29|30)&nbsp;%", html) and re.search(r"−2[123]&nbsp;%", html)
