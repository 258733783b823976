"""The errors on the visitor's own ratings, and the verdict on them."""

import json
import re
import threading

import streamlit as st
from opened import healthy, text
from your_table import file, keys, small_world, stars, uploaded  # noqa: F401  a fixture

from metamf.filling.holdout import HoldoutStep, holdout_steps
from metamf.webapp.your_table.results import Measurement


def test_the_errors_on_held_out_cells_are_shown_with_a_verdict_and_calibration():
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    assert re.search(r"Use (Universal|MovieLens|Crossed|the|Damped|Mean)", said) and "held-out cells" in said
    assert re.search(r"Intervals: \d+ % of the \d+ hidden ratings lay inside the 90 % interval of Universal", said)
    for label in ("Row means", "Column means", "Damped biases", "MovieLens 1M"):
        assert label in said
    _, made = file(at, "manifest")
    values = json.loads(made)
    assert values["held-out cells"]["repeats"] == 20 and values["held-out cells"]["verdict"] in re.sub(
        r"\s+", " ", said
    )


def test_the_method_that_is_recommended_takes_one_click():
    at = uploaded(stars(), "stars.csv")
    healthy(at.selectbox(key="table_method").select("mean").run())
    label = re.search(r"Use (.*?) here", text(at))[1].removeprefix("the ")
    healthy(at.button(key="table_use").click().run())
    assert f"by {label}:".lower() in text(at).lower() and "table_use" not in keys(at)


def test_a_large_table_is_measured_when_asked(monkeypatch):
    monkeypatch.setattr("metamf.webapp.your_table.results._UNASKED", 20)
    at = uploaded(stars(), "stars.csv")
    assert "Use " not in text(at)
    healthy(at.button(key="table_measure").click().run())
    assert "Mean and standard deviation over 5 repeats" in text(at)
    healthy(at.run())
    assert "Mean and standard deviation over 5 repeats" in text(at)  # it was not forgotten


def test_a_measurement_goes_on_where_a_click_interrupted_it(monkeypatch):
    fitted = []

    def steps(*arguments, **keywords):
        for step in holdout_steps(*arguments, **keywords):
            fitted.append(step.done)
            yield step

    def interrupted(bar, share, text=""):
        if len(fitted) == 5:
            st.stop()
        return bar

    monkeypatch.setattr("metamf.webapp.your_table.results.holdout_steps", steps)
    monkeypatch.setattr("streamlit.delta_generator.DeltaGenerator.progress", interrupted)
    at = uploaded(stars(), "stars.csv")
    assert fitted == [0, 1, 2, 3, 4] and "Use " not in text(at)
    fitted.append(None)
    healthy(at.run())
    assert fitted[6:] == list(range(5, 20 * 6 + 1)) and "Use " in text(at)


def test_a_run_that_interrupts_a_measurement_waits_for_its_step():
    begun, may_end = threading.Event(), threading.Event()

    def steps():
        yield HoldoutStep(0, 2, "first")
        begun.set()
        may_end.wait(60)
        yield HoldoutStep(1, 2, "second")

    measurement = Measurement(steps())
    assert measurement.next().label == "first"
    found = []
    runs = [threading.Thread(target=lambda: found.append(measurement.next())) for _ in range(2)]
    runs[0].start()
    assert begun.wait(60)
    runs[1].start()  # while the first one computes
    may_end.set()
    for run in runs:
        run.join(60)
    assert [step and step.label for step in found] == ["second", None]
