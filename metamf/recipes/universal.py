"""How the checkpoint of the extended model was made: units, training, calibration, errors, and its
card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor

from metamf import datasets
from metamf.baselines.biases import Mean
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.learning.episodes import (
    SUPPORT_SHARES,
    Episode,
    EpisodeBatch,
    MixedSampler,
    divide_entries,
    held_out_blocks,
)
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import calibrated_errors
from metamf.learning.training import MetaTraining, TrainingConfig
from metamf.network.universal.intervals import calibrate, interval_report
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state
from metamf.ratings.units import ScaleUnits
from metamf.recipes.cards import card_of, density_range, save_with_card
from metamf.recipes.data import TEST, VALIDATION, Domains

UNIVERSAL_TRAINING = TrainingConfig(
    learning_rate=3e-3,
    epochs=180,
    updates_per_epoch=50,
    schedule="cosine",
    averaging=0.99,
    keep="last",
    warmup=50,
    clip_gradient=1.0,
    weight_decay=0.01,
)
VALIDATION_BATCHES = 12  # batches of 16 matrices, after every epoch
# batches of 16 matrices, for each data set, with a known scale and without
CALIBRATION_BATCHES = 200
UNIT_BLOCKS = 500  # blocks of each data set and size, to estimate the units on
# next to VALIDATION and TEST: seed of the blocks that the units are estimated on; its value means
# nothing
UNITS = 3
# of the training matrices; their domain is drawn at random, to be ready for other domains
SYNTHETIC_SHARE = 0.1
# Columns of the universal checkpoint's table of errors, as its header names them.
MEASURED = ("query_mse", "ratio", "log_likelihood", "cover_50", "cover_80", "cover_90", "cover_95")


class UniversalRun:
    """One training run of the extended model on the meta-training parts of several data sets, as
    ``PaperRun``.

    ``domains`` has the splits of the data sets ``data``; ``device`` is that of the validation
    episodes.
    """

    def __init__(
        self,
        data: Sequence[str],
        domains: Domains,
        split: int = 0,
        seed: int = 0,
        config: UniversalConfig | None = None,
        epochs: int | None = None,
        device: str | torch.device = "cpu",
    ):
        self.data = tuple(data)
        self.domains = domains
        self.split = split
        with own_random_state(seed):
            self.model = Universal(UniversalConfig() if config is None else config)
        sizes = (10, 10), (30, 30)
        blocks = (
            held_out_blocks(matrix, UNIT_BLOCKS, [split, UNITS], size)
            for matrix in domains.train.values()
            for size in sizes
        )
        units = fit_units([episode for some in blocks for episode in some])
        self.model.units.copy_(torch.tensor(astuple(units)))
        sampler = MixedSampler(
            tuple(domains.train.values()),
            units=units,
            synthetic_share=SYNTHETIC_SHARE,
            synthesise=datasets.random_domain,
        )
        held_out = replace(
            sampler,
            matrices=tuple(domains.validation.values()),
            large_share=0.0,
            synthetic_share=0.0,
        )
        rng = np.random.default_rng([split, VALIDATION])
        episodes = [
            episode for _ in range(VALIDATION_BATCHES) for episode in held_out.episodes(rng, 16)
        ]
        validation = EpisodeBatch.of(episodes, device=device)
        training = replace(
            UNIVERSAL_TRAINING, seed=seed, epochs=epochs or UNIVERSAL_TRAINING.epochs
        )
        self.training = MetaTraining(self.model, sampler, validation, training, calibrated_errors)

    @property
    def sampler(self) -> MixedSampler:
        return cast(MixedSampler, self.training.sampler)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Calibrates the intervals on matrices of meta-validation rows, measures errors, writes
        checkpoint and card.

        The checkpoint holds the averaged parameters of the last epoch: ten columns of Jester, say,
        tell which epoch suits those ten best, not which is best, and late in training all epochs
        differ by less than that.
        """
        device = self.training.device
        seed = [self.split, VALIDATION, 1]
        matrices = self.domains.calibration.values()
        calibrate_on(self.model, matrices, replace(self.sampler, synthetic_share=0.0), seed, device)
        return save_with_card(
            out,
            self.model,
            universal_card,
            data=", ".join(self.data),
            standardization=None,
            scale=None,
            split_seed=self.split,
            recipe={
                "preset": "universal",
                "training": asdict(self.training.config),
                "made_up": self.sampler.synthetic_share,
                "last_epoch": self.training.history[-1].epoch,
                "command": command,
            },
            errors={
                name: measured_errors(self.model, part, self.split, device)
                for name, part in self.domains.test.items()
            },
            kind="universal",
            learned_from=domain_of_mixed(self.sampler),
        )


