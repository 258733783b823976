"""The estimator that users meet: a pretrained checkpoint applied to a matrix, in the manner of scikit-learn."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Literal

import numpy as np
import pandas as pd
import torch
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from metamf.checkpoints.bundled import list_pretrained, open_checkpoint
from metamf.checkpoints.header import CheckpointError
from metamf.checkpoints.info import CheckpointInfo
from metamf.imputer.inputs import read_matrix
from metamf.imputer.result import Imputation, Intervals, Trajectory
from metamf.model.meta_mf import MetaMF
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import OneValue, Standardization, observed_range, own_units, units_for, with_scale
from metamf.universal.intervals import widths
from metamf.universal.network import Universal

FARTHEST = 1e12  # standard deviations from the mean: what lies beyond is read as this, so that squares stay finite
DOUBLE = 2**19  # entries up to which the universal checkpoint computes in double precision: three times as long


class MetaMFImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fills in a rating matrix by a meta-trained model; missing cells are NaN.

    ``fit`` adapts the factors to the observed entries of X, without training: by T sweeps of variational Bayes (the
    universal checkpoint) or by T gradient steps (the paper's checkpoints, Algorithm 1). ``transform`` reads each row of
    its argument on its own in the context of the fitted columns (folding in): the factors of the columns stay as
    ``fit`` left them, and the row's follow from its own entries.
    So new rows need no refit, and the fitted rows get back what ``fit`` found for them.

    Parameters
    ----------
    checkpoint : name of a bundled checkpoint (``list_pretrained()``) or path of a safetensors file
    standardize : 'checkpoint' uses the mean and spread of the ratings that the checkpoint was trained on, 'matrix'
        those of the observed entries of X; 'auto' takes the checkpoint's where the rating scale of X, or else the range
        of its entries, fills at least half of the checkpoint's rating scale and does not leave it, and otherwise the
        matrix's own; with the universal checkpoint 'auto' lets a known rating scale weigh in (``ratings/units.py``)
    steps : number of sweeps or MAP steps (None: the checkpoint's T)
    step_rule : 'paper' takes Eqs. (5) and (6) with the fixed step size, 'safe' bounds each step by the curvature of its
        row or column, 'auto' takes the paper's and falls back to the safe one where that ends above where it began;
        the universal checkpoint has no step size: its sweeps are exact, and the rule makes no difference
    clip : keep estimates within the rating scale of X where it is known or the checkpoint's is used, otherwise within
        the range of the observed entries; keep intervals within a known rating scale
    scale : the ends of the rating scale, such as (1, 5), if it is known: where few entries are observed that makes
        estimates of the universal checkpoint better and its intervals narrower. None: that of X, if X is Ratings and
        has one
    device : 'cpu', 'cuda', ...

    Attributes
    ----------
    ratings_ : the observed entries;  standardization_, scale_ : units;  step_rule_ : the rule that was used
    scale_units_ : what a known rating scale lent to the units, None if nothing
    U_, V_ : (N, K), (M, K) adapted factors, in standardised units;  info_ : what the checkpoint says of itself
    n_features_in_, feature_names_in_ : the columns

    Examples
    --------
    >>> import numpy as np, metamf
    >>> X = np.array([[5, 4, np.nan, 1], [4, np.nan, 5, 1], [np.nan, 1, 2, 5]])
    >>> imputer = metamf.load_pretrained("universal")
    >>> X_hat = imputer.fit_transform(X)
    >>> X_hat.shape, np.isnan(X_hat).any(), (X_hat[0, :2] == X[0, :2]).all()
    ((3, 4), np.False_, np.True_)
    >>> imputer.transform([[5, np.nan, np.nan, 1]]).shape  # a new row, without a refit
    (1, 4)
    >>> imputer.predict(rows=[0, 2], cols=[2, 0]).shape
    (2,)
    """

    def __init__(
        self,
        checkpoint: str = "universal",
        *,
        standardize: Literal["auto", "checkpoint", "matrix"] = "auto",
        steps: int | None = None,
        step_rule: Literal["auto", "paper", "safe"] = "auto",
        clip: bool = True,
        scale: tuple[float, float] | RatingScale | None = None,
        device: str = "cpu",
    ):
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.steps = steps
        self.step_rule = step_rule
        self.clip = clip
        self.scale = scale
        self.device = device

    # -- scikit-learn's contract ----------------------------------------------------------------------------------

    def fit(self, X, y=None) -> MetaMFImputer:
        """Adapts to X: (N, M) array or data frame with NaN for missing, Ratings, or scipy.sparse with explicit entries.

        Raises
        ------
        ValueError
            if no entry is observed, one is infinite, no number, given twice or outside the rating scale, or a
            parameter is unknown.
        FileNotFoundError, CheckpointError
            if the checkpoint does not exist or cannot be used.
        """
        self._fit(X)
        return self

    def transform(self, X):
        """X with its missing cells estimated, each row in the context of the fitted columns; observed cells keep their
        value.

        X is (N', M), with the columns of ``fit`` and any rows. A data frame gives a data frame with the same index and
        columns, everything else an array; float32 stays float32, all other numbers become float64.
        """
        check_is_fitted(self)
        ratings, dtype = read_matrix(self, X, self.ratings_)
        return self._filled(X, ratings, self._fold_in(ratings), dtype)

    def fit_transform(self, X, y=None):
        """``fit(X).transform(X)``, without reading the fitted rows a second time."""
        dtype = self._fit(X)
        return self._filled(X, self.ratings_, self.U_, dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # -- beyond it ------------------------------------------------------------------------------------------------

    def predict(self, rows, cols) -> np.ndarray:
        """Estimates at integer positions of the fitted matrix, in the units of X, in O(n K): no N x M matrix is built.

        ``rows`` and ``cols``, shape (n,), or anything that broadcasts. Observed cells get the model's estimate, too.

        Raises
        ------
        IndexError
            for a position outside the matrix; negative ones do not count from the end.
        TypeError
            for positions that are not integers.
        """
        check_is_fitted(self)
        rows = _positions("row", rows, len(self.U_))
        cols = _positions("column", cols, len(self.V_))
        return self._to_rating_units(np.vecdot(self.U_[rows], self.V_[cols]))

    def impute(self, X, interval: float | None = None) -> Imputation:
        """Estimates, provenance and the trajectory of sweeps or steps for X, in one immutable result.

        The imputer itself stays as it is, so that many threads can share one. ``interval`` is the level of an interval
        per cell, between 0.01 and 0.99: the share of unobserved ratings that is to lie inside, by held-out matrices of
        other data and by the observed entries of X (``metamf/universal/intervals.py``). Raises what ``fit`` raises, and
        ValueError for another level or a checkpoint that gives no intervals.
        """
        fitted = clone(self).fit(X)
        path = fitted._adapted.factors.path.cpu().numpy()  # (T + 1, N + M, K)
        N = fitted.ratings_.n_rows
        trajectory = Trajectory(path[:, :N], path[:, N:], fitted.standardization_)
        scale = fitted.scale_ if self.clip else None
        intervals = None if interval is None else fitted._intervals(interval)
        return Imputation(fitted.ratings_, trajectory, scale, fitted.info_.name, fitted.step_rule_, intervals)

    # -- the steps in between -------------------------------------------------------------------------------------

    def _fit(self, X) -> np.dtype:
        """Fits, and returns the dtype that an answer about X has."""
        self._check_parameters()
        ratings, dtype = read_matrix(self, X)
        if ratings.nnz == 0:
            raise ValueError(
                f"no entry of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one"
            )
        if self.scale is not None:
            ratings = with_scale(ratings, self.scale)
        model, info = open_checkpoint(self.checkpoint, self.device)
        if isinstance(model, Universal) and ratings.nnz <= DOUBLE:
            model, info = open_checkpoint(self.checkpoint, self.device, torch.float64)
        self._model, self.info_, self.ratings_ = model, info, ratings
        known = self.standardize == "auto" and isinstance(model, Universal) and ratings.scale is not None
        self.scale_units_ = model.scale_units if known else None
        self.standardization_ = self._standardization(ratings, info)
        uses_checkpoint_units = self.standardization_ == info.standardization
        self.scale_ = ratings.scale or (info.scale if uses_checkpoint_units else observed_range(ratings))
        batch = self._batch(ratings)
        with torch.inference_mode():
            self._adapt(model, batch)
        self.U_, self.V_ = (factor.cpu().numpy() for factor in self._adapted.factors[:2])
        return dtype

    def _adapt(self, model: MetaMF | Universal, batch: RatingsBatch) -> None:
        if isinstance(model, Universal):
            self._adapted, self.step_rule_ = model.adapt(batch, self.steps), "exact"
        else:
            self._adapted = model.adapt(batch, self.steps, safe=self.step_rule == "safe")
            self.step_rule_ = "paper" if self.step_rule == "auto" else self.step_rule
            if self.step_rule_ == "paper" and not model.descends(self._adapted, batch):
                if self.step_rule == "auto":
                    self._adapted, self.step_rule_ = model.adapt(batch, self.steps, safe=True), "safe"
                else:
                    warnings.warn(
                        "the paper's fixed step size diverges on this matrix: use step_rule='auto' or 'safe'",
                        ConvergenceWarning,
                        stacklevel=3,
                    )

    def _intervals(self, level: float) -> Intervals:
        model, adapted = self._model, self._adapted
        if not isinstance(model, Universal):
            raise ValueError(f"checkpoint {self.info_.name!r} gives no intervals: use checkpoint='universal'")
        spread = 0.0 if isinstance(self.standardization_, OneValue) else self.standardization_.std
        with torch.inference_mode():
            known = self.scale_units_ is not None
            half = widths(model, adapted, self._batch(self.ratings_), [level], known).item()

        def in_rating_units(variance: torch.Tensor) -> np.ndarray:
            return spread * (half * variance.sqrt()).cpu().numpy().astype(np.float64)

        @torch.inference_mode()
        def at(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
            return in_rating_units(adapted.variance(*(torch.tensor(x, device=self.device) for x in (rows, cols))))

        @torch.inference_mode()
        def block(rows: slice, cols: slice) -> np.ndarray:
            return in_rating_units(adapted.variance_matrix(rows, cols))

        return Intervals(level, at, block)

    def _check_parameters(self) -> None:
        for name, allowed in (
            ("standardize", ("auto", "checkpoint", "matrix")),
            ("step_rule", ("auto", "paper", "safe")),
        ):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {getattr(self, name)!r}")
        if self.steps is not None and not (isinstance(self.steps, Integral) and self.steps >= 0):
            raise ValueError(f"steps must be None or a whole number that is not negative, got {self.steps!r}")

    def _standardization(self, ratings: Ratings, info: CheckpointInfo) -> Standardization:
        if info.standardization is None:
            if self.standardize == "checkpoint":
                raise ValueError(
                    f"checkpoint {info.name!r} has no units of its own: use standardize='matrix' or 'auto'"
                )
            return own_units(ratings.values) if self.scale_units_ is None else self.scale_units_.of(ratings)
        if self.standardize == "matrix":
            return own_units(ratings.values)
        return (
            info.standardization
            if self.standardize == "checkpoint"
            else units_for(ratings, info.standardization, info.scale)
        )

    def _batch(self, ratings: Ratings) -> RatingsBatch:
        values = self.standardization_.apply(ratings.values.astype(np.float64))  # an offset would drown them in less
        values = np.clip(values, -FARTHEST, FARTHEST)
        dtype = next(self._model.parameters()).dtype
        return RatingsBatch.of([ratings.with_values(values)], dtype, self.device)

    def _fold_in(self, ratings: Ratings) -> np.ndarray:
        """(N', K) factors of the rows of a matrix with the fitted columns."""
        batch = self._batch(ratings)
        with torch.inference_mode():
            if isinstance(self._model, Universal):
                return self._model.fold_in(batch, self._adapted)[0].cpu().numpy()
            U = self._model.fold_in(batch, self._adapted, safe=self.step_rule_ == "safe")
            if self.step_rule != self.step_rule_ == "paper":  # 'auto': a row much longer than the fitted ones diverges
                U0, V = self._model.prior(batch, self._adapted.columns).U0, self._adapted.factors.V
                descends = _squared_errors(U, V, batch) <= _squared_errors(U0, V, batch)
                if not descends.all():
                    U = torch.where(descends, U, self._model.fold_in(batch, self._adapted, safe=True))
            return U.cpu().numpy()

    def _filled(self, X, ratings: Ratings, U: np.ndarray, dtype: np.dtype):
        filled = self._to_rating_units(U @ self.V_.T).astype(dtype, copy=False)
        filled[ratings.rows, ratings.cols] = ratings.values
        return pd.DataFrame(filled, index=X.index, columns=X.columns) if isinstance(X, pd.DataFrame) else filled

    def _to_rating_units(self, estimates: np.ndarray) -> np.ndarray:
        values = self.standardization_.undo(estimates.astype(np.float64))
        return self.scale_.clip(values) if self.clip and self.scale_ is not None else values


def load_pretrained(name: str = "universal", **parameters) -> MetaMFImputer:
    """The imputer of a bundled checkpoint; ``parameters`` are those of ``MetaMFImputer``.

    Raises CheckpointError if there is no checkpoint of that name.
    """
    if name not in list_pretrained():
        raise CheckpointError(f"there is no pretrained checkpoint {name!r}; there are {', '.join(list_pretrained())}")
    return MetaMFImputer(name, **parameters)


def _squared_errors(U: torch.Tensor, V: torch.Tensor, batch: RatingsBatch) -> torch.Tensor:
    """(N, 1) the squared error of each row on its observed entries."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x
    return batch.by_row.sum(residual.square().unsqueeze(1))


def _positions(name: str, positions, size: int) -> np.ndarray:
    at = np.asarray(positions)
    if not at.size:
        return at.astype(np.int64)
    if not np.issubdtype(at.dtype, np.integer):
        raise TypeError(f"{name} positions are integers, got {at.dtype}")
    if at.min() < 0 or at.max() >= size:
        raise IndexError(f"{name} {at.min() if at.min() < 0 else at.max()} lies outside 0 ... {size - 1}")
    return at
