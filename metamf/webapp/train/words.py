"""The sentences of the page Train on a training."""

from __future__ import annotations

from typing import Any

from metamf.webapp.jobs.job import Shown
from metamf.webapp.jobs.states import State
from metamf.webapp.train.trainings import OFFERED_TITLES, TRAINING_SECONDS
from metamf.wording import counted, percent

_FAILED = {
    "broken": "The training failed with an error ({}) that is in the server's log. Nothing of it is left: start again.",
    "died": "The process that trained has died, perhaps for want of memory. Nothing of it is left: start again.",
    "stuck": "The training did not stop in time and was ended. Nothing of it is left: start again.",
    "refused": "{}",
}


def finding(job: Shown, places: int) -> str:
    """Progress of the training, in one or two sentences; ``places``: number of computations that run at once."""
    if job.state is State.QUEUED:
        before = "You are next" if job.place == 1 else f"{_waiting(job.place - 1)} before yours"
        run = f"{counted(places, 'computation')} {'runs' if places == 1 else 'run'}"
        return f"All places are taken: {run} at once on this server. {before}."
    if job.state is State.CANCELLED:
        return "Cancelled. Nothing of the training is left."
    if job.state is State.FAILED:
        return _FAILED[job.why].format(job.sentence)
    if not job.rows:
        return f"A process of its own is starting, and reads {OFFERED_TITLES[job.arguments['data']]} …"
    if job.state is State.STOPPING:
        return "Stopping: the best parameters are measured on matrices that played no part so far …"
    return _result(job) if job.state is State.DONE else _now(job)


def before(facts: dict[str, Any], row: dict[str, Any]) -> str:
    """Sentences on what a network of random weights can do, and on what is to be seen next."""
    bundled = facts["bundled"]
    goal = f", and how near to the bundled checkpoint's {bundled['error']:.3f}" if bundled else ""
    return (
        f"Random weights: the error is {row['error']:.3f} on {facts['blocks']} held-out matrices, "
        f"{change_in_words(row['error'], facts['mean'])} than the support mean's {facts['mean']:.3f}. Start: how far "
        f"does it fall{goal}?"
    )


def _waiting(count: int) -> str:
    return f"{counted(count, 'computation')} {'waits' if count == 1 else 'wait'}"


def _now(job: Shown) -> str:
    last = job.rows[-1]
    begun = f"After {counted(last['update'], 'update')}" if last["update"] else "Before the first update"
    paused = "Paused. " if job.state is State.PAUSED else ""
    return (
        f"{paused}{begun} the network's error is {last['error']:.3f} on {job.facts['blocks']} held-out matrices: "
        f"{change_in_words(last['error'], job.facts['mean'])} than the support mean's {job.facts['mean']:.3f}."
    )


def _result(job: Shown) -> str:
    found = job.result
    ended = {
        "asked": "Stopped",
        "time": f"Stopped by the limit of {TRAINING_SECONDS // 60} minutes",
        "wanted": "Stopped in a pause, because others were waiting for the place,",
    }.get(job.why, "Done")
    if found["diverged"]:
        ended = "The updates became so long that the numbers overflowed: try a smaller learning rate. It ended"
    return (
        f"{ended} after {counted(found['updates'], 'update')}. The parameters after update {found['kept']:,} were the "
        f"best; on {found['blocks']} other matrices their error is {found['error']:.3f}, "
        f"{change_in_words(found['error'], found['mean'])} than the support mean's {found['mean']:.3f}."
    )


def change_in_words(error: float, reference: float) -> str:
    """'12 % smaller', '3 % larger'"""
    share = error / reference - 1
    return f"{percent(abs(share))} {'larger' if share > 0 else 'smaller'}"


def rate(value: float) -> str:
    """'0.0003'"""
    return f"{value:.5f}".rstrip("0").rstrip(".")
