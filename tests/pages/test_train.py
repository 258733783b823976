"""The page Train: start, queue, another learning rate, pause, stop, and the checkpoint on other pages."""

import json
import time

import pytest
from engine_jobs import sleep
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp import engine as module
from metamf.webapp.teach.train import trainings
from metamf.webapp.visits import Visitor

PAGE = "pages/train.py"


@pytest.fixture(scope="module")
def real_engine():
    """One worker, which all tests of this file share."""
    made = module.Engine(workers=1)
    yield made
    made.close()


@pytest.fixture
def one_worker(real_engine):
    module.use(real_engine)
    yield real_engine
    module.use(None)


def labels(at):
    return [button.label for button in at.button]


def until(at, condition):
    """Looks at the page again and again, as its fragment does, until ``condition`` holds."""
    end = time.monotonic() + 300  # on a machine that is busy with much else
    while not condition():
        assert time.monotonic() < end, text(at)
        time.sleep(0.2)
    return healthy(at.run())


def picture(at):
    """What the page's one picture is drawn from."""
    [mounted] = [mount.proto for mount in at.get("bidi_component") if mount.proto.component_name == "metamf_player"]
    return json.loads(mounted.json)[0]["run"]


def test_before_the_first_click_the_network_of_random_weights_is_drawn_and_one_button_starts():
    at = healthy(opened(PAGE))
    drawn = picture(at)
    assert drawn["reports"]["updates"] == [0] and len(drawn["levels"]) == 5 and drawn["T"] == 0
    assert "With random weights, the typical error" in text(at) and labels(at) == ["Start from random weights"]
    at = healthy(at.number_input(key="weights").set_value(5).run())
    assert picture(at)["maps"][1] != drawn["maps"][1]


@pytest.mark.slow
def test_a_training_is_started_changed_paused_stopped_and_used(one_worker):
    at = healthy(opened(PAGE))
    assert at.selectbox(key="learn_from").options == ["Film nights"]
    at = healthy(at.button(key="train_start").click().run())
    job = at.session_state["trainings"][0].job
    assert picture(at)["reports"]["updates"] == [0]  # as before, while the worker begins
    at = until(at, lambda: len(job.rows) > 2)
    assert len(picture(at)["maps"][1]["reports"]) == len(picture(at)["reports"]["updates"]) > 2
    assert "The network's error after" in text(at) and "train_start" not in [button.key for button in at.button]
    at.select_slider(key="rate_now").set_value(3e-4).run()
    at = until(at, lambda: job.rows[-1]["rate"] == 3e-4)
    healthy(at.button(key="train_pause").click().run())
    at = until(at, lambda: job.paused)
    assert "Paused." in text(at) and "Continue" in labels(at)
    at.select_slider(key="rate_now").set_value(1e-3).run()  # no update has it yet
    healthy(at.switch_page("pages/explore.py").run())
    at = healthy(at.switch_page(PAGE).run())
    assert "Paused." in text(at) and at.select_slider(key="rate_now").value == 1e-3  # as it was left
    at.button(key="train_stop").click().run()
    at = until(at, lambda: job.ended)
    assert "Stopped after" in text(at) and at.button(key="train_start").label == "Train again"
    path = str(trainings.Training.checkpoint(at.session_state["trainings"][0]))
    at.button(key="train_use").click().run()
    at = healthy(at.switch_page("pages/explore.py").run())
    assert at.radio(key="model").value == path and "Trained by you" in at.radio(key="model").options


@pytest.mark.slow
def test_one_who_waits_is_told_so_and_can_leave_the_queue(one_worker):
    other = one_worker.submit(sleep, 600, owner=Visitor("somebody"))
    at = until(opened(PAGE), lambda: other.state == "running")
    at = healthy(at.button(key="train_start").click().run())
    assert "Your training waits: number 1 in the queue." in text(at)
    assert labels(at)[-1] == "Leave the queue"
    at.button(key="train_cancel").click().run()
    at = until(at, lambda: at.session_state["trainings"][0].job.ended)
    other.cancel()
    assert "Cancelled." in text(at) and "Train again" in labels(at)
