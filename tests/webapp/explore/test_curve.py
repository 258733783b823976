"""The curve of the first screen: what its file says, how it is drawn, and that the file is true."""

import re

import numpy as np
import pytest

from metamf.answer.division import divide
from metamf.answer.methods import method
from metamf.baselines import SIMPLE
from metamf.webapp.explore import choices, curve


@pytest.mark.parametrize(
    "data, model, least",
    [
        ("Film night", "ml-1m", 0.04),
        ("MovieLens 1M block", "ml-1m", -0.001),
        ("MovieLens 100K block", "ml-100k", 0.02),
    ],
)
def test_the_model_leads_from_the_first_ratings_on_and_its_lead_fades(data, model, least):
    curves = curve.curves_of(data, model)
    leads = 1 - curves.lines["model"].rmse / curves.lines["simple"].rmse
    assert curves.draws >= 20 and min(leads) > least
    assert max(leads) == leads[0] > 0.09 and leads[0] > 2 * leads[-1]
    for other in ("mf", "mean"):
        assert (curves.lines["model"].rmse < curves.lines[other].rmse).all()


@pytest.mark.parametrize(
    "key", ["ml-1m", "ml-1m-genres", *(pytest.param(key, marks=[pytest.mark.slow] * (key == "mf")) for key in SIMPLE)]
)
def test_the_file_holds_what_the_methods_do_today(key):
    name = "Old and new" if key == "ml-1m-genres" else "Film night"  # who was told the genre is measured so
    matrix, errors = choices.example(name), []
    for seed in range(1, 31):
        task = divide(matrix, 0.2, "at random", seed)
        mean = method(key).predict(task.given, None).estimates.at(task.hidden.rows, task.hidden.cols)
        errors.append(np.sqrt(np.mean((task.given.scale.clip(mean) - task.hidden.values) ** 2)))
    lines = curve.curves_of(name, "ml-1m" if key in SIMPLE else key).lines
    if key not in SIMPLE:
        assert lines["model"].at(20) == pytest.approx(np.mean(errors), abs=1e-3)
        assert lines["model"].low[2] == pytest.approx(np.quantile(errors, 0.1), abs=1e-3)
    else:
        assert lines["simple"].at(20) <= np.mean(errors) + 1e-3


def test_the_errors_stand_at_the_mark_which_moves_with_the_share():
    curves = curve.curves_of("Film night", "ml-1m")
    span = curve.span_of(curves)
    drawn = {percent: curve.picture("Film & night", curves, percent, span) for percent in (5, 60)}
    marks = [re.search(r'class="here" d="M([\d.]+)', html)[1] for html in drawn.values()]
    assert float(marks[0]) < float(marks[1])
    for percent, html in drawn.items():
        assert "Film &amp; night" in html and f"with {percent} % given" in html
        assert f"<b>{curves.lines['model'].at(percent):.2f}</b>" in html


def test_there_is_no_mark_beyond_the_last_measured_share():
    curves = curve.curves_of("MovieLens 1M block", "ml-1m")
    assert "<b>" in curve.picture("", curves, 75, (0.8, 1.2))
    assert "<b>" not in (html := curve.picture("", curves, 95, (0.8, 1.2))) and "not measured" in html


def test_a_matrix_that_nobody_measured_has_no_curve():
    assert curve.curves_of("Your own file", "ml-1m") is None
    assert curve.curves_of("Film night", "/tmp/own.safetensors") is None
