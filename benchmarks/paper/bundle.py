"""Writes the meta-trained baselines of the app, EML and MAML of split 0, to pretrained/baselines.

python -m benchmarks.paper.bundle
python -m benchmarks.paper.bundle --film-nights  # both, on the nights from which the checkpoint film-nights learned
python -m benchmarks.report  # their errors, on the card next to them
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import product
from pathlib import Path

import torch
from torch import nn

from benchmarks.paper.methods import TEST_BLOCKS, Training, meta_trained, prepared, versions
from benchmarks.paper.plan import MODEL_FOLDER
from benchmarks.rows import command_line
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import BASELINES_FOLDER
from metamf.checkpoints.files import write_safetensors
from metamf.datasets import NAMES
from metamf.learning.evaluation import summarize
from metamf.recipes.drawn import FILM_NIGHTS, DrawnRun, drawn_data

META_LEARNED = "eml", "maml"
# on film nights, of the recipe's 240: each of its updates takes three times as long as ours
EPOCHS = {"maml": 72}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--film-nights", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.film_nights:
        for method in META_LEARNED:
            film_nights(method)
        return
    for method, data in product(META_LEARNED, NAMES):
        training = Training(method, data, 0, "tuned")
        ready = meta_trained(training, arguments.models)
        errors = summarize(ready.method, Mean(), prepared(data, 0, TEST_BLOCKS).test)
        write(ready.method, asdict(training) | {"note": ready.note, "errors": errors})


def write(network: nn.Module, header: dict) -> None:
    name = f"{header['method']}-{header['data']}.safetensors"
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    write_safetensors(BASELINES_FOLDER / name, tensors, header | {"versions": versions()})


def film_nights(method: str) -> None:
    """Trains a method as the checkpoint film-nights was, but for the network, and writes its
    parameters."""
    run = DrawnRun(FILM_NIGHTS, drawn_data(FILM_NIGHTS), epochs=EPOCHS.get(method), method=method)
    for _ in run.training.run():
        pass
    config, kept = run.training.config, run.training.kept_epoch
    header = {"method": method, "data": FILM_NIGHTS, "split": 0, "preset": FILM_NIGHTS, "seed": 0}
    header |= {"training": asdict(config), "note": f"epoch {kept} of {config.epochs} kept"}
    write(run.training.method, header | {"errors": run.errors()})


if __name__ == "__main__":
    main()
