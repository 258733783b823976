"""Parts of which each experiment consists. A part trains at most one method and gives one row for each setting.

Jobs that train quickly come first, then splits in order, so that a run that is stopped leaves complete splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from metamf.baselines import METHODS
from metamf.datasets import NAMES

QUICK = ("mean", "damped_bias", "crossed_effects", "als", "eml", "ours")
SLOW = ("mf", "soft_impute", "knn", "ft", "autorec_i", "autorec_u", "dmf", "iterative", "normal", "maml")
RANKS = (8, 16, 32, 64, 128)
HIDDEN = (32, 128, 512)
STEPS = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
UPDATES, RATES = (0, 1, 3, 10, 30, 100, 300), (0.001, 0.01, 0.1)
EPOCHS = (5, 10, 20, 40, 80, 160)
SIZES = (10, 20, 30, 40, 50, 60)
COMBINATIONS = tuple("+".join(names) for count in (1, 2, 3) for names in combinations(NAMES, count))


@dataclass(frozen=True)
class ExperimentPart:
    """A part of an experiment."""

    experiment: str
    data: str  # the data set whose test blocks are used
    split: int
    method: str
    settings: tuple[str, ...]  # one row each, such as 'K=8', or '' where the experiment changes nothing
    preset: str  # of meta-training; empty if the method is not meta-trained
    seed: int  # of meta-training

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """The keys of the part's rows in the file."""
        return [(self.data, str(self.split), self.method, s, self.preset, str(self.seed)) for s in self.settings]


def parts(
    experiment: str, data: Sequence[str], splits: Sequence[int], methods: Sequence[str] | None, preset: str, seed: int
) -> Iterator[ExperimentPart]:
    """Every part of an experiment, in the order of computation. ``methods`` restricts those of table1; None: all."""

    def part(data: str, split: int, method: str, *settings: str) -> ExperimentPart:
        return ExperimentPart(experiment, data, split, method, settings, preset_of(method, preset), seed)

    def of_each(method: str, *settings: str) -> Iterator[ExperimentPart]:
        for split in splits:
            for name in data:
                yield part(name, split, method, *settings)

    if experiment == "table1":
        for method in QUICK:
            if methods is None or method in methods:
                yield from of_each(method, "")
        for split in splits:
            for method in SLOW:
                if methods is None or method in methods:
                    yield from (part(name, split, method, "") for name in data)
    elif experiment == "steps":
        yield from of_each("ours", *(f"steps={T}" for T in STEPS))
    elif experiment == "finetuning":
        yield from of_each("ft", *(f"rate={rate} steps={steps}" for rate in RATES for steps in UPDATES))
    elif experiment == "epochs":
        for split in splits:
            for name in data:
                for epochs in EPOCHS:
                    for method in ("eml", "ours"):  # preset tuned is 20 epochs long, whatever they are
                        yield ExperimentPart(experiment, name, split, method, (f"epochs={epochs}",), "paper", seed)
    elif experiment == "sizes":
        for method in ("mean", "crossed_effects", "eml", "ours"):
            yield from of_each(method, *(f"tested={size}" for size in SIZES))
    elif experiment == "training_sizes":
        for split in splits:
            for name in data:
                for size in SIZES:
                    yield from (
                        part(name, split, method, f"trained={size} tested={size}") for method in ("eml", "ours")
                    )
    elif experiment == "ranks":
        for split in splits:
            for name in data:
                yield from (part(name, split, "ours", f"K={K}") for K in RANKS)
    elif experiment == "combinations":
        for split in splits:
            for trained in COMBINATIONS:
                yield from (part(name, split, "ours", f"trained={trained}") for name in data)
    elif experiment == "hidden":
        for split in splits:
            for units in HIDDEN:
                for name in data:
                    yield from (part(name, split, method, f"hidden={units}") for method in ("autorec_i", "autorec_u"))
    else:
        raise ValueError(f"there is no experiment {experiment!r}; choose from {', '.join(EXPERIMENTS)}")


EXPERIMENTS = ("table1", "steps", "sizes", "training_sizes", "ranks", "combinations", "hidden", "finetuning", "epochs")


def preset_of(method: str, preset: str) -> str:
    """The preset that the rows of a method depend on: none if the method is not meta-trained."""
    return preset if METHODS[method].kind == "meta-learned" else ""
