"""The data of a meta-training that is watched, and the held-out matrix that it is watched on.

A data set, or ratings that are made up where none is there; split as the bundled checkpoints' data are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from metamf import datasets
from metamf.baselines.mean import Mean
from metamf.checkpoints.bundled import checkpoint_title, list_pretrained, open_checkpoint
from metamf.datasets.synthetic import SyntheticMatrix, synthetic
from metamf.episodes import Episode, divide_entries, split_ids
from metamf.learning.objectives import query_error
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization
from metamf.recipes.preparation import PreparedData, prepare_ratings

MADE_UP = "made-up"  # the data where no data set is there
LIVE_SPLIT = 0  # that of the bundled checkpoints: what is held out here was held out there
HELD_OUT_BLOCKS = 100  # held out to measure the error on, and as many for the final one
SHOWN_LINES = 12  # rows and columns of the matrix that is shown, so that names can be read


@dataclass(frozen=True, eq=False)
class LiveData:
    """The data that a training learns from, and the data that it is measured on.

    Attributes
    ----------
    name : str
        A data set of ``metamf.datasets``, or MADE_UP.
    prepared : PreparedData
        The ratings, split and standardised; the three parts share no row and no column.
    shown : Episode
        A matrix of the meta-test part, in rating units: its ``SHOWN_LINES`` rows and columns with most ratings. Half of
        them are given; all of them where the others, which are the query then, are known.
    """

    name: str
    prepared: PreparedData
    shown: Episode

    @classmethod
    def load(cls, name: str, folder: str | Path | None = None) -> LiveData:
        """Loads a data set, or draws the ratings of people who do not exist.

        Raises
        ------
        ValueError, FileNotFoundError
            As ``metamf.datasets.load``.
        """
        if name == MADE_UP:
            matrix = made_up_matrix()
            return cls.of(name, matrix.ratings, matrix.truth)
        return cls.of(name, datasets.load(name, folder))

    @classmethod
    def of(cls, name: str, ratings: Ratings, truth: np.ndarray | None = None) -> LiveData:
        """The ratings of all people, in rating units, split; ``truth``: (N, M) what every cell would be, if known."""
        row_ids, col_ids = (ids[2] for ids in split_ids(ratings, LIVE_SPLIT))  # of the meta-test part
        test = ratings.submatrix(row_ids, col_ids)
        cols = _most_rated(test.cols, test.n_cols)
        rows = _most_rated(test.rows[np.isin(test.cols, cols)], test.n_rows)
        chosen = test.submatrix(rows, cols)
        if truth is None:
            shown = divide_entries(chosen, 0.5, np.random.default_rng(LIVE_SPLIT))
        else:
            shown = Episode(chosen, _unobserved(chosen, truth[np.ix_(row_ids[rows], col_ids[cols])]))
        return cls(name, prepare_ratings(ratings, LIVE_SPLIT, HELD_OUT_BLOCKS), shown)

    @property
    def units(self) -> Standardization:
        """Mean and standard deviation of the meta-training ratings, in rating units."""
        return self.prepared.standardization

    def support_mean_error(self) -> float:
        """The mean squared error of the support mean on the held-out matrices, standardised units squared."""
        return float(query_error(Mean(), self.prepared.validation))

    def bundled_error(self) -> tuple[str, float] | None:
        """Title and error, as above, of the bundled checkpoint of this data; of MovieLens 1M, which never saw anything
        like them, for made-up ratings. None where there is no such checkpoint."""
        name = "ml-1m" if self.name == MADE_UP else self.name
        if name not in list_pretrained():
            return None
        model, info = open_checkpoint(name)
        validation = self.prepared.validation
        with torch.no_grad():
            estimates = model.adapt(validation.support, step_rule="paper").predict(
                validation.query_row, validation.query_col
            )
        return checkpoint_title(name), float((estimates - validation.query_x).square().mean())


def made_up_matrix() -> SyntheticMatrix:
    """Three in ten of the ratings of 900 people for 600 films; neither exist.

    The settings were chosen by hand: people and films differ, and so do tastes, while there is little noise, so that
    much can be learned that a mean does not know.
    """
    rng = np.random.default_rng(7)
    effects = {"row_effect": 0.15, "column_effect": 0.2, "taste": 0.15, "noise": 0.05}
    return synthetic(rng, 900, 600, rank=2, density=0.3, **effects)


def _most_rated(ids: np.ndarray, size: int) -> np.ndarray:
    """The ``SHOWN_LINES`` rows, or columns, that most of ``ids`` name, ascending."""
    return np.sort(np.argsort(-np.bincount(ids, minlength=size), kind="stable")[:SHOWN_LINES])


def _unobserved(ratings: Ratings, truth: np.ndarray) -> Ratings:
    """All cells of ``truth`` (n, m) that ``ratings`` does not hold."""
    free = np.ones(truth.shape, bool)
    free[ratings.rows, ratings.cols] = False
    rows, cols = np.nonzero(free)
    return Ratings(rows, cols, truth[rows, cols], truth.shape, ratings.row_labels, ratings.col_labels, ratings.scale)
