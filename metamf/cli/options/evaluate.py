"""The options of evaluate."""

from __future__ import annotations

import argparse
from pathlib import Path

from metamf.cli.arguments import add_device, add_folder, method_names, whole_number
from metamf.cli.choices import METHODS, PRESETS, UNIVERSAL
from metamf.cli.parser import explain
from metamf.datasets.archives import NAMES

EXAMPLES = """\
  {metamf} evaluate --data ml-100k --methods ours,eml,mean --splits 10
  {metamf} evaluate --data jester --methods crossed_effects,damped_bias --splits 3 --out errors.csv"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    explain(
        parser,
        "Mean squared errors on the query entries of held-out blocks, by the paper's protocol: 70 % of the users and "
        "of the items are for meta-training, 10 % for meta-validation, the rest for the held-out blocks.\n"
        "Meta-learned methods are trained anew on each split (about a minute each on one core). Prints one line per "
        "method; p is the p-value of a paired t-test over the splits against the first method named.",
        EXAMPLES,
    )
    parser.add_argument(
        "--data", nargs="+", choices=NAMES, default=["ml-100k"], metavar="NAME", help=f"data sets: {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--methods",
        type=method_names,
        default=["ours", "eml", "mean"],
        metavar="A,B,...",
        help=f"methods to compare: {', '.join(METHODS)}",
    )
    parser.add_argument("--splits", type=whole_number(1), default=10, metavar="N", help="use the splits 0 to N - 1")
    parser.add_argument("--blocks", type=whole_number(1), default=200, metavar="N", help="held-out blocks per split")
    parser.add_argument(
        "--preset",
        choices=[preset for preset in PRESETS if preset != UNIVERSAL],
        default="tuned",
        help="how meta-learned methods are trained",
    )
    parser.add_argument("--epochs", type=whole_number(1), help="epochs of meta-training, instead of the preset's")
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, help="seed of initial parameters, episodes and dropout"
    )
    parser.add_argument(
        "--tune", action="store_true", help="choose hyper-parameters of other methods on meta-validation blocks (slow)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="a table: one line per data set, split and method")
    add_folder(parser, "where the archives are")
    add_device(parser)
