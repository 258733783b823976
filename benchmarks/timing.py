"""Times of contenders that take turns, round after round, so that other load hits all of them.

``torch.utils.benchmark.Timer`` times one statement after another: load that comes and goes would favour one contender.
The ratio of two medians is what benchmarks report, and only turns make it robust on a machine that others use as well.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def median_seconds(contenders: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each contender over the rounds; one more round before them warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, work in contenders.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times[1:]) for name, times in seconds.items()}
