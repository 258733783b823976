"""Values that options may be given: types for argparse, and options that several commands have."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from metamf.cli.choices import METHODS
from metamf.ratings.scale import RatingScale


def add_device(parser: argparse._ActionsContainer) -> None:
    """Adds the option --device."""
    parser.add_argument(
        "--device", type=device, default="cpu", metavar="DEVICE", help="where to compute: cpu, cuda, cuda:1, ..."
    )


def add_folder(parser: argparse._ActionsContainer, help: str) -> None:
    """Adds the option --folder, that of the data sets; ``help`` says what for."""
    parser.add_argument(
        "--folder", type=Path, help=f"{help} (default: METAMF_DATA if that is set, otherwise the user's cache folder)"
    )


def device(text: str) -> str:
    """A device on which this machine can hold tensors."""
    import torch  # not for --help

    try:
        torch.empty(0, device=text)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise argparse.ArgumentTypeError(f"the device {text!r} is not available here") from error
    return text


def whole_number(minimum: int) -> Callable[[str], int]:
    """The type of an integer of at least ``minimum``."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = minimum - 1
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {minimum}")
        return value

    return parse


def level(text: str) -> float:
    """The level of an interval: the share of ratings that should lie inside, between 0.01 and 0.99."""
    value = _number(text)
    if not 0.01 <= value <= 0.99:
        raise argparse.ArgumentTypeError(f"{text!r} is not a level between 0.01 and 0.99, such as 0.9")
    return value


def tuning(text: str) -> int | str:
    """How long a network is tuned: a number of steps, or 'auto'."""
    if text == "auto":
        return text
    try:
        return whole_number(1)(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, nor 'auto'") from error


def seconds(text: str) -> float:
    """A time limit: a positive number of seconds."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def share(text: str) -> float:
    """A share of the observed cells: at least 0, and less than 1."""
    value = _number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share of at least 0 and less than 1, such as 0.1")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def scale(text: str) -> RatingScale | str | None:
    """A rating scale by its ends and its step; 'found', the scale that the ratings show; or None for no limits."""
    if text in ("found", "none"):
        return None if text == "none" else text
    try:
        return RatingScale(*map(float, text.split(":")))
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale such as 1:5 or 0.5:5:0.5 ({error})") from error


def safetensors_path(text: str) -> Path:
    """A path of a checkpoint, which ends in .safetensors."""
    if not text.endswith(".safetensors"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .safetensors")
    return Path(text)


def method_names(text: str) -> list[str]:
    """Names of methods, separated by commas; a name that is given twice counts once."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in METHODS:
            raise argparse.ArgumentTypeError(f"there is no method {name!r}; choose from {', '.join(METHODS)}")
    return list(dict.fromkeys(names))
