"""Every page by Streamlit's AppTest, on the matrices that need no file."""

import json
import re
from html import unescape

import pytest
from opened import APP, PAGES, charts, healthy, no_data_sets, opened, text  # noqa: F401  a fixture

import metamf
from metamf import datasets
from metamf.checkpoints.bundled import checkpoint_title
from metamf.datasets import example_matrices
from metamf.tasks import comparison
from metamf.webapp import frame
from metamf.webapp.matrix import lesson, sources
from metamf.webapp.matrix.state import BLOCK, GRID, AppState

CHECKPOINT, PAPER = AppState().model, "ml-1m"
MAP = checkpoint_title(PAPER)  # its name in the URL


def test_the_first_page_opens_with_a_result_and_plays():
    at = healthy(opened())
    assert len(charts(at)) == 5
    assert all(chart.proto.alt for chart in charts(at))
    assert "56 of 280 cells" in text(at) and "RMSE on hidden cells" in text(at)
    assert at.slider(key="t").value == 0 and at.session_state.playback.playing
    kinds = [element.type for element in at.main]
    sentence = next(i for i, element in enumerate(at.main) if "56 of 280 cells" in str(element.proto))
    assert sentence < kinds.index("plotly_chart"), "the browser takes a second for the figures, and none for the words"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("data", [*example_matrices(), GRID])
def test_every_page_shows_every_matrix_that_needs_no_file(page, data):
    at = healthy(opened(page, data=data))
    assert len(charts(at)) >= 3
    assert all(chart.proto.alt for chart in charts(at))


@pytest.mark.data
@pytest.mark.parametrize("name", datasets.NAMES)
def test_a_held_out_block_is_scored_on_rated_cells_only(name):
    at = healthy(opened(data=datasets.ARCHIVES[name].title + BLOCK, block=3))
    assert len(charts(at)) == 5 and "Only cells that somebody rated can be checked" in text(at)
    block = sources.held_out_block(name, 3)
    rows, cols = block.ratings.shape
    assert (rows, cols) == (30, 20 if name == "jester" else 30)
    assert block.digest != sources.held_out_block(name, 4).digest


def test_a_data_set_that_is_not_here_is_offered_with_size_and_licence(monkeypatch, tmp_path):
    asked = []

    def download(name, progress):
        asked.append(name)
        progress(1_000_000, 4_924_029)
        raise datasets.DownloadError("no route to host, put it into /secret/folder")

    monkeypatch.setattr(datasets, "download", download)
    at = healthy(opened(data="MovieLens 100K" + BLOCK))
    assert "4.9 MB" in text(at) and "no redistribution" in text(at) and not charts(at)
    [button] = [button for button in at.main.button if "Download" in button.label]
    healthy(button.click().run())
    assert asked == ["ml-100k"]
    assert "could not be downloaded" in text(at) and "/secret" not in text(at)


def test_the_steps_move_by_buttons_and_change_what_is_drawn():
    at = healthy(opened(steps=10, model=MAP, t=5))
    assert at.slider(key="t").value == 5 and not at.session_state.playback.playing
    before = [chart.proto.spec for chart in charts(at)]
    healthy(at.button(key="forward").click().run())
    assert at.slider(key="t").value == 6
    after = [chart.proto.spec for chart in charts(at)]
    assert before[0] == after[0] and before[1] != after[1] and before[2] != after[2]
    healthy(at.button(key="back").click().run())
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 4
    healthy(at.slider(key="t").set_value(0).run())
    assert at.button(key="back").disabled and not at.button(key="forward").disabled
    healthy(at.slider(key="t").set_value(10).run())
    assert at.button(key="forward").disabled


def test_a_click_counts_from_the_step_that_was_drawn_not_from_a_slider_that_is_behind():
    at = healthy(opened(steps=10, model=MAP, t=6))
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 5
    at.slider(key="t").set_value(6)  # what a browser says that has not yet moved its slider
    healthy(at.button(key="back").click().run())
    assert at.slider(key="t").value == 4
    healthy(at.button(key="forward").click().run())
    assert at.slider(key="t").value == 5


def test_the_slider_may_go_back_at_once_to_the_step_that_a_click_left():
    at = healthy(opened(steps=10, model=MAP, t=6))
    healthy(at.button(key="back").click().run())
    healthy(at.slider(key="t").set_value(6).run())  # alone, so it is a visitor's hand and no echo
    assert at.slider(key="t").value == 6 and "after step 6 of 10" in text(at)


def test_play_starts_again_at_the_end_and_stops_at_a_touch():
    at = healthy(opened(t=3))
    healthy(at.button(key="forward").click().run())
    healthy(at.button(key="play").click().run())
    assert at.session_state.playback.playing and at.slider(key="t").value == 0
    healthy(at.slider(key="t").set_value(2).run())
    assert not at.session_state.playback.playing and at.slider(key="t").value == 2


