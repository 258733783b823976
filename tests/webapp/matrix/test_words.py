"""The sentences of the pages on one matrix, from numbers alone."""

from dataclasses import replace

import pytest

from metamf.tasks.summary import StepSummary
from metamf.webapp.matrix import words

FOUND = StepSummary(
    n_rows=20,
    n_cols=14,
    n_given=56,
    n_hidden=224,
    truth_known=True,
    checkpoint="universal",
    round="sweep",
    step=4,
    last_step=4,
    diverged=False,
    given_rmse=0.5,
    hidden_rmse=0.88,
    hidden_mae=0.71,
    mean_rmse=1.0,
    level=0.9,
    covered=203,
)
NOTHING_HIDDEN = replace(FOUND, n_hidden=0, hidden_rmse=None, hidden_mae=None, mean_rmse=None, covered=0)


def said(text):
    """With ordinary spaces."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_what_an_error_means_depends_on_what_is_known():
    assert "made up" in words.hidden_cells(FOUND) and "all 224 cells" in words.hidden_cells(FOUND)
    rated = replace(FOUND, truth_known=False)
    assert "on the 224 rated cells that were held back" in words.hidden_cells(rated)
    assert "on the 1 rated cell that was held back" in words.hidden_cells(replace(rated, n_hidden=1))
    assert "no error can be measured" in words.hidden_cells(NOTHING_HIDDEN)


def test_the_finding_compares_with_the_mean():
    assert said(words.finding(FOUND)).endswith("(RMSE) of 0.88: 12 % less than the 1.00 of always guessing the mean.")
    worse = replace(FOUND, hidden_rmse=1.2)
    assert words.finding(worse).endswith("(RMSE) of 1.20. Always guessing the mean does no worse here: 1.00.")
    assert "nothing is hidden to check it against" in words.finding(NOTHING_HIDDEN)
    assert "nothing to fill in" in words.finding(replace(FOUND, n_given=280, n_hidden=0))


def test_the_tiles_hold_the_errors_and_how_many_ratings_lie_in_their_interval():
    values = {name: (value, text) for name, value, text in words.tiles(FOUND)}
    assert values["RMSE on hidden cells"] == ("0.88", "the model, after the last sweep")
    assert values["MAE on hidden cells"][0] == "0.71" and values["RMSE of the mean"][0] == "1.00"
    name, value, text = words.tiles(FOUND)[-1]
    assert (said(name), said(value), text) == ("In the 90 % interval", "91 %", "of 224 hidden cells")
    without = replace(FOUND, level=None, covered=None)
    assert words.tiles(without)[-1] == ("Hidden cells", "224", "of 20 rows × 14 columns")
    assert words.tiles(NOTHING_HIDDEN) == []


def test_sentences_on_intervals():
    assert said(words.inside(FOUND)) == "203 of 224 hidden cells inside, 90 % expected"
    assert said(words.about_intervals(FOUND)).startswith("91 % of the hidden ratings lie inside the 90 % interval")
    assert "of the cells are drawn" in words.about_intervals(FOUND)
    assert "of the cells are drawn" not in words.about_intervals(replace(FOUND, n_hidden=100, covered=90))
    assert words.no_intervals(replace(FOUND, checkpoint="ml-1m")).startswith("The checkpoint MovieLens 1M gives no")


@pytest.mark.parametrize("network, start", [(True, "No other matrix was needed here: DMF"), (False, "A simple method")])
def test_a_method_that_learned_from_no_other_matrix_may_win(network, start):
    assert words.wins_without_other_matrices("DMF", network).startswith(start)
