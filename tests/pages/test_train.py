"""The page Train: start, queue, another learning rate, pause, stop, and the checkpoint on other
pages.

tests/browser/test_train.py trains in a process; here the job stops after some reports.
"""

import pytest
from opened import healthy, opened, players, text

from metamf.recipes.live import OTHERS_ON_NIGHTS
from metamf.webapp.teach.train import live_training, task

PAGE = "pages/train.py"


@pytest.fixture(autouse=True)
def without_a_pace(monkeypatch):
    monkeypatch.setattr(task, "PACE", 0.0)


def labels(at):
    return [button.label for button in at.button]


def runs(at):
    """What the players of the page are drawn from."""
    return [player["run"] for player in players(at)]


def picture(at):
    """What the picture of the training is drawn from."""
    [run] = [run for run in runs(at) if "reports" in run]
    return run


def clicked(at, key):
    return healthy(at.button(key=key).click().run())


def test_before_the_first_click_the_network_of_random_weights_is_drawn_and_one_button_starts():
    at = healthy(opened(PAGE))
    drawn = picture(at)
    assert drawn["reports"]["updates"] == [0] and len(drawn["levels"]) == 5 and drawn["T"] == 0
    assert "Untrained, the network answers about 3.5 everywhere" in text(at)
    levels = {level["name"]: level["value"] for level in drawn["levels"]}
    assert levels.items() >= OTHERS_ON_NIGHTS.items()
    assert "held-out tables where people rated what they like" in text(at)
    assert labels(at)[:2] == ["Start from random weights", "100 updates"]
    cut = at.select_slider(key="episode_cut")
    assert cut.options[0] == "t = 0: all steps" and cut.value == 0
    assert cut.options[-1] == "t = 10: first order"
    at = healthy(at.number_input(key="weights").set_value(5).run())
    assert picture(at)["maps"][1] != drawn["maps"][1]


@pytest.mark.slow
def test_one_episode_is_drawn_line_by_line_and_the_next_one_is_another_table():
    at = healthy(opened(PAGE))
    titles = [one["title"] for run in runs(at) for one in run["maps"]]
    assert "Error where b′ = 1" in titles and "∂ loss / ∂ U(0)" in titles
    before = runs(at)[1]
    at = clicked(at, "episode_next")
    assert runs(at)[1]["rows"] != before["rows"]
    at = healthy(at.radio(key="episode_line").set_value(8).run())
    assert "times the gradient moves the loss of this table" in text(at)


@pytest.mark.slow
def test_some_updates_end_in_a_pause_and_some_more_go_on_and_one_who_waits_can_leave(
    straight_engine, monkeypatch
):
    monkeypatch.setattr(live_training, "HUNDRED", 10)
    straight_engine.upto = 5  # facts, three rows, the parameters
    at = clicked(healthy(opened(PAGE)), "train_hundred")
    job = at.session_state["trainings"][0].job
    assert job.now["update"] == 10
    assert job.paused
    at = healthy(at.radio(key="episode_line").set_value(6).run())
    assert "the network after 10 updates" in text(at)
    clicked(at, "train_hundred_more")
    assert job.orders == [{"until": 20}]
    assert not job.paused
    job.state, job.waits_for = "waiting", "number 1 in the queue"
    at = healthy(at.run())
    assert "Your training: number 1 in the queue." in text(at)
    at.button(key="train_cancel").click().run()
    assert straight_engine.cancelled == [job.id]
    job.state, job.ended = "cancelled", True
    assert "Cancelled." in text(healthy(at.run())) and "Train again" in labels(at)


@pytest.mark.slow
def test_a_training_is_started_changed_paused_and_stopped(straight_engine):
    straight_engine.upto = 4  # facts, three rows
    at = healthy(opened(PAGE))
    assert at.selectbox(key="learn_from").options == ["Film nights"]
    at = clicked(at, "train_start")
    job = at.session_state["trainings"][0].job
    assert picture(at)["reports"]["updates"] == [0, 5, 10]
    assert len(picture(at)["maps"][1]["reports"]) == 3
    assert "The network after 10 updates is off by" in text(at)
    assert "train_start" not in [button.key for button in at.button]
    at = healthy(at.select_slider(key="rate_now").set_value(3e-4).run())
    assert job.orders == [{"learning_rate": 3e-4}]
    at = clicked(at, "train_pause")
    assert job.paused
    for page in ("pages/explore.py", PAGE):
        at = healthy(at.switch_page(page).run())
    assert "Paused." in text(at) and "Continue" in labels(at)
    assert at.select_slider(key="rate_now").value == 3e-4  # as it was left
    at = clicked(at, "train_stop")
    result = job.result
    assert f"best on the held-out tables ({result['best']['error']:.3f})" in text(at)
    assert f"On {result['blocks']} new ones it is off by {result['error']:.3f}" in text(at)
    assert "Stopped after" in text(at) and at.button(key="train_start").label == "Train again"
    assert "This network and the paper's" in [card.label for card in at.expander]