def test_nothing_plays_before_the_picture_of_the_step_is_on_the_screen():
    at = healthy(opened(sweeps=2))
    for shown in (0, 1):
        healthy(at.run())  # whatever else the visitor does meanwhile
        assert at.slider(key="t").value == shown and f"after sweep {shown} of 2" in text(at)
        at.session_state.playback.seen(shown)  # what the browser reports
        healthy(at.run())
    assert at.slider(key="t").value == 2 and "after sweep 2 of 2" in text(at)
    assert not at.session_state.playback.playing


def test_the_clock_waits_for_a_figure_that_says_its_step():
    for page, picture in ((PAGES[0], "filled"), (PAGES[1], "now-UV")):
        at = healthy(opened(page, t=3))
        [drawn] = [chart.proto for chart in charts(at) if chart.proto.id.endswith(f"-{picture}")]
        assert json.loads(drawn.spec)["layout"]["meta"] == {"step": 3}
        [clock] = [element for element in at.get("bidi_component") if element.proto.component_name == "metamf_clock"]
        data = json.loads(clock.proto.json)
        assert data["picture"] == picture and data["step"] == 3


def test_the_first_page_draws_intervals_where_the_checkpoint_gives_them():
    at = healthy(opened(t=4))
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"widths", "intervals"} <= drawn.keys()
    said = re.search(r"(\d+) of 224 hidden cells inside, 90\s% expected", text(at))
    assert 150 < int(said[1]) <= 224 and f"{100 * int(said[1]) / 224:.0f}" in text(at)
    hover = [cell for row in drawn["filled"]["data"][1]["hovertext"] for cell in row]
    assert sum("90\u00a0% interval: " in cell for cell in hover) == 224 and sum("given" in cell for cell in hover) == 56
    healthy(at.slider(key="t").set_value(2).run())
    filled = next(chart for chart in charts(at) if chart.proto.id.endswith("-filled"))
    assert "interval" not in filled.proto.spec  # those of the last sweep are calibrated, no others
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert "MovieLens 1M gives no intervals; Universal does" in text(at) and "inside" not in text(at)
    assert not any(chart.proto.id.endswith(("-widths", "-intervals")) for chart in charts(at))


def test_the_step_stays_where_it_is_when_something_else_changes_and_the_end_stays_the_end():
    at = healthy(opened(t=3))
    healthy(at.number_input(key="seed").set_value(2).run())
    assert at.slider(key="t").value == 3 and "after sweep 3 of 4" in text(at)
    healthy(at.selectbox(key="data").select("Two tastes").run())
    assert at.slider(key="t").value == 3 and "Two tastes" in text(at)
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").value == 3 and at.slider(key="t").max == 10 and "after step 3 of 10" in text(at)
    healthy(at.slider(key="t").set_value(10).run())
    healthy(at.slider(key="steps").set_value(25).run())
    assert at.slider(key="t").value == 25 and "after step 25 of 25" in text(at)
    healthy(at.slider(key="t").set_value(20).run())
    healthy(at.slider(key="steps").set_value(5).run())
    assert at.slider(key="t").value == 5 and "after step 5 of 5" in text(at)


def test_colours_stay_fixed_over_the_steps():
    at = healthy(opened(PAGES[1]))
    limits = []
    for t in (0, 2, 4):
        healthy(at.slider(key="t").set_value(t).run())
        specs = [json.loads(chart.proto.spec)["data"] for chart in charts(at)]
        limits.append([(trace["zmin"], trace["zmax"]) for spec in specs for trace in spec if "zmin" in trace])
    assert limits[0] == limits[1] == limits[2] and len(limits[0]) == 8


def test_watch_shows_prior_factors_products_and_the_numbers_of_the_step():
    for model, said in (
        (MAP, ("Error per step", "Eq. (5) at t = 3", "since step 2", "× 32 factors")),
        (checkpoint_title("universal"), ("Error per sweep", "To reach t = 3", "since sweep 2", "no step size")),
    ):
        at = healthy(opened(PAGES[1], model=model))
        healthy(at.slider(key="t").set_value(3).run())
        for words_ in ("U(0)", "V(0)", "U(3)", "V(3)", "Residual", "Change", *said):
            assert words_ in text(at)
        assert len(charts(at)) == 9


