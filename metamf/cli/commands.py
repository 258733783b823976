"""The short commands: metamf app, metamf download and metamf benchmark. Imports no torch."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from metamf.cli.console import say

REPOSITORY = Path(__file__).resolve().parents[2]
INSTALLED_APP = Path(__file__).resolve().parents[1] / "app" / "app.py"  # a wheel has app.py, pages/, .streamlit/ here


def app(arguments: argparse.Namespace) -> int:
    """Starts the app; the exit code."""
    missing = [name for name in ("streamlit", "plotly") if importlib.util.find_spec(name) is None]
    if missing:
        raise FileNotFoundError(f"the app needs {' and '.join(missing)}: pip install {' '.join(missing)}")
    command = [sys.executable, "-m", "streamlit", "run", str(entry())]
    if arguments.port is not None:
        command.append(f"--server.port={arguments.port}")
    if arguments.no_browser:
        command.append("--server.headless=true")
    if os.name == "posix":  # the server replaces this process, so that it gets the signals
        sys.stdout.flush()
        os.execv(sys.executable, command)
    return subprocess.run(command).returncode


def entry() -> Path:
    """The script that Streamlit runs; it finds pages and settings next to it."""
    return INSTALLED_APP if INSTALLED_APP.is_file() else REPOSITORY / "app.py"


def download(arguments: argparse.Namespace) -> int:
    """Downloads the archives that are not here yet; the exit code."""
    from tqdm import tqdm

    from metamf import datasets

    for name in arguments.names:
        archive = datasets.ARCHIVES[name]
        if datasets.available(name, arguments.folder):
            say(f"{archive.title} is here already.")
        with tqdm(desc=archive.file_name, total=archive.size, unit="B", unit_scale=True) as bar:
            path = datasets.download(name, arguments.folder, lambda done, _: bar.update(done - bar.n))
        say(f"{archive.title}. {archive.licence} Please cite: {archive.citation}")
        print(path)
    return 0


def benchmark(arguments: argparse.Namespace) -> int:
    """Runs a benchmark, or lists all of them; the exit code."""
    if not (found := benchmarks()):
        raise FileNotFoundError(
            "the benchmarks are in MetaMF's repository and not in the installed package: start this command in a clone "
            "of the repository"
        )
    if arguments.name is None:
        print(list_benchmarks())
        return 0
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", f"benchmarks.{found[arguments.name]}", *arguments.options]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}).returncode


def list_benchmarks() -> str:
    """A line with the name and the first line of the docstring of each benchmark."""
    return "\n".join(f"  {name}: {title}" for name, title in _titles().items())


def benchmarks() -> dict[str, str]:
    """The benchmarks' full names by full name, and by name without the folder if only one benchmark has it."""
    full = list(_titles())
    short = [name.rpartition(".")[2] for name in full]
    return {one: name for one, name in zip(short, full) if short.count(one) == 1} | dict(zip(full, full))


@cache
def _titles() -> dict[str, str]:
    """The first docstring line of each script by name, such as 'tables.run', or 'paper' for benchmarks/paper."""
    if not (REPOSITORY / "pyproject.toml").is_file():  # an installed package, next to which benchmarks is another's
        return {}
    found = {}
    for file in (REPOSITORY / "benchmarks").glob("*/*.py"):
        text = file.read_text(encoding="utf-8")
        if '__name__ == "__main__"' in text or file.stem == "__main__":
            name = file.parent.name if file.stem == "__main__" else f"{file.parent.name}.{file.stem}"
            found[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return dict(sorted(found.items()))
