"""The times of all methods, side by side in one run: the paper's Tables 6 and 7.

    python -m benchmarks.paper.times

Meta-training: one update with preset paper; every method takes the same number of updates.
Meta-test: one held-out block alone, adapted to and all of its query entries predicted, with the
default settings. The methods take turns (``benchmarks.timing``) on one thread, and the median over
the rounds is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from benchmarks.paper.methods import Training, prepared, versions
from benchmarks.paper.plan import PAPER_RESULTS
from benchmarks.rows import command_line, report
from benchmarks.timing import seconds_of, training_update
from metamf.baselines import METHODS
from metamf.datasets import NAMES
from metamf.learning.episodes import BlockSampler
from metamf.learning.objectives import query_error
from metamf.recipes.presets import PRESETS

ROUNDS = 40  # of updates; of test blocks a quarter as many
TRAINED = ("ours", "eml", "maml")  # FT is meta-trained as EML


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    out = PAPER_RESULTS / "times.csv"
    out.unlink(missing_ok=True)
    for name in NAMES:
        report(out, *take_turns(updates(name), ROUNDS, name, "meta-training update"))
        report(out, *take_turns(test_blocks(name), ROUNDS // 4, name, "meta-test block"))


def take_turns(
    contenders: dict[str, Callable[[], None]], rounds: int, data: str, phase: str
) -> list[dict]:
    """The median milliseconds of each contender, and the ratio to Ours."""
    median = seconds_of(contenders, rounds)
    measured = {"rounds": rounds, "versions": versions()}
    return [
        {"data": data, "phase": phase, "method": name, "milliseconds": 1000 * seconds}
        | {"ratio": seconds / median["ours"]}
        | measured
        for name, seconds in median.items()
    ]


def updates(data: str) -> dict[str, Callable[[], None]]:
    """One update of meta-training by each method."""
    sampler = BlockSampler([prepared(data, 0, 1).train])
    rate = PRESETS["paper"].training.learning_rate
    found = {}
    for name in TRAINED:
        method = METHODS[name].build(Training(name, data, 0, "paper").config()).train()
        found[name] = training_update(method, sampler, query_error, rate)
    return found


def test_blocks(data: str) -> dict[str, Callable[[], None]]:
    """One test block by each method."""
    block = prepared(data, 0, 1).test

    @torch.no_grad()
    def test(method: torch.nn.Module) -> None:
        method.adapt(block.support).predict(block.query_row, block.query_col)

    return {name: partial(test, METHODS[name].build()) for name in METHODS}


if __name__ == "__main__":
    main()
