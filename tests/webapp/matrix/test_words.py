"""The sentences of the pages on one matrix, from numbers alone."""

from dataclasses import replace

from metamf.evaluate.run import Patterns, StepSummary
from metamf.evaluate.significance import Lead
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


def test_many_factors_of_low_rank_are_explained_where_the_rank_is_low():
    sentence = said(words.low_rank(32, 20, 14, 10, Patterns(2, 0.99834)))
    assert sentence.startswith("Why do 32 factors for 14 columns still make a matrix of low rank?")
    assert "So 2 patterns, each" in sentence and "make up 99.8 % of U(10) V(10)ᵀ" in sentence
    assert "Why do 32 factors still" in words.low_rank(32, 300, 200, 10, Patterns(1, 0.99999))
    assert "makes up 99.9 %" in said(words.low_rank(32, 9, 200, 10, Patterns(1, 0.99999)))
    for count, columns in ((5, 14), (2, 5), (0, 14)):
        assert words.low_rank(32, 20, columns, 10, Patterns(count, 1.0)) == ""


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
    assert ("RMSE of the best simple method", "1.01", "row and column effects") in words.tiles(FOUND, AHEAD)
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
    assert words.no_intervals(replace(FOUND, checkpoint="ml-1m")).startswith("MovieLens 1M gives no intervals")


AHEAD, CHANCE, BEHIND = (
    Lead("row and column effects", share, 0.04, rmse, 4) for share, rmse in ((0.13, 1.01), (0.05, 0.93), (-0.3, 0.68))
)


def test_the_finding_names_the_best_simple_method_and_the_lead_with_its_spread():
    assert said(words.finding(FOUND, AHEAD)).endswith(
        "of 0.88: 13 ± 4 % less than row and column effects (1.01), the best of 4 simple methods. Always guessing the "
        "mean gives 1.00."
    )
    assert "The difference from row and column effects (0.93), the best of 4 simple methods, may be" in words.finding(
        FOUND, CHANCE
    )
    assert "A simple method does better here: row and" in words.finding(FOUND, BEHIND)
    assert "guessing the mean" not in words.finding(FOUND, replace(AHEAD, over="the average of all ratings"))
    assert said(words.size(replace(AHEAD, standard_error=0.001))) == "13 %"


def test_one_sentence_says_when_not_to_believe_it():
    assert words.doubt(FOUND, AHEAD) == words.doubt(FOUND, CHANCE) == ("", "note")
    sentence, kind = words.doubt(FOUND, BEHIND)
    assert kind == "warning" and "a simple method, row and column effects, is closer" in sentence
    assert words.doubt(FOUND, replace(BEHIND, share=-0.01, standard_error=0.001)) == ("", "note")
    sentence, kind = words.doubt(replace(FOUND, covered=161), None)
    assert kind == "warning" and "only 72 % of the hidden ratings lie inside the 90 % interval" in said(sentence)
    assert words.doubt(replace(FOUND, n_hidden=10, covered=8), None) == ("", "note")  # 8 of 10 may be chance
    sentence, kind = words.doubt(replace(FOUND, diverged=True), None, ["it has 3 rows"])
    assert kind == "warning" and "the steps diverge" in sentence and sentence.endswith("training: it has 3 rows.")
    assert words.doubt(replace(FOUND, diverged=True), None, diverged=False) == ("", "note")
    assert words.doubt(FOUND, None, ["it has 3 rows"])[1] == "note"
