"""How fast the page Train learns: seconds until it beats the support mean, and until it is as good as the bundled one.

    METAMF_DATA=... python -m benchmarks.accuracy.live --out benchmarks/results/live.csv

On one thread, as a worker of the app has. Errors are mean squared errors on the held-out matrices of the page, in
standardised units squared. Seconds are the processor's, so that other load on the machine does not count, with those
of the wall clock beside them; updates are counted at the page's reports. ``near`` is within one percent of the bundled
checkpoint's error. A row "start" is a worker process of the app that is ended at its first report: what passes
before training begins.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import torch

from metamf.learning.live import BATCH_SIZE, LEARNING_RATE, MADE_UP, LiveData, LiveTraining

NEAR_BUNDLED = 1.01  # times the error of the bundled checkpoint
SETTINGS = [
    *((rate, BATCH_SIZE) for rate in (1e-3, 1e-4, 1e-2)),
    *((LEARNING_RATE, size) for size in (8, 32)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", nargs="+", default=[MADE_UP, "ml-100k", "jester"])
    parser.add_argument("--seconds", type=float, default=20, help="of the processor, for each training")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = [start()]
    for name in arguments.data:
        data = LiveData.load(name)
        for rate, size in SETTINGS:
            rows.append({"data": name} | trained(data, rate, size, arguments.seconds))
            print(rows[-1], flush=True)
            pd.DataFrame(rows).round(4).to_csv(arguments.out, index=False)


def start() -> dict[str, float | str]:
    """A worker process, as the app starts it, that is ended at its first report."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = {"data": MADE_UP, "learning_rate": LEARNING_RATE, "seed": 0, "title": "start"}
    with tempfile.TemporaryDirectory() as folder:
        job = {"task": "metamf.webapp.train.task:train", "arguments": arguments, "folder": folder}
        command = [sys.executable, "-m", "metamf.webapp.jobs.worker"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
            worker.stdin.write(json.dumps(job).encode() + b"\n")
            worker.stdin.flush()
            next(line for line in worker.stdout if "row" in json.loads(line))
            wall = time.perf_counter() - began
            worker.kill()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"data": "start", "cpu_seconds": cpu, "wall_seconds": wall}


def trained(data: LiveData, rate: float, size: int, seconds: float) -> dict[str, float]:
    """One training of ``seconds`` of the processor."""
    mean, (_, bundled) = data.support_mean_error(), data.bundled_error()
    training = LiveTraining(data, rate, batch_size=size)
    began, wall = time.process_time(), time.perf_counter()
    found: dict[str, float] = {}
    best = float("inf")
    for report in training.run():
        if report is None:
            continue
        now, best = time.process_time() - began, min(best, report.error)
        if report.update and report.error < mean:
            found.setdefault("below_mean_cpu", now)
            found.setdefault("below_mean_updates", report.update)
        if report.error < NEAR_BUNDLED * bundled:
            found.setdefault("near_bundled_cpu", now)
            found.setdefault("near_bundled_updates", report.update)
        if report.update and now > seconds:  # before the first update nothing is measured
            break
    return {
        "learning_rate": rate,
        "batch_size": size,
        **{
            f"{line}_{unit}": found.get(f"{line}_{unit}")
            for line in ("below_mean", "near_bundled")
            for unit in ("updates", "cpu")
        },
        "updates": training.update,
        "cpu_seconds": time.process_time() - began,
        "wall_seconds": time.perf_counter() - wall,
        "best_error": best,
        "support_mean_error": mean,
        "bundled_error": bundled,
        "diverged": training.diverged,
    }


if __name__ == "__main__":
    main()
