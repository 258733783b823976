"""The estimator that users meet: a pretrained checkpoint applied to a matrix, in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from metamf.checkpoints.protocol import StepRule
from metamf.imputer.adaptation import Adaptation, adapt
from metamf.imputer.inputs import in_the_form_of, read_matrix, read_positions
from metamf.imputer.parameters import INTERVAL, check_parameters, check_value
from metamf.imputer.result import Imputation
from metamf.imputer.transformer import MatrixTransformer
from metamf.ratings.matrix import Ratings
from metamf.ratings.on_scale import check_on_scale, with_scale
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardize


class MetaMFImputer(MatrixTransformer):
    """Fills in a rating matrix by a meta-trained model; missing cells are NaN.

    ``fit`` adapts the factors of rows and columns to the observed entries of X, without training: by T sweeps of
    variational Bayes (the universal checkpoint) or by T gradient steps (the paper's checkpoints, Algorithm 1).
    ``transform`` reads each row of its argument on its own in the context of the fitted columns (folding in): the
    factors of the columns stay as ``fit`` left them, and the row's follow from its own entries. So new rows need no
    refit, and the fitted rows get back what ``fit`` found for them: ``fit_transform(X)`` is ``fit(X).transform(X)``.

    Parameters
    ----------
    checkpoint : str or Path, default='universal'
        Name of a bundled checkpoint (``metamf.list_pretrained()``), or path of a safetensors file.
    standardize : {'auto', 'checkpoint', 'matrix'}, default='auto'
        The mean and spread that X is standardised by. 'checkpoint': those of the ratings that the checkpoint was
        trained on. 'matrix': those of the observed entries of X. 'auto': the checkpoint's where the rating scale of X,
        or else the range of its entries, fills at least half of the checkpoint's rating scale and does not leave it,
        and otherwise the matrix's own; with the universal checkpoint a known rating scale weighs in.
    steps : int, optional
        Number of sweeps or gradient steps; the checkpoint's T by default.
    step_rule : {'auto', 'paper', 'safe'}, default='auto'
        'paper': Eqs. (5) and (6) with the fixed step size. 'safe': each step is bounded by the curvature of its row or
        column. 'auto': the paper's, unless they end above the objective where they began, or the squared error of a row
        or a column rises by more than a hundredth of the variance per entry; then safe ones, for the whole matrix. A
        new row in ``transform`` takes the matrix's rule, or safe steps if it alone overshoots. The universal checkpoint
        has no step size: its sweeps are exact, and the rule makes no difference.
    clip : bool, default=True
        Keep estimates within the rating scale of X where it is known or the checkpoint's is used, otherwise within the
        range of the observed entries; keep intervals within a known rating scale.
    scale : (float, float) or RatingScale, optional
        Lowest and highest rating, such as (1, 5), if they are known: where few entries are observed that makes
        estimates of the universal checkpoint better and its intervals narrower. By default the scale of X if X is a
        ``Ratings`` with a known scale, otherwise unknown. A rating outside a known scale is an error.
    device : str, default='cpu'
        Where to compute: 'cpu', 'cuda', ...

    Attributes
    ----------
    ratings_ : Ratings
        The observed entries of X, N x M, in rating units.
    U_, V_ : ndarray of shape (N, K) and (M, K)
        The adapted factors, in standardised units.
    standardization_ : Standardization
        Mean and standard deviation by which X was standardised, in rating units.
    unit_rule_ : UnitRule
        How they follow from X: ``FixedUnits`` of the checkpoint, ``OwnUnits`` of X, or ``ScaleUnits``, in which a known
        rating scale weighs in.
    scale_ : RatingScale or None
        What estimates are clipped to; None where all observed entries are one value.
    step_rule_ : {'exact', 'paper', 'safe'}
        The sweeps or steps that were taken.
    info_ : CheckpointInfo
        What the checkpoint says of itself.
    n_features_in_ : int
        M, the number of columns.
    feature_names_in_ : ndarray of shape (M,)
        Names of the columns, if X is a data frame whose column names are strings.

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
        checkpoint: str | Path = "universal",
        *,
        standardize: Standardize = "auto",
        steps: int | None = None,
        step_rule: StepRule = "auto",
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

    def fit(self, X: Any, y: None = None) -> MetaMFImputer:
        """Adapts to X.

        A fit that fails leaves the imputer as it was.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M)
            NaN, None and pd.NA for missing; of a sparse matrix the explicit entries are observed.
        y : None
            Ignored.

        Returns
        -------
        MetaMFImputer
            The imputer itself.

        Raises
        ------
        ValueError
            If no entry is observed; if one is infinite, given twice or outside a known rating scale; if a parameter has
            a value that it may not have, or the device is not there.
        TypeError or ValueError
            If a cell is not a number.
        FileNotFoundError, CheckpointError
            If the checkpoint does not exist or cannot be used.
        """
        self._fit(X)
        return self

    def transform(self, X: Any) -> Any:
        """X with its missing cells estimated, each row in the context of the fitted columns.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N', M)
            Any rows, with the columns of ``fit``.

        Returns
        -------
        ndarray or data frame of shape (N', M)
            In rating units; observed cells keep their value. A data frame gives a data frame with the same index and
            columns, everything else an array; float32 stays float32, all other numbers become float64.

        Raises
        ------
        ValueError
            If X has other columns than in ``fit``, an entry is infinite or given twice, or one is outside the rating
            scale that was known in ``fit``.
        TypeError or ValueError
            If a cell is not a number.
        """
        check_is_fitted(self)
        ratings, dtype = read_matrix(self, X, self.ratings_)
        check_on_scale(ratings, self.ratings_.scale)
        return self._filled(X, ratings, self._adaptation.fold_in(ratings), dtype)

    def fit_transform(self, X: Any, y: None = None) -> Any:
        """``fit(X).transform(X)``, without reading the rows a second time."""
        dtype = self._fit(X)
        return self._filled(X, self.ratings_, self.U_, dtype)

    def predict(self, rows: Any, cols: Any) -> np.ndarray:
        """Estimates at single cells of the fitted matrix, in O(n K): no N x M matrix is built.

        Parameters
        ----------
        rows, cols : array-like of int, of shape (n,), or of shapes that broadcast
            Positions, from 0.

        Returns
        -------
        ndarray of shape (n,)
            The model's estimates in rating units, at observed cells, too; clipped if ``clip``.

        Raises
        ------
        IndexError
            For a position outside the matrix; negative ones do not count from the end.
        TypeError
            For positions that are not integers.
        """
        check_is_fitted(self)
        rows = read_positions("row", rows, len(self.U_))
        cols = read_positions("column", cols, len(self.V_))
        return self._to_rating_units(np.vecdot(self.U_[rows], self.V_[cols]))

    def impute(self, X: Any, interval: float | None = None) -> Imputation:
        """Estimates, provenance and the trajectory of sweeps or steps for X, in one immutable result.

        The imputer itself stays as it is, so that many threads can share one.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M)
            As in ``fit``.
        interval : float, optional
            The level of an interval per cell, between 0.01 and 0.99: the share of unobserved ratings that is to lie
            inside, by held-out matrices of other data and by the observed entries of X
            (``metamf/universal/intervals.py``). No intervals by default.

        Returns
        -------
        Imputation
            All values in rating units.

        Raises
        ------
        ValueError
            For another level, or a checkpoint that gives no intervals; and what ``fit`` raises.
        """
        check_value("interval", interval, INTERVAL)
        return clone(self)._adapt(X)[0].imputation(interval, self.clip)

    def imputation(self, interval: float | None = None) -> Imputation:
        """``impute`` of the matrix that was fitted, without fitting again.

        Parameters
        ----------
        interval : float, optional
            As in ``impute``.

        Raises
        ------
        ValueError
            For another level, or a checkpoint that gives no intervals.
        """
        check_is_fitted(self)
        check_value("interval", interval, INTERVAL)
        return self._adaptation.imputation(interval, self.clip)

    def estimates_without(
        self, entries: Any, row: int, col: int, progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """Estimates of one cell of the fitted matrix from all observed entries but one (leave-one-out).

        Each is that of a new fit, in units of its own; by which rule the units follow from the entries, and which steps
        are taken, stays as it was decided for the whole matrix.

        Parameters
        ----------
        entries : array-like of int, of shape (D,)
            Positions into ``ratings_.values``: the entries that are left out, one at a time.
        row, col : int
            The cell, from 0.
        progress : callable, optional
            ``progress(done, D)`` is called from time to time.

        Returns
        -------
        ndarray of shape (D,)
            In rating units; clipped to the scale of the fitted matrix if ``clip``.

        Raises
        ------
        ValueError
            If there is only one observed entry: nothing would be left to estimate from.
        IndexError
            For a position outside the matrix, or outside its entries.
        TypeError
            For positions that are not integers.
        """
        check_is_fitted(self)
        entries = np.atleast_1d(read_positions("entry", entries, self.ratings_.nnz))
        row = int(read_positions("row", row, self.ratings_.n_rows))
        col = int(read_positions("column", col, self.ratings_.n_cols))
        return self._clipped(self._adaptation.estimates_without(entries, row, col, progress))

    def _fit(self, X: Any) -> np.dtype:
        """Fits, and returns the dtype that an answer about X has; nothing is assigned before all is found."""
        reader = clone(self)  # what reading X tells of its columns, scikit-learn assigns to the estimator at once
        found, dtype = reader._adapt(X)
        self._take_columns_of(reader)
        self._adaptation = found
        self.ratings_, self.U_, self.V_ = found.ratings, found.U, found.V
        self.standardization_, self.unit_rule_, self.scale_ = found.standardization, found.unit_rule, found.scale
        self.step_rule_, self.info_ = found.adapted.rule, found.model.info
        return dtype

    def _adapt(self, X: Any) -> tuple[Adaptation, np.dtype]:
        """What the checkpoint finds in X, and the dtype that an answer about X has."""
        check_parameters(self.get_params(deep=False))
        ratings, dtype = read_matrix(self, X)
        ratings = with_scale(ratings, ratings.scale if self.scale is None else self.scale)
        found = adapt(
            ratings,
            self.checkpoint,
            standardize=self.standardize,
            steps=self.steps,
            step_rule=self.step_rule,
            device=self.device,
        )
        if self.step_rule == "paper":
            found.warn_if_diverged()
        return found, dtype

    def _filled(self, X: Any, ratings: Ratings, U: np.ndarray, dtype: np.dtype) -> Any:
        return in_the_form_of(X, ratings, self._to_rating_units(U @ self.V_.T).astype(dtype, copy=False))

    def _to_rating_units(self, estimates: np.ndarray) -> np.ndarray:
        return self._clipped(self.standardization_.undo(estimates.astype(np.float64)))

    def _clipped(self, values: np.ndarray) -> np.ndarray:
        return self.scale_.clip(values) if self.clip and self.scale_ is not None else values
