"""What users hand in -> ``Ratings``: arrays, data frames, scipy.sparse, Ratings, checked as in scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from metamf.ratings.matrix import Ratings

FLOATS = (np.float64, np.float32)  # float32 is kept, everything else becomes float64


def read_matrix(estimator: BaseEstimator, X, fitted: Ratings | None = None) -> tuple[Ratings, np.dtype]:
    """The observed entries of X, and the dtype that an answer about X has.

    Parameters
    ----------
    estimator : gets ``n_features_in_`` and ``feature_names_in_``, or is asked for them where ``fitted`` is given
    X : (N, M) array or data frame, NaN, None and pd.NA for missing; masked array; scipy.sparse matrix whose explicit
        entries are observed, explicit zeros included (explicit NaN: missing); or Ratings
    fitted : the matrix that the columns of X have to agree with

    Raises
    ------
    ValueError, TypeError
        if X is no matrix, has other columns than ``fitted``, or a cell is infinite, no number, or given twice.
    """
    reset = fitted is None
    if isinstance(X, Ratings):
        ratings = validate_data(estimator, X, reset=reset, skip_check_array=True)
        dtype = X.values.dtype if X.values.dtype in FLOATS else np.dtype(np.float64)
    elif scipy.sparse.issparse(X):
        entries = validate_data(
            estimator, X, reset=reset, accept_sparse="coo", dtype=FLOATS, ensure_all_finite="allow-nan"
        )
        known = ~np.isnan(entries.data)
        rows, cols = (positions[known] for positions in entries.coords)
        ratings, dtype = Ratings(rows, cols, entries.data[known], entries.shape), entries.dtype
    else:
        values = _dense(estimator, X, reset)
        ratings, dtype = Ratings.from_dense(values), values.dtype
        if isinstance(X, pd.DataFrame):
            ratings = replace(ratings, row_labels=tuple(X.index), col_labels=tuple(X.columns))
    if fitted is not None and fitted.col_labels is not None and ratings.col_labels is not None:
        for at, (label, expected) in enumerate(zip(ratings.col_labels, fitted.col_labels)):
            if label != expected:
                raise ValueError(
                    f"column {at} is {label!r}, in fit it was {expected!r}: give the same columns in order"
                )
    return ratings, dtype


def _dense(estimator: BaseEstimator, X, reset: bool) -> np.ndarray:
    """(N, M) numbers, NaN for missing; infinite cells are left for Ratings to refuse, which names them."""
    if isinstance(X, np.ma.MaskedArray):
        X = X.astype(np.float64).filled(np.nan)
    elif isinstance(X, pd.DataFrame) and any(pd.api.types.is_object_dtype(kind) for kind in X.dtypes):
        X = X.where(X.notna(), np.nan)  # NumPy cannot convert pd.NA
    elif isinstance(X, pd.DataFrame) and any(isinstance(kind, pd.SparseDtype) for kind in X.dtypes):
        X = X.astype({name: kind.subtype for name, kind in X.dtypes.items() if isinstance(kind, pd.SparseDtype)})
    try:
        return validate_data(estimator, X, reset=reset, dtype=FLOATS, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        found = _first_that_is_no_number(X)
        if found is None:
            raise
        row, col, value = found
        message = f"cell ({row}, {col}) holds {value!r}, which is no number; a missing cell is NaN ({error})"
        raise (TypeError if isinstance(error, TypeError) else ValueError)(message) from error


def _first_that_is_no_number(X) -> tuple[int, int, object] | None:
    cells = np.asarray(X)
    if cells.ndim != 2 or cells.dtype.kind not in "OSUT":
        return None
    for (row, col), value in np.ndenumerate(cells):
        try:
            np.float64(value)
        except (TypeError, ValueError):
            return row, col, value
    return None
