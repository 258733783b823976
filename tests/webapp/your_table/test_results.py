"""The page "Your table", once a table is understood: intervals, errors, downloads, and what it remembers."""

import io
import json
import re
import threading

import numpy as np
import openpyxl
import pandas as pd
import streamlit as st
from opened import healthy, opened, text
from your_table import PAGE, WIDE, file, keys, small_world, stars, uploaded  # noqa: F401  fixtures

from metamf.filling.holdout import HoldoutStep, holdout_steps
from metamf.tables import read_table
from metamf.webapp.your_table.results import Measurement

# -- settings ---------------------------------------------------------------------------------------------------------


def interval(at):
    low, high = re.search(r"% interval ([\d.−]+) to ([\d.−]+)", re.sub(r"\s+", " ", text(at))).groups()
    return float(low.replace("−", "-")), float(high.replace("−", "-"))


def test_a_higher_level_widens_the_interval():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_scale").select("no limits").run())
    narrow = interval(healthy(at.get("button_group")[0].set_value(50).run()))
    wide = interval(healthy(at.get("button_group")[0].set_value(95).run()))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_scale_clips_and_rounds_and_marks():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_scale").select("another one").run())
    for name, value in (("low", 2.0), ("high", 4.0), ("step", 1.0)):
        healthy(at.number_input(key=f"table_scale_{name}").set_value(value).run())
    assert "3 observed cells lie outside this scale" in text(at)
    healthy(at.checkbox(key="table_round").check().run())
    assert "rounded to the scale" in text(at)
    _, content = file(at, "csv")
    cells = [line.split(";") for line in content.decode().splitlines()[1:]]
    assert all(cells[i][j] in ("2", "3", "4") for i, j in ((0, 2), (1, 3), (2, 1)))
    healthy(at.number_input(key="table_scale_high").set_value(1.0).run())
    assert "minimum < maximum" in text(at)


def test_hidden_ratings_stand_beside_their_estimates():
    at = uploaded(stars(), "stars.csv")
    nnz = read_table(stars()).ratings.nnz
    healthy(at.checkbox(key="table_hide").check().run())
    assert f"on yellow: your rating, hidden from the method, and its estimate ({round(nnz / 10)})" in text(at)
    frame = pd.read_csv(io.BytesIO(file(at, "long")[1]))
    held_out = frame[frame.provenance == "held out"]
    assert len(held_out) == round(nnz / 10) and held_out.estimate.notna().all() and held_out.lower.notna().all()
    assert (held_out.value % 1 == 0).all() and (held_out.value != held_out.estimate).any()
    manifest = json.loads(file(at, "manifest")[1])
    assert manifest["settings"]["hold_out"] == 0.1 and manifest["counts"]["held out"] == len(held_out)
    healthy(at.checkbox(key="table_hide").uncheck().run())
    assert b"held out" not in file(at, "long")[1] and "on yellow" not in text(at)
    assert uploaded(WIDE, at=opened(PAGE)).checkbox(key="table_hide").disabled  # too few to hide some


def test_a_rating_outside_the_scale_counts_as_its_end_or_is_hidden_as_the_visitor_says():
    at = uploaded(WIDE)
    assert "table_outside" not in keys(at)
    healthy(at.selectbox(key="table_scale").select("another one").run())
    healthy(at.number_input(key="table_scale_high").set_value(4.0).run())
    assert "2 observed cells lie outside this scale" in text(at)
    assert "on yellow" not in text(at)
    healthy(at.selectbox(key="table_outside").select("are hidden from the method").run())
    assert "on yellow: your rating, hidden from the method, and its estimate (2)" in text(at)
    manifest = json.loads(file(at, "manifest")[1])
    assert manifest["settings"]["outside"] == "hide" and manifest["counts"]["outside the scale"] == 2
    assert b"4,5" in file(at, "csv")[1]  # the visitor's own ratings stay


def test_what_goes_wrong_unforeseen_is_logged_without_a_word_of_the_table(monkeypatch, caplog):
    message = "Ada gave 4.5"

    def fails(*_, **__):
        raise ValueError(message)

    monkeypatch.setattr("metamf.webapp.your_table.settings.fill", fails)
    at = uploaded(WIDE)
    assert "could not be filled in with these settings" in text(at)
    [record] = [record for record in caplog.records if record.name == "metamf.webapp"]
    said = record.getMessage()
    assert "ValueError" in said and "settings.py" in said and "in fails" in said
    assert "Ada" not in said and "4.5" not in said


def test_an_error_of_the_library_is_said_and_not_logged(caplog):
    at = uploaded(b"a,b\n1e300,\n,-1e300\n")
    assert "divide all of them by a common factor" in text(at)
    assert not [record for record in caplog.records if record.name == "metamf.webapp"]


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


def test_a_method_without_intervals_says_so():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_method").select("row_means").run())
    assert "Row means gives no intervals" in text(at) and not at.get("plotly_chart")
    assert "Which ratings matter" not in text(at)


def test_a_table_outside_the_training_is_told_so():
    at = uploaded(b"a,b\n1,2\n,4\n5,1\n")
    said = text(at)
    assert "lies outside what MetaMF universal was trained on" in said and "it has 2 columns" in said


# -- how good it is ---------------------------------------------------------------------------------------------------


def test_the_errors_on_held_out_cells_are_shown_with_a_verdict_and_calibration():
    at = uploaded(stars(), "stars.csv")
    said = text(at)
    assert re.search(r"Use (MetaMF|the|Damped|Mean)", said) and "held-out cells" in said
    assert re.search(
        r"Intervals: \d+ % of the \d+ hidden ratings lay inside the 90 % interval of MetaMF universal", said
    )
    for label in ("Row means", "Column means", "Damped biases", "MetaMF ml-1m"):
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


