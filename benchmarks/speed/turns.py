"""Contenders that take turns, round after round, so that other load hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def median_seconds(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Of each contender over the rounds; a first round more warms up and does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, work in contenders.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times[1:]) for name, times in seconds.items()}
