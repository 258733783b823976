"""The options of train."""

from __future__ import annotations

import argparse
from pathlib import Path

from metamf.cli.arguments import add_device, add_folder, safetensors_path, whole_number
from metamf.cli.choices import PRESETS
from metamf.cli.parser import explain
from metamf.datasets.archives import NAMES

EXAMPLES = """\
  {metamf} train --data ml-100k --out my.safetensors
  {metamf} train --data jester --preset paper --split 3 --log jester.csv
  {metamf} train --data ml-1m jester --preset universal
  {metamf} train --data ml-1m --epochs 5 --fresh
  torchrun --nproc-per-node 2 -m metamf train --data ml-1m jester --preset universal"""


def describe(parser: argparse.ArgumentParser) -> None:
    """Gives the parser of the command its description, options and examples."""
    presets = "\n".join(f"  {name}: {description}" for name, description in PRESETS.items())
    explain(
        parser,
        "Meta-trains on 70 % of the users and items of a data set, keeps the parameters that are best on another 10 % "
        "(preset universal: the last ones), and writes them with a card that gives their errors on held-out blocks of "
        "the rest.\n"
        f"Ctrl-C keeps what was learned so far; the same command goes on from there.\n\npresets:\n{presets}",
        EXAMPLES,
    )
    parser.add_argument(
        "--data",
        nargs="+",
        choices=NAMES,
        required=True,
        metavar="NAME",
        help=f"data sets: {', '.join(NAMES)}; preset universal takes several",
    )
    parser.add_argument("--preset", choices=PRESETS, default="tuned", help="settings of model and training")
    parser.add_argument("--split", type=whole_number(0), default=0, metavar="SEED", help="seed of the split")
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, help="seed of initial parameters, episodes and dropout"
    )
    parser.add_argument("--epochs", type=whole_number(1), help="number of epochs, instead of the preset's")
    parser.add_argument(
        "--out",
        type=safetensors_path,
        metavar="FILE",
        help="the checkpoint (default: DATA.safetensors, universal.safetensors)",
    )
    parser.add_argument(
        "--log",
        "--log-file",
        type=Path,
        metavar="FILE.csv",
        help="a table of the errors of each epoch (under torchrun write --log-file: --log is its own option)",
    )
    add_folder(parser, "where the archive is")
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--resume", action="store_true", help="insist on going on with a stopped run, which is the default"
    )
    start.add_argument("--fresh", action="store_true", help="begin anew, even where a stopped run could go on")
    add_device(parser)
