"""The estimator that users meet: a pretrained checkpoint applied to a matrix, in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from metamf.checkpoints.models import StepRule
from metamf.imputer.adaptation import Adaptation, Members, adapt
from metamf.imputer.fitted import FittedImputer
from metamf.imputer.inputs import read_matrix
from metamf.imputer.parameters import INTERVAL, check_parameters, check_value
from metamf.imputer.result import Imputation
from metamf.learning.tuning import Tuning, TuningProgress
from metamf.ratings.limits import check_on_scale, with_scale
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardize


class MetaMFImputer(FittedImputer):
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
    standardize : {'auto', 'checkpoint', 'matrix', 'columns', 'rows', 'chosen'}, default='auto'
        The mean and spread that X is standardised by. 'checkpoint': those of the ratings that the checkpoint was
        trained on. 'matrix': those of the observed entries of X. 'columns', 'rows': each column, or row, by its own.
        'chosen': X's own entries decide between the last three (``metamf.imputer.choice``). 'auto', with a checkpoint
        of the paper's model: the checkpoint's where the rating scale of X, or else the range of its entries, fills at
        least half of the checkpoint's rating scale and does not leave it, and otherwise the matrix's own. 'auto', with
        the universal checkpoint: 'matrix', and a known rating scale weighs in; 'chosen' where the network is tuned and
        no scale is known.
    steps : int, optional
        Number of sweeps or gradient steps; by default the checkpoint's T, and 16 sweeps of the universal checkpoint
        where columns or rows have units of their own or the network was tuned.
    step_rule : {'auto', 'paper', 'safe'}, default='auto'
        'paper': Eqs. (6) and (7) with the fixed step size. 'safe': each step is bounded by the curvature of its row or
        column. 'auto': the paper's, unless they end above the objective where they began, or the squared error of a row
        or a column rises by more than a hundredth of the variance per entry; then safe ones, for the whole matrix. A
        new row in ``transform`` takes the matrix's rule, or safe steps if it alone overshoots. The universal checkpoint
        has no step size: its sweeps are exact, and the rule makes no difference.
    clip : bool, default=True
        Keep estimates within the rating scale of X where it is known or the checkpoint's is used, otherwise near what
        was observed: in each column where columns have units of their own, or else in the whole matrix. Keep intervals
        within a known rating scale.
    scale : (float, float) or RatingScale, optional
        Lowest and highest rating, such as (1, 5), if they are known: where few entries are observed that makes
        estimates of the universal checkpoint better and its intervals narrower. By default the scale of X if X is a
        ``Ratings`` with a known scale, otherwise unknown. A rating outside a known scale is an error.
    device : str, default='cpu'
        Device of the computation: 'cpu', 'cuda', ...
    tune : None, int or 'auto', default=None
        Whether the network is moved a little for X before it adapts (tuning by hiding, ``metamf.learning.tuning``): by
        that number of steps, or 'auto', by as many as help on a part of X's own entries that tuning does not see. The
        tuned network is a copy, which belongs to the fitted imputer.
    tune_seconds : float or None, default=60
        Time limit of tuning; None: none.
    members : None, 'normal' or 'trees', default=None
        Whether a normal distribution over the columns stands beside the network, or it and trees on what it leaves
        over, weighed by X's own hidden entries (``metamf.imputer.blend``), in a matrix of at most 256 columns and 2
        million cells; trees where rows x columns x columns are at most 5 million. ``U_``, ``V_`` and the trajectory
        stay the network's.
    random_state : int, default=0
        Seed of tuning, and of the entries that are hidden for it; nothing else is random.

    Attributes
    ----------
    ratings_ : Ratings
        The observed entries of X, N x M, in rating units.
    U_, V_ : ndarray of shape (N, K) and (M, K)
        The adapted factors, in standardised units.
    standardization_ : Standardization
        Mean and standard deviation by which X was standardised, in rating units.
    unit_rule_ : UnitRule
        The rule by which they follow from X: ``FixedUnits`` of the checkpoint, ``OwnUnits`` of X, ``ScaleUnits``, in
        which a known rating scale weighs in, or ``SidedUnits`` of columns or rows.
    scale_ : RatingScale, ColumnLimits or None
        The limits of estimates; None where all observed entries are one value.
    step_rule_ : {'exact', 'paper', 'safe'}
        The sweeps or steps that were taken.
    info_ : CheckpointInfo
        The checkpoint's description of itself; of a tuned network, also its origin.
    tuning_ : TuningReport or None
        Outcome of the tuning; None without tuning.
    blend_ : BlendReport or None
        Weights of the members beside the network, and the errors that they follow from; None without any.
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
        tune: int | Literal["auto"] | None = None,
        tune_seconds: float | None = 60.0,
        members: Members = None,
        random_state: int = 0,
    ):
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.steps = steps
        self.step_rule = step_rule
        self.clip = clip
        self.scale = scale
        self.device = device
        self.tune = tune
        self.tune_seconds = tune_seconds
        self.members = members
        self.random_state = random_state

    def fit(
        self, X: Any, y: None = None, *, progress: Callable[[TuningProgress], object] | None = None
    ) -> MetaMFImputer:
        """Adapts to X.

        A fit that fails leaves the imputer as it was.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M)
            NaN, None and pd.NA for missing; of a sparse matrix the explicit entries are observed.
        y : None
            Ignored.
        progress : callable, optional
            Hears of tuning, if there is any: ``progress(TuningProgress)`` is called every few steps; if it returns
            True, tuning stops, and the best network so far is kept.

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
        self._fit(X, progress)
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

    def impute(self, X: Any, interval: float | None = None) -> Imputation:
        """Estimates, provenance and the trajectory of sweeps or steps for X, in one immutable result.

        The imputer itself stays as it is, so that many threads can share one.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M)
            The matrix, in one of the forms that ``fit`` takes.
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

    def _fit(self, X: Any, progress: Callable[[TuningProgress], object] | None = None) -> np.dtype:
        """Fits, and returns the dtype that an answer about X has; nothing is assigned before all is found."""
        reader = clone(self)  # what reading X tells of its columns, scikit-learn assigns to the estimator at once
        adaptation, dtype = reader._adapt(X, progress)
        self._take_columns_of(reader)
        self._adaptation = adaptation
        self.ratings_, self.U_, self.V_, self.scale_ = adaptation.ratings, adaptation.U, adaptation.V, adaptation.scale
        self.standardization_, self.unit_rule_ = adaptation.standardization, adaptation.unit_rule
        self.step_rule_, self.info_ = adaptation.adapted.rule, adaptation.model.info
        self.tuning_ = adaptation.tuning_report
        self.blend_ = None if adaptation.blend is None else adaptation.blend.report
        return dtype

    def _adapt(self, X: Any, progress: Callable[[TuningProgress], object] | None = None) -> tuple[Adaptation, np.dtype]:
        """The checkpoint adapted to X, and the dtype that an answer about X has."""
        check_parameters(self.get_params(deep=False))
        ratings, dtype = read_matrix(self, X)
        ratings = with_scale(ratings, ratings.scale if self.scale is None else self.scale)
        adaptation = adapt(
            ratings,
            self.checkpoint,
            standardize=self.standardize,
            steps=self.steps,
            step_rule=self.step_rule,
            device=self.device,
            tuning=self._tuning(),
            members=self.members,
            progress=progress,
        )
        if self.step_rule == "paper":
            adaptation.warn_if_diverged()
        return adaptation, dtype

    def _tuning(self) -> Tuning | None:
        if self.tune is None:
            return None
        return Tuning(None if self.tune == "auto" else int(self.tune), self.tune_seconds, int(self.random_state))
