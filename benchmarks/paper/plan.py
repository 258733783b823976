"""Parts of which each experiment consists. A part trains at most one method and gives one row for
each setting.

Splits come in order, so that a stopped run leaves complete splits; in each, methods that train
quickly come first.

Rows are kept in benchmarks/results/paper: <experiment>.csv has one for each (data, split, method,
setting, preset, seed), with means over its blocks, appended when it is computed.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from benchmarks.rows import RESULTS
from metamf.baselines import METHODS
from metamf.datasets import NAMES

PAPER_RESULTS = RESULTS / "paper"
MODEL_FOLDER = Path.home() / ".cache" / "metamf" / "experiments"
KEYS = ["data", "split", "method", "setting", "preset", "seed"]
QUICK = ("mean", "damped_bias", "crossed_effects", "als", "eml", "ours")
STEPS = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
SIZES = (10, 20, 30, 40, 50, 60)
COMBINATIONS = ("+".join(names) for count in (1, 2, 3) for names in combinations(NAMES, count))

#: The method and the settings of each part, for every split and data set; no setting: the
#: experiment changes nothing.
EXPERIMENTS: dict[str, list[tuple[str, ...]]] = {
    "table1": [(method, "") for method in dict.fromkeys((*QUICK, *METHODS))],
    "steps": [("ours", *(f"steps={T}" for T in STEPS))],
    "sizes": [
        (method, *(f"tested={n}" for n in SIZES))
        for method in ("mean", "crossed_effects", "eml", "ours")
    ],
    "training_sizes": [
        (method, f"trained={n} tested={n}") for n in SIZES for method in ("eml", "ours")
    ],
    "ranks": [("ours", f"K={K}") for K in (8, 16, 32, 64, 128)],
    "combinations": [("ours", f"trained={names}") for names in COMBINATIONS],
}


@dataclass(frozen=True)
class ExperimentPart:
    """A part of an experiment."""

    data: str  # the data set whose test blocks are used
    experiment: str
    split: int
    method: str
    #: one row each, such as 'K=8', or '' where the experiment changes nothing
    settings: tuple[str, ...]
    preset: str  # of meta-training; empty if the method is not meta-trained

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """The keys of the part's rows in the file; the seed is 0."""
        data, split = self.data, str(self.split)
        return [(data, split, self.method, s, self.preset, "0") for s in self.settings]


def parts(
    experiment: str,
    data: Sequence[str],
    splits: Sequence[int],
    methods: Sequence[str],
    preset: str,
) -> Iterator[ExperimentPart]:
    """Every part of an experiment, in the order of computation. ``methods`` restricts those of
    table1."""
    for split in splits:
        for method, *settings in EXPERIMENTS[experiment]:
            if method in methods or experiment != "table1":
                of_method = experiment, split, method, tuple(settings)
                trained_by = preset if METHODS[method].kind == "meta-learned" else ""
                for name in data:
                    yield ExperimentPart(name, *of_method, trained_by)


def key_of(row: dict) -> tuple[str, ...]:
    """The values of ``KEYS`` as texts, by which a row is recognised."""
    return tuple(str(row[name]) for name in KEYS)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Raises RuntimeError while another process adds to the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy = f"another run is adding to {path.name}: wait for it, or stop it"
            raise RuntimeError(busy) from None
        yield
