"""The errors on the visitor's own ratings, measured by a worker, and the verdict on them."""

import json
import re

import numpy as np
from opened import healthy, text
from your_table import file, keys, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.evaluate.holdout import NOTHING_BETTER
from metamf.webapp.your_table import settings


def test_the_errors_on_hidden_ratings_are_shown_with_a_verdict_and_calibration():
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    assert re.search(r"Use (Universal|MovieLens 1M|row and column averages) here|Nothing here predicts", said)
    assert re.search(r"Of the \d+ hidden ratings \d+\s% lay inside the 90\s% interval of Universal", said)
    averages = ("Average of the row", "Average of the column", "Row and column averages")
    for label in (*averages, "Most similar rows", "the average of the most similar rows"):
        assert label in said
    assert said.index("typical error") < said.index("Filled in")
    _, made = file(at, "manifest")
    values = json.loads(made)
    assert values["held-out cells"]["repeats"] == 5 and values["held-out cells"]["verdict"] in re.sub(r"\s+", " ", said)


def test_where_nothing_helps_it_says_so_and_advises_against_the_estimates():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((16, 8)) < 0.7, rng.integers(1, 6, (16, 8)).astype(str), "")
    at = uploaded("\n".join(",".join(row) for row in X).encode(), "noise.csv")
    assert NOTHING_BETTER in text(at) and "do not " in text(at) and "Use " not in text(at).split("Filled in")[0]


def test_the_method_that_is_recommended_takes_one_click(monkeypatch):
    monkeypatch.setattr("metamf.evaluate.methods.REPEATS_OF_FEW", 20)  # with fewer nothing is sure
    at = uploaded(stars(), "stars.csv")
    healthy(at.selectbox(key="table_method").select("row_means").run())
    label = re.search(r"Use (.*?) here", text(at))[1].removeprefix("the ")
    healthy(at.button(key="table_use").click().run())
    assert f"by {label}:".lower() in text(at).lower() and "table_use" not in keys(at)


def test_another_level_of_the_intervals_measures_nothing_anew(small_world):
    at = uploaded(stars(), "stars.csv")
    begun = small_world.called.count("verdict")
    levels = next(group for group in at.get("button_group") if group.key == "table_level")
    healthy(levels.set_value(80).run())
    assert (
        small_world.called.count("verdict") == begun and "lay inside the 90" in text(at) and "typical error" in text(at)
    )


def test_a_large_table_is_measured_when_asked(monkeypatch, small_world):
    monkeypatch.setattr("metamf.webapp.your_table.verdict._UNASKED", 20)
    at = uploaded(stars(), "stars.csv")
    assert not small_world.called.count("verdict")
    healthy(at.button(key="table_measure").click().run())
    assert "typical error" in text(at)
    healthy(at.run())
    assert "typical error" in text(at) and small_world.called.count("verdict") == 1  # asked once for the whole visit


def test_averages_alone_lead_to_no_advice(small_world):
    small_world.upto = 15  # messages: the averages, and no other method yet
    at = uploaded(stars(), "stars.csv")
    assert "So far: averages alone; what has to beat them is still to come." in text(at)
    assert NOTHING_BETTER not in text(at) and "do not" not in text(at).split("Filled in")[0]


def test_what_is_known_so_far_is_shown_and_no_click_disturbs_the_worker(small_world):
    small_world.upto = 25  # messages: five methods of seven
    at = uploaded(stars(), "stars.csv")
    assert "So far: " in text(at) and "Average of the column" in text(at) and "Most similar rows" not in text(at)
    healthy(at.checkbox(key="table_hide").check().run())
    assert "So far: " in text(at) and "could not" not in text(at)
    assert small_world.called.count("verdict") == 1
    healthy(at.button(key="table_forget").click().run())
    assert small_world.cancelled


def test_the_check_is_under_way_before_the_table_is_filled_in(monkeypatch, small_world):
    begun, fill_in = [], settings.fill

    def fill(*args, **how):
        begun.append(small_world.called.count("verdict"))
        return fill_in(*args, **how)

    monkeypatch.setattr(settings, "fill", fill)
    uploaded(stars(), "stars.csv")
    assert begun == [1] and small_world.called.count("verdict") == 1
