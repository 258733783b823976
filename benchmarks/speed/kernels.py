"""Time and memory of the sparse kernels against the dense reference and against EML's layers alone,
all in one run.

    python -m benchmarks.speed.kernels  # writes benchmarks/results/speed.csv

Contests are one training step on 16 blocks of each data set, and a forward and backward pass on all
of ML-100K. Contenders take turns (``benchmarks.timing``); the median over the rounds is reported.
Peak memory is what doing it once adds to a fresh process.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import torch

from benchmarks.rows import RESULTS, command_line, report
from benchmarks.timing import in_a_fresh_process, seconds_of, training_update
from metamf import datasets
from metamf.baselines.eml import EML
from metamf.learning.episodes import BlockSampler, EpisodeBatch
from metamf.learning.objectives import query_error
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.units import Standardization
from metamf.recipes.data import prepare
from tests.support.dense_reference import algorithm_1, estimates

ROUNDS = 40
CONTESTS: dict[str, Callable[[], dict[str, Callable[[], None]]]] = {}


def main() -> None:
    command_line(__doc__).parse_args()
    out = RESULTS / "speed.csv"
    out.unlink(missing_ok=True)
    for title in CONTESTS:
        report(out, *contest(title, ROUNDS))


def contest(title: str, rounds: int) -> list[dict]:
    """Median seconds of each contender, the ratio to the first one (the sparse model), and its peak
    memory."""
    torch.set_num_threads(1)
    contenders = CONTESTS[title]()
    median = seconds_of(contenders, rounds)
    first = next(iter(median.values()))
    return [
        {
            "contest": title,
            "contender": name,
            "milliseconds": 1000 * value,
            "ratio to the first": value / first,
            "peak MiB above start": in_a_fresh_process(peak_memory, title, name),
            "rounds": rounds,
            "torch": torch.__version__,
        }
        for name, value in median.items()
    ]


def peak_memory(title: str, contender: str) -> float:
    """MiB that doing it once adds to the peak resident size of this process."""
    torch.set_num_threads(1)
    work = CONTESTS[title]()[contender]
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak starts at the present size
    before = psutil.Process().memory_info().rss / 1024
    work()
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return (int(peak[1]) - before) / 1024


def training_step(name: str) -> dict[str, Callable[[], None]]:
    """Sampling 16 blocks, forward, backward and optimiser."""
    sampler = BlockSampler([prepare(name, 0, blocks=1).train])
    return {
        "sparse model": training_update(MetaMF(), sampler, query_error, 1e-3),
        "EML's layers alone": training_update(EML(), sampler, query_error, 1e-3),
        "dense reference": training_update(MetaMF(), sampler, dense_query_error, 1e-3),
    }


def whole_matrix() -> dict[str, Callable[[], None]]:
    """Prior network and MAP steps on all of ML-100K, 943 x 1,682, forward and backward."""
    ratings = datasets.load("ml-100k")
    ratings = ratings.with_values(Standardization.of(ratings.values).apply(ratings.values))
    # the paper's step size diverges on a matrix of this size; a smaller one costs the same
    batch, model = RatingsBatch.of([ratings]), MetaMF(MetaMFConfig(step_size=1e-5)).eval()
    X, B = to_dense(batch)

    def sparse() -> None:
        factors = model.adapt(batch).factors
        (factors.U.sum() + factors.V.sum()).backward()

    def dense_reference() -> None:
        U, V = algorithm_1(dict(model.named_parameters()), X, B, model.config.steps)
        (U[-1].sum() + V[-1].sum()).backward()

    return {"sparse model": sparse, "dense reference": dense_reference}


def dense_query_error(model: MetaMF, episodes: EpisodeBatch) -> torch.Tensor:
    w = dict(model.named_parameters())
    U, V = algorithm_1(w, *to_dense(episodes.support), model.config.steps)
    found = estimates(U[-1], V[-1])  # (D, N, M)
    _, N, M = found.shape
    at = episodes.query_matrix, episodes.query_row % N, episodes.query_col % M
    return (found[at] - episodes.query_x).square().mean()


def to_dense(batch: RatingsBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """(D, N, M) values and mask of a batch of matrices of one size."""
    N, M = int(batch.n_rows[0]), int(batch.n_cols[0])
    X, B = torch.zeros(2, len(batch), N, M)
    at = batch.row_matrix[batch.row], batch.row % N, batch.col % M
    X[at], B[at] = batch.x, 1.0
    return X, B


for _name in datasets.NAMES:
    CONTESTS[f"training step, {_name}"] = partial(training_step, _name)
CONTESTS["whole ML-100K, forward and backward"] = whole_matrix

if __name__ == "__main__":
    main()
