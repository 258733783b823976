"""Computes the jobs of a grid: in this process, in several of its own, or on the workers of a Dask
cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds --jobs and --scheduler."""
    jobs = "processes on this machine, of one thread each"
    parser.add_argument("--jobs", type=int, default=1, help=jobs)
    scheduler = "address of a Dask scheduler, such as tcp://host:8786, whose workers compute"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=scheduler)


def results(
    function: Callable[..., Result], jobs: Sequence[tuple], options: argparse.Namespace
) -> Iterator[Result]:
    """``function(*job)`` of every job, as they end; the first jobs are begun first."""
    if options.scheduler is None and options.jobs == 1:
        yield from (function(*job) for job in jobs)
        return
    from distributed import Client, as_completed

    cluster = {"n_workers": options.jobs, "threads_per_worker": 1, "dashboard_address": None}
    with Client(options.scheduler) if options.scheduler else Client(**cluster) as client:
        futures = as_completed([client.submit(function, *job, pure=False) for job in jobs])
        for future in futures:
            yield future.result()
