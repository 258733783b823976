"""The recipe of the universal checkpoint: training on matrices of every size, calibration, errors, card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path

import numpy as np
import torch

from metamf import datasets
from metamf.baselines.mean import Mean
from metamf.checkpoints.info import CheckpointInfo
from metamf.episodes import EpisodeBatch, divide_entries, held_out_blocks
from metamf.learning.curriculum import MixedSampler
from metamf.learning.evaluation import summarize
from metamf.learning.objectives import calibrated_errors
from metamf.learning.scale_units import fit_units
from metamf.learning.training import MetaTraining, Progress, TrainingConfig
from metamf.learning.workers import Workers
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state
from metamf.ratings.whole_units import ScaleUnits
from metamf.recipes.cards import universal_card
from metamf.recipes.preparation import TEST, VALIDATION, Domains
from metamf.recipes.running import resumable
from metamf.recipes.saving import made_now, save_with_card
from metamf.recipes.training_domain import domain_of_mixed
from metamf.universal.calibration import calibrate, interval_report
from metamf.universal.network import Universal, UniversalConfig

# Chosen by hand; that the last epoch is kept, see ``UniversalRun.finish``.
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
CALIBRATION_BATCHES = 200  # batches of 16 matrices, for each data set, with a known scale and without
UNIT_BLOCKS = 500  # blocks of each data set and size, to estimate the units on
UNITS = 3  # beside VALIDATION and TEST: seed of the blocks that the units are estimated on; its value means nothing
# Share of the training matrices whose domain is drawn at random, to be ready for other domains.
SYNTHETIC_SHARE = 0.1


class UniversalRun:
    """One training run on the meta-training parts of several data sets, from seeds to a checkpoint with its card.

    Parameters
    ----------
    data : sequence of str
        Names of data sets.
    domains : Domains
        Their splits.
    split, seed : int
        Seed of the split; seed of the initial parameters and of the episodes.
    config : UniversalConfig
        The architecture.
    epochs : int, optional
        The number of epochs; that of the recipe by default.
    device : str or torch.device
        Device of the validation episodes.
    workers : Workers
        The processes that share the work.
    """

    def __init__(
        self,
        data: Sequence[str],
        domains: Domains,
        split: int = 0,
        seed: int = 0,
        config: UniversalConfig = UniversalConfig(),
        epochs: int | None = None,
        device="cpu",
        workers: Workers = Workers(),
    ):
        self.data, self.domains, self.split, self.seed = tuple(data), domains, split, seed
        with own_random_state(seed):
            self.model = Universal(config)
        units = units_of(domains.train.values(), split)
        self.model.units.copy_(torch.tensor(astuple(units)))
        sampler = MixedSampler(
            tuple(domains.train.values()),
            units=units,
            synthetic_share=SYNTHETIC_SHARE,
            synthesise=datasets.random_domain,
        )
        held_out = replace(sampler, matrices=tuple(domains.validation.values()), large_share=0.0, synthetic_share=0.0)
        validation = _joined(held_out, VALIDATION_BATCHES, [split, VALIDATION], device)
        training = replace(UNIVERSAL_TRAINING, seed=seed, epochs=epochs or UNIVERSAL_TRAINING.epochs)
        self.training = MetaTraining(self.model, sampler, validation, training, calibrated_errors, workers)

    def train(self, state: str | Path | None = None) -> Iterator[Progress]:
        """Trains to the end; with ``state``, a file, goes on from where it stands and writes it after every epoch."""
        return resumable(self.training, state)

    def finish(self, out: str | Path, command: str) -> CheckpointInfo:
        """Calibrates the intervals on matrices of meta-validation rows, measures errors, writes checkpoint and card.

        The checkpoint holds the averaged parameters of the last epoch. Ten columns of Jester, say, tell which epoch
        suits those ten best, not which is best: late in training all epochs differ by less than that.

        Parameters
        ----------
        out : str or Path
            Path of the checkpoint; the card has the same name and the suffix ``.md``.
        command : str
            The command that makes the checkpoint, for header and card.
        """
        out = Path(out)
        device, seed = self.training.device, [self.split, VALIDATION, 1]
        sampler = replace(self.training.sampler, synthetic_share=0.0)
        calibrate_on(self.model, self.domains.calibration.values(), sampler, seed, device)
        info = CheckpointInfo(
            name=out.stem,
            data=", ".join(self.data),
            standardization=None,
            scale=None,
            split_seed=self.split,
            recipe={
                "preset": "universal",
                "training": asdict(self.training.config),
                "made_up": self.training.sampler.synthetic_share,
                "last_epoch": self.training.history[-1].epoch,
                "command": command,
            },
            errors={
                name: measured_errors(self.model, part, self.split, device) for name, part in self.domains.test.items()
            },
            **made_now(),
            kind="universal",
            learned_from=domain_of_mixed(self.training.sampler),
        )
        save_with_card(out, self.model, info, universal_card(info, self.model))
        return info


def calibrate_on(model: Universal, matrices: Iterable[Ratings], sampler: MixedSampler, seed: Sequence[int], device):
    """Calibrates the intervals on matrices of all sizes, very small ones too, drawn from each of ``matrices``."""

    def batches(matrix: Ratings, known: float) -> Iterator[EpisodeBatch]:
        rng, mixed = np.random.default_rng(seed), replace(sampler, matrices=(matrix,), known_share=known)
        for _ in range(CALIBRATION_BATCHES):
            yield mixed.sample(rng, 16, device)
        tiny = replace(mixed, smallest=3, largest=(12, 12), large_share=0.0, entries=1000)
        for _ in range(CALIBRATION_BATCHES // 3):
            yield tiny.sample(rng, 64, device)

    calibrate(model, *([batches(matrix, known) for matrix in matrices] for known in (1.0, 0.0)))


def units_of(matrices: Iterable[Ratings], split: int) -> ScaleUnits:
    """Knowledge of mean and spread that a rating scale gives, estimated on small blocks of several data sets."""
    sizes = (10, 10), (30, 30)
    blocks = [held_out_blocks(matrix, UNIT_BLOCKS, [split, UNITS], size) for matrix in matrices for size in sizes]
    return fit_units([episode for some in blocks for episode in some])


def measured_errors(model: Universal, test: Ratings, split: int, device="cpu") -> dict[str, dict]:
    """Errors and intervals on 200 blocks of 30 x 30 of a meta-test part, and on the whole of it, half observed."""
    blocks = held_out_blocks(test, 200, [split, TEST])
    whole = [divide_entries(test, 0.5, np.random.default_rng([split, TEST, 1]))]
    report = {}
    for name, episodes in (("blocks", blocks), ("whole", whole)):
        batch = EpisodeBatch.of([episode.standardized(model.scale_units) for episode in episodes], device=device)
        report[name] = summarize(model, Mean(), batch) | interval_report(model, batch)
    return report


def _joined(sampler: MixedSampler, batches: int, seed: Sequence[int], device) -> EpisodeBatch:
    """Fixed validation episodes of every size, as one batch."""
    rng = np.random.default_rng([*seed])
    return EpisodeBatch.of([episode for _ in range(batches) for episode in sampler.episodes(rng, 16)], device=device)
