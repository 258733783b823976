"""The estimator that users meet: a pretrained checkpoint applied to a matrix, in the manner of
scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from metamf.answer.adaptation import UNIVERSAL, Adaptation, adapt
from metamf.answer.answer import Answer
from metamf.answer.draws import Draws, DrawsBy, drawn
from metamf.answer.guard import GuardWarning, unknown_sentence, worse_sentence
from metamf.answer.inputs import (
    check_parameters,
    form_of,
    in_the_form_of,
    read_matrix,
    read_positions,
    seed_of,
    with_features,
)
from metamf.answer.shift import shifted
from metamf.checkpoints.bundled import list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointError
from metamf.learning.tuning import TuningProgress
from metamf.network.protocol import StepRule
from metamf.ratings.features import FeatureCoding
from metamf.ratings.limits import check_on_scale, clipped, with_scale
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, Standardize


def load_pretrained(name: str | None = None, **parameters: Any) -> MetaMFImputer:
    """The imputer of a bundled checkpoint, one of ``metamf.list_pretrained()``, loaded; by default
    what fills in a matrix best.

    Parameters are those of ``MetaMFImputer``.

    Raises
    ------
    CheckpointError
        If there is no bundled checkpoint of that name.
    """
    if name is not None and name not in list_pretrained():
        raise CheckpointError(
            f"there is no pretrained checkpoint {name!r}; there are "
            f"{', '.join(list_pretrained())}. "
            "MetaMFImputer(checkpoint=...) takes the path of a file of your own"
        )
    open_checkpoint(name or UNIVERSAL)
    return MetaMFImputer(name, **parameters)


class MetaMFImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fills in a rating matrix by a meta-trained model; missing cells are NaN.

    ``fit`` adapts the factors of rows and columns to the observed entries of X, without training:
    by T sweeps of variational Bayes (the universal checkpoint) or by T gradient steps (the paper's
    checkpoints, Algorithm 1). ``transform`` reads each row of its argument on its own in the
    context of the fitted columns (folding in): the factors of the columns stay as ``fit`` left
    them, and the row's follow from its own entries. So new rows need no refit, and the fitted rows
    get back what ``fit`` found for them: ``fit_transform(X)`` is ``fit(X).transform(X)``.

    Parameters
    ----------
    checkpoint : str or Path, optional
        Name of a bundled checkpoint (``metamf.list_pretrained()``), or path of a safetensors file:
        that network alone. By default what fills in a matrix best: ``universal`` and, in a table of
        up to 256 columns, a model of its columns, a network that was meta-trained on made-up tables
        (``metamf.network.tables``), or a normal distribution where the table is too large for it.
        How much each counts, the units, and how wide intervals are, is decided by entries of X that
        are hidden from both (``metamf.answer.crossfit``).
    standardize : {'auto', 'checkpoint', 'matrix', 'columns', 'rows'}, default='auto'
        Mean and spread that standardise X for the network. 'checkpoint': those of the checkpoint's
        training ratings. 'matrix': those of the observed entries of X. 'columns', 'rows': each
        column, or row, by its own. 'auto': X's own hidden entries decide between the last three; of
        a named network where a rating scale is known, 'matrix', and the scale weighs in. A
        checkpoint of the paper's model keeps to its own units where the rating scale of X, or else
        the range of its entries, fills at least half of the checkpoint's rating scale and does not
        leave it.
    steps : int, optional
        Number of sweeps or gradient steps; by default the checkpoint's T, and 16 sweeps of the
        universal checkpoint where columns or rows have units of their own. Tuning chooses between
        these two numbers.
    step_rule : {'auto', 'paper', 'safe'}, default='auto'
        'paper': Eqs. (6) and (7) with the fixed step size. 'safe': each step is bounded by the
        curvature of its row or column. 'auto': the paper's, unless they end above the objective
        where they began, or the squared error of a row or a column rises by more than a hundredth
        of the variance per entry; then safe ones, for the whole matrix. A new row in ``transform``
        takes the matrix's rule, or safe steps if it alone overshoots. The universal checkpoint has
        no step size: its sweeps are exact, and the rule makes no difference.
    clip : bool, default=True
        Keep estimates within the rating scale of X where it is known or the checkpoint's is used,
        otherwise near what was observed: in each column where columns have units of their own, or
        else in the whole matrix. Keep intervals within a known rating scale.
    scale : (float, float) or RatingScale, optional
        Lowest and highest rating, such as (1, 5), if they are known: where few entries are observed
        that makes estimates of the universal checkpoint better and its intervals narrower. By
        default the scale of X if X is a ``Ratings`` with a known scale, otherwise unknown. A rating
        outside a known scale is an error.
    device : str, default='cpu'
        Device of the computation: 'cpu', 'cuda', ...
    tune : None, int or 'auto', default=None
        Whether the network is moved a little for X before it adapts (tuning by hiding,
        ``metamf.learning.tuning``): by that number of steps, or 'auto', by as many as help on a
        part of X's own entries that tuning does not see. The tuned network is a copy, which belongs
        to the fitted imputer.
    guard : bool, default=True
        Whether the estimates of a table are compared with the mean of their column on hidden
        entries (``metamf.answer.guard``), and drawn towards it as far as that helps. Columns whose
        estimates are worse beyond chance get their mean, with one ``metamf.GuardWarning``. A named
        network is not guarded.
    random_state : int, RandomState or None, default=0
        Seed of tuning, and of the entries that are hidden for it; nothing else is random. None:
        another at each fit.

    Attributes
    ----------
    adaptation_ : Adaptation
        The models that were fitted to X, of which all others are parts.
    ratings_ : Ratings
        The observed entries of X, N x M, in rating units.
    U_, V_ : ndarray of shape (N, K) and (M, K)
        The adapted factors, in standardised units, where the estimates are those of one network; of
        a table that has a model of its columns next to it there are none.
    components_ : ndarray of shape (K, M)
        V_ transposed, in rating units, so that estimates before clipping are
        ``standardization_.mean + U_ @ components_``; in standardised units where each row has its
        own. Of 'ml-1m-nmf' U_ and components_ are positive, and the mean is the lowest rating.
    standardization_ : Standardization
        Mean and standard deviation by which X was standardised, in rating units.
    unit_rule_ : UnitRule
        The rule by which they follow from X: ``FixedUnits`` of the checkpoint, ``OwnUnits`` of X,
        ``ScaleUnits``, in which a known rating scale weighs in, or ``SidedUnits`` of columns or
        rows.
    scale_ : RatingScale, ColumnLimits or None
        The limits of estimates; None where all observed entries are one value.
    step_rule_ : {'exact', 'paper', 'safe', 'nmf'}
        The sweeps or steps that were taken.
    info_ : CheckpointInfo
        The checkpoint's description of itself; of a tuned network, also its origin.
    tuning_ : TuningOutcome or None
        Outcome of the tuning; None without tuning.
    ensemble_ : Weighing or None
        Weights of the network and of the table model, and the errors that they follow from; None
        where the network is alone.
    guarded_ : dict
        The columns that got their mean, by name if X has names, with the ratio of the errors of the
        estimates and of the mean on hidden entries.
    n_features_in_ : int
        M, the number of columns.
    feature_names_in_ : ndarray of shape (M,)
        Names of the columns, if X is a data frame whose column names are strings.

    Examples
    --------
    >>> import numpy as np, metamf
    >>> X = np.array([[5, 4, np.nan, 1], [4, np.nan, 5, 1], [np.nan, 1, 2, 5]])
    >>> imputer = metamf.MetaMFImputer()
    >>> X_hat = imputer.fit_transform(X)
    >>> X_hat.shape, np.isnan(X_hat).any(), (X_hat[0, :2] == X[0, :2]).all()
    ((3, 4), np.False_, np.True_)
    >>> imputer.transform([[5, np.nan, np.nan, 1]]).shape  # a new row, without a refit
    (1, 4)
    >>> imputer.estimate(rows=[0, 2], cols=[2, 0]).shape
    (2,)
    """

    _row_coding: FeatureCoding | None
    _form: Callable[[np.ndarray], Any]

    def __init__(
        self,
        checkpoint: str | Path | None = None,
        *,
        standardize: Standardize = "auto",
        steps: int | None = None,
        step_rule: StepRule = "auto",
        clip: bool = True,
        scale: tuple[float, float] | RatingScale | None = None,
        device: str = "cpu",
        tune: int | Literal["auto"] | None = None,
        guard: bool = True,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.checkpoint = checkpoint
        self.standardize = standardize
        self.steps = steps
        self.step_rule = step_rule
        self.clip = clip
        self.scale = scale
        self.device = device
        self.tune = tune
        self.guard = guard
        self.random_state = random_state

    @property
    def components_(self) -> np.ndarray:
        """(K, M) the columns' factors, as scikit-learn's NMF has them."""
        check_is_fitted(self)
        if not self.adaptation_.alone:
            raise AttributeError(
                "the estimates of this table are not those of one network's factors"
            )
        if self.unit_rule_.by is By.ROW:
            return self.V_.T
        return self.V_.T * self.standardization_.spread_block(slice(None), slice(None))

    def fit(
        self,
        X: Any,
        y: None = None,
        *,
        row_features: Any = None,
        col_features: Any = None,
        progress: Callable[[TuningProgress], object] | None = None,
    ) -> MetaMFImputer:
        """Adapts to X; a fit that fails leaves the imputer as it was.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M)
            NaN, None and pd.NA for missing; of a sparse matrix the explicit entries are observed
            (of a BSR matrix, whose blocks are padded, those that are not zero).
        row_features, col_features : array-like or data frame of shape (N, P), (M, Q), optional
            Numbers and words that describe rows and columns (``metamf.ratings.features``).
            ``universal`` estimates rows and columns without a rating by them, as far as they say
            anything of the others (``metamf.network.universal.links``), alone in columns; where a
            model of the columns stands next to it, that reads those of rows in all cells. A
            checkpoint that was trained with features reads those; others read none.
        progress : callable, optional
            ``progress(TuningProgress)`` is called every few steps of tuning, if any; if it returns
            True, tuning stops and keeps the best network so far.

        Raises
        ------
        ValueError
            If no entry is observed; if one is infinite, given twice or outside a known rating
            scale; if a parameter has an unknown value, or the device is absent.
        TypeError or ValueError
            If a cell is not a number.
        FileNotFoundError, CheckpointError
            If the checkpoint does not exist or cannot be used.
        RuntimeError
            In a process forked after the parent has computed, where torch would hang.
        """
        self._fit(X, progress, row_features=row_features, col_features=col_features)
        return self

    def transform(self, X: Any, row_features: Any = None) -> Any:
        """X, any rows with the columns of ``fit``, with its missing cells estimated, each row for
        itself.

        ``row_features`` (N', P) are those of the rows of X, as in ``fit``; a word that is new there
        says nothing.

        Returns
        -------
        ndarray or data frame of shape (N', M)
            In rating units; observed cells keep their value. A data frame gives a data frame of its
            class with the same index, columns and ``attrs``, everything else an array; float32
            stays float32, other numbers become float64.

        Raises
        ------
        ValueError
            If X or ``row_features`` have other columns than in ``fit``, or an entry is outside the
            rating scale that was known in ``fit``; and for cells that ``fit`` refuses.
        """
        check_is_fitted(self)
        ratings, dtype = read_matrix(self, X, self.ratings_)
        if row_features is not None and self._row_coding is None:
            raise ValueError("fit was not given row_features: give them there, too")
        ratings, _ = with_features(ratings, row_features=row_features, coding=self._row_coding)
        check_on_scale(ratings, self.ratings_.scale)
        estimates = self.adaptation_.of_rows(ratings)
        if self.clip:
            estimates = clipped(estimates, self.scale_)
        return in_the_form_of(X, ratings, estimates.astype(dtype, copy=False))

    def fit_transform(self, X: Any, y: None = None, **features: Any) -> Any:
        """``fit(X).transform(X)``, without reading the rows a second time; with the ``features`` of
        ``fit``."""
        dtype = self._fit(X, **features)
        estimates = self.adaptation_.answer(None, self.clip).mean
        return in_the_form_of(X, self.ratings_, estimates.astype(dtype))

    def impute(self, X: Any = None, interval: float | None = None, shift: float = 0.0) -> Answer:
        """Estimates, provenance and the trajectory of sweeps or steps for X, in one immutable
        result.

        The imputer itself stays as it is, so many threads can share one.

        Parameters
        ----------
        X : array-like, data frame, scipy.sparse matrix or Ratings, of shape (N, M), optional
            The matrix, as for ``fit``; by default the one that was fitted, without fitting again.
        interval : float, optional
            The level of an interval per cell, between 0.01 and 0.99: the share of unobserved
            ratings inside, by held-out matrices of other data and by the observed entries of X
            (``metamf.network.universal.intervals``).
        shift : float, default=0
            By how many spreads all estimates lie above what the model expects, or below it if
            negative: what is not given may differ (delta adjustment). The spread is that of the
            column, or of the matrix where it has one unit.

        Raises
        ------
        ValueError
            For another level, or a checkpoint that gives no intervals; and what ``fit`` raises.
        """
        check_parameters({"interval": interval, "shift": shift})
        if X is None:
            check_is_fitted(self)
            adaptation = self.adaptation_
        else:
            adaptation = self._adapt(X)[0]
        return shifted(adaptation.answer(interval, self.clip), float(shift))

    def estimate(self, rows: Any, cols: Any) -> np.ndarray:
        """(n,) estimates at cells of the fitted matrix in rating units, in O(n K): no N x M matrix
        is built.

        Observed cells get the model's estimate, too, clipped if ``clip``.

        Parameters
        ----------
        rows, cols : array-like of int, of shape (n,), or of shapes that broadcast
            Positions, from 0.

        Raises
        ------
        IndexError
            For a position outside the matrix; negative ones do not count from the end.
        TypeError
            For positions that are not integers.
        """
        check_is_fitted(self)
        rows = read_positions("row", rows, self.ratings_.n_rows)
        cols = read_positions("column", cols, self.ratings_.n_cols)
        return self.adaptation_.answer(None, self.clip).at(rows, cols)

    def draws(
        self,
        m: int = 20,
        random_state: int | np.random.RandomState | None = 0,
        *,
        shift: float = 0.0,
        by: DrawsBy = "auto",
        rounded: bool = False,
    ) -> Draws:
        """``m`` filled-in tables of the fitted matrix that differ as the estimates are uncertain
        (multiple imputation).

        ``draws.pool(statistic)`` pools what is computed from them by Rubin's rules;
        ``draws.purpose`` says what they are for. The order of the rows makes no difference to what
        is drawn.

        Parameters
        ----------
        m : int, default=20
            The number of tables, from 2 on.
        random_state : int, RandomState or None, default=0
            Seed of the draws.
        shift : float, default=0
            By how many spreads what was not given is taken to lie above what the model expects, or
            below it if negative (delta adjustment); the spread is that of the column, or of the
            matrix where it has one unit.
        by : {'auto', 'columns', 'posterior'}, default='auto'
            'columns': a normal distribution over the columns and a bootstrap of the rows, right for
            relations between columns, too. 'posterior': the network's posterior, whose mean is the
            estimate. 'auto': the first, up to 256 columns, where columns have units of their own,
            or at least half of the cells are given and there are two rows for each column.
        rounded : bool, default=False
            Round draws to the steps of the scale, or of what the column holds.

        Raises
        ------
        ValueError
            For another ``m`` or ``by``, more draws than memory holds, or a checkpoint that gives no
            intervals.
        """
        check_is_fitted(self)
        check_parameters({"shift": shift})
        seed = seed_of(random_state)
        return drawn(self.adaptation_, m, seed, float(shift), by, rounded, self._form)

    def estimates_without(
        self, entries: Any, row: int, col: int, progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """(D,) estimates of one cell, from all observed entries but one each (leave-one-out), in
        rating units.

        Each is that of a new fit of the network and of the table model, in units of its own. The
        rule of the units, the kind of steps, the tuned network and all weights stay those of the
        whole matrix.

        Parameters
        ----------
        entries : array-like of int, of shape (D,)
            Positions into ``ratings_.values`` of the entries that are left out.
        row, col : int
            The cell, from 0.
        progress : callable, optional
            ``progress(done, D)`` is called from time to time.

        Raises
        ------
        ValueError
            If there is only one observed entry, so nothing would be left to estimate from.
        IndexError, TypeError
            For positions as in ``estimate``.
        """
        check_is_fitted(self)
        entries = np.atleast_1d(read_positions("entry", entries, self.ratings_.nnz))
        row = int(read_positions("row", row, self.ratings_.n_rows))
        col = int(read_positions("column", col, self.ratings_.n_cols))
        found = self.adaptation_.estimates_without(entries, row, col, progress)
        limits = self.scale_ if self.clip else None
        return found if limits is None else limits.clip_at(found, np.array(row), np.array(col))

    def save_checkpoint(self, path: str | Path) -> Path:
        """Writes the network, tuned or not, as a checkpoint for ``MetaMFImputer(path)``,
        atomically.

        The header names its origin and the outcome of tuning. The table model belongs to the matrix
        and is not written.
        """
        check_is_fitted(self)
        found = self.adaptation_.checkpoint
        info = found.info.with_width_factor(self.adaptation_.width_factor)
        return found._replace(info=info).save(path)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of what ``transform`` returns: those of X, as a data frame or
        ``Ratings`` has them."""
        check_is_fitted(self)
        labels = self.ratings_.col_labels
        if (
            input_features is None
            and labels is not None
            and all(isinstance(label, str) for label in labels)
        ):
            return np.array(labels, dtype=object)
        return super().get_feature_names_out(input_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _fit(
        self, X: Any, progress: Callable[[TuningProgress], object] | None = None, **features: Any
    ) -> np.dtype:
        """Fits, and returns the dtype of an answer about X; assigns nothing before everything is
        found."""
        adaptation, dtype, reader = self._adapt(X, progress, **features)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(reader, name):
                setattr(self, name, getattr(reader, name))
        self.adaptation_ = adaptation
        self._row_coding = reader._row_coding
        self._form = form_of(X)
        self.ratings_ = adaptation.ratings
        self.scale_ = adaptation.scale
        for name in ("U_", "V_"):
            self.__dict__.pop(name, None)
        if adaptation.alone:
            self.U_ = adaptation.adapted.U.cpu().numpy()
            self.V_ = adaptation.adapted.V.cpu().numpy()
        self.standardization_ = adaptation.standardization.of_products
        self.unit_rule_ = adaptation.unit_rule
        self.step_rule_ = adaptation.adapted.rule
        self.info_ = adaptation.checkpoint.info
        self.tuning_ = adaptation.tuning_outcome
        self.guarded_ = adaptation.guarded
        self.ensemble_ = None if adaptation.mixture is None else adaptation.mixture.weighing
        return dtype

    def _adapt(
        self, X: Any, progress: Callable[[TuningProgress], object] | None = None, **features: Any
    ) -> tuple[Adaptation, np.dtype, MetaMFImputer]:
        """The checkpoint adapted to X, the dtype of an answer about X, and a clone with the coding
        of the features of rows and what scikit-learn has learned of the columns, which it assigns
        before anything else has succeeded."""
        check_parameters(self.get_params(deep=False))
        reader = clone(self)
        ratings, dtype = read_matrix(reader, X)
        ratings, reader._row_coding = with_features(ratings, **features)
        adaptation = adapt(
            with_scale(ratings, ratings.scale if self.scale is None else self.scale),
            self.checkpoint,
            standardize=self.standardize,
            steps=self.steps,
            step_rule=self.step_rule,
            device=self.device,
            tune=self.tune,
            seed=0 if self.tune is None else seed_of(self.random_state),
            guard=bool(self.guard),
            progress=progress,
        )
        said: list[tuple[str, type[Warning]]] = []
        if adaptation.worse:
            said.append((worse_sentence(adaptation.guarded), GuardWarning))
        if adaptation.unknown is not None:
            said.append((unknown_sentence(ratings, adaptation.unknown), UserWarning))
        if self.step_rule == "paper" and not adaptation.network.descends(
            adaptation.adapted, adaptation.batch
        ):
            message = (
                "the paper's fixed step size diverges on this matrix: use step_rule='auto' or "
                "'safe'"
            )
            said.append((message, ConvergenceWarning))
        for message, kind in said:
            warnings.warn(message, kind, stacklevel=4)
        return adaptation, dtype, reader