def calibrate_on(
    model: Universal,
    matrices: Iterable[Ratings],
    sampler: MixedSampler,
    seed: Sequence[int],
    device: str | torch.device,
) -> None:
    """Calibrates the intervals on matrices of all sizes, very small ones too, drawn from each of
    ``matrices``."""

    def batches(matrix: Ratings, known: float) -> Iterator[EpisodeBatch]:
        rng = np.random.default_rng(seed)
        mixed = replace(sampler, matrices=(matrix,), known_share=known)
        for _ in range(CALIBRATION_BATCHES):
            yield mixed.sample(rng, 16, device)
        tiny = replace(mixed, smallest=3, largest=(12, 12), large_share=0.0, entries=1000)
        for _ in range(CALIBRATION_BATCHES // 3):
            yield tiny.sample(rng, 64, device)

    calibrate(model, *([batches(matrix, known) for matrix in matrices] for known in (1.0, 0.0)))


def measured_errors(
    model: Universal, test: Ratings, split: int, device: str | torch.device = "cpu"
) -> dict[str, dict[str, float]]:
    """Errors and intervals on 200 blocks of 30 x 30 of a meta-test part, and on the whole of it,
    half observed."""
    blocks = held_out_blocks(test, 200, [split, TEST])
    whole = [divide_entries(test, 0.5, np.random.default_rng([split, TEST, 1]))]
    units = model.scale_units
    report = {}
    for name, episodes in (("blocks", blocks), ("whole", whole)):
        batch = EpisodeBatch.of(
            [episode.standardized(units) for episode in episodes], device=device
        )
        report[name] = summarize(model, Mean(), batch) | interval_report(model, batch)
    return report


def fit_units(episodes: Sequence[Episode]) -> ScaleUnits:
    """The units in which query entries have the highest Gaussian likelihood, by L-BFGS on the
    logarithms of the four numbers.

    The episodes are in rating units, each with a rating scale and a query entry; each weighs as the
    square root of its number of query entries.
    """
    n, total, squares = torch.stack([_moments(episode.support) for episode in episodes]).T
    n_query, query_total, query_squares = torch.stack(
        [_moments(episode.query) for episode in episodes]
    ).T
    parameters = torch.tensor(astuple(ScaleUnits()), dtype=torch.float64).log().requires_grad_()
    optimizer = torch.optim.LBFGS([parameters], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        mean_0, variance_0, k_1, k_2 = parameters.exp()
        mean = (total + k_1 * mean_0) / (n + k_1)
        variance = (squares - 2 * mean * total + n * mean.square() + k_2 * variance_0) / (n + k_2)
        error = query_squares - 2 * mean * query_total + n_query * mean.square()
        loss = (
            (error / variance / n_query + variance.log()) * n_query.sqrt()
        ).sum() / n_query.sqrt().sum()
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(closure)
    return ScaleUnits(*parameters.detach().exp().tolist())


def _moments(ratings: Ratings) -> Tensor:
    """The number of ratings, their sum, and the sum of their squares, as shares of the scale's
    length above its minimum."""
    if ratings.scale is None:
        raise ValueError(
            "units are estimated from episodes whose rating scale is known: give each one its scale"
        )
    low = ratings.scale.minimum
    length = ratings.scale.maximum - ratings.scale.minimum
    x = torch.from_numpy((ratings.values - low) / length).double()
    return torch.stack([x.new_tensor(len(x)), x.sum(), x.square().sum()])


def domain_of_mixed(sampler: MixedSampler) -> TrainingDomain:
    """Matrices of mixed sizes and densities: the extended model's training, without its synthetic
    part."""
    rows, cols = ((sampler.smallest, largest) for largest in sampler.largest)
    given = [share * ratings.density for share in SUPPORT_SHARES for ratings in sampler.matrices]
    scales = tuple(
        dict.fromkeys(ratings.scale for ratings in sampler.matrices if ratings.scale is not None)
    )
    return TrainingDomain(rows, cols, density_range(given), scales)


def universal_card(info: CheckpointInfo, model: Universal) -> str:
    """The card of a checkpoint of the extended model, which learned from several data sets."""
    archives = [datasets.ARCHIVES[name] for name in info.data.split(", ")]
    rows = [
        f"| {data}, {where} | " + " | ".join(f"{errors[column]:.3f}" for column in MEASURED) + " |"
        for data, matrices in info.errors.items()
        for where, errors in matrices.items()
    ]
    licences = "\n".join(f"- {archive.title}: {archive.licence}" for archive in archives)
    return card_of(
        "universal_card.md",
        info,
        model,
        units=model.scale_units,
        rows="\n".join(rows),
        licences=licences,
    )
