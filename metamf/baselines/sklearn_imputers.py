"""scikit-learn's KNNImputer and IterativeImputer, rows as samples and columns as features (not in
the paper).

Both run matrix by matrix. Their estimates are clipped to the range of the observed entries; an
empty column gets the mean of the matrix, and an empty matrix gets zero. Observed cells keep their
value. scikit-learn is imported where it is used, because the import takes a second.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from metamf.baselines.method import PerMatrix, check_settings
from metamf.baselines.stacked import AdaptedTable, PaddedMatrices
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class KNNConfig:
    """Settings of KNNImputer."""

    neighbours: int = (
        5  # rows that are averaged; chosen on ML-100K meta-validation blocks (split 0)
    )

    def __post_init__(self) -> None:
        check_settings(self, neighbours=1)


@dataclass(frozen=True)
class IterativeConfig:
    """Settings of IterativeImputer."""

    penalty: float = (
        100.0  # of the ridge regressions; chosen on ML-100K meta-validation blocks (split 0)
    )
    rounds: int = 5  # in which every column is predicted again
    features: int = 30  # columns that a column is predicted from, the most correlated ones

    def __post_init__(self) -> None:
        check_settings(self, "penalty", rounds=1, features=1)


class KNN(PerMatrix):
    """The mean over the nearest rows that have the column, by Euclidean distance over the columns
    in common."""

    default = KNNConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        from sklearn.impute import KNNImputer

        imputer = KNNImputer(n_neighbors=self.config.neighbours)
        return impute_each(support, lambda X, low, high: imputer.fit_transform(X))


class Iterative(PerMatrix):
    """Chained ridge regressions (scikit-learn's IterativeImputer with a Ridge estimator)."""

    default = IterativeConfig()

    def adapt(self, support: RatingsBatch) -> AdaptedTable:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer
        from sklearn.linear_model import Ridge

        def impute(X: np.ndarray, low: float, high: float) -> np.ndarray:
            imputer = IterativeImputer(
                Ridge(self.config.penalty),
                max_iter=self.config.rounds,
                min_value=low,
                max_value=high,
                n_nearest_features=self.config.features,
                random_state=0,
            )
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", ConvergenceWarning
                )  # the number of rounds is a setting
                return imputer.fit_transform(X)

        return impute_each(support, impute)


def impute_each(
    support: RatingsBatch, impute: Callable[[np.ndarray, float, float], np.ndarray]
) -> AdaptedTable:
    """The estimates of ``impute`` (matrix with NaN, lowest observed value, highest observed value
    -> filled matrix) for every matrix without its empty columns."""
    padded = PaddedMatrices(support)
    X = torch.where(padded.mask.bool(), padded.dense(support.x), torch.nan).cpu().double().numpy()
    sizes = torch.stack([support.n_rows, support.n_cols], 1).tolist()
    table = np.zeros(X.shape)
    for d, (N, M) in enumerate(sizes):
        x = X[d, :N, :M]
        seen = ~np.isnan(x)
        if not seen.any():
            continue
        low = x[seen].min()
        high = x[seen].max()
        table[d] = x[seen].mean()
        if low < high:
            columns = seen.any(axis=0)
            table[d, :N, :M][:, columns] = np.clip(impute(x[:, columns], low, high), low, high)
    return AdaptedTable(torch.as_tensor(table).to(support.x), padded)
