"""Figures of a running server for Prometheus, on a port of their own: METAMF_METRICS=9100 switches them on.

They count; no figure holds anything of a visitor. Needs the package prometheus_client (``metamf[served]``). The port
answers on this machine alone, unless an address stands before it: METAMF_METRICS=0.0.0.0:9100 in a container.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, start_http_server
from prometheus_client.process_collector import ProcessCollector

RUN_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)  # ends of the classes of runs


class Metrics:
    """The figures of one process.

    Parameters
    ----------
    gauges : dict
        Name -> (what it is, a function that tells its value when it is asked for). One that fails tells nothing.
    """

    def __init__(self, gauges: Mapping[str, tuple[str, Callable[[], float]]]):
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, processor time, open files
        PlatformCollector(registry=self.registry)
        for name, (words, ask) in gauges.items():
            Gauge(f"metamf_{name}", words, registry=self.registry).set_function(_or_nothing(ask))
        own = {"registry": self.registry}
        fragments = "Runs of a fragment of a page alone, and their seconds"
        runs, errors = "Runs of a page, and their seconds", "Runs that failed, by page and kind of error"
        jobs, refused = "Computations that have ended, by how and why", "What was refused, by reason"
        self._runs = Histogram("metamf_run_seconds", runs, ["page"], buckets=RUN_SECONDS, **own)
        self._fragments = Histogram("metamf_fragment_seconds", fragments, ["fragment"], buckets=RUN_SECONDS, **own)
        self._errors = Counter("metamf_errors", errors, ["page", "kind"], **own)
        self._jobs = Counter("metamf_jobs", jobs, ["task", "how", "why"], **own)
        self._refused = Counter("metamf_refused", refused, ["reason"], **own)

    def ran(self, page: str, seconds: float) -> None:
        """Counts a run of a page."""
        self._runs.labels(page).observe(seconds)

    def ran_fragment(self, name: str, seconds: float) -> None:
        """Counts a run of a fragment of a page alone."""
        self._fragments.labels(name).observe(seconds)

    def failed(self, page: str, kind: str) -> None:
        """Counts a run that ended by an error of that kind."""
        self._errors.labels(page, kind).inc()

    def ended(self, task: str, how: str, why: str) -> None:
        """Counts a computation that has ended."""
        self._jobs.labels(task, how, why).inc()

    def refused(self, reason: str) -> None:
        """Counts a refusal."""
        self._refused.labels(reason).inc()

    def serve(self, address: str, port: int) -> Callable[[], None]:
        """Answers there from now on, in a thread; returns what ends that. OSError if the port is taken."""
        server, _ = start_http_server(port, address, self.registry)
        return lambda: (server.shutdown(), server.server_close())[0]


def place(text: str) -> tuple[str, int]:
    """'9100' -> ('127.0.0.1', 9100); '0.0.0.0:9100' -> ('0.0.0.0', 9100)

    Raises
    ------
    ValueError
        If it is neither.
    """
    found = re.fullmatch(r"(?:(.+):)?(\d{1,5})", text.strip())
    if found is None or int(found[2]) > 65535:
        raise ValueError(f"METAMF_METRICS is {text!r}: set it to a port, 9100, or to address and port, 0.0.0.0:9100")
    return found[1] or "127.0.0.1", int(found[2])


def _or_nothing(ask: Callable[[], float]) -> Callable[[], float]:
    def value() -> float:
        try:
            return ask()
        except Exception:  # the server is starting or ending
            return float("nan")

    return value
