"""What the commands print for a person: messages, errors and progress, all on the standard error
stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # exit code of a command that Ctrl-C ended: 128 + SIGINT
OPTIONAL = ("xlrd", "pyarrow")  # packages that only some files need
_DELAY = 1  # second until a bar appears


def say(message: str) -> None:
    """Prints a line, with ordinary spaces so that it can be searched."""
    print(message.replace("\N{NO-BREAK SPACE}", " "), file=sys.stderr, flush=True)


@contextmanager
def progress(what: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A function that shows which share of the work is done, if that takes longer than a moment."""
    from tqdm import tqdm

    form = "{l_bar}{bar}| {elapsed}<{remaining}"
    with tqdm(
        total=100,
        desc=what,
        bar_format=form,
        leave=False,
        mininterval=1,
        delay=_DELAY,
        disable=quiet,
    ) as bar:
        yield lambda share: bar.update(100 * share - bar.n)


def is_failure(error: Exception) -> bool:
    """Whether the error's cause is outside the program: files, values, connections, memory. Others
    are bugs."""
    from metamf.datasets.download import DownloadError  # slow to import

    if isinstance(error, ImportError):
        return _missing_package(error) is not None
    return isinstance(
        error, (ValueError, OSError, DownloadError, FloatingPointError)
    ) or _is_out_of_memory(error)


def sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, ImportError) and (name := _missing_package(error)):
        return f"this needs {name}: pip install {name}"
    if _is_out_of_memory(error):
        return "there is not enough memory for a matrix of this size"
    return " ".join(str(error).split())


def _missing_package(error: ImportError) -> str | None:
    """The package of ``OPTIONAL`` that is not installed; pandas names it in its message only."""
    return next(
        (name for name in OPTIONAL if name in (error.name, *str(error).replace("'", " ").split())),
        None,
    )


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    # torch.OutOfMemoryError by its name, since torch may not be imported; on the CPU torch raises a
    # RuntimeError
    return isinstance(error, RuntimeError) and (
        type(error).__name__ == "OutOfMemoryError" or "allocate memory" in str(error)
    )
