"""The page Train before a training begins, and in the queue; tests/browser/test_train.py has a whole training."""

import json
import time

import pytest
from engine_jobs import sleep
from opened import healthy, no_data_sets, opened, text  # noqa: F401  a fixture

from metamf.webapp import engine as module
from metamf.webapp.visits import Visitor

PAGE = "pages/train.py"


@pytest.fixture
def one_worker():
    """An engine of one real worker."""
    made = module.Engine(workers=1)
    module.use(made)
    yield made
    module.use(None)
    made.close()


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
