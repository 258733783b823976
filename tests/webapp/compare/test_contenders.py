"""Which method is best, and the table of errors, from their numbers."""

import re

import numpy as np

from metamf.answer.answer import Answer
from metamf.answer.division import Matrix, Task
from metamf.answer.significance import lead_over_best
from metamf.ratings.matrix import Ratings
from metamf.webapp.compare import contenders
from metamf.webapp.compare.contenders import in_order
from metamf.webapp.run.measured_run import Run

ROWS, COLS = (at.ravel() for at in np.mgrid[:20, :14])
CELLS = Ratings(ROWS, COLS, np.zeros(280), (20, 14))
TASK = Task(Matrix("made up", "", CELLS), CELLS, CELLS)
SQUARES = np.random.default_rng(0).standard_normal(280) ** 2


def method(name, factor, noise=0.2):
    squares = factor * SQUARES * np.random.default_rng(len(name)).uniform(1 - noise, 1 + noise, 280)

    def estimates(rows, cols):
        return np.sqrt(squares).reshape(20, 14)[rows, cols]

    return Run(TASK, Answer(CELLS, estimates, method=name), name, explanation="None.")


def marks(found, model="A"):
    return contenders.marks(found, model, CELLS)


def unclear_pairs():
    """A model A and a method BB of which nobody knows which is better, by the mark of BB."""
    found = {}
    for factor in np.linspace(0.35, 0.65, 31):
        pair = [method("A", 0.5, 0.9), method("BB", factor, 0.9)]
        mark = marks(pair)[1]
        if "maybe" in mark:
            found[mark] = pair
    assert found.keys() == {contenders.MAYBE_BETTER, contenders.MAYBE_WORSE}
    return found


CLEAR = [method("A", 0.5), method("BB", 1.0), method("CCC", 1.1)]


def test_marks_and_the_headline_compare_methods_of_the_table_alone():
    def finding(found, model="A"):
        return contenders.finding(found, model, CELLS, "stars")

    assert marks(CLEAR) == ["best", "", ""]
    assert marks(CLEAR, "BB")[0] == "better"
    assert marks(CLEAR[:1]) == ["best"]
    assert "the best other method of this table, BB, by" in finding(CLEAR)
    assert finding(CLEAR, "BB").startswith("The model loses here: A is off by")
    assert "best other" not in finding(CLEAR[:1])
    for mark, found in unclear_pairs().items():
        opposite = "better" if mark.startswith("worse") else "worse"
        assert f"On these 280 hidden ratings the model is {opposite}, maybe" in finding(found)


def test_a_mark_agrees_with_the_answer_that_explore_gives():
    for factor in np.linspace(0.85, 1.15, 21):
        model, simple = method("A", factor, 0.5), method("BB", 1.0, 0.5)
        over = lead_over_best(model.hidden_squares, {"BB": simple.hidden_squares}, CELLS)
        mark = marks([model, simple])[1]
        assert (mark == "better") == over.behind
        assert ("maybe" in mark) == (not over.ahead and not over.behind)


def test_marks_and_bars_say_next_to_whom_and_on_which_ratings(monkeypatch):
    drawn = []
    monkeypatch.setattr(contenders.st, "html", drawn.append)

    def table(found, model, mean=1.0, label=""):
        contenders.draw_table(found, model, CELLS, mean, "stars", label)
        return drawn[-1]

    unclear = unclear_pairs()[contenders.MAYBE_BETTER]
    html = table(unclear, "A", label="The <paper's> network")
    assert "than “The &lt;paper&#x27;s&gt; network”, on these 280 hidden ratings" in html
    assert ">A<" not in html
    assert "Better and worse" not in table(CLEAR[:2], "A")
    found = [method("<b>A</b>", 0.5), method("B", 1.5)]
    html = table(found, "B", float(np.sqrt(SQUARES.mean())))
    assert "<b>A" not in html
    assert re.search(r"\+(29|30)&nbsp;%", html)  # the gain over the mean, to both sides
    assert re.search(r"−2[123]&nbsp;%", html)


def test_fast_methods_appear_at_once_and_slow_ones_as_they_answer(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(contenders.time, "perf_counter", lambda: now[0])

    def answer(key):
        now[0] += {"mf": 5.0, "dmf": 9.0}.get(key, 0.001)
        return key

    keys = ["mean", "damped_bias", "als", "mf", "dmf"]
    shown = [(keys[:2], "als"), (keys[:4], "dmf"), (keys, None)]
    assert list(in_order(keys, answer)) == shown
    assert list(in_order(["mf"], answer)) == [([], "mf"), (["mf"], None)]
    assert list(in_order([], answer)) == [([], None)]
