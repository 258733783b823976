"""What a checkpoint says of itself, read from its header alone, without its tensors and without
torch."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from safetensors import SafetensorError, safe_open

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

if TYPE_CHECKING:
    from metamf.learning.tuning import Tuning, TuningOutcome

HEADER_VERSION = 1  # raised when an older MetaMF would misread a file
KINDS = ("metamf", "universal")


class CheckpointError(ValueError):
    """A file cannot be used as a checkpoint; the message gives the reason."""


@dataclass(frozen=True)
class TrainingDomain:
    """The matrices that a checkpoint was meta-trained on: smallest and largest values."""

    rows: tuple[int, int]
    cols: tuple[int, int]
    # shares of given cells, the expected ones for matrices drawn at random
    density: tuple[float, float]
    scales: tuple[RatingScale, ...]


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint's description of itself.

    ``standardization`` and ``scale`` are None if every matrix is read in units of its own observed
    entries.
    """

    name: str
    data: str  # data sets that it was meta-trained on, separated by ", "
    # mean and standard deviation of their ratings, in rating units
    standardization: Standardization | None
    scale: RatingScale | None  # their rating scale
    split_seed: int  # of the split of users and items
    # preset, training configuration, command, and any tuning
    recipe: dict[str, Any] = field(default_factory=dict)
    # as written by ``metamf.learning.evaluation``
    errors: dict[str, Any] = field(default_factory=dict)
    # of Python, torch, NumPy and metamf that trained it
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""  # date, ISO 8601
    # the paper's model (``MetaMF``) or the extended (``Universal``)
    kind: Literal["metamf", "universal"] = "metamf"
    learned_from: TrainingDomain | None = None

    @property
    def gives_intervals(self) -> bool:
        """Whether the model gives an interval for each cell."""
        return self.kind == "universal"

    @property
    def round_name(self) -> Literal["sweep", "step"]:
        """Name of one round of the adaptation: the extended model makes exact sweeps, the paper's
        takes steps."""
        return "sweep" if self.kind == "universal" else "step"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of what it reads of columns besides ratings; none for most."""
        return tuple(self.recipe.get("features", ()))

    @property
    def is_usual(self) -> bool:
        """Whether it reads ratings alone, takes the paper's steps or exact sweeps, and relies on no
        level of a world whose ratings were all known."""
        return (
            not self.features
            and self.recipe.get("preset") != "nmf"
            and "training_mean" not in self.recipe
        )

    @property
    def training_mean(self) -> float | None:
        """The mean of the ratings that it learned on, in rating units; None where each matrix had
        its own units."""
        known = None if self.standardization is None else self.standardization.mean
        mean = self.recipe.get("training_mean", known)
        return float(mean) if isinstance(mean, int | float) and math.isfinite(mean) else known

    @property
    def tuning_seed(self) -> int | None:
        """Seed of the tuning, which determines the entries that it never saw; None without
        tuning."""
        settings = self._tuning.get("settings")
        seed = settings.get("seed") if isinstance(settings, dict) else None
        return seed if isinstance(seed, int) and seed >= 0 else None

    @property
    def rounds(self) -> int | None:
        """Number of rounds that the tuning chose; None without tuning, or where it chose none."""
        report = self._tuning.get("report")
        rounds = report.get("rounds") if isinstance(report, dict) else None
        return rounds if isinstance(rounds, int) and 0 < rounds <= 64 else None

    @property
    def width_factor(self) -> float:
        """Factor on the half-widths of the intervals of a tuned network; 1 without tuning."""
        factor = self._tuning.get("width_factor", 1.0)
        return float(factor) if isinstance(factor, int | float) and 0 < factor < math.inf else 1.0

    def tuned(self, ratings: Ratings, settings: Tuning, outcome: TuningOutcome) -> CheckpointInfo:
        """The description of this network after tuning to a matrix: its origin, and the outcome of
        the tuning."""
        matrix = {"rows": ratings.n_rows, "columns": ratings.n_cols, "entries": ratings.nnz}
        tuning = {
            "from": self.name,
            "matrix": matrix,
            "settings": asdict(settings),
            "report": asdict(outcome),
        }
        return replace(
            self, name=f"{self.name}-tuned", recipe=self.recipe | {"tuning": tuning}, errors={}
        )

    def with_width_factor(self, factor: float) -> CheckpointInfo:
        """The same description with another ``width_factor``; unchanged without tuning."""
        if not self._tuning:
            return self
        return replace(
            self, recipe=self.recipe | {"tuning": self._tuning | {"width_factor": factor}}
        )

    @property
    def _tuning(self) -> dict[str, Any]:
        tuning = self.recipe.get("tuning")
        return tuning if isinstance(tuning, dict) else {}


def read_header(path: str | Path) -> dict[str, Any]:
    """The JSON values in the header of a safetensors file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointError
        If it is not a safetensors file, or its header holds something other than JSON values.
    """
    with opened(path, "np") as (_, header):
        return header


@contextmanager
def opened(path: str | Path, framework: str) -> Iterator[tuple[safe_open, dict[str, Any]]]:
    """A safetensors file, of which only the header is read so far, and the JSON values in it;
    errors as above."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework=framework) as file:
            yield file, {key: json.loads(value) for key, value in (file.metadata() or {}).items()}
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise CheckpointError(f"{path} is not a safetensors checkpoint ({error})") from error


def read_info(path: str | Path, header: dict[str, Any]) -> CheckpointInfo:
    """Checks the header of the file at ``path`` and returns the description in it.

    Raises
    ------
    CheckpointError
        If the header has another format version, or a value is missing or has the wrong type.
    """
    if header.get("format") != HEADER_VERSION:
        raise CheckpointError(
            f"{path}: format version {header.get('format')!r}, this metamf reads version "
            f"{HEADER_VERSION}"
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
    for kind, keys in (
        (str, "name data created"),
        (int, "split_seed"),
        (dict, "recipe errors versions"),
    ):
        for key in keys.split():
            if type(values[key]) is not kind:
                raise TypeError(f"{key} = {values[key]!r} is not of type {kind.__name__}")
    if header.get("learned_from") is not None:
        values["learned_from"] = _domain(header["learned_from"])
    if values["standardization"] is None and values["scale"] is None:
        return CheckpointInfo(**values)
    units = Standardization(**values["standardization"])
    if not (math.isfinite(units.mean) and math.isfinite(units.std) and units.std > 0):
        raise ValueError(f"{units} needs a finite mean and a finite positive std")
    return CheckpointInfo(
        **values | {"standardization": units, "scale": RatingScale(**values["scale"])}
    )


def _domain(values: Any) -> TrainingDomain:
    if not isinstance(values, dict) or values.keys() != {f.name for f in fields(TrainingDomain)}:
        raise TypeError(
            f"learned_from = {values!r} does not have the keys rows, cols, density and scales"
        )
    for key, largest in (("rows", math.inf), ("cols", math.inf), ("density", 1)):
        low, high = values[key]
        if not 0 < low <= high <= largest:
            raise ValueError(f"learned_from: {key} = {values[key]!r} is not a range")
    rows, cols, density = (tuple(values[key]) for key in ("rows", "cols", "density"))
    return TrainingDomain(
        rows, cols, density, tuple(RatingScale(**scale) for scale in values["scales"])
    )
