"""What users pass to ``MetaMFImputer``, checked: parameters, matrices in every form, positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd
import scipy.sparse
import torch
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import validate_data

from metamf.answer.ensemble import AskedMembers
from metamf.network.protocol import StepRule
from metamf.ratings.features import FeatureCoding
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardize

FLOATS = (np.float64, np.float32)  # float32 is kept, everything else becomes float64


class Parameter(NamedTuple):
    """The values that a parameter may have, in words, and a test for them."""

    what: str
    fits: Callable[[Any], bool]


def _one_of(names: tuple[str, ...]) -> Parameter:
    return Parameter(f"one of {names}", lambda value: isinstance(value, str) and value in names)


def _optional(what: str, fits: Callable[[Any], bool]) -> Parameter:
    return Parameter(what, lambda value: value is None or fits(value))


def _is_number(value: Any, kind: type = Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _is_whole(value: Any, least: int) -> bool:
    return _is_number(value, Integral) and int(value) >= least


PARAMETERS = {
    "checkpoint": Parameter("a name or a path", lambda value: isinstance(value, str | PathLike)),
    "standardize": _one_of(get_args(Standardize)),
    "steps": _optional("None or a whole number that is not negative", lambda value: _is_whole(value, 0)),
    "step_rule": _one_of(get_args(StepRule)),
    "clip": Parameter("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "tune": _optional("None, 'auto' or a positive whole number", lambda value: value == "auto" or _is_whole(value, 1)),
    "tune_seconds": _optional("None or a positive number", lambda value: _is_number(value) and float(value) > 0),
    "members": _optional(f"None or one of {get_args(AskedMembers)}", _one_of(get_args(AskedMembers)).fits),
    "guard": Parameter("True, False or 'quiet'", lambda value: isinstance(value, bool | np.bool_) or value == "quiet"),
    "random_state": _optional(
        "None, a RandomState or a whole number that is not negative",
        lambda value: isinstance(value, np.random.RandomState) or _is_whole(value, 0),
    ),
    "device": Parameter("the name of a device", lambda value: isinstance(value, str | torch.device)),
}
SHIFT = Parameter("a finite number", lambda value: _is_number(value) and bool(np.isfinite(float(value))))
INTERVAL = _optional("None or a number between 0.01 and 0.99", _is_number)


def check_parameters(values: dict[str, Any]) -> None:
    """Raises ValueError for the first value that a parameter of the imputer may not have, or an absent device."""
    for name, parameter in PARAMETERS.items():
        check_value(name, values[name], parameter)
    try:
        torch.empty(0, device=values["device"])
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {str(values['device'])!r} cannot be used here ({str(error).splitlines()[0]}): use device='cpu'"
        ) from error


def check_value(name: str, value: object, parameter: Parameter) -> None:
    """Raises ValueError, which names the value, if a parameter may not have it."""
    if not parameter.fits(value):
        raise ValueError(f"{name} must be {parameter.what}, got {value!r}")


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """A whole number as it is; otherwise one drawn from the generator, by None from NumPy's global one."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def with_features(
    ratings: Ratings, row_features: Any = None, col_features: Any = None, coding: FeatureCoding | None = None
) -> tuple[Ratings, FeatureCoding | None]:
    """The matrix with features of rows (N, P) and of columns (M, Q), array-likes or data frames, None for as they are;
    and the coding of those of rows, ``coding`` where it is known."""
    if row_features is not None:
        coding = coding or FeatureCoding.of(row_features)
        ratings = replace(ratings, row_features=coding(row_features))
    if col_features is not None:
        ratings = replace(ratings, col_features=FeatureCoding.of(col_features)(col_features))
    return ratings, coding


