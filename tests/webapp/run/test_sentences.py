"""The sentences of the pages on one matrix, the intervals on Explore, and the curve of the first
screen: how it is drawn, whatever its numbers, and what its file says."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from opened import charts, healthy, no_data_sets, opened, shown_run, text  # noqa: F401  a fixture

from metamf.answer.division import divide
from metamf.answer.estimator import MetaMFImputer
from metamf.answer.significance import Lead
from metamf.datasets.film_nights import STARS, film_night
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.webapp import choices
from metamf.webapp.choices import AppState
from metamf.webapp.run import curve, sentences
from metamf.webapp.run.curve import Curves, Line
from metamf.webapp.run.measured_run import Patterns
from metamf.webapp.run.sentences import BesideSimple, Off

OWN, OTHER = Off(0.88, -0.01), Off(1.01, 0.9)
AHEAD, CHANCE, BEHIND = (
    BesideSimple(Lead("row and column effects", share, 0.03, rmse), OWN, OTHER)
    for share, rmse in ((0.13, 1.01), (0.03, 0.93), (-0.3, 0.68))
)
MANY = sentences.Measured("200 other draws", Off(0.68, 0.0), Off(1.31, 0.95))


def run(n_given=56, n_hidden=224, covered=203):
    """A run on a matrix of 20 x 14 cells, as far as sentences need it."""
    task = SimpleNamespace(
        given=SimpleNamespace(nnz=n_given, n_rows=20, n_cols=14, scale=RatingScale(1, 5, 1)),
        hidden=SimpleNamespace(nnz=n_hidden),
    )
    answer = SimpleNamespace(level=0.9, method="ml-1m")
    return SimpleNamespace(task=task, answer=answer, covered=covered)


def plain(sentence):
    """With ordinary spaces."""
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_how_far_estimates_are_off_is_their_root_mean_square_and_their_mean_in_the_scale_s_unit():
    off = Off.by(np.array([1.0, 1.0, -1.0, 3.0]))
    assert off == (np.sqrt(3), 1.0)
    assert off.said(sentences.unit(RatingScale(1, 5, 1))) == "1.73 stars"
    assert off.said(sentences.unit(None)) == "1.73 points"


@pytest.mark.parametrize("beside", [AHEAD, CHANCE])
def test_the_finding_names_both_methods_on_this_draw_and_over_many(beside):
    said = sentences.finding(run(), beside, MANY)
    for part in ("0.88 stars;", "row and column effects, by", "1.01"):
        assert part in said
    assert said.endswith(
        "Over 200 other draws: 0.68 against 1.31 for the simple method that is best over all of them."
    )
    assert ("maybe by chance" in said) == (beside is CHANCE)
    assert "200" not in sentences.finding(run(), beside, None)


def test_the_finding_says_why_and_that_the_model_loses_and_that_nothing_is_hidden():
    why = "People rate what they like, so the gaps are lower; other tables taught the model that."
    assert why in sentences.finding(run(), AHEAD, MANY, liked=True)
    assert why not in sentences.finding(run(), AHEAD, MANY)
    biased = AHEAD._replace(own=Off(0.88, 0.6))
    assert why not in sentences.finding(run(), biased, MANY, liked=True)
    assert sentences.finding(run(), BEHIND, MANY) == sentences.loses(BEHIND.over, 0.88)
    assert "None is hidden" in sentences.finding(run(n_hidden=0), None, None)
    assert "nothing to fill in" in sentences.finding(run(280, 0), None, None)


def test_the_model_sees_a_part_of_what_can_be_given():
    """Not a share of another number: once '100 % of the ratings' were 36 of 240 cells."""
    matrix = choices.example("Old and new")
    task = divide(matrix, 0.5, "at random", 1)
    rated = matrix.ratings.nnz
    assert task.given.nnz == -(-rated // 2)
    assert sentences.seen(task) == f"The model sees {task.given.nnz} of {rated} ratings."


def test_only_intervals_that_are_too_short_are_a_reason_to_warn():
    assert sentences.doubt(run()) == ""
    assert sentences.doubt(run(n_hidden=10, covered=8)) == ""  # 8 of 10 may be chance
    assert "only 72 %" in plain(sentences.doubt(run(covered=161)))


def test_few_patterns_are_named_where_there_are_few_and_parts_that_are_alike_are_not_read():
    two = sentences.low_rank(32, 20, 14, 10, Patterns(2, 0.99834))
    assert "2 patterns carry 99.8 %" in plain(two)
    one = sentences.low_rank(32, 300, 200, 10, Patterns(1, 0.99999))
    assert "1 pattern carries 99.9 %" in plain(one)
    for count, columns in ((5, 14), (2, 5), (0, 14)):
        assert sentences.low_rank(32, 20, columns, 10, Patterns(count, 1.0)) == ""
    alike = sentences.parts(2.0, False, np.array([[3, 6], [1, 1]]))
    assert "from 0.98 up), so do not read them" in alike
    assert "do not read them" not in sentences.parts(2.0, True, np.array([[3, 6], [1, 8]]))
    given = SimpleNamespace(n_rows=5, rows=np.array([0, 0, 3]))
    assert sentences.rows_without_ratings(given, "people").startswith("3 people")
    given.n_rows = 3
    assert sentences.rows_without_ratings(given, "people") == ""


def test_explore_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(model="Universal"))
    [strip] = charts(at)
    assert strip.proto.id.endswith("intervals")
    assert strip.proto.alt
    n_hidden = 20 * 12 - 72
    assert re.search(rf"\d+ of {n_hidden} hidden cells inside, 90\s% expected", text(at))
    healthy(at.radio(key="model").set_value("ml-1m").run())
    assert sentences.NO_INTERVALS in text(at)
    assert "inside" not in text(at)
    assert not charts(at)
    assert shown_run(at)["lower"] is None


def line(*rmse):
    errors = np.array(rmse)
    return Line(np.array([5.0, 50.0, 75.0]), errors, errors - 0.1, errors + 0.1, np.zeros(3))


LINES = {"mf": line(1.4, 1.3, 1.2), "simple": line(1.2, 1.0, 0.9), "model": line(1, 0.8, 0.7)}
CURVES = Curves(LINES, 200)


def names(picture):
    return [line.name for line in picture.chart.data if line.name]


@pytest.mark.parametrize("percent", [5, 60, 75])
def test_the_errors_at_the_mark_stand_in_the_legend(percent):
    found = curve.picture(CURVES, percent, "Film night", "curve")
    errors = [f"{line.at(percent):.2f}" for line in LINES.values()]
    assert [name.rsplit(" ", 1)[1] for name in names(found)] == errors
    assert f"with {percent} % given" in found.alt
    [mark] = found.chart.layout.shapes
    assert mark.x0 == percent
    assert found.chart.layout.yaxis.rangemode == "tozero"
    band = [trace for trace in found.chart.data if trace.fill == "toself"][-1]
    np.testing.assert_allclose(band.y[:3], LINES["model"].low)


def test_a_curve_that_rises_has_a_word_and_beyond_the_last_measured_share_there_is_no_error():
    assert curve.about_rise(CURVES, "ml-1m") == ""
    found = curve.curves_of("Film night", "what people like", "ml-1m")
    assert "the worse it gets" in curve.about_rise(found, "ml-1m")
    beyond = curve.picture(CURVES, 95, "", "curve")
    assert "not measured" in beyond.alt
    assert names(beyond) == ["matrix factorization", "best simple method", "the model"]


def test_what_nobody_measured_has_no_curve():
    assert curve.curves_of("Your own file", "at random", "ml-1m") is None
    assert curve.curves_of("Film night", "at random", "/elsewhere/own.safetensors") is None
    assert curve.measured(AppState()) is not None
    # once the curve of ten steps stood next to forty
    assert curve.measured(AppState(steps=40)) is None


def test_the_file_holds_what_the_model_does_today():
    errors = []
    for night in map(film_night, range(1000, 1040)):
        given = night.given(0.3, 1.0)
        ratings = Ratings.from_dense(np.where(given, night.truth, np.nan), scale=STARS)
        estimates = MetaMFImputer("film-nights").impute(ratings).mean
        errors.append(np.sqrt(np.mean(np.square(estimates - night.truth)[~given])))
    line = curve.curves_of("Film night", "what people like", "film-nights").lines["model"]
    assert line.at(30) == pytest.approx(np.mean(errors), abs=0.05)
    assert line.low.min() <= np.mean(errors) <= line.high.max()
