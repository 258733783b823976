"""Observation of a server by its keeper: every event goes into the log and the figures, where they are switched on."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from metamf.webapp.monitoring import events

if TYPE_CHECKING:
    from metamf.webapp.monitoring import metrics

METRICS = "METAMF_METRICS"  # an environment variable
on = False  # whether there is a log of events, or figures; runs are not even timed where there is neither
_metrics: metrics.Metrics | None = None


def begin(gauges: Mapping[str, tuple[str, Callable[[], float]]], said: Mapping[str, str | int]) -> None:
    """Begins, as the environment says; ``said``: what the event of the start says.

    Raises
    ------
    ValueError
        If ``METAMF_METRICS`` is not a port.
    ModuleNotFoundError
        If it is one, and prometheus_client is not installed.
    """
    global on, _metrics
    if events.is_on():
        events.take_over()
    if address := os.environ.get(METRICS, ""):
        try:
            from metamf.webapp.monitoring.metrics import Metrics, place
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{METRICS} needs {error.name}: pip install 'metamf[served]'") from error
        where = place(address)
        _metrics = Metrics(gauges)
        try:
            _metrics.serve(*where)
        except OSError as error:  # the port is taken: the app is worth more than its figures
            logging.getLogger("metamf.webapp").warning("no figures at %s: %s", address, error.strerror)
    on = events.is_on() or _metrics is not None
    events.write("started", **said, metrics=address)


def ran(page: str, seconds: float) -> None:
    """Notes the run of a whole page."""
    events.write("run", page=page, seconds=seconds)
    if _metrics is not None:
        _metrics.ran(page, seconds)


def ran_fragment(name: str, seconds: float) -> None:
    """Notes the run of a fragment of a page: in the figures alone, as each phone in a room has many."""
    if _metrics is not None:
        _metrics.ran_fragment(name, seconds)


def failed(page: str, error: BaseException) -> None:
    """Notes a run that ended by an error."""
    events.write_error(page, error)
    if _metrics is not None:
        _metrics.failed(page, type(error).__name__)


def ended(task: str, how: str, why: str, seconds: float) -> None:
    """Notes the end of a computation of the pool."""
    events.write("job", task=task, how=how, why=why, seconds=seconds)
    if _metrics is not None:
        _metrics.ended(task, how, why)


def refused(reason: str, **values: int | str) -> None:
    """Notes a refusal, for one of the reasons in ``events.EVENTS``."""
    events.write(reason, **values)
    if _metrics is not None:
        _metrics.refused(reason)
