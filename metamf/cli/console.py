"""What the commands share: how they speak, which errors are the user's to mend, and common options."""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from tqdm import tqdm

from metamf.datasets import DownloadError

INTERRUPTED = 130
_SECONDS = 5  # between two lines on progress


def say(message: str) -> None:
    """A line for a person."""
    print(message, file=sys.stderr, flush=True)


@contextmanager
def progress(what: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A function that is told which share is done: a bar on a terminal, else a line now and then."""
    if quiet:
        yield lambda share: None
    elif sys.stderr.isatty():
        with tqdm(total=100, desc=what, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}", leave=False) as bar:
            yield lambda share: bar.update(100 * share - bar.n)
    else:
        said = time.monotonic()

        def tell(share: float) -> None:
            nonlocal said
            if time.monotonic() - said > _SECONDS:
                said = time.monotonic()
                say(f"{what}: {100 * share:.0f} %")

        yield tell


def is_failure(error: Exception) -> bool:
    """Whether the world can cause it: files, values, connections, memory. The rest are bugs and keep a traceback."""
    return isinstance(error, (ValueError, OSError, DownloadError, FloatingPointError)) or _is_lack_of_memory(error)


def _is_lack_of_memory(error: Exception) -> bool:
    on_cpu = isinstance(error, RuntimeError) and "allocate memory" in str(error)  # torch has no class of its own for it
    return on_cpu or isinstance(error, (MemoryError, torch.OutOfMemoryError))


def sentence(error: Exception) -> str:
    """The error in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if _is_lack_of_memory(error):
        return "there is not enough memory for a matrix of this size"
    return " ".join(str(error).split())


def subcommand(subparsers, name: str, help: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser that shows defaults and ends in examples; ``description``: one line per paragraph or item of a list."""
    lines = [(line, "    " if line.startswith("  ") else "") for line in description.split("\n")]
    text = "\n".join(textwrap.fill(line, 79, subsequent_indent=indent) for line, indent in lines)
    return subparsers.add_parser(
        name, help=help, description=text, epilog=f"examples:\n{examples}", formatter_class=_HelpFormatter
    )


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Defaults in the help of options that have one, the examples as they were written."""

    def _get_help_string(self, action: argparse.Action) -> str:
        default = action.default
        if not action.option_strings or any(default is silent for silent in (None, False, argparse.SUPPRESS)):
            return action.help
        return f"{action.help} (default: {','.join(default) if isinstance(default, list) else default})"


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", type=device, default="cpu", metavar="DEVICE", help="cpu, cuda, cuda:1, ...")


def device(text: str) -> str:
    """A device that tensors can live on here."""
    try:
        torch.empty(0, device=text)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not available here") from error
    return text


def whole_number(minimum: int):
    """An argument type: an integer of at least ``minimum``."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = minimum - 1
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {minimum}")
        return value

    return number


def safetensors_path(text: str) -> Path:
    if not text.endswith(".safetensors"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .safetensors")
    return Path(text)
