"""Selection of the cells that share their units (the whole matrix, a column or a row) by the matrix's own entries.

Some of the observed entries are hidden, and the pretrained model predicts them in each kind of units. Units of columns
or rows are taken only if their errors are lower beyond chance: on rating matrices units by column cost 1 to 3 %, on
tables of measurements no useful answer is possible without them. The decision hardly depends on the order of rows and
columns: only entries that agree in value, row and column statistics change places.
"""

from __future__ import annotations

import numpy as np
import torch

from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.models import PretrainedModel
from metamf.learning.episodes import Episode, canonical_order, divide_entries
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import By, SidedUnits, Standardize, UnitRule

DIVISIONS = 4  # divisions of the entries into given and hidden ones
HIDDEN_SHARE = 0.2
FEWEST_TO_CHOOSE = 20  # entries; fewer decide nothing
MOST_ENTRIES = 20_000  # of more entries a random part decides
BEYOND_CHANCE = 2.0  # standard errors of the paired difference
SMALLEST_SCALE = 1e-100  # size of the largest number: squares of smaller ones, or of its inverse, are not floats
FARTHEST_ERROR = 5.0  # standard deviations of the column at which an error is cut off


def one_unit(checkpoint: str, ratings: Ratings) -> Standardize:
    """The value of the imputer's ``standardize`` by which all cells of a matrix share one unit, so that a picture of
    U V^T is, but for one shift and one factor, one of the ratings."""
    return "matrix" if open_checkpoint(checkpoint)[0].units(ratings).gives_way else "auto"


@torch.inference_mode()
def chosen_units(model: PretrainedModel, ratings: Ratings, whole: UnitRule) -> UnitRule:
    """The rule that standardises a matrix without a known rating scale: ``whole``, by which all cells have the same
    units, unless ``SidedUnits`` are better beyond chance.

    ``model`` predicts the hidden entries of ``ratings``, in rating units.
    """
    largest = float(np.abs(ratings.values).max(initial=0.0))
    if ratings.nnz < FEWEST_TO_CHOOSE or min(ratings.shape) < 2 or not SMALLEST_SCALE < largest < 1 / SMALLEST_SCALE:
        return whole
    rng = np.random.default_rng(0)
    part = _random_part(ratings.select(canonical_order(ratings)), rng)
    rules = [whole, SidedUnits(By.COLUMN), SidedUnits(By.ROW)]
    divisions = [divide_entries(part, 1 - HIDDEN_SHARE, rng) for _ in range(DIVISIONS)]
    losses = np.stack([_losses(model, divisions, rule) for rule in rules])  # (3, hidden entries of all divisions)
    best, gain_of_best = whole, 0.0
    for rule, loss in zip(rules[1:], losses[1:]):
        gain = losses[0] - loss
        spread = gain.std(ddof=1) / np.sqrt(len(gain) / DIVISIONS)  # an entry may be hidden in several divisions
        if gain.mean() > max(BEYOND_CHANCE * spread, gain_of_best):
            best, gain_of_best = rule, float(gain.mean())
    return best


def _random_part(ratings: Ratings, rng: np.random.Generator) -> Ratings:
    if ratings.nnz <= MOST_ENTRIES:
        return ratings
    share = np.sqrt(MOST_ENTRIES / ratings.nnz)
    part = ratings.submatrix(*(rng.permutation(size)[: max(2, round(share * size))] for size in ratings.shape))
    return part if part.nnz >= FEWEST_TO_CHOOSE else ratings


def _losses(model: PretrainedModel, divisions: list[Episode], rule: UnitRule) -> np.ndarray:
    """Squared errors on the hidden entries, in units of the spread of their columns, so all columns count alike."""
    units, given = [rule.of(division.support) for division in divisions], []
    for found, division in zip(units, divisions):
        part = division.support
        z = found.apply_at(part.values.astype(np.float64), part.rows, part.cols)
        given.append(part.with_values(z.clip(-1e6, 1e6)))
    adapted = model.adapt(RatingsBatch.of(given, model.dtype))
    losses, (N, M) = [], divisions[0].support.shape
    for index, (found, division) in enumerate(zip(units, divisions)):
        query = division.query
        at = (torch.from_numpy(ids + size * index) for ids, size in ((query.rows, N), (query.cols, M)))
        estimates = found.undo_at(adapted.predict(*at).double().numpy(), query.rows, query.cols)
        spread = SidedUnits(By.COLUMN).of(division.support).std[query.cols]
        errors = (estimates - query.values) / spread
        losses.append(np.minimum(np.nan_to_num(errors**2, nan=np.inf), FARTHEST_ERROR**2))
    return np.concatenate(losses)
