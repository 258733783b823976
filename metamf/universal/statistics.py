"""Statistics of the rows and of the columns in closed form, known before the network reads the entries."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import torch
from torch import Tensor

from metamf.ratings.batch import RatingsBatch
from metamf.universal.effects import VarianceComponents


class Side(IntEnum):
    """The two sides of a matrix; where parameters are stacked, the index of each."""

    ROWS = 0
    COLS = 1


class Statistics(NamedTuple):
    """Statistics of the n rows, or of the n columns, of a batch; in standardised units.

    Attributes
    ----------
    effect : (n, 1) shrunken effect
    count : (n, 1) number of observed entries
    log_count : (n, 1) log(count + 1) / 5
    root_share : (n, 1) square root of the observed share of its cells
    log_length : (n, 1) log(number of its cells + 1) / 5
    log_variances : (n, 3) logarithms of the variances of the matrix, divided by 4; (n, 0) without variance components
    effect_precision : (n, 1) prior precision of the effect in units of the noise precision; 1 without components
    noise_deviation : (n, 1) standard deviation of the noise in the matrix, the unit in which the sweeps compute
    """

    effect: Tensor
    count: Tensor
    log_count: Tensor
    root_share: Tensor
    log_length: Tensor
    log_variances: Tensor
    effect_precision: Tensor
    noise_deviation: Tensor


def statistics_of(
    side: Side, batch: RatingsBatch, effect: Tensor, variances: VarianceComponents, components: bool
) -> Statistics:
    """The statistics of one side of a batch.

    Parameters
    ----------
    side : the rows or the columns
    batch : the observed entries
    effect : (n, 1) shrunken effects of that side
    variances : (D, 1) each, of the matrices
    components : whether the variances were estimated for each matrix
    """
    if side is Side.ROWS:
        count, cells, matrix, of_effect = batch.row_count, batch.n_cols, batch.row_matrix, variances.row
    else:
        count, cells, matrix, of_effect = batch.col_count, batch.n_rows, batch.col_matrix, variances.col
    log_variances, effect_precision = effect.new_empty(len(effect), 0), torch.ones_like(effect)
    if components:
        log_variances = torch.cat(variances, 1).log()[matrix] / 4
        effect_precision = (variances.noise / of_effect)[matrix]
    counts = count_features(count, cells[matrix].to(effect.dtype).unsqueeze(1))
    return Statistics(effect, count, *counts, log_variances, effect_precision, variances.noise.sqrt()[matrix])


def count_features(count: Tensor, cells: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``log_count``, ``root_share`` and ``log_length`` of ``Statistics``, of ``count`` entries among ``cells``.

    The divisor 5 brings logarithms of realistic sizes to the order of 1.
    """
    return (count + 1).log() / 5, (count / cells).sqrt(), (cells + 1).log() / 5
