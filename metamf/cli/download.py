"""metamf download: an archive from its publisher into the data folder."""

from __future__ import annotations

import argparse

from tqdm import tqdm

from metamf import datasets
from metamf.cli.console import say


def run(arguments: argparse.Namespace) -> int:
    """Downloads the archives that are not here yet; the exit code."""
    for name in arguments.names:
        archive = datasets.ARCHIVES[name]
        if datasets.available(name, arguments.folder):
            say(f"{archive.title} is here already.")
        with tqdm(desc=archive.file_name, total=archive.size, unit="B", unit_scale=True) as bar:

            def progress(done: int, total: int, bar: tqdm = bar) -> None:
                bar.update(done - bar.n)

            path = datasets.download(name, arguments.folder, progress)
        say(f"{archive.title}. {archive.licence} Please cite: {archive.citation}")
        print(path)
    return 0
