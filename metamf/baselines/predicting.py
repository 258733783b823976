"""A method that works in standardised units, asked for ratings; and the units of one that sees a single matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


def matrix_units(given: Ratings) -> Standardization:
    """The units of a baseline that is fitted to one matrix: zero mean and unit variance on its observed entries, as the
    paper has them on the whole data set (Section 4.1)."""
    return Standardization.of(given.values)


def predictor(
    method: nn.Module, given: Ratings, units: Standardization | None = None
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Adapts ``method`` to the observed ratings of one matrix.

    Parameters
    ----------
    method : nn.Module
        One of ``METHODS``, built or with meta-trained parameters.
    given : Ratings
        The observed ratings, in rating units.
    units : Standardization, optional
        The mean and the spread by which they are standardised: those of the training data, where the parameters of
        the method were meta-trained. By default those of the matrix itself, ``matrix_units``.

    Returns
    -------
    callable
        Integer rows and columns of any shapes that broadcast -> estimates of that shape, in rating units, float64,
        not clipped.
    """
    units = matrix_units(given) if units is None else units
    adapt: Any = method.adapt  # every method has it; nn.Module does not know
    adapted = adapt(RatingsBatch.of([given.with_values(units.apply(given.values))]))

    @torch.inference_mode()
    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        rows, cols = np.broadcast_arrays(rows, cols)
        z = adapted.predict(torch.from_numpy(rows.flatten()), torch.from_numpy(cols.flatten()))
        return units.undo(z.numpy().astype(np.float64)).reshape(rows.shape)

    return predict