def test_the_lesson_is_one_click_away_and_out_of_the_way_elsewhere():
    at = healthy(opened(PAGES[1], keep=100))
    assert "fixed step" not in text(at)
    healthy(at.button(key="lesson").click().run())
    state = AppState.read(at.session_state.to_dict())
    assert (state.data, state.model, state.keep) == ("Full house", PAPER, AppState().keep)
    said = text(at)
    overflow = int(re.search(r"step (\d+) leaves no numbers at all", said)[1])
    assert "With the paper's fixed step the error goes from 1." in said and "times as long" in said
    drawn = {chart.proto.id.split("-")[-1]: json.loads(chart.proto.spec) for chart in charts(at)}
    assert {"fixed_step", "safe_step", "rules"} <= drawn.keys() and len(charts(at)) == 12
    assert drawn["rules"]["layout"]["yaxis"]["type"] == "log"
    assert at.slider(key="t").value == 10 and "no numbers are left" in said
    healthy(at.slider(key="t").set_value(overflow - 1).run())
    assert "no numbers are left" not in text(at)
    with pytest.raises(KeyError):
        at.button(key="lesson")
    healthy(at.switch_page(PAGES[0]).run())
    assert "the page Watch shows both rules" in text(at)
    healthy(at.radio(key="model").set_value("universal").run())
    assert "diverge" not in text(at)


def test_numbers_of_any_size_are_written_as_a_person_would():
    written = [lesson.written(value) for value in (1.234, 912.3, 7.31e45, 4e-49, 0.00142, 0.0111)]
    assert written == ["1.23", "912", "7 × 10⁴⁵", "4 × 10⁻⁴⁹", "0.0014", "0.011"]


def test_the_rounds_are_called_what_they_are():
    at = healthy(opened())
    healthy(at.slider(key="t").set_value(2).run())
    assert at.slider(key="t").label == "Sweep" and "after sweep 2 of 4" in text(at)
    assert at.slider(key="sweeps").label == "Sweeps T"
    with pytest.raises(KeyError):
        at.slider(key="steps")
    healthy(at.radio(key="model").set_value(PAPER).run())
    assert at.slider(key="t").label == "Step" and "after step 2 of 10" in text(at)
    assert at.slider(key="steps").label == "MAP steps T"
    said = unescape(" ".join(caption for caption in at.radio(key="model").proto.captions))
    assert "The paper's model" in said and "Takes any size" in said


def test_compare_lists_checkpoints_and_baselines_and_marks_the_best():
    at = healthy(opened(PAGES[2]))
    said = text(at)
    for name in metamf.list_pretrained():
        assert f"MetaMF, {checkpoint_title(name)}" in said
    assert "MF" in said and "Mean" in said and said.count(" best ") == 1 and "is computing" not in said
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.AT_FIRST)


def test_compare_offers_every_method():
    at = opened(PAGES[2])
    said = text(healthy(at.button_group(key="methods").set_value(list(comparison.BASELINES)).run()))
    assert all(spec.label in said for spec in comparison.BASELINES.values())
    assert len(charts(at)) == 1 + len(metamf.list_pretrained()) + len(comparison.BASELINES)


def test_compare_says_plainly_when_a_simple_method_wins():
    at = healthy(opened(PAGES[2], data="Two tastes"))
    assert "A simple method wins here" in text(at)
    at = healthy(at.button_group(key="methods").set_value(["dmf"]).run())
    assert "A simple method wins here" not in text(at) and "a network trained on this one alone" in text(at)
    at = healthy(opened(PAGES[2], data="Popular few"))
    assert "A simple method wins here" not in text(at)


def test_with_nothing_hidden_pages_say_so():
    for page in PAGES:
        at = healthy(opened(page, data=GRID, keep=100))
        assert "no error can be measured" in text(at)


def test_pages_share_the_step():
    at = healthy(opened(t=3))
    healthy(at.switch_page(PAGES[1]).run())
    assert at.slider(key="t").value == 3 and "U(3)" in text(at)


def test_the_state_comes_from_the_url_and_nonsense_in_it_is_ignored():
    at = healthy(
        opened(data="Jokes", keep=30, seed=7, by="popular columns", steps=5, t=2, model=checkpoint_title("jester"))
    )
    state = AppState.read(at.session_state.to_dict())
    assert state == AppState("Jokes", 1, 30, "popular columns", 7, "jester", steps=5)
    assert at.slider(key="t").value == 2
    at = healthy(opened(data="No such data", keep="many", model="../etc/passwd", steps=99999, t=-1, seed="x"))
    assert AppState.read(at.session_state.to_dict()) == AppState()


@pytest.mark.parametrize("page, title", [(PAGES[0], "Fill in – MetaMF"), (PAGES[1], "Watch – MetaMF")])
def test_the_tab_of_the_browser_has_the_pages_own_title(monkeypatch, page, title):
    titles = []
    real = frame.st.set_page_config
    monkeypatch.setattr(
        frame.st, "set_page_config", lambda **said: titles.append(said.get("page_title")) or real(**said)
    )
    healthy(opened(page))
    assert titles[-1] == title
