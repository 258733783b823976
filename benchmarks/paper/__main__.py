"""Every number of the paper's experiments, on its protocol.

    python -m benchmarks.paper table1 --jobs 2
    python -m benchmarks.paper table1 --scheduler tcp://host:8786

Rows are appended to benchmarks/results/paper/<experiment>.csv as they are computed. Rows that are there are not
computed again, so a run that was stopped continues.

table1          every method; the first 10 of a split's 200 blocks are the paper's ten
steps           Ours after 0 to 50 MAP steps
sizes           blocks of 10 x 10 to 60 x 60, meta-trained at 30 x 30
training_sizes  the same, meta-trained at that size
ranks           Ours with K from 8 to 128
combinations    Ours, meta-trained on every combination of the three data sets
hidden          AutoRec with 32, 128 and 512 hidden units, on the paper's ten blocks
finetuning      FT after 0 to 300 updates of EML, at three learning rates
epochs          Ours and EML, meta-trained for 5 to 160 epochs, always with preset paper
nmf             Ours with eight factors without minus signs; --preset nmf
features        Ours, told the genre and year of films; --data ml-100k ml-1m, of which they are known
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tqdm import tqdm

from benchmarks import grid
from benchmarks.paper.methods import compute_part
from benchmarks.paper.plan import EXPERIMENTS, parts
from benchmarks.paper.store import MODEL_FOLDER, PAPER_RESULTS, Store, key_of
from metamf.baselines import METHODS
from metamf.datasets import NAMES
from metamf.recipes.presets import PRESETS


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--data", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--splits", type=int, nargs="+", default=range(10), metavar="N", help="default: 0 to 9")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, metavar="NAME", help="of table1")
    parser.add_argument("--preset", choices=PRESETS, default="tuned")
    parser.add_argument("--seed", type=int, default=0)
    grid.add_options(parser)
    parser.add_argument("--out", type=Path, default=PAPER_RESULTS)
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER, help="meta-trained parameters: %(default)s")
    options = parser.parse_args(arguments)
    store = Store(options.experiment, options.out)
    with store.alone():
        done = store.done()
        todo = parts(options.experiment, options.data, options.splits, options.methods, options.preset, options.seed)
        todo = [part for part in todo if not done.issuperset(part.keys)]
        work = grid.results(compute_part, [(part, options.models) for part in todo], options)
        for found in tqdm(work, total=len(todo), unit="part"):
            for row, blocks in found:
                if key_of(row) not in done:
                    store.add(row, blocks)


if __name__ == "__main__":
    main()
