"""Meta-training on tables, too: worth of matrices whose columns have a covariance and units of their own.

    python -m benchmarks.tables.download --cache FOLDER
    python -m benchmarks.accuracy.wider --cache FOLDER

The bundled ``universal`` is trained on for ``EPOCHS`` epochs more, once as it was trained before, and once with a share
of the batches made of random tables: complete or not, with a covariance of the columns from a wide family, and each
read in the units of its columns. Both are measured without tuning and without other members beside the network, on the
matrices of ``benchmarks.accuracy.ablations`` (films, jokes, made-up domains: squared error relative to that of the
mean) and on the deciding half of the tables of ``benchmarks.tables`` (geometric mean over tables of the root mean
squared error relative to the column means). Rows go to benchmarks/results/wider.csv; a variant that is in the file is
not computed again, and a training that was stopped goes on.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import torch

from benchmarks.accuracy.ablations import TRAINED_ON, judged
from benchmarks.rows import RESULTS, append, read
from benchmarks.tables.corpus import SOURCES, halves
from benchmarks.tables.matrices import hide
from benchmarks.tables.methods import Completion
from benchmarks.tables.run import table_of, table_scores
from metamf import MetaMFImputer
from metamf.baselines.mean import Mean
from metamf.checkpoints.bundled import open_checkpoint
from metamf.learning.data import load_domains
from metamf.learning.episodes import Episode, EpisodeBatch, MixedSampler, divide_entries
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import calibrated_errors
from metamf.learning.recipes import UNIVERSAL_TRAINING, UniversalRun
from metamf.learning.training import MetaTraining
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits

OUT = RESULTS / "wider.csv"
EPOCHS = 40  # of 50 updates
LEARNING_RATE = 1e-3  # at first; a third of the recipe's
VARIANTS = {"bundled": None, "trained on": 0.0, "trained on, tables too": 0.4}  # share of batches of tables
ROWS, COLUMNS = (10, 1000), (4, 60)  # log-uniform
COMPLETE = 0.5  # probability that nothing is missing; otherwise a share up to 60 % is, at random
LARGEST_RANK = 10
SHARES, SEEDS = (0.3, 0.6), range(2)  # hidden of the tables


def random_table(rng: np.random.Generator, n_rows: int, n_cols: int) -> Ratings:
    """A table of numbers: rows drawn from a normal distribution over the columns, each column then on its own scale."""
    family = rng.integers(4)
    if family == 0:  # a few factors with loadings of every size
        rank = int(rng.integers(1, min(n_cols, LARGEST_RANK) + 1))
        covariance = _product(rng.standard_normal((n_cols, rank)) * np.sqrt(rng.dirichlet(np.ones(rank))))
    elif family == 1:  # neighbours are alike, as of months or places
        distance = np.abs(np.subtract.outer(np.arange(n_cols), np.arange(n_cols)))
        covariance = np.exp(-distance / np.exp(rng.uniform(0, np.log(n_cols))))
    elif family == 2:  # groups of columns, as of questions on the same thing
        group = rng.integers(0, rng.integers(1, n_cols + 1), n_cols)
        covariance = rng.uniform(0.2, 0.95) * np.equal.outer(group, group) + rng.uniform(0, 0.3)
    else:  # no structure
        covariance = _product(rng.standard_normal((n_cols, n_cols + int(rng.integers(1, 30)))))
    deviation = np.sqrt(np.diag(covariance))
    covariance = covariance / np.outer(deviation, deviation)
    own = 1 / (1 + np.exp(-rng.normal(-1.0, 1.5, n_cols)))  # share of a column's variance that no other column tells
    shared = np.sqrt(1 - own)
    covariance = covariance * np.outer(shared, shared)
    np.fill_diagonal(covariance, 1.0)
    sign = rng.choice([-1.0, 1.0], n_cols) if rng.random() < 0.5 else np.ones(n_cols)
    values, vectors = np.linalg.eigh(covariance)
    z = rng.standard_normal((n_rows, n_cols)) * np.sqrt(values.clip(0)) @ vectors.T * sign
    return _observed(rng, _on_scales(rng, z))


def _product(loadings: np.ndarray) -> np.ndarray:
    return loadings @ loadings.T


def _on_scales(rng: np.random.Generator, z: np.ndarray) -> np.ndarray:
    """Each column on its own scale, or all on the same one: linear, with a long tail, or in a few steps."""
    kinds = rng.choice(3, z.shape[1], p=(0.5, 0.2, 0.3)) if rng.random() < 0.5 else np.full(z.shape[1], rng.integers(3))
    steps = rng.integers(2, 11, z.shape[1]) if rng.random() < 0.5 else np.full(z.shape[1], rng.integers(2, 11))
    found = np.where(kinds == 1, np.exp(rng.uniform(0.3, 1.0) * z), z)
    stepped = np.clip(np.round(z * steps / 4), -steps / 2, steps / 2)
    return np.where(kinds == 2, stepped, found)


def _observed(rng: np.random.Generator, values: np.ndarray) -> Ratings:
    if rng.random() >= COMPLETE:
        values = np.where(rng.random(values.shape) < rng.uniform(0, 0.6), np.nan, values)
    return Ratings.from_dense(values)


@dataclass(frozen=True)
class TablesToo(MixedSampler):
    """A share of the batches are tables, each read in the units of its columns.

    Parameters
    ----------
    tables_share : probability that a batch is one of tables
    """

    tables_share: float = 0.0

    def episodes(self, rng: np.random.Generator, count: int) -> list[Episode]:
        if rng.random() >= self.tables_share:
            return super().episodes(rng, count)
        found: list[Episode] = []
        entries = 0
        while entries < self.entries and len(found) < count:
            sizes = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in (ROWS, COLUMNS))
            episode = divide_entries(random_table(rng, *sizes), rng.uniform(*self.support_shares), rng)
            n = episode.support.nnz + episode.query.nnz
            if episode.query.nnz and episode.support.nnz and n <= 2 * self.entries:
                found.append(in_units_of_columns(episode))
                entries += n
        return found


def in_units_of_columns(episode: Episode) -> Episode:
    """The episode, each column by mean and spread of its support entries."""
    units = SidedUnits(By.COLUMN).of(episode.support)
    parts = (
        part.with_values(units.apply_at(part.values, part.rows, part.cols)) for part in (episode.support, episode.query)
    )
    return Episode(*parts)


def trained_on(share: float, state: Path) -> Path:
    """The checkpoint of the bundled network after more training, a share of it on tables."""
    checkpoint = state.with_suffix(".safetensors")
    if checkpoint.exists():
        return checkpoint
    run = UniversalRun(TRAINED_ON, load_domains(TRAINED_ON, 0))
    run.model.load_state_dict(open_checkpoint("universal")[0].network.state_dict())
    sampler = TablesToo(**vars(run.training.sampler), tables_share=share)
    config = replace(UNIVERSAL_TRAINING, learning_rate=LEARNING_RATE, epochs=EPOCHS)
    run.training = MetaTraining(run.model, sampler, run.training.validation, config, calibrated_errors)
    for progress in run.train(state):
        print(progress, flush=True)
    run.finish(checkpoint, "python -m benchmarks.accuracy.wider")
    return checkpoint


def measured(checkpoint: str | Path, cache: Path) -> dict[str, float]:
    """Errors by the name of what they were measured on."""
    model = open_checkpoint(checkpoint)[0].network
    found = {}
    for matrices, episodes in judged(load_domains(TRAINED_ON, 0).test):
        batch = EpisodeBatch.of([episode.standardized(model.scale_units) for episode in episodes])
        found[matrices] = summarize(model, Mean(), batch)["ratio"]
    half = halves()
    names = [source.name for source in SOURCES if half[source.name] == "decide"]
    for share in SHARES:
        logs = [
            np.log(relative_error(checkpoint, table_of(name, cache), share, seed)) for name in names for seed in SEEDS
        ]
        found[f"tables, {share:.0%} hidden"] = float(np.exp(np.nanmean(logs)))  # NaN: a hidden column of one value
    return found


def relative_error(checkpoint: str | Path, values: np.ndarray, share: float, seed: int) -> float:
    """Root mean squared error of the network alone, relative to that of the column means."""
    hidden = hide(values, share, seed)
    estimates = MetaMFImputer(checkpoint, standardize="chosen").fit_transform(hidden.given)
    scores = table_scores(values, hidden, Completion(estimates))
    return scores["error"] / scores["mean_error"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder of benchmarks.tables.download")
    parser.add_argument("--states", type=Path, default=Path(gettempdir()), help="folder of the states of stopped runs")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    done = {row["variant"] for row in read(arguments.out)}
    for number, (variant, share) in enumerate(VARIANTS.items()):
        if variant in done:
            continue
        state = arguments.states / f"metamf-wider-{number}.state"
        checkpoint = "universal" if share is None else trained_on(share, state)
        rows = [
            {"variant": variant, "matrices": name, "relative": f"{value:.5f}", "torch": torch.__version__}
            for name, value in measured(checkpoint, arguments.cache).items()
        ]
        append(arguments.out, *rows)
        for row in rows:
            print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
