"""python -m metamf benchmark: runs a script of the folder benchmarks, beside the package."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from pathlib import Path

from metamf.cli.console import subcommand

REPOSITORY = Path(__file__).resolve().parents[2]


def add_to(subparsers) -> None:
    listing = "".join(f"\n  {name}: {title}" for name, title in scripts().items())
    parser = subcommand(
        subparsers,
        "benchmark",
        help="run one of the project's benchmarks",
        description=f"Runs a script of the folder benchmarks; further options are its own.{listing}",
        examples="  python -m metamf benchmark\n  python -m metamf benchmark speed --rounds 10\n"
        "  python -m metamf benchmark splits --help",
    )
    parser.add_argument(
        "name",
        nargs="?",
        default="speed",
        choices=scripts(),
        metavar="NAME",
        help=f"{', '.join(scripts())} (default: speed)",
    )
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help="options of the script")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", f"benchmarks.{arguments.name}", *arguments.options]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}).returncode


def scripts() -> dict[str, str]:
    """The benchmarks by name, with the first line of what they say of themselves."""
    folder, found = REPOSITORY / "benchmarks", {}
    for file in sorted(folder.glob("*/*.py")):
        text = file.read_text(encoding="utf-8")
        if '__name__ == "__main__"' in text:  # others are what these are made of
            name = file.parent.name if file.stem == "__main__" else file.stem
            found[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return dict(sorted(found.items()))
