"""metamf benchmark: runs a script of the folder benchmarks, which is in the repository beside the package."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]


class Script(NamedTuple):
    """A benchmark that can be started: its module, and the first line of its docstring."""

    module: str
    title: str


def run(arguments: argparse.Namespace) -> int:
    found = scripts()
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


@cache
def scripts() -> dict[str, Script]:
    """The benchmarks by name; none in an installed package."""
    if not (REPOSITORY / "pyproject.toml").is_file():  # another package may have a folder of this name
        return {}
    found = {}
    for file in (REPOSITORY / "benchmarks").glob("*/*.py"):
        text = file.read_text(encoding="utf-8")
        if '__name__ == "__main__"' not in text and file.stem != "__main__":
            continue  # a part of others
        folder = f"benchmarks.{file.parent.name}"
        name, module = (file.parent.name, folder) if file.stem == "__main__" else (file.stem, f"{folder}.{file.stem}")
        found[name] = Script(module, (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0])
    return dict(sorted(found.items()))
