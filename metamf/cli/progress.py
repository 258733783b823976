"""Progress on the standard error stream: a bar on a terminal, otherwise a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from metamf.cli.console import say
from metamf.wording import percent

_SECONDS = 5  # between two lines on progress


@contextmanager
def progress(what: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A function that is told which share of the work ``what`` is done, between 0 and 1."""
    if quiet:
        yield _ignore
    elif sys.stderr.isatty():
        with tqdm(total=100, desc=what, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}", leave=False) as bar:

            def advance(share: float) -> None:
                bar.update(100 * share - bar.n)

            yield advance
    else:
        said = time.monotonic()

        def tell(share: float) -> None:
            nonlocal said
            if time.monotonic() - said > _SECONDS:
                said = time.monotonic()
                say(f"{what}: {percent(share)}")

        yield tell


def _ignore(share: float) -> None:
    """Shows nothing: the command was told to be quiet."""
