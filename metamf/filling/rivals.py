"""Methods that a person would otherwise use on a table, and all methods that a verdict on it compares.

Each rival's settings are chosen on given cells: a part of them is hidden, and the settings that predict it best are
used. MF by gradient descent is not among them, since ALS is the same model, fitted exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from metamf.baselines import METHODS
from metamf.baselines.crossed_effects import fit_variances
from metamf.baselines.predicting import matrix_units, predictor
from metamf.baselines.selection import choose
from metamf.baselines.spec import MethodSpec
from metamf.checkpoints.bundled import list_pretrained
from metamf.episodes import EpisodeBatch, divide_entries
from metamf.filling.methods import ADDS_TUNING, REFERENCES, Estimates, Method, method, offered
from metamf.imputer.column_members import BESIDE, most_members
from metamf.imputer.estimator import MetaMFImputer
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.sided_units import SidedUnits
from metamf.ratings.units import By, Standardization

RIVALS = ("damped_bias", "normal", "knn", "soft_impute", "als", "crossed_effects", "iterative")  # cheap ones first
_HIDDEN = 0.15  # share of the given cells by which settings are chosen
_FEWEST = 20  # given cells from which settings are chosen
_MOST_SETTINGS = 6  # that are tried


def has_own_units(ratings: Ratings) -> bool:
    """Whether the columns of a table without a rating scale are measured in units of their own."""
    if ratings.scale is not None:
        return False
    return MetaMFImputer("universal", standardize="chosen").fit(ratings).unit_rule_.by is By.COLUMN


def compared(ratings: Ratings, repeats: int, own_units: bool = False) -> tuple[Method, ...]:
    """The methods that a verdict compares, in the order in which they are measured: those that take moments first.

    Parameters
    ----------
    ratings : Ratings
        The table.
    repeats : int
        Number of fits of each method.
    own_units : bool
        Whether columns are measured in units of their own: then the rivals work in these.
    """
    averages = (method("mean"), *REFERENCES.values())
    checkpoints = [how for how in offered(ratings) if how.info is not None]
    first = [how for how in checkpoints if how.gives_intervals]
    rivals = [rival(key, own_units) for key in RIVALS if METHODS[key].feasible(ratings, repeats)]
    return (
        *averages,
        *first,
        *rivals[:1],
        *(how for how in checkpoints if how not in first),
        *rivals[1:],
        *with_members(ratings),
    )


def with_members(ratings: Ratings) -> list[Method]:
    """The network with the most members beside it for which a table is small enough, if there is any."""
    beside = most_members(ratings)
    return [] if beside is None else [contender(f"universal+{beside}")]


def contender(name: str, own_units: bool = False, seconds: float | None = 60.0) -> Method:
    """A method of a comparison by its ``Method.name``.

    Parameters
    ----------
    name : str
        Key of a method, or a bundled checkpoint with additions, such as 'universal+tuned+normal'.
    own_units : bool
        Whether columns are measured in units of their own: then a rival works in these.
    seconds : float or None
        Time limit of tuning, if the name asks for it.

    Raises
    ------
    FileNotFoundError, CheckpointError
        If there is no such method.
    """
    if name in RIVALS:
        return rival(name, own_units)
    checkpoint, *added = name.split("+")
    if not added or checkpoint not in list_pretrained():
        return method(name)
    settings: dict[str, Any] = {"tune": "auto", "tune_seconds": seconds} if ADDS_TUNING[1:] in added else {}
    for members in BESIDE:
        if members in added:
            settings["members"] = members
    return method(checkpoint, **settings)


def rival(key: str, own_units: bool = False) -> Method:
    """A method of ``metamf.baselines.METHODS`` that is fitted to each matrix.

    Its settings are chosen at its first fit, on a hidden part of what is given there, and kept: in a verdict later
    divisions hide other cells of the same table, so what a rival has seen too much of is in its favour.
    """
    spec = METHODS[key]
    predict, settings = partial(_by_rival, key, own_units, []), {"own_units": own_units}
    return Method(key, spec.label, spec.explanation, predict, settings=settings, chooses=True)


def _by_rival(
    key: str, own_units: bool, chosen: list, given: Ratings, rows: np.ndarray, cols: np.ndarray, level: float | None
) -> Estimates:
    """Estimates by a rival; ``chosen`` holds its settings from the first fit on."""
    spec = METHODS[key]
    units = SidedUnits(By.COLUMN).of(given) if own_units else matrix_units(given)
    support = given.with_values(units.apply_at(given.values.astype(np.float64), given.rows, given.cols))
    if not chosen:
        chosen.append(_best_settings(spec, support))
    z = predictor(spec.build(chosen[0]), support, Standardization(0.0, 1.0))(rows, cols)
    return Estimates(units.undo_at(z, *np.broadcast_arrays(rows, cols)))


def _best_settings(spec: MethodSpec, support: Ratings) -> Any:
    """The settings that predict a hidden part of ``support``, in standardised units, best; None: the default ones."""
    if support.nnz < _FEWEST:
        return None
    if spec.key == "crossed_effects":
        return fit_variances(RatingsBatch.of([support]))
    if not spec.grid:
        return None
    grid = _spread_out(spec.grid)
    part = divide_entries(support, 1 - _HIDDEN, np.random.default_rng(0))
    return choose(spec.build, grid, EpisodeBatch.of([part])).config


def _spread_out(grid: Sequence) -> list:
    """Some settings all over a grid."""
    if len(grid) <= _MOST_SETTINGS:
        return list(grid)
    return [grid[i] for i in np.linspace(0, len(grid) - 1, _MOST_SETTINGS).astype(int)]
