"""The options of app."""

from __future__ import annotations

import argparse

from metamf.cli.arguments import whole_number
from metamf.cli.parser import explain

EXAMPLES = """\
  {metamf} app
  {metamf} app --port 8600 --no-browser"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    explain(
        parser,
        "Starts the app on this machine and opens it in the browser; Ctrl-C ends it. It takes Streamlit and Plotly: "
        "pip install 'metamf[app]'.",
        EXAMPLES,
    )
    parser.add_argument("--port", type=whole_number(1), help="where the app answers (default: the first that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
