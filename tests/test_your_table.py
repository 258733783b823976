"""The page "Your table" by Streamlit's AppTest: from a file to a filled one, corrections, privacy, errors."""

import gzip
import io
import json
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
import streamlit as st
from opened import healthy, opened, text
from problems import small_universal

from metamf.checkpoints import CheckpointInfo, find_checkpoint, save_checkpoint
from metamf.holdout import holdout_steps
from metamf.tables import read_table

PAGE = "pages/your_table.py"
WIDE = b"name;Tea;Coffee;Juice\nAda;4,5;;3\nBen;1;2;\nCleo;;5;4\nDev;3;4,0;2\n"


@pytest.fixture(autouse=True)
def small_world(monkeypatch, tmp_path):
    """No data sets; bundled checkpoints are a small universal one and that of ML-1M; few repeats."""
    info = CheckpointInfo("universal", "ml-1m, jester", None, None, 0, {"preset": "universal"})
    model = small_universal(seed=1)  # whose estimates are not all clipped
    save_checkpoint(tmp_path / "universal.safetensors", model, info)
    (tmp_path / "ml-1m.safetensors").write_bytes(find_checkpoint("ml-1m").read_bytes())
    monkeypatch.setattr("metamf.checkpoints.PRETRAINED", tmp_path)
    monkeypatch.setenv("METAMF_DATA", str(tmp_path))
    monkeypatch.setattr("metamf.filling._OFFERED", ("mean", "damped_bias"))


def uploaded(content, name="drinks.csv", at=None):
    at = opened(PAGE) if at is None else at
    return healthy(at.get("file_uploader")[-1].set_value((name, content, "text/csv")).run())


def keys(at):
    return {element.key for kind in ("button", "download_button", "selectbox") for element in at.get(kind)}


def file(at, kind):
    """Name and content of what a download button gives."""
    healthy(at.button(key=f"table_get_{kind}").click().run())
    made = at.session_state["table_results"]["file"][1]
    saved = [button for button in at.get("download_button") if button.proto.id.endswith(f"table_save_{made.id}")]
    assert len(saved) == 1 and saved[0].proto.url and made.name in text(at)
    return made.name, made.content


# -- before the upload ------------------------------------------------------------------------------------------------


def test_the_limits_the_forms_and_the_privacy_panel_stand_before_the_upload():
    at = opened(PAGE)
    said = text(at)
    for sentence in ("Files up to 32 MB", "1,500,000 lines", "Wide", "Long", "no other visitor can reach it"):
        assert sentence in said
    proto = at.get("file_uploader")[-1].proto
    assert proto.max_upload_size_mb == 32 and not proto.type  # a file called u.data is welcome, too
    assert not at.get("plotly_chart")


def test_the_example_is_two_clicks_from_a_filled_table():
    at = healthy(opened(PAGE).button(key="table_example").click().run())
    assert "112 of 280 cells are observed" in text(at)
    name, content = file(at, "csv")
    assert name == "film-club-filled.csv" and read_table(content, name).ratings.nnz == 280


# -- what was understood ----------------------------------------------------------------------------------------------


def test_a_file_is_understood_filled_in_and_measured():
    at = uploaded(WIDE)
    said = text(at)
    for sentence in ("4 rows and 3 columns: 9 of 12 cells are observed", "Delimiter: semicolon; decimal comma",
                     "Cells marked as missing: 3 empty", "3 of 12 cells estimated", "Ada × Coffee", "90 % interval",
                     "Which ratings matter", "9 observed cells : too few" .replace(" :", ":")):  # fmt: skip
        assert sentence in said
    assert len(at.get("plotly_chart")) == 1 and at.get("plotly_chart")[0].proto.alt
    name, content = file(at, "csv")
    lines = content.decode().splitlines()
    assert name == "drinks-filled.csv" and lines[0] == "name;Tea;Coffee;Juice"
    for line, row in zip(lines[1:], WIDE.decode().splitlines()[1:]):
        for cell, was in zip(line.split(";"), row.split(";")):
            assert cell == was if was else re.fullmatch(r"-?\d+(,\d+)?", cell)


def test_corrections_are_followed_and_can_be_undone():
    at = uploaded(b"7;1;9\n1;7;3\n2;7;4\n5;2;2\n")
    assert "4 rows and 3 columns" in text(at)
    healthy(at.selectbox(key="table_header").select(True).run())
    assert "3 rows and 3 columns" in text(at)
    healthy(at.text_input(key="table_markers").set_value("7; x").run())
    assert 'Cells marked as missing: 2 "7"' in text(at)
    healthy(at.button(key="table_guess").click().run())
    assert "4 rows and 3 columns" in text(at) and "No cell is marked as missing" in text(at)


