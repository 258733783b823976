"""The command line: python -m metamf download | train | impute | evaluate | benchmark."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import metamf
from metamf.cli import benchmark, download, evaluate, impute, train
from metamf.cli.console import INTERRUPTED, is_failure, say, sentence

COMMANDS = (download, train, impute, evaluate, benchmark)

EXAMPLES = """\
examples:
  python -m metamf impute ratings.csv --out filled.csv
  python -m metamf download ml-100k
  python -m metamf train --data ml-100k --out my.safetensors
  python -m metamf impute ratings.csv --model my.safetensors --long
  python -m metamf evaluate --data ml-100k --methods ours,eml,mean --splits 3

'python -m metamf COMMAND --help' explains a command.
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metamf",
        description="Fills in sparse rating matrices with a model that was meta-trained on other ones.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"metamf {metamf.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code; usage errors leave by SystemExit, as argparse does it."""
    arguments = build_parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not is_failure(error):
            raise
        say(f"error: {sentence(error)}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
