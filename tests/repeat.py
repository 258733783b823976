"""Runs the tests again and again, beside busy loops if wanted, and writes a line about each run: luck shows.

    python tests/repeat.py --times 20 --busy 2 --out runs/repeat.csv -- --tiers browser -m browser

What stands after ``--`` goes to pytest. Exit code 1 if a run failed; what it printed lies beside the table.
"""

import argparse
import csv
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path


def spin() -> None:
    while True:
        pass


def load() -> str:
    """Processes that wanted to run in the last minute, or '' on a system that does not tell."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--busy", type=int, default=0, help="busy loops that run beside the tests")
    parser.add_argument("--out", type=Path, default=Path("runs/repeat.csv"))
    parser.add_argument("pytest", nargs="*", help="arguments of pytest, after --")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(arguments.busy)]
    for loop in loops:
        loop.start()
    failed = 0
    with open(arguments.out, "w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["run", "busy", "load", "seconds", "exit_code", "summary"])
        for run in range(arguments.times):
            start = time.perf_counter()
            done = subprocess.run([sys.executable, "-m", "pytest", *arguments.pytest], capture_output=True, text=True)
            seconds = time.perf_counter() - start
            summary = done.stdout.strip().rpartition("\n")[2].strip("= ")
            table.writerow([run, arguments.busy, load(), f"{seconds:.1f}", done.returncode, summary])
            stream.flush()
            print(f"run {run + 1} of {arguments.times}: {summary}", flush=True)
            if done.returncode:
                failed += 1
                arguments.out.with_suffix(f".{run}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    print(f"{arguments.times - failed} of {arguments.times} runs passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
