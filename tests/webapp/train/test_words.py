"""What the page Train says in each state of a training."""

from pathlib import Path

import pytest

from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.states import State
from metamf.webapp.train import words

ROW = {"update": 120, "loss": 1.0, "error": 0.9, "rate": 1e-3}
RESULT = {"updates": 1230, "kept": 990, "diverged": False, "blocks": 100, "error": 0.9, "mean": 1.0}


def shown(state, **more):
    values = {
        "id": "x",
        "task": "t",
        "arguments": {"data": "made-up"},
        "state": state,
        "place": None,
        "facts": {"mean": 1.0, "blocks": 100},
        "rows": (ROW,),
        "now": {},
        "heard": 1,
        "result": {},
        "folder": Path("."),
        "why": "",
        "sentence": "",
    }
    return Shown(**values | more)


@pytest.mark.parametrize(
    "job, said",
    [
        (shown(State.QUEUED, place=1), "2 computations run at once on this server. You are next."),
        (shown(State.QUEUED, place=2), "1 computation waits before yours."),
        (shown(State.QUEUED, place=3), "2 computations wait before yours."),
        (shown(State.RUNNING, rows=()), "starting, and reads Made-up ratings"),
        (
            shown(State.RUNNING),
            "After 120 updates the network's error is 0.900 on 100 held-out matrices: 10\N{NO-BREAK SPACE}% smaller",
        ),
        (shown(State.RUNNING, rows=(ROW | {"update": 0, "error": 1.1},)), "update the network's error is 1.100"),
        (
            shown(State.RUNNING, rows=(ROW | {"error": 1.1},)),
            "10\N{NO-BREAK SPACE}% larger than the support mean's 1.000",
        ),
        (shown(State.PAUSED), "Paused. After 120 updates"),
        (shown(State.STOPPING), "Stopping: the best parameters are measured"),
        (shown(State.DONE, result=RESULT), "Done after 1,230 updates. The parameters after update 990 were the best"),
        (shown(State.DONE, result=RESULT, why="asked"), "Stopped after 1,230 updates"),
        (shown(State.DONE, result=RESULT, why="time"), "Stopped by the limit of 10 minutes after"),
        (shown(State.DONE, result=RESULT | {"diverged": True}), "overflowed: try a smaller learning rate. It ended"),
        (shown(State.CANCELLED), "Cancelled."),
        (shown(State.FAILED, why="died"), "The process that trained has died"),
        (shown(State.FAILED, why="refused", sentence="Jester cannot be read."), "Jester cannot be read."),
        (shown(State.FAILED, why="broken", sentence="KeyError"), "an error (KeyError)"),
        (shown(State.FAILED, why="stuck"), "did not stop in time"),
    ],
)
def test_each_state_has_its_sentence(job, said):
    assert said in words.finding(job, 2)


def test_learning_rates_are_written_without_an_exponent():
    assert [words.rate(value) for value in (1e-5, 3e-4, 0.1, 1.0)] == ["0.00001", "0.0003", "0.1", "1"]
