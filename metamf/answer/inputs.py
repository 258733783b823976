"""What users pass to ``MetaMFImputer``, checked: parameters, matrices in every form, positions.

scikit-learn is imported where it is used: the command, which takes a second less, does without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, get_args

import numpy as np
import pandas as pd
import scipy.sparse
import torch

from metamf.network.protocol import StepRule
from metamf.ratings.features import FeatureCoding
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardize

FLOATS = (np.float64, np.float32)  # float32 is kept, everything else becomes float64


def _is(value: Any, kind: type = Real, least: float = -np.inf) -> bool:
    """Whether a value is a finite number of a kind, and no truth value."""
    if not isinstance(value, kind) or _is_bool(value):
        return False
    number = float(value)  # type: ignore[arg-type]  # of a Real
    return bool(np.isfinite(number) and number >= least)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _in(names: tuple[str, ...], value: Any) -> bool:
    return isinstance(value, str) and value in names


# The values that a parameter may have, in words, and a test for them.
PARAMETERS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "checkpoint": ("None, a name or a path", lambda x: x is None or isinstance(x, str | PathLike)),
    "standardize": (f"one of {get_args(Standardize)}", partial(_in, get_args(Standardize))),
    "steps": (
        "None or a whole number that is not negative",
        lambda x: x is None or _is(x, Integral, 0),
    ),
    "step_rule": (f"one of {get_args(StepRule)}", partial(_in, get_args(StepRule))),
    "clip": ("True or False", _is_bool),
    "tune": (
        "None, 'auto' or a positive whole number",
        lambda x: x is None or _in(("auto",), x) or _is(x, Integral, 1),
    ),
    "guard": ("True or False", _is_bool),
    "random_state": (
        "None, a RandomState or a whole number that is not negative",
        lambda x: x is None or isinstance(x, np.random.RandomState) or _is(x, Integral, 0),
    ),
    "device": ("the name of a device", lambda x: isinstance(x, str | torch.device)),
    "shift": ("a finite number", _is),
    "interval": ("None or a number between 0.01 and 0.99", lambda x: x is None or _is(x)),
}


def check_parameters(values: Mapping[str, Any]) -> None:
    """Raises ValueError, which names the value, for the first one that a parameter may not have,
    or an absent device."""
    for name, (what, fits) in PARAMETERS.items():
        if name in values and not fits(values[name]):
            raise ValueError(f"{name} must be {what}, got {values[name]!r}")
    try:
        torch.empty(0, device=values.get("device", "cpu"))
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {str(values['device'])!r} cannot be used here "
            f"({str(error).splitlines()[0]}): use device='cpu'"
        ) from error


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """A whole number as it is; otherwise one drawn from the generator, by None from NumPy's global
    one."""
    from sklearn.utils import check_random_state

    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def with_features(
    ratings: Ratings,
    row_features: Any = None,
    col_features: Any = None,
    coding: FeatureCoding | None = None,
) -> tuple[Ratings, FeatureCoding | None]:
    """The matrix with features of rows (N, P) and of columns (M, Q), array-likes or data frames,
    None for as they are; and the coding of those of rows, ``coding`` where it is known."""
    if row_features is not None:
        coding = coding or FeatureCoding.of(row_features)
        ratings = replace(ratings, row_features=coding(row_features))
    if col_features is not None:
        ratings = replace(ratings, col_features=FeatureCoding.of(col_features)(col_features))
    return ratings, coding


def read_matrix(estimator: Any, X: Any, fitted: Ratings | None = None) -> tuple[Ratings, np.dtype]:
    """The observed entries of X, as ``MetaMFImputer.fit`` takes it, and the dtype that an answer
    about X has.

    ``estimator`` gets ``n_features_in_`` and ``feature_names_in_``; if ``fitted`` is given, the
    columns of X have to be those of it. ValueError or TypeError if X is not two-dimensional, its
    columns differ or share a name, or a cell is infinite, not a number, or given twice.
    """
    from sklearn.utils.validation import validate_data

    checked = partial(validate_data, estimator, X, reset=fitted is None)
    if isinstance(X, Ratings):
        ratings = checked(skip_check_array=True)
        dtype = X.values.dtype if X.values.dtype in FLOATS else np.dtype(np.float64)
    elif scipy.sparse.issparse(X):
        X = checked(accept_sparse=True, dtype=FLOATS, ensure_all_finite="allow-nan")
        ratings = Ratings.from_scipy(X)
        dtype = X.dtype
    else:
        values = _numbers(estimator, X)
        checked(skip_check_array=True)  # the number and the names of the columns
        ratings = Ratings.from_dense(values)
        dtype = values.dtype
        if isinstance(X, pd.DataFrame):
            ratings = replace(ratings, row_labels=tuple(X.index), col_labels=tuple(X.columns))
    if fitted is not None and fitted.col_labels is not None and ratings.col_labels is not None:
        for at, (label, expected) in enumerate(zip(ratings.col_labels, fitted.col_labels)):
            if label != expected:
                raise ValueError(
                    f"column {at} is {label!r}, in fit it was {expected!r}: give the same columns "
                    "in order"
                )
    return ratings, dtype


def _numbers(estimator: Any, X: Any) -> np.ndarray:
    """(N, M) numbers, NaN for missing; infinite cells are left for Ratings to refuse, which names
    them."""
    from sklearn.utils import check_array

    names = None
    if isinstance(X, np.ma.MaskedArray):
        cells = np.ma.filled(X.astype(np.float64), np.nan)
    elif isinstance(X, pd.DataFrame):
        if len(twice := X.columns[X.columns.duplicated()]):
            raise ValueError(f"two columns have the name {twice[0]!r}: give them different names")
        names = list(X.columns)
        categorical = any(isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes)
        # pandas makes -9.2e18 of a missing one among integers
        cells = X.to_numpy(object if categorical else None)
    else:
        cells = np.asarray(X)
    if cells.dtype.kind == "O":
        cells = np.where(pd.isna(cells), np.nan, cells)  # NumPy cannot convert pd.NA
    elif cells.dtype.kind in "mM":
        raise TypeError(f"X holds {cells.dtype}, which are not numbers: give ratings")
    try:
        return check_array(cells, dtype=FLOATS, ensure_all_finite=False, estimator=estimator)
    except (TypeError, ValueError) as error:
        found = _first_that_is_not_a_number(cells)
        if found is None:
            raise
        row, col, value = found
        value = value.item() if isinstance(value, np.generic) else value  # 'NA', not np.str_('NA')
        message = f"cell ({row}, {col}) holds {value!r}, which is not a number"
        if names is not None:
            message += f": drop or encode column {names[col]!r}"
        message += f"; a missing cell is NaN ({error})"
        raise (TypeError if isinstance(error, TypeError) else ValueError)(message) from error


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
    """Estimates of all cells, (N, M), with the observed ratings of X in their cells; a data frame
    of X's class, with its ``attrs``, if X is one."""
    estimates[ratings.rows, ratings.cols] = ratings.values
    return form_of(X)(estimates)


def form_of(X: Any) -> Callable[[np.ndarray], Any]:
    """A function that gives an array the form of X: a data frame of its class with its names and
    ``attrs``, if X is one. It keeps no cell of X."""
    return partial(_framed, X.iloc[:, :0], X.columns) if isinstance(X, pd.DataFrame) else np.asarray


def _framed(like: pd.DataFrame, columns: pd.Index, table: np.ndarray) -> pd.DataFrame:
    return type(like)(table, index=like.index, columns=columns).__finalize__(like)


def read_positions(name: str, positions: Any, size: int) -> np.ndarray:
    """Integer positions from 0 to ``size`` - 1 as an array; TypeError or IndexError, which names
    one, for others."""
    at = np.asarray(positions)
    if not at.size:
        return at.astype(np.int64)
    if not np.issubdtype(at.dtype, np.integer):
        raise TypeError(f"{name} positions are integers, got {at.dtype}")
    if at.min() < 0 or at.max() >= size:
        wrong = at.min() if at.min() < 0 else at.max()
        raise IndexError(f"{name} {wrong} lies outside 0 ... {size - 1}")
    return at
