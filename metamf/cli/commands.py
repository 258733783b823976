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
# a wheel has app.py, pages/, .streamlit/ here
INSTALLED_APP = Path(__file__).resolve().parents[1] / "app" / "app.py"


def app(arguments: argparse.Namespace) -> int:
    """Starts the app; the exit code."""
    missing = [name for name in ("streamlit", "plotly") if importlib.util.find_spec(name) is None]
    if missing:
        raise FileNotFoundError(
            f"the app needs {' and '.join(missing)}: pip install {' '.join(missing)}"
        )
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
            path = datasets.download(
                name, arguments.folder, lambda done, _: bar.update(done - bar.n)
            )
        say(f"{archive.title}. {archive.licence} Please cite: {archive.citation}")
        print(path)
    return 0


def benchmark(arguments: argparse.Namespace) -> int:
    """Runs a benchmark, or lists all of them; the exit code."""
    if not (found := benchmarks()):
        raise FileNotFoundError(
            "the benchmarks are in MetaMF's repository and not in the installed package: start "
            "this command in a clone of the repository"
        )
    if arguments.name is None:
        print("\n".join(f"  {name}: {title}" for name, title in titles().items()))
        return 0
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", f"benchmarks.{found[arguments.name]}", *arguments.options]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}).returncode


def benchmarks() -> dict[str, str]:
    """The benchmarks' full names by full name, and by name without the folder if only one benchmark
    has it."""
    short = [name.rpartition(".")[2] for name in titles()]
    return {
        called: name
        for name, last in zip(titles(), short)
        for called in (last, name)
        if called == name or short.count(last) == 1
    }


@cache
def titles() -> dict[str, str]:
    """The first docstring paragraph of each script by name, such as 'tables.run', or 'paper' for
    benchmarks/paper; nothing in an installed package, next to which benchmarks is another's."""
    found = {}
    installed = not (REPOSITORY / "pyproject.toml").is_file()
    for file in () if installed else sorted((REPOSITORY / "benchmarks").glob("*/*.py")):
        text = file.read_text(encoding="utf-8")
        if '__name__ == "__main__"' in text or file.stem == "__main__":
            name = f"{file.parent.name}.{file.stem}".removesuffix(".__main__")
            about = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
            found[name] = " ".join(about.split())
    return dict(sorted(found.items()))
