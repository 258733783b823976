"""The parser of the command line, and how its help looks."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from metamf.version import __version__

COMMANDS = {
    "app": "open the app in the browser",
    "download": "get a data set from its publisher",
    "train": "meta-train a checkpoint on a data set",
    "impute": "fill in a table of ratings",
    "evaluate": "compare methods on held-out blocks",
    "benchmark": "run one of the project's benchmarks",
}
EXAMPLES = """\
  {metamf} impute ratings.csv --out filled.csv
  {metamf} app
  {metamf} download ml-100k
  {metamf} train --data ml-100k --out my.safetensors
  {metamf} impute ratings.csv --model my.safetensors --long
  {metamf} evaluate --data ml-100k --methods ours,eml,mean --splits 3"""
ENDING = """

'{metamf} COMMAND --help' explains a command.
Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.
"""


def build_parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for the words ``argv``. Only the command among them, if there is one, has its options described."""
    parser = argparse.ArgumentParser(
        prog=program(),
        description="Fills in sparse rating matrices with a model that was meta-trained on other matrices.",
        epilog=_examples(EXAMPLES) + ENDING.format(metamf=program()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"metamf {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    chosen = next((word for word in argv if not word.startswith("-")), None)  # no option before it takes a value
    for name, summary in COMMANDS.items():
        command = subparsers.add_parser(name, help=summary, formatter_class=_HelpFormatter)
        if name == chosen:
            import_module(f"metamf.cli.options.{name}").describe(command)
    return parser


def program() -> str:
    """How this process was started: 'metamf', the installed command, or 'python -m metamf'."""
    return "metamf" if Path(sys.argv[0]).stem == "metamf" else "python -m metamf"


def explain(parser: argparse.ArgumentParser, description: str, examples: str) -> None:
    """Gives a command's parser its description (one line per paragraph or item of a list) and its examples."""
    lines = [(line, "    " if line.startswith("  ") else "") for line in description.split("\n")]
    parser.description = "\n".join(textwrap.fill(line, 79, subsequent_indent=indent) for line, indent in lines)
    parser.epilog = _examples(examples)


def _examples(lines: str) -> str:
    """The examples, with the name by which this program was started in place of ``{metamf}``."""
    return "examples:\n" + lines.format(metamf=program())


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Shows the default of options that have one, and the examples as they were written."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        default = action.default
        if not action.option_strings or any(default is silent for silent in (None, False, argparse.SUPPRESS)):
            return action.help
        return f"{action.help} (default: {','.join(default) if isinstance(default, list | tuple) else default})"
