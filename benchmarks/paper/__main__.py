"""Every number of the paper's experiments, on its protocol.

    python -m benchmarks.paper table1 --jobs 2
    python -m benchmarks.paper table1 --scheduler tcp://host:8786

Rows are appended to benchmarks/results/paper/<experiment>.csv as they are computed. Rows that are
there are not computed again, so a run that was stopped continues.

table1          every method; the first 10 of a split's 200 blocks are the paper's ten
steps           Ours after 0 to 50 MAP steps
sizes           blocks of 10 x 10 to 60 x 60, meta-trained at 30 x 30
training_sizes  the same, meta-trained at that size
ranks           Ours with K from 8 to 128
combinations    Ours, meta-trained on every combination of the three data sets

The experiments finetuning, epochs, features, nmf and hidden ran once: docs/benchmark.md names the
commits that have them.
"""

from __future__ import annotations

from pathlib import Path

from tqdm import tqdm

from benchmarks import grid
from benchmarks.paper.methods import compute_part
from benchmarks.paper.plan import EXPERIMENTS, MODEL_FOLDER, PAPER_RESULTS, alone, key_of, parts
from benchmarks.rows import append, command_line, read
from metamf.baselines import METHODS
from metamf.datasets import NAMES
from metamf.recipes.presets import PRESETS


def main(arguments: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--data", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument(
        "--splits",
        type=int,
        nargs="+",
        default=range(10),
        help="numbers of splits, default: 0 to 9",
    )
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, help="of table1")
    parser.add_argument("--preset", choices=PRESETS, default="tuned")
    grid.add_options(parser)
    parser.add_argument(
        "--out", type=Path, default=PAPER_RESULTS, help="folder of the rows; an empty one: all anew"
    )
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER, help="meta-trained parameters")
    options = parser.parse_args(arguments)
    path = options.out / f"{options.experiment}.csv"
    with alone(path):
        done = set(map(key_of, read(path)))
        asked = options.experiment, options.data, options.splits, options.methods, options.preset
        todo = [part for part in parts(*asked) if not done.issuperset(part.keys)]
        work = grid.results(compute_part, [(part, options.models) for part in todo], options)
        for found in tqdm(work, total=len(todo), unit="part"):
            append(path, *(row for row in found if key_of(row) not in done))


if __name__ == "__main__":
    main()
