"""The answers of a fitted imputer: single cells, all cells with their intervals, and estimates without an entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from metamf.imputer.adaptation import Adaptation
from metamf.imputer.inputs import in_the_form_of, read_positions
from metamf.imputer.parameters import INTERVAL, check_value
from metamf.imputer.result import Imputation
from metamf.imputer.transformer import MatrixTransformer
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


class FittedImputer(MatrixTransformer):
    """The part of ``MetaMFImputer`` that only reads what ``fit`` has found."""

    clip: bool
    ratings_: Ratings
    U_: np.ndarray
    V_: np.ndarray
    standardization_: Standardization
    _adaptation: Adaptation

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
        z = np.vecdot(self.U_[rows], self.V_[cols]).astype(np.float64)
        estimates = self.standardization_.undo_at(z, rows, cols)
        blend = self._adaptation.blend
        return self._clipped(estimates if blend is None else blend.mixed_at(estimates, rows, cols), rows, cols)

    def imputation(self, interval: float | None = None) -> Imputation:
        """``impute`` of the matrix that was fitted, without fitting again.

        Parameters
        ----------
        interval : float, optional
            The level of an interval per cell, as for ``impute``.

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

        Each is that of a new fit, in units of its own, of the network and of the members beside it; by which rule the
        units follow from the entries, which steps are taken, to what the network was tuned and how much each member
        weighs stays as it was decided for the whole matrix.

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
            Estimates in rating units; clipped to the scale of the fitted matrix if ``clip``.

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
        return self._clipped(self._adaptation.estimates_without(entries, row, col, progress), row, col)

    def save_checkpoint(self, path: str | Path) -> Path:
        """Writes the network that was fitted, with tuning or without, as a checkpoint of its own.

        ``MetaMFImputer(path)`` reads it. The header says where it comes from, and what tuning did. Members beside
        it belong to the matrix, not to the network, and are not written: name them again, ``MetaMFImputer(path,
        members="normal")``.

        Parameters
        ----------
        path : str or Path
            Path of the checkpoint; the file is written whole or not at all.

        Returns
        -------
        Path
            The file.
        """
        check_is_fitted(self)
        return self._adaptation.save(path)

    def _filled(self, X: Any, ratings: Ratings, U: np.ndarray, dtype: np.dtype) -> Any:
        rows, cols = np.ogrid[: len(U), : len(self.V_)]
        units = self.standardization_ if ratings is self.ratings_ else self.standardization_.of_new_rows(ratings)
        estimates = units.undo_at((U @ self.V_.T).astype(np.float64), rows, cols)
        if self._adaptation.blend is not None:
            estimates = self._adaptation.blend.mixed(estimates, ratings)
        return in_the_form_of(X, ratings, self._clipped(estimates, rows, cols).astype(dtype, copy=False))

    def _clipped(self, values: np.ndarray, rows: Any, cols: Any) -> np.ndarray:
        return self.scale_.clip_at(values, rows, cols) if self.clip and self.scale_ is not None else values