# -- taking it away ---------------------------------------------------------------------------------------------------


def test_every_download_holds_the_table():
    at = uploaded(stars(), "stars.csv")
    ratings = read_table(stars(), "stars.csv").ratings
    _, long = file(at, "long")
    frame = pd.read_csv(io.BytesIO(long))
    assert len(frame) == 128 and (frame.provenance == "observed").sum() == ratings.nnz
    assert frame.loc[frame.provenance != "observed", "upper"].notna().all()
    name, book = file(at, "xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(book))["Filled"]
    assert name == "stars-filled.xlsx" and sheet.max_row == 17
    _, parquet = file(at, "parquet")
    assert len(pd.read_parquet(io.BytesIO(parquet))) == 128
    name, program = file(at, "snippet")
    assert name == "stars-fill.py" and b"fill(" in program
    _, manifest = file(at, "manifest")
    assert json.loads(manifest)["counts"]["observed"] == ratings.nnz


def test_a_file_that_cannot_be_written_gives_one_sentence():
    wide = ",".join(f"c{j}" for j in range(17_000))
    at = uploaded(f"{wide}\n{'1,' * 16_998}2,\n".encode())
    healthy(at.button(key="table_get_xlsx").click().run())
    assert "Excel holds 1,048,575 rows and 16,383 columns" in text(at)
    assert not [key for key in keys(at) if key.startswith("table_save_")]
    assert file(at, "csv")[0] == "drinks-filled.csv" and "Excel holds" not in text(at)


def test_a_file_that_was_made_is_gone_when_the_settings_change():
    at = uploaded(WIDE)
    file(at, "csv")
    healthy(at.selectbox(key="table_method").select("mean").run())
    assert "drinks-filled.csv" not in text(at)
    healthy(at.selectbox(key="table_method").select("universal").run())
    assert "drinks-filled.csv" in text(at)


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


def test_nothing_is_made_before_it_is_asked_for(monkeypatch):
    at = opened(PAGE)

    def refuse(*_):
        raise AssertionError("made without being asked for")

    for name in ("to_csv_wide", "to_csv_long", "to_excel", "to_parquet"):
        monkeypatch.setattr(f"metamf.tables.write.{name}", refuse)
    uploaded(WIDE, at=at)


# -- state and privacy ------------------------------------------------------------------------------------------------


def test_file_and_settings_survive_a_change_of_page():
    at = uploaded(WIDE)
    healthy(at.selectbox(key="table_method").select("ml-1m").run())
    healthy(at.text_input(key="table_markers").set_value("2").run())
    before = text(at)
    healthy(at.switch_page("pages/watch.py").run())
    healthy(at.switch_page(PAGE).run())
    assert text(at) == before and at.selectbox(key="table_method").value == "ml-1m"


def test_nothing_is_computed_twice(monkeypatch):
    at = uploaded(stars(), "stars.csv")

    def refuse(*_, **__):
        raise AssertionError("computed again")

    for name in (
        "uploads.read_table",
        "your_table.settings.fill",
        "your_table.results.holdout_steps",
        "your_table.one_cell.influence",
    ):
        monkeypatch.setattr(f"metamf.webapp.{name}", refuse)
    healthy(at.run())


def test_the_button_forgets_everything():
    at = uploaded(WIDE)
    healthy(at.text_input(key="table_markers").set_value("2").run())
    healthy(at.button(key="table_forget").click().run())
    assert "Files up to 32 MB" in text(at) and "Ada" not in text(at)
    held = at.session_state._state.filtered_state
    assert not [
        key
        for key in held
        if key.startswith("table_") and key not in ("table_example", "table_example_file") and held[key]
    ]
    again = uploaded(stars(), "stars.csv", at)
    assert again.text_input(key="table_markers").value == "" and "r1" in text(again)


def test_a_second_session_never_sees_the_first_ones_data(capfd, tmp_path):
    secret = WIDE.replace(b"Ada", b"Wilhelmina").replace(b"4,5", b"4,37")
    first = uploaded(secret, "secret-drinks.csv")
    assert "Wilhelmina" in text(first)
    second = opened(PAGE)
    uploaded(WIDE, "other.csv", second)
    everything = text(second) + repr(second.session_state._state.filtered_state) + str(second.query_params)
    assert not any(word in everything for word in ("Wilhelmina", "secret-drinks", "4,37", "4.37"))
    assert not first.query_params or "secret" not in str(first.query_params)
    out, err = capfd.readouterr()
    assert "Wilhelmina" not in out + err and "secret-drinks" not in out + err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"Wilhelmina" in path.read_bytes()]


def test_names_from_outside_are_text_and_never_markup():
    content = WIDE.replace(b"Ada", b"<img src=x onerror=alert(1)>").replace(b"Coffee", b"<b>=Coffee</b>")
    at = uploaded(content)
    bodies = " ".join(e.proto.body for e in at.get("html"))
    assert "<img" not in bodies and "&lt;img src=x" in bodies and "<b>=Coffee" not in bodies


def test_a_large_table_shows_a_part_and_fills_in_all(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((90, 50)) < 0.3, rng.integers(1, 6, (90, 50)), 0)
    content = "\n".join(",".join(f"{x}" if x else "" for x in row) for row in X.astype(int)).encode()
    monkeypatch.setattr("metamf.webapp.your_table.one_cell._AT_ONCE", 10)
    at = uploaded(content, "large.csv")
    assert "40 rows and columns of it are shown" in text(at)
    healthy(at.number_input(key="table_top").set_value(51).run())
    assert "51 × " in text(at)
    healthy(at.button(key="table_influence").click().run())
    assert "was left out once" in text(at)
    assert len(file(at, "csv")[1].splitlines()) == 90
