"""One job of the pool, and what its owner may see of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from metamf.webapp.jobs.process import WorkerProcess
from metamf.webapp.jobs.states import Event, State, after

MOST_ROWS = 1000  # rows of progress that are kept of a job; of more, every second one is dropped.

Why = Literal["", "asked", "time", "wanted", "refused", "broken", "died", "stuck"]


@dataclass(frozen=True, eq=False)
class Shown:
    """State of a job at one moment, as its owner sees it.

    Attributes
    ----------
    id : str
        The job's name, which nobody can guess.
    task : str
        Name of the task, as in ``submit``.
    arguments : dict
        Its arguments.
    state : State
        Stage of its life.
    place : int or None
        While it waits: its place in the queue, 1 for the next one.
    facts : dict
        Messages that hold once and for all.
    rows : tuple of dict
        Messages of each step, for a curve; ``MOST_ROWS`` at most.
    now : dict
        The latest larger message, such as a picture.
    heard : int
        Number of messages that have come: where it has not changed, nothing has.
    result : dict
        Result of the task; empty before the end.
    folder : Path
        Folder of its files; gone when the job is forgotten.
    why : str
        Kind of its end: 'asked' to stop, over its 'time', its place 'wanted' by others during a pause, 'refused' (the
        task's own ``sentence``), 'broken' by an error, its process 'died', or was 'stuck' and did not stop; empty for
        one that came to its own end.
    sentence : str
        The task's words for a refusal.
    """

    id: str
    task: str
    arguments: dict[str, Any]
    state: State
    place: int | None
    facts: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    now: dict[str, Any]
    heard: int
    result: dict[str, Any]
    folder: Path
    why: Why
    sentence: str


@dataclass(eq=False)
class Job:
    """A job as the pool holds it; only the pool changes it, under its lock."""

    id: str
    owner: str
    task: str
    arguments: dict[str, Any]
    seconds: float
    folder: Path
    state: State = State.QUEUED
    facts: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    now: dict[str, Any] = field(default_factory=dict)
    heard: int = 0
    result: dict[str, Any] = field(default_factory=dict)
    why: Why = ""
    sentence: str = ""
    process: WorkerProcess | None = None
    round: int = 0  # see ``line``
    came: float = field(default_factory=time.monotonic)  # by the pool's clock
    paused: float = 0.0  # the moment, by the pool's clock, of its last pause
    until: float = 0.0  # the moment, by the pool's clock, at which it is asked to stop, and then killed

    def happens(self, event: Event) -> None:
        """Moves to the state after ``event``; ValueError where it cannot happen."""
        self.state = after(self.state, event)

    def hears(self, message: dict[str, Any]) -> None:
        """Takes in what the process said; its last message ends the job."""
        self.heard += 1
        if "result" in message:
            self.result = message["result"]
            self.happens(Event.FINISH)
        elif "refused" in message:
            self.fails("refused", message["refused"])
        elif "broken" in message:
            self.fails("broken", message["broken"])
        else:
            self.facts = self.facts | message.get("facts", {})
            if row := message.get("row"):
                self.rows.append(row)
                if len(self.rows) > MOST_ROWS:
                    del self.rows[1::2]
            self.now = message.get("now", self.now)

    def paused_for(self, now: float) -> float:
        """Seconds for which it has been paused, by the pool's clock; -1 for one that is not."""
        return now - self.paused if self.state is State.PAUSED else -1

    def fails(self, why: Why, sentence: str = "") -> None:
        """Ends without a result."""
        self.why, self.sentence = why, sentence
        self.happens(Event.FAIL)

    def shown(self, place: int | None) -> Shown:
        """A picture of the job that does not change any more."""
        return Shown(
            self.id,
            self.task,
            self.arguments,
            self.state,
            place,
            self.facts,
            tuple(self.rows),
            self.now,
            self.heard,
            self.result,
            self.folder,
            self.why,
            self.sentence,
        )
