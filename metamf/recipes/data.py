"""Data sets made ready for meta-training and evaluation: the protocol of Section 4.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from metamf import datasets
from metamf.learning.episodes import (
    EpisodeBatch,
    held_out_blocks,
    split_ids,
    split_rows_and_columns,
)
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

if TYPE_CHECKING:
    import torch

# seeds of a split's meta-validation and meta-test blocks; their values mean nothing
VALIDATION = 1
TEST = 2


@dataclass(frozen=True, eq=False)
class PreparedData:
    """One data set, split and standardised by its meta-training part."""

    train: Ratings  # the meta-training part, in standardised units
    validation: EpisodeBatch  # blocks of the meta-validation part, in standardised units
    test: EpisodeBatch  # blocks of the meta-test part, in standardised units
    # mean and standard deviation of the meta-training part, in rating units
    standardization: Standardization
    scale: RatingScale  # of the data set, or else the range of its ratings


def prepare(
    name: str,
    split: int,
    blocks: int = 200,
    folder: str | Path | None = None,
    device: str | torch.device = "cpu",
    size: tuple[int, int] = (30, 30),
    features: Sequence[str] = (),
) -> PreparedData:
    """Loads a data set of ``metamf.datasets`` and draws its split and its held-out blocks.

    ``split`` is the seed of both, ``blocks`` the number of meta-validation blocks, and of meta-test
    blocks (the paper has 10, Section 4.1), and ``size`` their numbers of rows and columns, those of
    the paper by default. The columns get the ``features`` of ``datasets.load_features``; parts and
    blocks are the same with and without.
    """
    return prepare_ratings(
        datasets.load(name, folder, features=features), split, blocks, device, size
    )


def prepare_ratings(
    ratings: Ratings,
    split: int,
    blocks: int = 200,
    device: str | torch.device = "cpu",
    size: tuple[int, int] = (30, 30),
) -> PreparedData:
    """The parts of any rating matrix, in rating units, as ``prepare`` gives them for a data set."""
    parts = split_rows_and_columns(ratings, split)
    units = Standardization.of(parts.train.values)
    train, validation, test = (
        part.with_values(units.apply(part.values).astype(np.float32)) for part in parts
    )

    def held_out(part: Ratings, block_seed: int) -> EpisodeBatch:
        return EpisodeBatch.of(
            held_out_blocks(part, blocks, [split, block_seed], size), device=device
        )

    scale = ratings.scale or RatingScale(float(ratings.values.min()), float(ratings.values.max()))
    return PreparedData(train, held_out(validation, VALIDATION), held_out(test, TEST), units, scale)


@dataclass(frozen=True, eq=False)
class Domains:
    """Several data sets, split, by name and in rating units."""

    train: dict[str, Ratings]
    validation: dict[str, Ratings]
    # meta-validation rows and all columns but the meta-test ones: ten of Jester's columns, say,
    # would tell too little of what other matrices will be like
    calibration: dict[str, Ratings]
    test: dict[str, Ratings]


def load_domains(names: Sequence[str], split: int, folder: str | Path | None = None) -> Domains:
    """Loads and splits several data sets (``prepare``); Jester with its zeros, which are ratings
    there."""
    train = {}
    validation = {}
    calibration = {}
    test = {}
    for name in names:
        # elsewhere nothing is zero
        ratings = datasets.load(name, folder, zeros_are_missing=name != "jester")
        rows, cols = split_ids(ratings, split)
        train[name], validation[name], test[name] = (
            ratings.submatrix(*ids) for ids in zip(rows, cols)
        )
        calibration[name] = ratings.submatrix(rows[1], np.sort(np.concatenate(cols[:2])))
    return Domains(train, validation, calibration, test)
