"""How the commands speak, and which errors are the user's to mend."""

from __future__ import annotations

import sys

INTERRUPTED = 130  # the exit code of shells for a command that Ctrl-C ended: 128 + SIGINT
EXTRAS = {"xlrd": "tables", "pyarrow": "tables"}  # packages that pyproject.toml leaves to the user: their extras


def say(message: str) -> None:
    """Writes a line for a person, with the spaces that a person searches it for: no line is broken here."""
    print(message.replace("\N{NO-BREAK SPACE}", " "), file=sys.stderr, flush=True)


def is_failure(error: Exception) -> bool:
    """Whether the error has a cause outside the program: files, values, connections, memory. Others are bugs."""
    from metamf.datasets.download import DownloadError  # slow to import, and seldom asked for

    if isinstance(error, ImportError):
        return _lacking(error) is not None
    return isinstance(error, (ValueError, OSError, DownloadError, FloatingPointError)) or _is_lack_of_memory(error)


def _lacking(error: ImportError) -> str | None:
    """The package of ``EXTRAS`` that is not installed; pandas names it in its message only."""
    return next((name for name in EXTRAS if name in (error.name, *str(error).replace("'", " ").split())), None)


def _is_lack_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    # torch.OutOfMemoryError by its name, as torch may not be there; on the CPU torch has no class of its own for it
    return isinstance(error, RuntimeError) and (
        type(error).__name__ == "OutOfMemoryError" or "allocate memory" in str(error)
    )


def sentence(error: BaseException) -> str:
    """The error in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, ImportError) and (name := _lacking(error)):
        return f"this needs {name}: pip install 'metamf[{EXTRAS[name]}]'"
    if _is_lack_of_memory(error):
        return "there is not enough memory for a matrix of this size"
    return " ".join(str(error).split())
