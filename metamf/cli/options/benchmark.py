"""The options of benchmark."""

from __future__ import annotations

import argparse

from metamf.cli.benchmark import listing, scripts
from metamf.cli.parser import explain

EXAMPLES = """\
  {metamf} benchmark
  {metamf} benchmark kernels --rounds 10
  {metamf} benchmark splits --help"""


def describe(parser: argparse.ArgumentParser) -> None:
    found = scripts()
    explain(
        parser,
        f"Runs a script of the repository's folder benchmarks; further options are the script's own. Without a name it "
        f"lists them:\n{listing()}",
        EXAMPLES,
    )
    parser.add_argument(
        "name",
        nargs="?",
        choices=found or None,
        metavar="NAME",
        help=f"{', '.join(found)}" if found else "the benchmarks are in the repository, not here",
    )
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help="options of the script")
