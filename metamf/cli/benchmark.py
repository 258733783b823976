"""metamf benchmark: runs a script of the folder benchmarks, which is in the repository beside the package."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]


class Script(NamedTuple):
    """A benchmark that can be started: its module, and the first line of its docstring."""

    module: str
    title: str


def run(arguments: argparse.Namespace) -> int:
    """Runs a benchmark, or lists all of them; the exit code."""
    found = by_any_name()
    if not found:
        raise FileNotFoundError(
            "the benchmarks are in MetaMF's repository and not in the installed package: start this command in a clone "
            "of the repository"
        )
    if arguments.name is None:
        print(listing())
        return 0
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", found[arguments.name].module, *arguments.options]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}).returncode


def listing() -> str:
    """A line about each benchmark, by name."""
    return "\n".join(f"  {name}: {script.title}" for name, script in scripts().items())


def by_any_name() -> dict[str, Script]:
    """The benchmarks by their names, and without the folder where no other one is called so."""
    found = scripts()
    shared = Counter(_without_folder(name) for name in found)
    short = {_without_folder(name): script for name, script in found.items() if shared[_without_folder(name)] == 1}
    return short | found


def _without_folder(name: str) -> str:
    return name.rpartition(".")[2]


@cache
def scripts() -> dict[str, Script]:
    """The benchmarks by name, 'tables.run', which is that of the folder for one that a whole folder is; none in an
    installed package."""
    if not (REPOSITORY / "pyproject.toml").is_file():  # another package may have a folder of this name
        return {}
    found = {}
    for file in (REPOSITORY / "benchmarks").glob("*/*.py"):
        text = file.read_text(encoding="utf-8")
        if '__name__ == "__main__"' not in text and file.stem != "__main__":
            continue  # a part of others
        name = file.parent.name if file.stem == "__main__" else f"{file.parent.name}.{file.stem}"
        found[name] = Script(f"benchmarks.{name}", (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0])
    return dict(sorted(found.items()))
