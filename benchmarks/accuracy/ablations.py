"""Worth of each part of the universal model: the same short training without that part.

    python -m benchmarks.accuracy.ablations

Every variant is trained with the same seeds for ``SHORT_EPOCHS`` epochs on the meta-training parts of ML-1M and Jester,
split 0, and measured, with the parameters of the epoch with the lowest meta-validation error, on matrices that it was
not trained on; its intervals are not calibrated. One row per (variant, matrices) is appended to
benchmarks/results/ablations.csv; a variant that is in the file is not computed again.

Variants:
    full         the whole model
    no effects   the network sees no row and column effects in closed form, and the prior means do not start from them
    no components    damping, the prior precision of effects and the level of the noise are the same for all matrices
    no counts    the network is not told how often a row or column was observed
    one precision for all    the prior precision of a factor is the same for each row, and for each column
    one noise for all        the noise variance is the same in every cell
    MAP          ridge updates that take the other side as known: variational Bayes without the uncertainty
    2 layers, 24 channels    a smaller network
    none made up     all training matrices are real
    three in ten made up     instead of one in ten

Matrices: ML-100K's official split u1 and 200 blocks of 30 x 30 of it (zero-shot); 200 blocks and the whole, half given,
of the meta-test parts of ML-1M and Jester; some 250 matrices of domains drawn at random, with a known rating scale
(``metamf.datasets.random_domain``). ratio: squared error relative to that of the mean of what is given; log likelihood:
per rating, in its own units.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.rows import RESULTS, command_line, read, report
from metamf import datasets
from metamf.baselines.biases import Mean
from metamf.datasets import random_domain
from metamf.learning.data import Domains, load_domains
from metamf.learning.episodes import Episode, EpisodeBatch, divide_entries, held_out_blocks
from metamf.learning.evaluation import summarize
from metamf.network.universal.effects import Effects, fitted_effects
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.network.universal.variational import update
from metamf.ratings.matrix import Ratings
from metamf.recipes.universal import UniversalRun

OUT = RESULTS / "ablations.csv"
TRAINED_ON = ("ml-1m", "jester")
SHORT_EPOCHS = 12
MADE_UP = 300  # synthetic matrices to measure on


def main() -> None:
    command_line(__doc__).parse_args()
    torch.set_num_threads(1)
    done = {row["variant"] for row in read(OUT)}
    domains = load_domains(TRAINED_ON, 0)
    cases = list(judged(domains.test))
    for name in (name for name in VARIANTS if name not in done):
        for row in rows_of(name, domains, cases):
            report(OUT, row)


def rows_of(name: str, domains: Domains, cases: list[tuple[str, list[Episode]]]) -> Iterator[dict]:
    variant = VARIANTS[name]
    with ExitStack() as stack:
        for target, replacement in variant.patches.items():
            stack.enter_context(patch(f"metamf.{target}", replacement))
        run = UniversalRun(TRAINED_ON, domains, config=variant.config, epochs=SHORT_EPOCHS)
        run.training.config = replace(run.training.config, keep="best")  # as the rows were measured that are there
        if variant.synthetic_share is not None:
            run.training.sampler = replace(run.training.sampler, synthetic_share=variant.synthetic_share)
        list(run.training.run())
        for matrices, episodes in cases:
            units = run.model.scale_units
            batch = EpisodeBatch.of([episode.standardized(units) for episode in episodes])
            spread = torch.tensor([units.of(episode.support).std for episode in episodes])
            ratio, likelihood = summarize(run.model, Mean(), batch)["ratio"], log_likelihood(run.model, batch, spread)
            yield {
                "variant": name,
                "matrices": matrices,
                "ratio": f"{ratio:.5f}",
                "log_likelihood": f"{likelihood:.5f}",
                "updates": SHORT_EPOCHS * run.training.config.updates_per_epoch,
                "torch": torch.__version__,
            }


def judged(tests: dict[str, Ratings]) -> Iterator[tuple[str, list[Episode]]]:
    yield "ml-100k, u1", [Episode(*datasets.load_official_split())]
    for name, matrix in ({"ml-100k": datasets.load("ml-100k")} | tests).items():
        yield f"{name}, blocks", held_out_blocks(matrix, 200, [0, 2])
    for name, matrix in tests.items():
        yield f"{name}, whole", [divide_entries(matrix, 0.5, np.random.default_rng([0, 0]))]
    yield "random domains", list(of_random_domains(np.random.default_rng([0, 6])))


def of_random_domains(rng: np.random.Generator) -> Iterator[Episode]:
    """Synthetic matrices, except those with long tails: a few of them would dominate the error."""
    for size in np.exp(rng.uniform(np.log(10), np.log(150), (MADE_UP, 2))).astype(int):
        episode = divide_entries(random_domain(rng, *size), rng.uniform(0.1, 0.9), rng)
        if episode.support.scale is not None and episode.support.nnz and episode.query.nnz:
            yield episode


def log_likelihood(model, episodes: EpisodeBatch, spread: torch.Tensor) -> float:
    """Mean Gaussian log likelihood of the query entries in rating units; ``spread``: (D,) one standardised unit."""
    at = episodes.query_row, episodes.query_col
    with torch.no_grad():
        adapted = model.adapt(episodes.support)
        normal = torch.distributions.Normal(adapted.predict(*at), adapted.variance(*at).sqrt())
        return (normal.log_prob(episodes.query_x) - spread[episodes.query_matrix].log()).mean().item()


# -- the variants -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """How a variant differs from the full model."""

    patches: dict[str, object]  # dotted name in ``metamf`` -> its replacement while the variant is trained and judged
    config: UniversalConfig = UniversalConfig()
    synthetic_share: float | None = None  # of the (small enough) training matrices; None: the recipe's


class SharedPrecision(Universal):
    def _prior(self, side, total, stats):
        prior = super()._prior(side, total, stats)
        of_factors, of_effect = self.log_precision[side].exp().expand_as(prior.mean).split([self.config.rank, 1], 1)
        return prior._replace(precision=torch.cat([of_factors, of_effect * stats.effect_precision], 1))


class SharedNoise(Universal):
    def _prior(self, *arguments):
        prior = super()._prior(*arguments)
        return prior._replace(reliability=torch.ones_like(prior.reliability))


def no_effects(batch, expected, weight, sweeps):
    effects, variances = fitted_effects(batch, expected, weight, sweeps)
    return Effects(*(torch.zeros_like(effect) for effect in effects)), variances


def no_counts(count, cells):
    return (torch.zeros_like(count),) * 3


def map_update(prior, other, *arguments):
    return update(prior, other._replace(cov=torch.zeros_like(other.cov)), *arguments)


VARIANTS = {
    "full": Variant({}),
    "no effects": Variant({"network.universal.network.fitted_effects": no_effects}),
    "no components": Variant({}, UniversalConfig(components=False)),
    "no counts": Variant({"network.universal.effects.count_features": no_counts}),
    "one precision for all": Variant({"recipes.universal.Universal": SharedPrecision}),
    "one noise for all": Variant({"recipes.universal.Universal": SharedNoise}),
    "MAP": Variant({"network.universal.network.update": map_update}),
    "2 layers, 24 channels": Variant({}, UniversalConfig(channels=24, layers=2)),
    "none made up": Variant({}, synthetic_share=0.0),
    "three in ten made up": Variant({}, synthetic_share=0.3),
}

if __name__ == "__main__":
    main()
