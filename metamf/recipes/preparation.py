"""Data sets made ready for meta-training and evaluation: the protocol of Section 4.1."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metamf import datasets
from metamf.episodes import Episode, EpisodeBatch, held_out_blocks, split_rows_and_columns
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

VALIDATION, TEST = 1, 2  # the block seeds of a split's meta-validation and meta-test blocks


@dataclass(frozen=True, eq=False)
class PreparedData:
    """One data set, split and standardised by its meta-training part."""

    train: Ratings  # in standardised units, like the blocks
    validation: EpisodeBatch
    test: EpisodeBatch
    standardization: Standardization
    scale: RatingScale


def prepare(
    name: str,
    split: int,
    blocks: int = 200,
    folder: str | Path | None = None,
    device="cpu",
    size: tuple[int, int] = (30, 30),
) -> PreparedData:
    """Loads a data set and draws its split and its held-out blocks, all determined by (name, split) and ``size``."""
    return prepare_ratings(datasets.load(name, folder), split, blocks, device, size)


def prepare_ratings(
    ratings: Ratings, split: int, blocks: int = 200, device="cpu", size: tuple[int, int] = (30, 30)
) -> PreparedData:
    """The same for any rating matrix, in rating units."""
    parts = split_rows_and_columns(ratings, split)
    units = Standardization.of(parts.train.values)
    train, validation, test = (
        part.with_values(units.apply(part.values).astype(np.float32))
        for part in (parts.train, parts.validation, parts.test)
    )

    def held_out(part: Ratings, block_seed: int) -> EpisodeBatch:
        episodes: list[Episode] = held_out_blocks(part, blocks, [split, block_seed], size)
        return EpisodeBatch.of(episodes, device=device)

    scale = ratings.scale or RatingScale(float(ratings.values.min()), float(ratings.values.max()))
    return PreparedData(train, held_out(validation, VALIDATION), held_out(test, TEST), units, scale)