def options(at, name):
    return at.selectbox(key=f"table_{name}").options


def test_the_columns_of_a_long_table_are_chosen_by_name_even_where_it_could_not_be_read():
    at = uploaded(b"who,when,what,how much,said\nA,1,x,3,good\nA,2,y,4,bad\nB,3,x,5,so so\nB,4,y,1,good\n", "log.csv")
    assert "is no number" in text(at) and "table_row_column" not in keys(at)
    healthy(at.selectbox(key="table_form").select("long").run())
    assert options(at, "value_column") == ["guess", "1: who", "2: when", "3: what", "4: how much", "5: said"]
    healthy(at.selectbox(key="table_column_column").select(2).run())
    healthy(at.selectbox(key="table_value_column").select(3).run())
    assert "2 rows and 2 columns: 4 of 4 cells" in text(at) and 'values are "who", "what", "how much"' in text(at)
    assert options(at, "row_column")[0] == "guessed: who"
    healthy(at.switch_page("pages/watch.py").run())
    healthy(at.switch_page(PAGE).run())
    assert 'values are "who", "what", "how much"' in text(at)
    healthy(at.selectbox(key="table_form").select("wide").run())
    assert "table_value_column" not in keys(at) and "is no number" in text(at)


def test_a_sheet_is_chosen_even_where_the_first_one_holds_no_table():
    book = openpyxl.Workbook()
    book.active.title = "guess"
    book.active.append(["name", "said"])
    book.active.append(["Ada", "hello"])
    sheet = book.create_sheet("Ratings")
    for row in (["name", "Tea", "Coffee"], ["Ada", 4, None], ["Ben", 2, 5]):
        sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    at = uploaded(data.getvalue(), "club.xlsx")
    assert '"hello" is no number' in text(at) and "table_delimiter" not in keys(at)
    assert options(at, "sheet") == ["guess", "1: guess", "2: Ratings"]
    healthy(at.selectbox(key="table_sheet").select(1).run())
    assert "2 rows and 2 columns: 3 of 4 cells" in text(at) and 'Sheet "Ratings"' in text(at)
    assert "drinks" not in file(at, "xlsx")[0] and "table_encoding" not in keys(at)


def test_encoding_and_thousands_sign_are_guessed_shown_and_corrected():
    at = uploaded("name;Käse;Öl\nÄnne;1,5;1,500\nBo;2,5;\nCy;;1,250\n".encode("cp1252"))
    assert options(at, "encoding")[0] == "guessed: Windows-1252"
    assert options(at, "decimal")[0] == "guessed: comma" and options(at, "thousands")[0] == "guessed: none"
    healthy(at.selectbox(key="table_encoding").select("mac-roman").run())
    assert "Änne" not in text(at) and "MAC-ROMAN" in text(at)
    healthy(at.selectbox(key="table_thousands").select(",").run())
    healthy(at.selectbox(key="table_decimal").select(",").run())
    assert "decimal and thousands sign cannot both be" in text(at)
    healthy(at.button(key="table_guess").click().run())
    assert "Bo × Öl" in text(at) and at.button(key="table_guess").disabled


def test_a_number_that_looks_like_a_marker_takes_one_click():
    rng = np.random.default_rng(0)
    X = rng.uniform(-10, 10, (12, 6)).round(2)
    X[rng.random(X.shape) < 0.4] = 99
    at = uploaded("\n".join(",".join(map(str, row)) for row in X).encode(), "jokes.csv")
    assert "looks like a mark" in text(at)
    healthy(at.button(key=next(key for key in keys(at) if key.startswith("table_suspect_99"))).click().run())
    n = int((X == 99).sum())
    assert f"{72 - n} of 72 cells are observed" in text(at) and f'{n} "99' in text(at)
    assert "99 counts as missing, as you said" in text(at)
    healthy(at.button(key="table_suspect_99").click().run())  # it can be undone
    assert "looks like a mark" in text(at) and "72 of 72 cells" in text(at)


def test_a_text_that_can_only_be_a_marker_takes_one_click():
    at = uploaded("name;Käse;Öl\nÄnne;1,5;k.A.\nBo;k.A.;2,5\nCy;1,0;3,5\n".encode("cp1252"))
    assert '"k.A." is no number' in text(at)
    healthy(at.button(key="table_suspect_k.A.").click().run())
    assert '2 "k.A."' in text(at) and "k.A. counts as missing, as you said" in text(at)
    assert file(at, "csv")[1].decode("cp1252").splitlines()[1].startswith("Änne;1,5;")
    at = uploaded(b"who,tea,coffee\nA,yes,no\nB,no,\n", at=opened(PAGE))
    assert "write 1 for yes" in text(at) and not [key for key in keys(at) if key.startswith("table_suspect")]


