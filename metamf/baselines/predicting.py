"""A method that works in standardised units, asked for ratings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardization


def predictor(
    method: nn.Module, given: Ratings, units: Standardization
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Adapts ``method`` to the observed ratings of one matrix.

    Parameters
    ----------
    method : nn.Module
        One of ``METHODS``, built or with meta-trained parameters.
    given : Ratings
        The observed ratings, in rating units.
    units : Standardization
        The mean and the spread by which they are standardised; those of the training data, where the parameters of
        the method were meta-trained.

    Returns
    -------
    callable
        Integer rows and columns of any shapes that broadcast -> estimates of that shape, in rating units, float64,
        not clipped.
    """
    adapted = method.adapt(RatingsBatch.of([given.with_values(units.apply(given.values))]))

    @torch.inference_mode()
    def predict(rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        rows, cols = np.broadcast_arrays(rows, cols)
        z = adapted.predict(torch.from_numpy(rows.flatten()), torch.from_numpy(cols.flatten()))
        return units.undo(z.numpy().astype(np.float64)).reshape(rows.shape)

    return predict
