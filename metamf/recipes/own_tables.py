"""Meta-training on tables of one's own, from arrays with gaps to a checkpoint with its card.

Algorithm 2 on any rating matrices: 70 % are learned from, 10 % choose the epoch that is kept, and
20 % measure the errors on the card, as in Section 4.1. Fewer than ``FEW_TABLES`` are divided by
their rows and columns instead, so that no row and no column is shared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.paper_comparison import STEPS_TAKEN, steps_taken
from metamf.learning.episodes import (
    SHARES,
    BlockSampler,
    EpisodeBatch,
    held_out_blocks,
    split_rows_and_columns,
)
from metamf.learning.evaluation import summarize
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.recipes.cards import card_of, save_with_card, training_of
from metamf.recipes.data import TEST, VALIDATION
from metamf.recipes.paper import domain_of_blocks
from metamf.recipes.presets import meta_training, preset_called

FEW_TABLES = 10  # from which on whole tables are held out
HELD_OUT_BLOCKS = 200  # of validation and of test, as ``metamf.recipes.data.prepare`` has them
OWN_DATA = "your tables"  # in place of a data set's name


class TablesRun:
    """One training run on tables of one's own; ``training`` is its ``MetaTraining``.

    ValueError for no table, an unknown preset, ratings outside the scale, cells that are no
    numbers, or tables that are too small or too empty to be divided.

    Parameters
    ----------
    tables : rating matrices (N, M) with NaN where an entry is missing, arrays or ``Ratings``; their
        sizes may differ
    config : the network; None: that of the preset
    scale : lowest and highest rating; None: those of the tables
    preset : 'tuned' or 'paper', of ``metamf.recipes.presets``
    size : the largest numbers of rows and of columns of a training matrix
    epochs, seed : how long, instead of the preset's; of the division, the weights and the episodes
    """

    def __init__(
        self,
        tables: Sequence[Any],
        config: MetaMFConfig | None = None,
        scale: tuple[float, float] | None = None,
        preset: str = "tuned",
        size: tuple[int, int] = (30, 30),
        epochs: int | None = None,
        seed: int = 0,
    ):
        settings = preset_called(preset)
        matrices = [_ratings(table, number) for number, table in enumerate(tables)]
        self.preset = preset
        self.seed = seed
        self.tables = len(matrices)
        self.scale = _scale(matrices, scale)
        train, validation, test = _divided(matrices, seed)
        self.units = Standardization.of(np.concatenate([part.values for part in train]))
        self._train = [self._standardized(part) for part in train]
        self._test = self._blocks(test, TEST, size)
        self._size = size
        self.training = meta_training(
            METHODS["ours"],
            settings,
            self._train,
            self._blocks(validation, VALIDATION, size),
            config=config,
            size=size,
            seed=seed,
            epochs=epochs,
        )

    @property
    def network(self) -> MetaMF:
        """The network, with the best parameters so far."""
        return cast(MetaMF, self.training.method)

    def save(self, out: str | Path) -> CheckpointInfo:
        """Measures the network on the held-out part; writes the checkpoint and, next to it, its
        card.

        ValueError before the first epoch.
        """
        if not self.training.history:
            raise ValueError("nothing is trained yet: run `for _ in run.training.run(): ...` first")
        recipe = {
            "preset": self.preset,
            **training_of(self.training),
            "tables": self.tables,
            "command": "metamf.recipes.own_tables.TablesRun",
            STEPS_TAKEN: steps_taken(self.network, self._test),
        }
        return save_with_card(
            out,
            self.network,
            own_card,
            data=OWN_DATA,
            standardization=self.units,
            scale=self.scale,
            split_seed=self.seed,
            recipe=recipe,
            errors=summarize(self.network, Mean(), self._test),
            learned_from=domain_of_blocks(BlockSampler(self._train, self._size), self.scale),
        )

    def _standardized(self, part: Ratings) -> Ratings:
        return part.with_values(self.units.apply(part.values).astype(np.float32))

    def _blocks(self, parts: list[Ratings], of: int, size: tuple[int, int]) -> EpisodeBatch:
        count = math.ceil(HELD_OUT_BLOCKS / len(parts))
        blocks = []
        for index, part in enumerate(parts):
            seed = [self.seed, of, index]
            blocks += held_out_blocks(self._standardized(part), count, seed, size)
        return EpisodeBatch.of(blocks)


def own_card(info: CheckpointInfo, model: MetaMF) -> str:
    """The card of a checkpoint that learned from tables of one's own."""
    return card_of("own_card.md", info, model)


def _ratings(table: Any, number: int) -> Ratings:
    if isinstance(table, Ratings):
        return table
    try:
        return Ratings.from_dense(np.asarray(table, float))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"table {number}, counted from 0, is no matrix of numbers ({error}): leave out or encode "
            "columns of words; a missing cell is NaN"
        ) from error


def _scale(matrices: list[Ratings], scale: tuple[float, float] | None) -> RatingScale:
    if not matrices:
        raise ValueError("give at least one table to learn from, got none")
    values = np.concatenate([matrix.values for matrix in matrices])
    if not values.size:
        raise ValueError(f"none of the {len(matrices)} tables holds a number")
    low, high = (float(values.min()), float(values.max()))
    if scale is None and low == high:
        raise ValueError(
            f"all ratings are {low:g}: nothing can be learned from tables without a spread"
        )
    if scale is None:
        return RatingScale(low, high)
    if low < scale[0] or high > scale[1]:
        raise ValueError(f"ratings run from {low:g} to {high:g}, outside of the scale {scale}")
    return RatingScale(*scale)


def _divided(matrices: list[Ratings], seed: int) -> list[list[Ratings]]:
    """The parts for meta-training, meta-validation and meta-test, which share nothing."""
    if len(matrices) < FEW_TABLES:
        splits = [split_rows_and_columns(matrix, seed) for matrix in matrices]
        return [
            [split.train for split in splits],
            [split.validation for split in splits],
            [split.test for split in splits],
        ]
    order = np.random.default_rng([seed, 0]).permutation(len(matrices))
    ends = np.rint(np.cumsum(SHARES) * len(matrices)).astype(int)
    return [[matrices[index] for index in part] for part in np.split(order, ends)]
