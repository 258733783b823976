"""metamf train: a checkpoint from a data set, by a preset of ``metamf.learning.recipes``.

After every epoch the state of the run is written beside the checkpoint, so that a stopped run continues and has the
same result. The name of that file holds the settings: other settings are another run. Under ``torchrun`` the processes
share the work, and the first one writes and prints for all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import shlex
from dataclasses import asdict, fields
from pathlib import Path

import torch
from tqdm import tqdm

from metamf.cli.console import INTERRUPTED, say, sentence
from metamf.cli.options import UNIVERSAL
from metamf.learning.data import load_domains, prepare
from metamf.learning.recipes import PaperRun, UniversalRun
from metamf.learning.training import Progress
from metamf.learning.workers import Workers, joined
from metamf.wording import percent


def train(arguments: argparse.Namespace) -> int:
    """Meta-trains a model, alone or with other processes; the exit code."""
    if len(arguments.data) > 1 and arguments.preset != UNIVERSAL:
        raise ValueError(f"preset {arguments.preset} trains on one data set, got {', '.join(arguments.data)}")
    with joined(arguments.device) as workers:
        code = _train(arguments, workers)
        workers.wait()  # torchrun ends all processes as soon as one of them fails
    return code


def _train(arguments: argparse.Namespace, workers: Workers) -> int:
    """The work of each process; returns its exit code."""
    name = UNIVERSAL if arguments.preset == UNIVERSAL else arguments.data[0]
    out = arguments.out or Path(f"{name}.safetensors")
    state = _state_file(out, arguments)
    if arguments.fresh and workers.first:
        state.unlink(missing_ok=True)
    workers.wait()
    stopped = state.is_file()
    if arguments.resume and not stopped:
        raise FileNotFoundError(f"there is no stopped run to resume: {state} does not exist")
    if stopped and workers.first:
        say(f"Going on with the run that was stopped ({state}); --fresh begins anew.")
    out.parent.mkdir(parents=True, exist_ok=True)
    run = _prepared_run(arguments, workers)
    stop: BaseException | None = None
    try:
        _follow(run, state, arguments.log)
    except (KeyboardInterrupt, FloatingPointError) as error:
        if not run.training.history:
            if workers.first:
                say("No epoch was finished, so there is nothing to keep.")
            raise
        stop = error
    if workers.first:
        finish(run, out, _command(arguments, out, workers), stop)
        if stop is None:
            state.unlink(missing_ok=True)
    if stop is None:
        return 0
    return INTERRUPTED if isinstance(stop, KeyboardInterrupt) else 1


def finish(run: PaperRun | UniversalRun, out: Path, command: str, stop: BaseException | None) -> None:
    """Writes checkpoint and card, and prints the result."""
    info = run.finish(out, command)
    kept = f"Epoch {info.recipe.get('kept_epoch') or info.recipe['last_epoch']} is kept"
    if "ratio" in info.errors:
        kept += f": {percent(info.errors['ratio'], 1)} of the support mean's error on {info.errors['blocks']} blocks"
    say(f"{kept}. All figures are in {out.with_suffix('.md')}.")
    print(out)
    if isinstance(stop, KeyboardInterrupt):
        say("Stopped: what was learned so far is kept, and the same command goes on from here.")
    elif stop is not None:
        say(f"error: {sentence(stop)}")


def _prepared_run(arguments: argparse.Namespace, workers: Workers) -> PaperRun | UniversalRun:
    """Reads and splits the data, and prepares a run on it."""
    settings = {"split": arguments.split, "seed": arguments.seed, "epochs": arguments.epochs, "workers": workers}
    if arguments.preset == UNIVERSAL:
        domains = load_domains(arguments.data, arguments.split, arguments.folder)
        return UniversalRun(arguments.data, domains, device=workers.device, **settings)
    torch.set_num_threads(1)  # blocks of 30 x 30 are too small to share: benchmarks/results/parallel.csv
    (data,) = arguments.data
    prepared = prepare(data, arguments.split, folder=arguments.folder, device=workers.device)
    return PaperRun(data, prepared, arguments.preset, **settings)


def _follow(run: PaperRun | UniversalRun, state: Path, log: Path | None) -> None:
    """Trains to the end; the first process shows a progress bar and writes the log, epoch by epoch."""
    training, first = run.training, run.training.workers.first
    written = 0
    with contextlib.ExitStack() as stack:
        bar = stack.enter_context(tqdm(total=training.config.epochs, unit="epoch", disable=not first))
        table = None
        if first and log is not None:
            file = stack.enter_context(open(log, "w", newline="", encoding="utf-8", buffering=1))
            table = csv.DictWriter(file, [field.name for field in fields(Progress)])
            table.writeheader()

        def write() -> None:
            nonlocal written
            if table is not None:
                table.writerows(asdict(progress) for progress in training.history[written:])
                written = len(training.history)

        for progress in run.train(state):
            if not bar.n:
                bar.initial = progress.epoch - 1  # the speed is that of this call alone
            errors = f"validation error {progress.validation_error:.4f}, best {progress.best_error:.4f}"
            bar.set_postfix_str(errors, refresh=False)
            bar.update(progress.epoch - bar.n)
            write()
        write()  # the history of a run that had no epoch left


def _state_file(out: Path, arguments: argparse.Namespace) -> Path:
    """The hidden file beside ``out`` with the state of this run."""
    run = f"{'-'.join(arguments.data)}-{arguments.preset}-split{arguments.split}-seed{arguments.seed}"
    run += "" if arguments.epochs is None else f"-epochs{arguments.epochs}"
    return out.with_name(f".{out.stem}.{run}.state")


def _command(arguments: argparse.Namespace, out: Path, workers: Workers) -> str:
    """The command that makes this checkpoint without a stop."""
    words = ["python"] if workers.size == 1 else ["torchrun", "--nproc-per-node", str(workers.size)]
    words += ["-m", "metamf", "train", "--data", *arguments.data, "--preset", arguments.preset]
    words += ["--split", str(arguments.split), "--seed", str(arguments.seed)]
    if arguments.epochs is not None:
        words += ["--epochs", str(arguments.epochs)]
    if arguments.device != "cpu":
        words += ["--device", arguments.device]
    return shlex.join([*words, "--out", str(out)])
