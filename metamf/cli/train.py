"""metamf train: a checkpoint from a data set, by a preset of ``metamf.recipes.presets``.

After every epoch the state of the run is written next to the checkpoint, so that a stopped run
continues and has the same result. The name of that file holds the settings: other settings are
another run.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pandas as pd
import torch
from tqdm import tqdm

from metamf.cli.console import INTERRUPTED, say, sentence
from metamf.cli.options import UNIVERSAL
from metamf.datasets.archives import DRAWN
from metamf.recipes.data import load_domains, prepare
from metamf.recipes.drawn import DrawnRun, drawn_data
from metamf.recipes.paper import PaperRun
from metamf.recipes.presets import resumable
from metamf.recipes.universal import UniversalRun
from metamf.wording import percent


def train(arguments: argparse.Namespace) -> int:
    """Meta-trains a model; the exit code."""
    if len(arguments.data) > 1 and arguments.preset != UNIVERSAL:
        raise ValueError(
            f"preset {arguments.preset} trains on one data set, got {', '.join(arguments.data)}"
        )
    if arguments.features and arguments.preset == UNIVERSAL:
        raise ValueError(
            "preset universal reads no features: leave --features out, or take another preset"
        )
    drawn = [name for name in arguments.data if name in DRAWN]
    if drawn and (len(arguments.data) > 1 or arguments.features or arguments.preset != "tuned"):
        raise ValueError(
            f"{drawn[0]} has a preset of its own: leave --preset, --features and other data sets "
            "out"
        )
    name = UNIVERSAL if arguments.preset == UNIVERSAL else arguments.data[0]
    out = arguments.out or Path(f"{name}.safetensors")
    state = _state_file(out, arguments)
    if arguments.fresh:
        state.unlink(missing_ok=True)
    stopped = state.is_file()
    if arguments.resume and not stopped:
        raise FileNotFoundError(f"there is no stopped run to resume: {state} does not exist")
    if stopped:
        say(f"Continuing the stopped run ({state}); --fresh starts over.")
    out.parent.mkdir(parents=True, exist_ok=True)
    run = _prepared_run(arguments)
    stop: BaseException | None = None
    try:
        _follow(run, state, arguments.log)
    except (KeyboardInterrupt, FloatingPointError) as error:
        if not run.training.history:
            say("No epoch was finished, so nothing is kept.")
            raise
        stop = error
    info = run.finish(out, _command(arguments, out))
    kept = f"Epoch {info.recipe.get('kept_epoch') or info.recipe['last_epoch']} is kept"
    if "ratio" in info.errors:
        kept += (
            f": {percent(info.errors['ratio'], 1)} of the support mean's error on "
            f"{info.errors['blocks']} blocks"
        )
    say(f"{kept}. All figures are in {out.with_suffix('.md')}.")
    print(out)
    if stop is None:
        state.unlink(missing_ok=True)
        return 0
    if isinstance(stop, KeyboardInterrupt):
        say("Stopped: what was learned so far is kept, and the same command continues from here.")
        return INTERRUPTED
    say(f"error: {sentence(stop)}")
    return 1


def _prepared_run(arguments: argparse.Namespace) -> PaperRun | UniversalRun | DrawnRun:
    settings = {"split": arguments.split, "seed": arguments.seed, "epochs": arguments.epochs}
    if arguments.preset == UNIVERSAL:
        domains = load_domains(arguments.data, arguments.split, arguments.folder)
        return UniversalRun(arguments.data, domains, device=arguments.device, **settings)
    torch.set_num_threads(1)  # blocks of 30 x 30 are too small to share
    (data,) = arguments.data
    if data in DRAWN:
        return DrawnRun(data, drawn_data(data, arguments.folder, arguments.split), **settings)
    features = arguments.features
    prepared = prepare(
        data, arguments.split, folder=arguments.folder, device=arguments.device, features=features
    )
    return PaperRun(data, prepared, arguments.preset, **settings, features=features)


def _follow(run: PaperRun | UniversalRun | DrawnRun, state: Path, log: Path | None) -> None:
    """Trains to the end; shows a progress bar and writes the log, epoch by epoch."""
    training = run.training

    def write() -> None:
        if log is not None:
            pd.DataFrame(training.history).to_csv(log, index=False)

    with tqdm(total=training.config.epochs, unit="epoch") as bar:
        for progress in resumable(training, state):
            if not bar.n:
                bar.initial = progress.epoch - 1  # the speed is that of this call alone
            errors = (
                f"validation error {progress.validation_error:.4f}, best {progress.best_error:.4f}"
            )
            bar.set_postfix_str(errors, refresh=False)
            bar.update(progress.epoch - bar.n)
            write()
    write()  # the history of a run that had no epoch left


def _state_file(out: Path, arguments: argparse.Namespace) -> Path:
    """The hidden file next to ``out`` with the state of this run."""
    run = (
        f"{'-'.join(arguments.data)}-{arguments.preset}-split{arguments.split}-seed{arguments.seed}"
    )
    run += "" if arguments.epochs is None else f"-epochs{arguments.epochs}"
    run += "".join(f"-{feature}" for feature in arguments.features)
    return out.with_name(f".{out.stem}.{run}.state")


def _command(arguments: argparse.Namespace, out: Path) -> str:
    """The command that makes this checkpoint without a stop."""
    words = ["python", "-m", "metamf", "train", "--data", *arguments.data]
    preset = "tuned" if arguments.data[0] in DRAWN else None
    for name, unless in (
        ("preset", preset),
        ("split", None),
        ("seed", None),
        ("epochs", None),
        ("device", "cpu"),
    ):
        if (value := getattr(arguments, name)) != unless:
            words += [f"--{name}", str(value)]
    if arguments.features:
        words += ["--features", ",".join(arguments.features)]
    return shlex.join([*words, "--out", str(out)])
