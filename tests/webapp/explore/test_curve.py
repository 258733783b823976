"""The curve of the first screen: how it is drawn, whatever its numbers, and what its file says."""

import re

import numpy as np
import pytest

from metamf.answer.estimator import MetaMFImputer
from metamf.datasets.film_nights import STARS, film_night
from metamf.ratings.matrix import Ratings
from metamf.webapp.explore import curve
from metamf.webapp.explore.choices import AppState
from metamf.webapp.explore.curve import Curves, Line


def line(*rmse, spread=0.1, bias=0.0):
    errors = np.array(rmse)
    return Line(np.array([5.0, 50.0, 75.0]), errors, errors - spread, errors + spread, np.full(3, bias))


CURVES = Curves({"mf": line(1.4, 1.3, 1.2), "simple": line(1.2, 1.0, 0.9), "model": line(1, 0.8, 0.7)}, 200, ("ALS",))


def drawn(html, tag):
    return re.findall(rf"<{tag}[^>]*>([^<]*)<", html)


def test_the_errors_at_the_mark_stand_in_the_legend_and_nothing_is_written_on_the_plot():
    for percent in (5, 60):
        html = curve.picture(CURVES, percent, "Film & night")
        errors = [f"{CURVES.lines[key].at(percent):.2f}" for key in ("model", "simple", "mf")]
        assert drawn(html, "b") == errors
        assert "<text" not in html and drawn(html, "i") == ["", "", ""]
        assert "Film &amp; night" in html and f"with {percent} % given" in html


def test_the_axes_have_numbers_in_their_gutters_and_errors_begin_at_zero():
    html = curve.picture(CURVES, 30, "")
    assert re.findall(r'class="x"[^>]*>([^<]*)<', html) == ["10 %", "30 %", "50 %", "70 %", "90 %"]
    assert re.findall(r'class="y"[^>]*>([^<]*)<', html) == ["0", "0.5", "1", "1.5"]
    assert "shade: middle 80 %" in html and "200 draws" in html


@pytest.mark.parametrize("highest", [0.031, 0.3, 1.0, 1.78, 5.4, 60.0])
def test_there_are_few_round_numbers_whatever_the_scale_and_none_of_the_lines_is_cut(highest):
    """Ratings of jokes once had 23 labels in six lines, and the upper end of a band was cut off."""
    tall = Curves({"model": line(highest / 2, highest / 2, highest - 0.01, spread=0.01)}, 30, ())
    html = curve.picture(tall, 30, "")
    ticks = [float(tick) for tick in re.findall(r'class="y"[^>]*>([^<]*)<', html)]
    assert 3 <= len(ticks) <= 7 and ticks[0] == 0 and ticks[-1] >= highest
    heights = [float(y) for points in re.findall(r'points="([^"]*)"', html) for y in re.findall(r",(\S+)", points)]
    assert min(heights) >= 0 and max(heights) <= 100


def test_there_is_no_error_beyond_the_last_measured_share():
    assert "0.70" in curve.picture(CURVES, 75, "")
    assert drawn(html := curve.picture(CURVES, 95, ""), "b") == ["", "", ""] and "not measured" in html


def test_what_nobody_measured_has_no_curve():
    assert curve.curves_of("Your own file", "at random", "ml-1m") is None
    assert curve.curves_of("Film night", "at random", "/elsewhere/own.safetensors") is None
    assert curve.measured(AppState()) is not None
    assert curve.measured(AppState(steps=40)) is None  # once the curve of ten steps stood next to forty


def test_the_file_holds_what_the_model_does_today():
    nights = [film_night(seed) for seed in range(1000, 1040)]
    errors = []
    for night in nights:
        given = night.given(0.3, 1.0)
        ratings = Ratings.from_dense(np.where(given, night.truth, np.nan), scale=STARS)
        estimates = MetaMFImputer("film-nights").impute(ratings).mean
        errors.append(np.sqrt(np.mean(np.square(estimates - night.truth)[~given])))
    line = curve.curves_of("Film night", "what people like", "film-nights").lines["model"]
    assert line.at(30) == pytest.approx(np.mean(errors), abs=0.05)
    assert line.low.min() <= np.mean(errors) <= line.high.max()
