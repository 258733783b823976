"""Meta-training by one process and by two, which share every batch: seconds per update, and the largest difference.

    python -m benchmarks.speed.parallel

Writes benchmarks/results/parallel.csv, a contest as soon as it is computed. Each contender is a run of ``torchrun`` of
its own, in turn, round after round: the second epoch of a preset is timed, validation included. The global batch is the
same in a contest, so the errors after that epoch have to agree; ``difference`` is the largest relative one between a
contender and the first. Seconds are the best of the rounds; ``load`` is the load average of the minute before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch

from benchmarks.rows import RESULTS
from metamf.learning import recipes as presets
from metamf.learning.data import load_domains, prepare
from metamf.learning.recipes import PaperRun, UniversalRun
from metamf.learning.workers import joined

CONTENDERS = ((1, 1), (1, 2), (2, 1))  # processes, threads of each
CONTESTS = {"tuned, 16 blocks": 16, "tuned, 256 blocks": 256, "universal": 16}  # the batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=RESULTS / "parallel.csv")
    parser.add_argument("--contests", nargs="*", choices=CONTESTS, default=list(CONTESTS), metavar="CONTEST")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu", help="cuda: as many GPUs as processes")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(*arguments.contests, arguments.device)
        return
    for title in arguments.contests:
        frame = pd.DataFrame(contest(title, arguments.rounds, arguments.device))
        print(frame.to_string(index=False, float_format="%.4g"), flush=True)
        if arguments.out.exists():
            before = pd.read_csv(arguments.out)
            frame = pd.concat([before[before.contest != title], frame])
        frame.to_csv(arguments.out, index=False, float_format="%.4g")


def contest(title: str, rounds: int, device: str) -> list[dict]:
    runs = {contender: [] for contender in CONTENDERS}
    for _ in range(rounds):
        for contender in CONTENDERS:
            runs[contender].append(launch(title, *contender, device))
    first = min(run["seconds"] for run in runs[CONTENDERS[0]])
    expected = runs[CONTENDERS[0]][0]["errors"]
    rows = []
    for (processes, threads), found in runs.items():
        seconds = min(run["seconds"] for run in found)
        differences = [abs(a / b - 1) for run in found for a, b in zip(run["errors"], expected)]
        rows.append(
            {
                "contest": title,
                "processes": processes,
                "threads": threads,
                "device": device,
                "milliseconds per update": 1000 * seconds,
                "speed-up": first / seconds,
                "difference": max(differences),
                "rounds": rounds,
                "load": os.getloadavg()[0],
                "torch": torch.__version__,
            }
        )
    return rows


def launch(title: str, processes: int, threads: int, device: str) -> dict:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command += ["-m", "benchmarks.speed.parallel", "--worker", "--device", device, "--contests", title]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout)


def work(title: str, device: str) -> None:
    """One process of a contender."""
    with joined(device) as workers:
        if title == "universal":
            names = ["ml-1m", "jester"]
            run = UniversalRun(names, load_domains(names, 0), epochs=2, device=workers.device, workers=workers)
        else:
            preset = presets.PRESETS["tuned"]
            training = replace(preset.training, batch_size=CONTESTS[title])
            presets.PRESETS["tuned"] = replace(preset, training=training)
            prepared = prepare("ml-1m", 0, device=workers.device)
            run = PaperRun("ml-1m", prepared, "tuned", epochs=2, workers=workers)
        epochs = run.train()
        next(epochs)
        workers.wait()
        start = time.perf_counter()
        progress = next(epochs)
        seconds = (time.perf_counter() - start) / run.training.config.updates_per_epoch
        if workers.first:
            print(json.dumps({"seconds": seconds, "errors": [progress.train_error, progress.validation_error]}))


if __name__ == "__main__":
    main()
