"""The sentences of the pages on one matrix, and the intervals on Explore."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from opened import charts, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture

from metamf.answer.significance import Lead
from metamf.webapp.explore import words
from metamf.webapp.explore.run import Patterns

AHEAD, CHANCE, BEHIND = (
    Lead("row and column effects", share, 0.04, rmse, 4) for share, rmse in ((0.13, 1.01), (0.05, 0.93), (-0.3, 0.68))
)


def run(n_given=56, n_hidden=224, truth=True, rmse=0.88, covered=203):
    """A run on a matrix of 20 x 14 cells, as far as sentences need it."""
    task = SimpleNamespace(
        given=SimpleNamespace(nnz=n_given, n_rows=20, n_cols=14),
        hidden=SimpleNamespace(nnz=n_hidden),
        matrix=SimpleNamespace(truth=truth or None),
        mean_rmse=1.0,
    )
    answer = SimpleNamespace(level=0.9, method="ml-1m")
    return SimpleNamespace(task=task, answer=answer, rmse=rmse, covered=covered, T=4, round="sweep")


def plain(sentence):
    """With ordinary spaces."""
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_what_an_error_means_depends_on_what_is_known():
    assert "made up" in words.hidden_cells(run().task) and "all 224 cells" in words.hidden_cells(run().task)
    assert "on the 224 rated cells hidden from the model" in words.hidden_cells(run(truth=False).task)
    assert "no error can be measured" in words.hidden_cells(run(n_hidden=0).task)


def test_many_factors_of_low_rank_are_explained_where_the_rank_is_low():
    sentence = plain(words.low_rank(32, 20, 14, 10, Patterns(2, 0.99834)))
    assert sentence.startswith("Why do 32 factors for 14 columns still make a matrix of low rank?")
    assert "make up 99.8 % of the sum of squares of U(10) V(10)ᵀ" in sentence
    assert "makes up 99.9 %" in plain(words.low_rank(32, 300, 200, 10, Patterns(1, 0.99999)))
    for count, columns in ((5, 14), (2, 5), (0, 14)):
        assert words.low_rank(32, 20, columns, 10, Patterns(count, 1.0)) == ""


def test_parts_are_not_to_be_read_where_they_are_alike_and_the_lowest_estimate_is_said():
    alike, apart = (words.parts(2.0, known, np.array([[3, 6], [1, x]])) for known, x in ((False, 1), (True, 8)))
    assert "the lowest rating, 2, plus 2 parts" in alike and "no estimate is below 2." in alike
    assert "at least 0.98). Do not read them as kinds" in alike  # 19 / sqrt(10 * 37) = 0.988
    assert apart == "No minus signs: an estimate is the lowest rating, 2, plus 2 parts that only add up."


def test_the_finding_names_the_best_simple_method_and_the_lead_with_its_spread():
    assert plain(words.finding(run(), AHEAD)).endswith(
        "error of 0.88, 13 ± 4 % less than the best simple method, row and column effects (1.01)."
    )
    assert "The difference from the best simple method, row and column effects (0.93)" in words.finding(run(), CHANCE)
    assert "The best simple method, row and column effects (0.68), is closer." in words.finding(run(), BEHIND)
    assert "No rating is hidden" in words.finding(run(n_hidden=0, rmse=None), None)
    assert "nothing to fill in" in words.finding(run(n_given=280, n_hidden=0, rmse=None), None)


def test_only_a_loss_or_missed_intervals_are_a_reason_to_warn():
    assert words.doubt(run(), AHEAD) == words.doubt(run(), CHANCE) == words.doubt(run(), None) == ""
    assert "a simple method, row and column effects, is closer" in words.doubt(run(), BEHIND)
    assert words.doubt(run(), replace(BEHIND, share=-0.01, standard_error=0.001)) == ""
    assert "only 72 % of the hidden ratings lie inside the 90 % interval" in plain(words.doubt(run(covered=161), None))
    assert words.doubt(run(n_hidden=10, covered=8), None) == ""  # 8 of 10 may be chance
    at = healthy(opened(data="Film club"))  # which is small and dense
    assert "it has 14 columns" in text(at).lower() and "How this matrix differs from the training" in [
        box.label for box in at.expander
    ]
    assert not [element for element in at.get("html") if "mf-note mf-warning" in element.proto.body]


def test_rows_of_which_nothing_is_given_are_said_to_be_alike():
    given = SimpleNamespace(n_rows=5, rows=np.array([0, 0, 3]))
    assert words.rows_without_ratings(given, "people").startswith("3 people have no rating that is given")
    assert words.rows_without_ratings(SimpleNamespace(n_rows=2, rows=np.array([1])), "rows") == ""


def test_explore_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(model="Universal"))
    [strip] = charts(at)
    assert strip.proto.id.endswith("intervals") and strip.proto.alt
    inside = re.search(r"(\d+) of 222 hidden cells inside, 90\s% expected", text(at))
    assert 150 < int(inside[1]) <= 224
    found = shown_run(at)
    assert found["lower"] and found["upper"] and found["level"] == 0.9
    healthy(at.radio(key="model").set_value("ml-1m").run())
    assert "MovieLens 1M gives no intervals; Universal does" in text(at) and "inside" not in text(at)
    assert not charts(at) and shown_run(at)["lower"] is None
