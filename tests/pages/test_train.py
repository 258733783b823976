"""The page Train, without a browser: start, queue, another learning rate, stop, and the checkpoint on other pages."""

import json
import time

import pytest
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp import shared_pool
from metamf.webapp.jobs.pool import Pool
from metamf.webapp.jobs.states import State
from metamf.webapp.train import own, task
from metamf.webapp.train.picture import NAME

PAGE = "pages/train.py"


@pytest.fixture(autouse=True)
def one_place(monkeypatch):
    """A pool of its own for the test, with one place."""
    made = Pool(places=1, tick=0.05)
    monkeypatch.setattr(shared_pool, "pool", lambda: made)
    for module in ("own", "trainings", "controls"):
        monkeypatch.setattr(f"metamf.webapp.train.{module}.pool", lambda: made)
    monkeypatch.setattr(task, "PACE", 0.0)
    yield made
    made.close()


def labels(at):
    return [button.label for button in at.button]


def job_of(pool):
    return next(iter(pool._jobs.values()))


def until(at, condition):
    """Looks at the page again and again, as its fragment does, until ``condition`` holds."""
    end = time.monotonic() + 300  # on a machine that is busy with much else
    while not condition():
        assert time.monotonic() < end, text(at)
        time.sleep(0.2)
    return healthy(at.run())


def picture(at):
    """What the page's one picture is drawn from."""
    [mounted] = [mount.proto for mount in at.get("bidi_component") if mount.proto.component_name == NAME]
    return json.loads(mounted.json)[0]


def test_before_the_first_click_the_network_of_random_weights_is_drawn_and_one_button_starts():
    at = healthy(opened(PAGE))
    drawn = picture(at)
    assert drawn["curve"]["update"] == [0] and len(drawn["curve"]["lines"]) == 2 and len(drawn["trail"]) == 1
    assert "Random weights: the error is" in text(at) and labels(at) == ["Start from random weights"]
    at = healthy(at.number_input(key="weights").set_value(5).run())
    assert picture(at)["matrix"]["filled"] != drawn["matrix"]["filled"]


def test_a_training_is_started_changed_stopped_and_used(one_place):
    at = healthy(opened(PAGE))
    assert at.selectbox(key="learn_from").options == ["Made-up ratings"]
    at = healthy(at.button(key="train_start").click().run())
    job = job_of(one_place)
    assert picture(at)["curve"]["update"] == [0]  # as before, while the process is starting
    at = until(at, lambda: len(job.rows) > 2)
    assert len(picture(at)["trail"]) == len(picture(at)["curve"]["update"]) > 2
    assert "updates the network's error is" in text(at) and "train_start" not in [button.key for button in at.button]
    at.select_slider(key="rate_now").set_value(3e-4).run()
    at = until(at, lambda: job.rows[-1]["rate"] == 3e-4)
    healthy(at.button(key="train_pause").click().run())
    assert "Paused." in text(at) and "Continue" in labels(at)
    healthy(at.switch_page("pages/fill_in.py").run())
    at = healthy(at.switch_page(PAGE).run())
    assert "Paused." in text(at)  # whoever returns finds it
    assert at.select_slider(key="rate_now").value == 3e-4
    at.button(key="train_stop").click().run()
    at = until(at, lambda: job.state is State.DONE)
    assert "Stopped after" in text(at) and at.button(key="train_start").label == "Train again"
    path = str(own.checkpoint_of(one_place.look(job.owner, job.id)))
    at.button(key="train_use").click().run()
    at = healthy(at.switch_page("pages/fill_in.py").run())
    assert at.radio(key="model").value == path and "Trained by you" in at.radio(key="model").options
    one_place.forget(job.owner, job.id)  # as if it had gone: the page falls back to a bundled one
    assert healthy(at.run()).radio(key="model").value == "ml-1m"


def test_one_who_waits_is_told_so_and_can_leave_the_queue(one_place):
    one_place.submit("somebody", "tiny_jobs:count", {})
    at = healthy(opened(PAGE))
    at = healthy(at.button(key="train_start").click().run())
    assert (
        "1 computation runs at once on this server. You are next." in text(at) and labels(at)[-1] == "Leave the queue"
    )
    at = healthy(at.button(key="train_cancel").click().run())
    assert "Cancelled." in text(at) and "Train again" in labels(at)


def test_what_cannot_be_queued_is_said(one_place):
    one_place.waiting = 0
    one_place.submit("somebody", "tiny_jobs:count", {})
    at = healthy(opened(PAGE))
    assert "waiting already" in text(healthy(at.button(key="train_start").click().run()))


def test_settings_come_from_the_address():
    at = healthy(opened(PAGE, rate="0.01", weights=7))
    assert at.select_slider(key="rate").value == 1e-2 and at.number_input(key="weights").value == 7
