"""The options of download."""

from __future__ import annotations

import argparse

from metamf.cli.arguments import add_folder
from metamf.cli.parser import explain
from metamf.datasets.archives import NAMES

EXAMPLES = """\
  {metamf} download ml-100k
  {metamf} download ml-1m jester --folder ~/ratings"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    explain(
        parser,
        "Downloads rating data from its publisher, checks it, and prints where it is. A download that was stopped "
        "goes on where it ended.",
        EXAMPLES,
    )
    parser.add_argument("names", nargs="+", choices=NAMES, metavar="NAME", help=f"data sets: {', '.join(NAMES)}")
    add_folder(parser, "where to put the archives")
