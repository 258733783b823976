"""The values that each parameter of ``MetaMFImputer`` may have."""

from __future__ import annotations

from collections.abc import Callable, Collection
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import torch

from metamf.imputer.column_members import BESIDE
from metamf.ratings.scale import RatingScale


class Parameter(NamedTuple):
    """The values that a parameter may have, in words, and whether a value is one of them."""

    what: str
    fits: Callable[[Any], bool]


def one_of(*names: str) -> Parameter:
    """A parameter that is one of some words."""
    return Parameter(f"one of {names}", lambda value: _is_word(value, names))


def _is_word(value: object, words: Collection[str]) -> bool:
    return isinstance(value, str) and value in words


def _is_bool(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_number_of_steps(value: object) -> bool:
    return value is None or (isinstance(value, Integral) and not _is_bool(value) and int(value) >= 0)


def _is_level(value: object) -> bool:
    return value is None or (isinstance(value, Real) and not _is_bool(value))


def _is_tuning(value: object) -> bool:
    if value is None or isinstance(value, str):
        return value is None or value == "auto"
    return isinstance(value, Integral) and not _is_bool(value) and int(value) >= 1


def _is_time(value: object) -> bool:
    return value is None or (isinstance(value, Real) and not _is_bool(value) and float(value) > 0)


def _is_seed(value: object) -> bool:
    return isinstance(value, Integral) and not _is_bool(value) and int(value) >= 0


PARAMETERS = {
    "checkpoint": Parameter("a name or a path", lambda value: isinstance(value, str | PathLike)),
    "standardize": one_of("auto", "checkpoint", "matrix", "columns", "rows", "chosen"),
    "steps": Parameter("None or a whole number that is not negative", _is_number_of_steps),
    "step_rule": one_of("auto", "paper", "safe"),
    "clip": Parameter("True or False", _is_bool),
    "scale": Parameter(
        "a pair (minimum, maximum), a RatingScale or None",
        lambda value: value is None or isinstance(value, tuple | list | RatingScale),
    ),
    "tune": Parameter("None, 'auto' or a positive whole number", _is_tuning),
    "tune_seconds": Parameter("None or a positive number", _is_time),
    "members": Parameter(f"None or one of {BESIDE}", lambda value: value is None or _is_word(value, BESIDE)),
    "random_state": Parameter("a whole number that is not negative", _is_seed),
    "device": Parameter("the name of a device", lambda value: isinstance(value, str | torch.device)),
}
INTERVAL = Parameter("None or a number between 0.01 and 0.99", _is_level)


def check_parameters(values: dict[str, Any]) -> None:
    """Checks the parameters of an imputer, by name.

    Raises
    ------
    ValueError
        For the first value that a parameter may not have, or a device that is not there.
    """
    for name, parameter in PARAMETERS.items():
        check_value(name, values[name], parameter)
    try:
        torch.empty(0, device=values["device"])
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {str(values['device'])!r} cannot be used here ({str(error).splitlines()[0]}): use device='cpu'"
        ) from error


def check_value(name: str, value: object, parameter: Parameter) -> None:
    """Raises ValueError, which names the value, if a parameter may not have it."""
    if not parameter.fits(value):
        raise ValueError(f"{name} must be {parameter.what}, got {value!r}")
