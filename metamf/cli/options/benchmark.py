"""The options of benchmark."""

from __future__ import annotations

import argparse

from metamf.cli.benchmark import by_any_name, listing, scripts
from metamf.cli.parser import explain

EXAMPLES = """\
  {metamf} benchmark
  {metamf} benchmark speed.kernels --rounds 10
  {metamf} benchmark accuracy.splits --help"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    found = scripts()
    explain(
        parser,
        f"Runs a script of the repository's folder benchmarks; further options are the script's own. Without a name it "
        f"lists them (the folder may be left out where no other script is called so):\n{listing()}",
        EXAMPLES,
    )
    parser.add_argument(
        "name",
        nargs="?",
        choices=by_any_name() or None,
        metavar="NAME",
        help=f"{', '.join(found)}" if found else "the benchmarks are in the repository, not here",
    )
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help="options of the script")
