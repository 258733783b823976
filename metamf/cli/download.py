"""python -m metamf download NAME: an archive from its publisher into the data folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from tqdm import tqdm

from metamf import datasets
from metamf.cli.console import say, subcommand


def add_to(subparsers) -> None:
    parser = subcommand(
        subparsers,
        "download",
        help="get a data set from its publisher",
        description="Downloads rating data from its publisher, checks it, and prints where it is. A download that was "
        "stopped goes on where it ended.",
        examples="  python -m metamf download ml-100k\n  python -m metamf download ml-1m jester --folder ~/ratings",
    )
    parser.add_argument("names", nargs="+", choices=datasets.NAMES, metavar="NAME", help=", ".join(datasets.NAMES))
    parser.add_argument(
        "--folder", type=Path, help="where to put it (default: METAMF_DATA, or else the user's cache folder)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    for name in arguments.names:
        archive = datasets.ARCHIVES[name]
        if datasets.available(name, arguments.folder):
            say(f"{archive.title} is here already.")
        with tqdm(desc=archive.file_name, total=archive.size, unit="B", unit_scale=True) as bar:

            def progress(done: int, total: int, bar=bar) -> None:
                bar.update(done - bar.n)

            path = datasets.download(name, arguments.folder, progress)
        say(f"{archive.title}. {archive.licence} Please cite: {archive.citation}")
        print(path)
    return 0
