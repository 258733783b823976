"""Meta-trains the table network on made-up tables, by the clock.

    python -m metamf.recipes.tables --device cuda --seconds 545 --out
    pretrained/members/tables.safetensors

The loss of a table is the logarithm of the ratio of two mean squared errors over its missing cells,
in units of the spread of its columns: the network's and that of the normal distribution over the
columns. So a table that is nearly exact counts for as much as one that is mostly noise, and zero is
no better than the normal distribution. The learning rate falls along a cosine to the end of the
time; the average of the last parameters is kept. On an NVIDIA H200 545 seconds are 10,533 updates.

Then the fourth output, the deviation, is fitted to the errors in missing cells of further tables,
by the likelihood of a t distribution, with the other outputs held. ``--weights FILE`` does that
alone, for a network that is there.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.network.tables.network import DEGREES, TableNetwork, TableNetworkConfig
from metamf.network.tables.reading import TableColumns, TableRows
from metamf.recipes.made_up_tables import MadeUpTables

ROWS = 14, 18, 24, 32, 42, 56, 74, 98, 130, 170, 225, 300, 400, 512
COLS = 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 30
MOST_TABLES = 400  # of an update
ITERATIONS = 28  # of EM
TOGETHER = 8  # updates whose tables are made at once
WAITING = 48  # updates that are made before one of them is drawn
LEARNING_RATE, WARMUP, WEIGHT_DECAY = 1.5e-3, 200, 0.02
AVERAGING = 0.999
LARGEST = 30.0  # of what is read, in units of the columns; a table with more is left out
FEW_CELLS = 3.0  # missing cells with the usual error that are added to a table's
LEAST_ERROR = 1e-4  # squared, added to both errors
LEAK = 0.1  # of a departure from what a column holds, that counts
CELLS_OF_A_TABLE = 60  # missing ones at most, that the deviation is fitted to
FURTHEST = 1e3  # deviations, at which an error is cut off there
RIDGE = 1e-4  # of the weights of the deviation


@dataclass(frozen=True, eq=False)
class Lesson:
    """Tables of one size, of which the missing cells are known."""

    rows: TableRows
    truth: Tensor  # (B, N, M) in the units that the network reads
    scale: Tensor  # (B, 1, M) of these units, in spreads of the whole columns
    hidden: Tensor  # (B, N, M) 1.0 where a cell is missing
    usable: Tensor  # (B,) whether all numbers are ordinary ones

    def part(self, some: slice) -> Lesson:
        parts = self.truth[some], self.scale[some], self.hidden[some], self.usable[some]
        return Lesson(self.rows.tables(some), *parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=545.0)
    parser.add_argument("--deviation-seconds", type=float, default=600.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cells", type=int, default=131_072, help="of an update")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", type=Path, help="fit the deviation of this file's network")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = arguments.device
    if arguments.weights is None:
        network, updates = train(arguments.seconds, device, arguments.cells, arguments.seed)
        made = {"seconds": arguments.seconds, "updates": updates, **_machine(device)}
    else:
        tensors, header = read_safetensors(arguments.weights)
        network = TableNetwork(TableNetworkConfig(**header["config"])).to(device)
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
        made = header["recipe"]
    seconds = arguments.deviation_seconds
    tables, entries = fit_deviation(network, seconds, device, arguments.cells, arguments.seed + 1)
    fitted = {"seconds": seconds, "tables": tables, "entries": entries, **_machine(device)}
    tensors = {name: tensor.half().cpu() for name, tensor in network.state_dict().items()}
    header = {"config": asdict(network.config), "recipe": made | {"deviation": fitted}}
    write_safetensors(arguments.out, tensors, header)


def _machine(device: str) -> dict[str, str]:
    return {"device": device, "torch": torch.__version__}


def train(seconds: float, device: str, cells: int, seed: int) -> tuple[TableNetwork, int]:
    """The trained network, and the number of updates; torch's global random state makes the
    tables."""
    average = TableNetwork().to(device)
    average.start_small()
    master = copy.deepcopy(average)
    working = copy.deepcopy(average).to(
        torch.bfloat16 if torch.device(device).type == "cuda" else torch.float32
    )
    ours, theirs, means = (list(each.parameters()) for each in (master, working, average))
    groups = [
        {"params": [p for p in ours if p.dim() > 1], "weight_decay": WEIGHT_DECAY},
        {"params": [p for p in ours if p.dim() <= 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.98))
    stream = lessons(device, cells, random.Random(seed))
    start = time.monotonic()
    update = 0
    while (done := (time.monotonic() - start) / seconds) < 1:
        cosine = 0.5 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, (update + 1) / WARMUP) * cosine
        with torch.no_grad():
            for theirs_one, ours_one in zip(theirs, ours):
                theirs_one.copy_(ours_one)
        loss_of(working, next(stream)).backward()
        for ours_one, theirs_one in zip(ours, theirs):
            ours_one.grad = (
                None
                if theirs_one.grad is None
                else theirs_one.grad.to(ours_one).nan_to_num(0.0, 0.0, 0.0)
            )
            theirs_one.grad = None
        nn.utils.clip_grad_norm_(ours, 1.0)
        optimizer.step()
        update += 1
        with torch.no_grad():
            for mean, ours_one in zip(means, ours):
                mean.lerp_(ours_one, 1 - min(AVERAGING, update / (update + 19)))
    return average, update


@torch.no_grad()
def fit_deviation(
    network: TableNetwork, seconds: float, device: str, cells: int, seed: int
) -> tuple[int, int]:
    """Sets the weights of the fourth output to the most likely ones, from what its states are in
    missing cells of the tables that ``seconds`` suffice for; returns how many tables and cells
    these are."""
    states, errors = [], []
    tables = 0
    stream = lessons(device, cells, random.Random(seed))
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        one = next(stream)
        of_cells = network.states(one.rows)
        estimates, _ = network.said(of_cells, one.rows)
        found = (one.truth - one.rows.clipped(estimates)) / one.rows.deviation
        for b in one.usable.nonzero().flatten().tolist():
            missing = one.hidden[b].nonzero()
            some = missing[torch.randperm(len(missing), device=missing.device)[:CELLS_OF_A_TABLE]]
            n, m = some.T
            finite = torch.isfinite(found[b, n, m])
            states.append(of_cells[b, n, m][finite].cpu())
            errors.append(found[b, n, m][finite].cpu())
            tables += 1
    weight, bias = most_likely_deviation(torch.cat(states), torch.cat(errors))
    network.head.weight[3] = weight
    network.head.bias[3] = bias
    return tables, sum(map(len, errors))


@torch.enable_grad()
def most_likely_deviation(states: Tensor, errors: Tensor) -> tuple[Tensor, Tensor]:
    """Weights (d,) and bias () of the logarithm of the deviations of errors (n,), linear in their
    states (n, d), by the likelihood of a t distribution with ``DEGREES``."""
    mean = states.mean(0)
    spread = states.std(0) + 1e-3
    standardised = (states - mean) / spread
    weight = torch.zeros(states.shape[1], requires_grad=True)
    bias = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weight, bias], max_iter=200, history_size=20, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        log = standardised @ weight + bias
        ratio = (errors / log.exp()).clamp(-FURTHEST, FURTHEST)
        unlikely = log + (DEGREES + 1) / 2 * torch.log1p(ratio**2 / DEGREES)
        value = unlikely.mean() + RIDGE * weight.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    with torch.no_grad():
        return weight / spread, bias - (weight * mean / spread).sum()


def lessons(device: str, cells: int, sizes: random.Random) -> Iterator[Lesson]:
    """Lessons of about ``cells`` cells, mixed: tables are made more quickly together."""
    world = MadeUpTables(device)
    waiting: list[Lesson] = []
    while True:
        while len(waiting) < WAITING:
            N, M = sizes.choice(ROWS), sizes.choice(COLS)
            B = max(1, min(cells // (N * M), MOST_TABLES))
            made = lesson(world, TOGETHER * B, N, M)
            waiting += [made.part(slice(start, start + B)) for start in range(0, TOGETHER * B, B)]
        yield waiting.pop(sizes.randrange(len(waiting)))


@torch.no_grad()
def lesson(world: MadeUpTables, B: int, N: int, M: int) -> Lesson:
    """Made-up tables, read."""
    x = world.draw(B, N, M)
    given = world.given(x)
    mean, std = shared_units(x, given)
    z = (x - mean) / std
    rows = TableColumns.of(z, given, ITERATIONS).read(z, given)
    truth = z.nan_to_num().clamp(-1e4, 1e4)
    scale = std / x.std(1, keepdim=True).clamp(min=1e-6)
    usable = torch.isfinite(scale).flatten(1).all(1)
    for part in (rows.estimate, rows.less_shrunken, rows.deviation, rows.low, rows.high):
        usable &= (part.abs() < LARGEST).flatten(1).all(1)  # which NaN is not, either
    kept = usable[:, None, None]
    parts = rows.estimate, rows.less_shrunken, rows.deviation, rows.low, rows.high
    rows = TableRows(rows.features, rows.pairs, *(torch.where(kept, part, 0.0) for part in parts))
    return Lesson(rows, truth, torch.where(kept, scale, 0.0), 1 - given, usable)


def loss_of(network: TableNetwork, lesson: Lesson) -> Tensor:
    """The mean over tables of the logarithm of the ratio of the squared errors."""
    rows, hidden = lesson.rows, lesson.hidden
    count = hidden.sum((1, 2))

    def mean_of(values: Tensor) -> Tensor:
        return (values * hidden).sum((1, 2)) / count.clamp(min=1)

    def error_of(estimates: Tensor) -> Tensor:
        inside = rows.clipped(estimates)
        errors = (inside + LEAK * (estimates - inside) - lesson.truth) * lesson.scale
        return mean_of(errors.clamp(-20, 20) ** 2)

    usual = mean_of((rows.deviation * lesson.scale) ** 2).clamp(max=2)
    more = LEAST_ERROR + usual * FEW_CELLS / count.clamp(min=1)
    some = lesson.usable & (count > 0)
    ratio = (error_of(network(rows)[0]) + more) / (error_of(rows.estimate) + more)
    return torch.where(some, ratio.clamp(min=1e-6).log(), 0.0).sum() / some.sum().clamp(min=1)


def shared_units(x: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and spread (B, 1, M) of columns, as ``metamf.ratings.units.LinePrior`` has them."""
    n = given.sum(1, keepdim=True).clamp(min=2)
    mean = (x * given).sum(1, keepdim=True) / n
    variance = (((x - mean) * given).square().sum(1, keepdim=True) / (n - 1)).clamp(min=1e-10)
    half = (n - 1) / 2
    log = variance.log() - torch.special.digamma(half) + half.log()
    noise = torch.special.polygamma(1, half)
    typical = log.mean(2, keepdim=True)
    differing = ((log - typical).square() - noise).mean(2, keepdim=True).clamp(min=0)
    found = (typical + differing / (differing + noise) * (log - typical)).exp()
    centre = (mean * n).sum(2, keepdim=True) / n.sum(2, keepdim=True)
    between = (mean.var(2, keepdim=True) - (variance / n).mean(2, keepdim=True)).clamp(min=0)
    weight = between / (between + found / n)
    return centre + weight * (mean - centre), found.sqrt()


if __name__ == "__main__":
    main()
