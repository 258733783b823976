"""The command line: python -m metamf COMMAND, or metamf COMMAND where the package is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from metamf.cli.console import INTERRUPTED, is_failure, say, sentence
from metamf.cli.options import build_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code; usage errors raise SystemExit, as argparse does."""
    words = sys.argv[1:] if argv is None else argv
    arguments = build_parser(words).parse_args(words)
    try:
        name = arguments.command
        # those three import torch
        module = name if name in ("train", "impute", "evaluate") else "commands"
        return getattr(import_module(f"metamf.cli.{module}"), name)(arguments)
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not is_failure(error):
            raise
        say(f"error: {sentence(error)}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
