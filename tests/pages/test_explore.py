"""Explore: what stands on it at first, what the browser is given to draw it, and the switch of the
factors."""

from dataclasses import replace

import numpy as np
import pytest
from opened import PAGES, charts, healthy, opened, players, shown_run, text
from payloads import floats_of

from metamf import datasets
from metamf.answer.estimator import MetaMFImputer
from metamf.checkpoints.bundled import checkpoint_title
from metamf.datasets.examples import OLD_AND_NEW
from metamf.webapp import choices
from metamf.webapp.explore import exports

pytestmark = pytest.mark.slow

SAVED = ["A page for your class", "This run as a page"]
SAVED += ["This run as a notebook", "The estimates as a table"]


def test_the_first_screen_is_the_papers_model_on_the_night_of_seed_0_whose_steps_do_the_work(
    monkeypatch,
):
    at = healthy(opened())
    assert "off by" in text(at)
    [player] = players(at)
    assert player["scene"] == "fill" and player["asks"] == ["edit", "influence", "follow"]
    run = player["run"]
    assert (run["model"]["kind"], run["K"], run["T"]) == ("paper", 4, 10)
    assert (run["n_given"], run["n_hidden"]) == (72, 168)
    prior, *_, last = run["errors"]["hidden"]
    assert last < 0.8 * prior
    labels = [box.label for box in at.expander]
    assert "The objective at each step, Eqs. (1) to (3)" in labels
    assert not charts(at)  # Plotly waits for a click
    assert shown_run(opened(t=3)) == run  # a step is nothing that the server knows
    assert shown_run(opened(seed=5))["rows"] != run["rows"]  # another seed is another night
    saved = [button.proto for button in at.get("link_button")]
    assert {button.label: button.disabled for button in saved} == dict.fromkeys(SAVED, False)
    monkeypatch.setattr(exports, "LARGEST_WRITTEN", 1)
    saved = healthy(at.run()).get("link_button")
    assert [button.proto.disabled for button in saved] == [False, False, True, True]


@pytest.mark.parametrize(
    "model, kind, T",
    [("ml-1m", "paper", 10), ("universal", "universal", 4), ("ml-1m-nmf", "nmf", 10)],
)
def test_the_switch_sends_prior_factors_and_the_numbers_of_every_step(model, kind, T):
    at = healthy(opened(factors=True, model=checkpoint_title(model)))
    [player] = players(at)
    run = player["run"]
    assert (player["scene"], player["asks"][:2]) == ("watch", ["edit", "influence"])
    assert (run["model"]["kind"], run["T"]) == (kind, T)
    assert len(run["errors"]["given"]) == len(run["errors"]["hidden"]) == T + 1
    assert (run["eta"] is None) == (kind != "paper")
    said = text(at)
    assert ("U(10) V(10)ᵀ: a step only mixes" in said) == (kind == "paper")
    for part in ("an estimate is the lowest rating, 1, plus 8 parts", "do not read them"):
        assert (part in said) == (kind == "nmf")
    labels = [box.label for box in at.expander]
    assert ("The formula of a sweep" in labels) == (kind == "universal")
    assert len(charts(at)) == (kind == "paper")  # the objective


def test_a_model_that_is_told_the_genre_stands_beside_itself_untold_and_choices_outlive_the_page():
    asked = {"data": OLD_AND_NEW, "model": checkpoint_title("jester"), "edits": "1_2_5", "steps": 3}
    at = healthy(opened(**asked))
    for control, value in (("factors", True), ("genre", True)):
        healthy(at.toggle(key=control).set_value(value).run())
    healthy(at.slider(key="keep").set_value(35).run())
    run = shown_run(at)
    assert (run["model"]["name"], run["T"], run["edits"]["count"]) == ("ml-1m-genres", 3, 1)
    assert (run["pinned"]["by"], run["features"][0]) == ("the genre", "Drama, 1941")
    assert "Told genre and year" in text(at)
    assert at.radio(key="model").disabled
    assert np.abs(floats_of(run["V"]) - floats_of(run["pinned"]["V"])).max() > 0.1
    healthy(at.switch_page(PAGES[1]).run())
    assert at.sidebar.slider[0].value == 35
    assert "Nothing here knows the genre" in text(at)
    healthy(at.switch_page(PAGES[0]).run())
    assert shown_run(at) == run
    assert at.slider(key="keep").value == 35
    assert at.toggle(key="factors").value and at.toggle(key="genre").value
    healthy(at.toggle(key="genre").set_value(False).run())
    off = shown_run(at)
    assert (off["model"]["name"], off["features"]) == ("jester", None)
    assert off["pinned"]["by"] == "your edits"
    healthy(at.selectbox(key="data").select("Film night").run())
    assert "genre" not in [toggle.key for toggle in at.sidebar.toggle]


@pytest.mark.data
@pytest.mark.parametrize("name", ["ml-100k", "ml-1m"])
def test_a_block_of_movielens_knows_its_films_and_without_the_switch_nobody_tells(name):
    data = {"data": f"{datasets.ARCHIVES[name].title} block", "block": 4}
    told, off = (shown_run(healthy(opened(genre=switch, **data))) for switch in (True, False))
    assert told["model"]["name"] == f"{name}-genres" and off["features"] is off["pinned"] is None
    dated = [both for both in zip(told["cols"], told["features"]) if both[0].endswith(")")]
    assert all(words.endswith(title[-5:-1]) for title, words in dated)
    block = choices.held_out_block(name, 4).ratings
    found = [MetaMFImputer().impute(one).mean for one in (block, replace(block, col_features=None))]
    # a block tells universal nothing of genres: it has no switch
    np.testing.assert_allclose(*found, atol=1e-3)
