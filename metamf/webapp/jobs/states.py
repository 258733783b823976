"""The states of a job, and which event leads from which to which. Nothing else: no process, no lock, no clock.

::

    submit ──► QUEUED ── start ──► RUNNING ◄── pause / go on ──► PAUSED
                 │                    │                            │
                 │                    ├─────────── stop ───────────┤
                 │                    │                            ▼
            stop, cancel              │                        STOPPING
                 │                    │                            │
                 ▼                    └──────── finish ────────────┤
             CANCELLED                                             ▼
                                                                 DONE

    RUNNING, PAUSED, STOPPING ── cancel ──► CANCELLED      the process is killed, nothing is kept
    RUNNING, PAUSED, STOPPING ── fail ────► FAILED         an error, a dead process, one that did not stop in time

``stop`` asks the process to finish with the best that it has; a job that has not begun has nothing to keep. DONE,
FAILED and CANCELLED are the ends.
"""

from __future__ import annotations

from enum import Enum


class State(Enum):
    """Stages of a job's life."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing happens to the job any more."""
        return self in ENDED

    @property
    def has_process(self) -> bool:
        """Whether the job holds one of the pool's places."""
        return self in WITH_PROCESS


class Event(Enum):
    """Events in a job's life."""

    START = "start"
    PAUSE = "pause"
    GO_ON = "go on"
    STOP = "stop"
    FINISH = "finish"
    FAIL = "fail"
    CANCEL = "cancel"


WITH_PROCESS = frozenset({State.RUNNING, State.PAUSED, State.STOPPING})
ENDED = frozenset({State.DONE, State.FAILED, State.CANCELLED})

_AFTER = {
    (State.QUEUED, Event.START): State.RUNNING,
    (State.QUEUED, Event.STOP): State.CANCELLED,
    (State.QUEUED, Event.CANCEL): State.CANCELLED,
    (State.RUNNING, Event.PAUSE): State.PAUSED,
    (State.PAUSED, Event.GO_ON): State.RUNNING,
    (State.RUNNING, Event.STOP): State.STOPPING,
    (State.PAUSED, Event.STOP): State.STOPPING,
    **{(state, Event.FINISH): State.DONE for state in WITH_PROCESS},
    **{(state, Event.FAIL): State.FAILED for state in WITH_PROCESS},
    **{(state, Event.CANCEL): State.CANCELLED for state in WITH_PROCESS},
}


def possible(state: State, event: Event) -> bool:
    """Whether ``event`` can happen to a job in ``state``: to ask a finished job to pause changes nothing."""
    return (state, event) in _AFTER


def after(state: State, event: Event) -> State:
    """The state that ``event`` leads to.

    Raises
    ------
    ValueError
        If the event cannot happen in this state.
    """
    if not possible(state, event):
        raise ValueError(f"a job that is {state.value} cannot {event.value}")
    return _AFTER[state, event]