def test_duplicates_are_refused_in_one_sentence_and_resolved_by_a_choice():
    at = uploaded(b"person,drink,rating\nA,x,1\nA,x,3\nB,y,2\nB,x,5\nA,y,4\n")
    assert "Duplicates" not in text(at) and "film" not in text(at)
    assert not at.get("plotly_chart") and "table_get_csv" not in keys(at)
    healthy(at.selectbox(key="table_duplicates").select("mean").run())
    assert "2 rows and 2 columns: 4 of 4 cells" in text(at)


BAD = (
    (b"", "empty.csv"), (b"\x00\x01\x02", "x.csv"), (b"PK\x03\x04nonsense", "x.xlsx"),
    (gzip.compress(b"a,b\n1,z\n"), "x.gz"), (b"a,b,c\n1,2,3\n4,lots,1\n2,,5\n", "x.csv"), (b"a,b\n,\n,\n", "x.csv"),
    (b"<script>alert(1)</script>", "<b>.csv"), (b"1," * 30_000 + b"1", "wide.csv"),
    (b"a,b\n1e300,\n,-1e300\n", "x.csv"),
)  # fmt: skip
ODD = (b"a,b\n1,2\n3,4\n", b"a\n1\n", b"a,b\n3,\n,3\n", b"a,b,c\n0,0,0\n0,,0\n0,0,\n", b"a,b,c\n1,,\n,,\n,,\n",
       b"a,b\n1e400,2\n3,4\n")  # fmt: skip


def test_a_bad_file_gives_one_sentence_and_a_way_back():
    at = opened(PAGE)
    for content, name in BAD:
        uploaded(content, name, at)
        notes = [e.proto.body for e in at.get("html") if "mf-note mf-warning" in e.proto.body]
        assert len(notes) == 1 and not any(bad in notes[0] for bad in ("Traceback", "<script", "<b>")), name
        healthy(at.button(key="table_forget").click().run())


def test_odd_but_honest_tables_are_filled_in():
    at = opened(PAGE)
    for content in ODD:
        uploaded(content, at=at)
        assert len(file(at, "csv")[1].splitlines()) == content.count(b"\n")
        healthy(at.button(key="table_forget").click().run())


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
    assert "lie outside this scale" in text(at)
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


def stars(n=16, m=8, seed=0):
    rng = np.random.default_rng(seed)
    X = np.clip(np.round(3 + rng.normal(size=(n, 1)) + rng.normal(size=m) + 0.5 * rng.normal(size=(n, m))), 1, 5)
    lines = ["name," + ",".join(f"c{j}" for j in range(m))]
    lines += [f"r{i}," + ",".join(f"{x:g}" if rng.random() < 0.6 else "" for x in X[i]) for i in range(n)]
    return "\n".join(lines).encode() + b"\n"


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
    monkeypatch.setattr("metamf.webapp.table_results._UNASKED", 20)
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

    monkeypatch.setattr("metamf.webapp.table_results.holdout.holdout_steps", steps)
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

    for name in ("table_reading.read_table", "table_results.fill", "table_results.holdout.holdout_steps",
                 "table_cells.trust.influence"):  # fmt: skip
        monkeypatch.setattr(f"metamf.webapp.{name}", refuse)
    healthy(at.run())


def test_the_button_forgets_everything():
    at = uploaded(WIDE)
    healthy(at.text_input(key="table_markers").set_value("2").run())
    healthy(at.button(key="table_forget").click().run())
    assert "Files up to 32 MB" in text(at) and "Ada" not in text(at)
    held = at.session_state._state.filtered_state
    assert not [key for key in held if key.startswith("table_") and key not in ("table_example", "table_example_file")
                and held[key]]  # fmt: skip
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
    monkeypatch.setattr("metamf.webapp.table_cells._AT_ONCE", 10)
    at = uploaded(content, "large.csv")
    assert "40 rows and columns of it are shown" in text(at)
    healthy(at.number_input(key="table_top").set_value(51).run())
    assert "51 × " in text(at)
    healthy(at.button(key="table_influence").click().run())
    assert "was left out once" in text(at)
    assert len(file(at, "csv")[1].splitlines()) == 90