def read_matrix(estimator: BaseEstimator, X: Any, fitted: Ratings | None = None) -> tuple[Ratings, np.dtype]:
    """The observed entries of X, as ``MetaMFImputer.fit`` takes it, and the dtype that an answer about X has.

    ``estimator`` gets ``n_features_in_`` and ``feature_names_in_``; if ``fitted`` is given, the columns of X have to be
    those of it. ValueError or TypeError if X is not two-dimensional, its columns differ or share a name, or a cell is
    infinite, not a number, or given twice.
    """
    reset = fitted is None
    if isinstance(X, Ratings):
        ratings = validate_data(estimator, X, reset=reset, skip_check_array=True)
        dtype = X.values.dtype if X.values.dtype in FLOATS else np.dtype(np.float64)
    elif scipy.sparse.issparse(X):
        X = validate_data(estimator, X, reset=reset, accept_sparse=True, dtype=FLOATS, ensure_all_finite="allow-nan")
        ratings = Ratings.from_scipy(X)
        dtype = X.dtype
    else:
        values = _dense(estimator, X, reset)
        ratings = Ratings.from_dense(values)
        dtype = values.dtype
        if isinstance(X, pd.DataFrame):
            ratings = replace(ratings, row_labels=tuple(X.index), col_labels=tuple(X.columns))
    if fitted is not None and fitted.col_labels is not None and ratings.col_labels is not None:
        for at, (label, expected) in enumerate(zip(ratings.col_labels, fitted.col_labels)):
            if label != expected:
                raise ValueError(
                    f"column {at} is {label!r}, in fit it was {expected!r}: give the same columns in order"
                )
    return ratings, dtype


def _dense(estimator: BaseEstimator, X: Any, reset: bool) -> np.ndarray:
    """(N, M) numbers, NaN for missing; infinite cells are left for Ratings to refuse, which names them."""
    if isinstance(X, np.ma.MaskedArray):
        cells = np.ma.filled(X.astype(np.float64), np.nan)
    elif isinstance(X, pd.DataFrame):
        if len(twice := X.columns[X.columns.duplicated()]):
            raise ValueError(f"two columns have the name {twice[0]!r}: give them different names")
        categorical = any(isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes)
        cells = X.to_numpy(object if categorical else None)  # pandas makes -9.2e18 of a missing one among integers
    else:
        cells = np.asarray(X)
    if cells.dtype.kind == "O":
        cells = np.where(pd.isna(cells), np.nan, cells)  # NumPy cannot convert pd.NA
    elif cells.dtype.kind in "mM":
        raise TypeError(f"X holds {cells.dtype}, which are not numbers: give ratings")
    try:
        values = check_array(cells, dtype=FLOATS, ensure_all_finite=False, estimator=estimator)
    except (TypeError, ValueError) as error:
        found = _first_that_is_not_a_number(cells)
        if found is None:
            raise
        row, col, value = found
        value = value.item() if isinstance(value, np.generic) else value  # 'NA', not np.str_('NA')
        message = f"cell ({row}, {col}) holds {value!r}, which is not a number; a missing cell is NaN ({error})"
        raise (TypeError if isinstance(error, TypeError) else ValueError)(message) from error
    validate_data(estimator, X, reset=reset, skip_check_array=True)  # the number and the names of the columns
    return values


def _first_that_is_not_a_number(cells: np.ndarray) -> tuple[int, int, object] | None:
    """Row, column and content of the first cell that is not a number, if any."""
    if cells.ndim != 2 or cells.dtype.kind not in "OSUT":
        return None
    for (row, col), value in np.ndenumerate(cells):
        try:
            np.float64(value)
        except (TypeError, ValueError):
            return row, col, value
    return None


def in_the_form_of(X: Any, ratings: Ratings, estimates: np.ndarray) -> Any:
    """Estimates of all cells, (N, M), with the observed ratings of X in their cells; a data frame of X's class, with
    its ``attrs``, if X is one."""
    estimates[ratings.rows, ratings.cols] = ratings.values
    if not isinstance(X, pd.DataFrame):
        return estimates
    return type(X)(estimates, index=X.index, columns=X.columns).__finalize__(X)


def form_of(X: Any) -> Callable[[np.ndarray], Any]:
    """A function that gives an array the form of X: a data frame of its class with its names and ``attrs``, if X is
    one. It keeps no cell of X."""
    return partial(_framed, X.iloc[:, :0], X.columns) if isinstance(X, pd.DataFrame) else np.asarray


def _framed(like: pd.DataFrame, columns: pd.Index, table: np.ndarray) -> pd.DataFrame:
    return type(like)(table, index=like.index, columns=columns).__finalize__(like)


def read_positions(name: str, positions: Any, size: int) -> np.ndarray:
    """Integer positions from 0 to ``size`` - 1 as an array; TypeError or IndexError, which names one, for others."""
    at = np.asarray(positions)
    if not at.size:
        return at.astype(np.int64)
    if not np.issubdtype(at.dtype, np.integer):
        raise TypeError(f"{name} positions are integers, got {at.dtype}")
    if at.min() < 0 or at.max() >= size:
        raise IndexError(f"{name} {at.min() if at.min() < 0 else at.max()} lies outside 0 ... {size - 1}")
    return at
