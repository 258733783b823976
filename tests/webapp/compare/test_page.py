"""Which method is best, and the table of errors, from their numbers."""

import re

import numpy as np

from metamf.answer.answer import Answer, CellByCell
from metamf.answer.division import Matrix, Task
from metamf.answer.significance import lead_over_best
from metamf.ratings.matrix import Ratings
from metamf.webapp.compare import page as compare
from metamf.webapp.compare.page import in_order
from metamf.webapp.explore.run import Run

ROWS, COLS = (at.ravel() for at in np.mgrid[:20, :14])
CELLS = Ratings(ROWS, COLS, np.zeros(280), (20, 14))
MATRIX = Matrix("made up", "", CELLS)
SQUARES = np.random.default_rng(0).standard_normal(280) ** 2


def method(name, factor, noise=0.2):
    squares = factor * SQUARES * np.random.default_rng(len(name)).uniform(1 - noise, 1 + noise, 280)
    estimates = CellByCell(lambda rows, cols: np.sqrt(squares).reshape(20, 14)[rows, cols])
    return Run(Task(MATRIX, CELLS, CELLS), Answer(CELLS, estimates, method=name), name, explanation="None.")


def test_methods_are_marked_beside_the_chosen_model():
    clear = [method("A", 0.5), method("BB", 1.0), method("CCC", 1.1)]
    assert compare.marks(clear, "A", CELLS) == ["best", "", ""]
    assert compare.marks(clear, "BB", CELLS)[0] == "clearly better"
    close = [method("A", 0.5), method("BB", 0.505), method("CCC", 1.1)]
    assert compare.marks(close, "A", CELLS) == ["", "not clearly worse", ""]
    assert compare.marks(clear[:1], "A", CELLS) == ["best"]


def test_a_mark_agrees_with_the_answer_that_explore_gives():
    for factor in np.linspace(0.85, 1.15, 21):
        model, simple = method("A", factor, 0.5), method("BB", 1.0, 0.5)
        over = lead_over_best(model.hidden_squares, {"BB": simple.hidden_squares}, CELLS)
        marks = compare.marks([model, simple], "A", CELLS)
        assert marks[1] == ("clearly better" if over.behind else "" if over.ahead else "not clearly worse")


def test_bars_show_the_gain_over_the_mean_to_both_sides(monkeypatch):
    drawn = []
    monkeypatch.setattr(compare.st, "html", drawn.append)
    compare.draw_table([method("<b>A</b>", 0.5), method("B", 1.5)], "B", CELLS, float(np.sqrt(SQUARES.mean())), "stars")
    [html] = drawn
    assert "<b>A" not in html and "&lt;b&gt;A" in html and "gain more" in html and "gain less" in html
    assert re.search(r"\+(29|30)&nbsp;%", html) and re.search(r"−2[123]&nbsp;%", html)


def test_fast_methods_appear_at_once_and_slow_ones_as_they_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(compare.time, "perf_counter", lambda: now[0])

    def answer(key):
        now[0] += {"mf": 5.0, "dmf": 9.0}.get(key, 0.001)
        return key

    shown = list(in_order(["mean", "damped_bias", "als", "mf", "dmf"], answer))
    assert shown == [
        (["mean", "damped_bias"], "als"),
        (["mean", "damped_bias", "als", "mf"], "dmf"),
        (["mean", "damped_bias", "als", "mf", "dmf"], None),
    ]
    assert list(in_order(["mf"], answer)) == [([], "mf"), (["mf"], None)]
    assert list(in_order([], answer)) == [([], None)]
