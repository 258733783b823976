"""A checkpoint's description of itself: read from its header, without torch."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from metamf.checkpoints.header import CheckpointError
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

HEADER_VERSION = 1  # the version of the header; a new number where an older MetaMF would misread a file
KINDS = ("metamf", "universal")


@dataclass(frozen=True)
class TrainingDomain:
    """The matrices that a checkpoint learned from.

    Attributes
    ----------
    rows, cols : (int, int)
        The smallest and the largest number of rows, and of columns.
    density : (float, float)
        The lowest and the highest share of the cells whose ratings the model was given; of matrices drawn at random,
        the expected one.
    scales : tuple of RatingScale
        The rating scales that they had.
    """

    rows: tuple[int, int]
    cols: tuple[int, int]
    density: tuple[float, float]
    scales: tuple[RatingScale, ...]


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint's description of itself.

    Attributes
    ----------
    name : str
        The checkpoint's name.
    data : str
        The data set, or several separated by ", ", that it was meta-trained on.
    standardization : Standardization or None
        Mean and standard deviation of the meta-training ratings, in rating units. None if every matrix is read in units
        of its own observed entries.
    scale : RatingScale or None
        The rating scale of that data. None if there were several.
    split_seed : int
        The seed of the split of users and items that it was meta-trained on.
    recipe : dict
        Preset, training configuration and command.
    errors : dict
        Measured errors, as ``metamf.learning.evaluation`` wrote them.
    versions : dict of str
        The versions of Python, torch, NumPy and metamf that trained it.
    created : str
        The date, ISO 8601.
    kind : {'metamf', 'universal'}
        The model: the paper's (``MetaMF``), or the extended one (``Universal``).
    learned_from : TrainingDomain or None
        Sizes, densities and scales of the matrices that it was meta-trained on. None in files that do not say.
    """

    name: str
    data: str
    standardization: Standardization | None
    scale: RatingScale | None
    split_seed: int
    recipe: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""
    kind: Literal["metamf", "universal"] = "metamf"
    learned_from: TrainingDomain | None = None

    @property
    def gives_intervals(self) -> bool:
        """Whether the model gives an interval for each cell."""
        return self.kind == "universal"

    @property
    def round_name(self) -> Literal["sweep", "step"]:
        """The name of one round of the adaptation: the extended model's sweeps are exact, the paper takes steps."""
        return "sweep" if self.kind == "universal" else "step"


def read_info(path: str | Path, header: dict[str, Any]) -> CheckpointInfo:
    """The description in the header of the file at ``path``, checked.

    Raises
    ------
    CheckpointError
        If the header is of another format version, or a value is missing or of another type.
    """
    if header.get("format") != HEADER_VERSION:
        raise CheckpointError(
            f"{path}: format version {header.get('format')!r}, this metamf reads version {HEADER_VERSION}"
        )
    try:
        return _checked(header)
    except (KeyError, TypeError, ValueError) as error:
        raise undescribed(path, error) from error


def undescribed(path: str | Path, error: Exception) -> CheckpointError:
    """The error for a header that does not describe a checkpoint of this package."""
    reason = f"{error} is missing" if isinstance(error, KeyError) else error
    return CheckpointError(f"{path}: the header does not describe a MetaMF checkpoint ({reason})")


def _checked(header: dict[str, Any]) -> CheckpointInfo:
    if header["kind"] not in KINDS:
        raise ValueError(f"kind {header['kind']!r} is not one of {', '.join(KINDS)}")
    values = {f.name: header[f.name] for f in fields(CheckpointInfo) if f.name != "learned_from"}
    for key, kind in (
        ("name", str),
        ("data", str),
        ("split_seed", int),
        ("recipe", dict),
        ("errors", dict),
        ("versions", dict),
        ("created", str),
    ):
        if type(values[key]) is not kind:
            raise TypeError(f"{key} = {values[key]!r} is not of type {kind.__name__}")
    if header.get("learned_from") is not None:
        values["learned_from"] = _domain(header["learned_from"])
    if values["standardization"] is None and values["scale"] is None:
        return CheckpointInfo(**values)
    units = Standardization(**values["standardization"])
    if not (math.isfinite(units.mean) and math.isfinite(units.std) and units.std > 0):
        raise ValueError(f"{units} needs a finite mean and a finite positive std")
    return CheckpointInfo(**values | {"standardization": units, "scale": RatingScale(**values["scale"])})


def _domain(values: Any) -> TrainingDomain:
    """The matrices that a checkpoint learned from, checked."""
    if not isinstance(values, dict) or values.keys() != {f.name for f in fields(TrainingDomain)}:
        raise TypeError(f"learned_from = {values!r} does not have the keys rows, cols, density and scales")
    for key, largest in (("rows", math.inf), ("cols", math.inf), ("density", 1)):
        low, high = values[key]
        if not 0 < low <= high <= largest:
            raise ValueError(f"learned_from: {key} = {values[key]!r} is not a range")
    rows, cols, density = (tuple(values[key]) for key in ("rows", "cols", "density"))
    return TrainingDomain(rows, cols, density, tuple(RatingScale(**scale) for scale in values["scales"]))
