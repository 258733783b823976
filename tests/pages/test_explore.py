"""Explore: what stands on it at first, what the browser is given to draw it, and the switch of the factors."""

from dataclasses import replace

import numpy as np
import pytest
from opened import PAGES, charts, healthy, no_data_sets, opened, players, shown_run, text  # noqa: F401  a fixture

from metamf import datasets
from metamf.answer.estimator import MetaMFImputer
from metamf.checkpoints.bundled import checkpoint_title
from metamf.datasets.examples import OLD_AND_NEW
from metamf.webapp.explore import choices, exports
from metamf.webapp.player.replay import floats_of

pytestmark = pytest.mark.slow


def test_the_first_page_opens_with_the_papers_model_and_no_figure_of_plotly():
    at = healthy(opened())
    assert "The model" in text(at) and "off by" in text(at)
    [player] = players(at)
    assert player["scene"] == "fill" and player["asks"] == ["edit", "lean"]
    run = player["run"]
    assert run["model"]["kind"] == "paper" and run["T"] == 10 and run["n"] == 20
    assert not charts(at)


def test_a_step_is_nothing_that_the_server_knows():
    at = healthy(opened(t=3))
    assert shown_run(at) == shown_run(opened())
    assert [slider.key for slider in at.main.slider] == ["keep"]


def test_the_switch_sends_prior_factors_and_the_numbers_of_every_step():
    for model, kind, T in (("ml-1m", "paper", 10), ("universal", "universal", 4), ("ml-1m-nmf", "nmf", 10)):
        at = healthy(opened(factors=1, model=checkpoint_title(model)))
        [player] = players(at)
        run = player["run"]
        assert player["asks"] == ["edit", "lean"] and player["scene"] == "watch" and run["model"]["kind"] == kind
        assert run["T"] == T and len(run["errors"]["given"]) == len(run["errors"]["hidden"]) == T + 1
        assert (run["pulls"] is None) == (kind != "paper")
        assert ("The formula of a sweep" in [box.label for box in at.expander]) == (kind == "universal")
        low = "U(10) V(10)ᵀ: a step only mixes" in text(at)
        assert low == (kind == "paper")
        parts = "an estimate is the lowest rating, 1, plus 8 parts" in text(at) and "do not read them" in text(at)
        assert parts == (kind == "nmf") and not charts(at)


def test_a_model_that_is_told_the_genre_stands_beside_itself_untold():
    at = healthy(opened(data=OLD_AND_NEW, genre=1, model=checkpoint_title("jester"), edits="1_2_5", steps=3))
    run = shown_run(at)
    assert (run["model"]["name"], run["T"], run["edits"]["count"]) == ("ml-1m-genres", 3, 1)
    assert run["pinned"]["by"] == "the genre" and run["told"][0] == "Drama, 1941"
    assert "Told genre and year" in text(at) and at.radio(key="model").disabled
    assert np.abs(floats_of(run["V"]) - floats_of(run["pinned"]["V"])).max() > 0.1
    healthy(at.switch_page(PAGES[1]).run())
    assert "Nothing here knows the genre" in text(at)
    healthy(at.switch_page(PAGES[0]).run())
    healthy(at.toggle(key="genre").set_value(False).run())
    off = shown_run(at)
    assert off["model"]["name"] == "jester" and off["told"] is None and off["pinned"]["by"] == "your edits"
    healthy(at.selectbox(key="data").select("Film night").run())
    assert [toggle.key for toggle in at.main.toggle] == ["factors"]


@pytest.mark.data
@pytest.mark.parametrize("name", ["ml-100k", "ml-1m"])
def test_a_block_of_movielens_knows_its_films_and_without_the_switch_nobody_tells(name):
    data = {"data": f"{datasets.ARCHIVES[name].title} block", "block": 4}
    told, off = (shown_run(healthy(opened(genre=switch, **data))) for switch in (True, False))
    assert told["model"]["name"] == f"{name}-genres" and off["told"] is off["pinned"] is None
    assert all(words.endswith(title[-5:-1]) for title, words in zip(told["cols"], told["told"]) if title.endswith(")"))
    block = choices.held_out_block(name, 4).ratings
    found = [MetaMFImputer().impute(one).mean for one in (block, replace(block, col_features=None))]
    np.testing.assert_allclose(*found, atol=1e-3)  # a block tells universal nothing of genres: it has no switch


def test_share_and_switches_outlive_the_page():
    at = healthy(opened(data=OLD_AND_NEW))
    healthy(at.toggle(key="factors").set_value(True).run())
    healthy(at.toggle(key="genre").set_value(True).run())
    healthy(at.slider(key="keep").set_value(35).run())
    [run] = [player["run"] for player in players(at)]
    healthy(at.switch_page(PAGES[1]).run())
    assert at.sidebar.slider[0].value == 35
    healthy(at.switch_page(PAGES[0]).run())
    assert at.slider(key="keep").value == 35 and at.toggle(key="factors").value and at.toggle(key="genre").value
    assert [player["run"] for player in players(at)] == [run]


def test_all_that_can_be_saved_is_in_one_menu(monkeypatch):
    at = healthy(opened())
    files = at.get("link_button")
    assert [button.proto.label for button in files] == [
        "This run as a page",
        "This run as a notebook",
        "The estimates as a table",
    ]
    assert not any(button.proto.disabled for button in files)
    for number, kind in enumerate(("svg", "png"), 1):
        healthy(at.button(key=f"save_{kind.upper()}").click().run())
        assert players(at)[0]["options"]["save"] == [kind, number]
    monkeypatch.setattr(exports, "LARGEST_WRITTEN", 1)
    assert [button.proto.disabled for button in healthy(at.run()).get("link_button")] == [False, True, True]
