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

from benchmarks.paper.methods import TEST_BLOCKS, Training, meta_trained, prepared, versions
from benchmarks.paper.store import MODEL_FOLDER
from benchmarks.rows import command_line
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import BASELINES_FOLDER
from metamf.checkpoints.files import write_safetensors
from metamf.datasets import NAMES
from metamf.learning.evaluation import summarize
from metamf.recipes.drawn import FILM_NIGHTS, DrawnRun, drawn_data

META_LEARNED = "eml", "maml"
EPOCHS = {"maml": 72}  # on film nights, of the recipe's 240: each of its updates takes three times as long as ours


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER)
    parser.add_argument("--film-nights", action="store_true")
    arguments = parser.parse_args()
    models = arguments.models
    torch.set_num_threads(1)
    if arguments.film_nights:
        for method in META_LEARNED:
            film_nights(method)
        return
    for method, data in product(META_LEARNED, NAMES):
        training = Training(method, data, 0, "tuned", 0)
        ready = meta_trained(training, models)
        errors = summarize(ready.method, Mean(), prepared(data, 0, TEST_BLOCKS).test)
        header = asdict(training) | {"note": ready.note, "errors": errors, "versions": versions()}
        tensors = {name: tensor.contiguous() for name, tensor in ready.method.state_dict().items()}
        write_safetensors(BASELINES_FOLDER / f"{method}-{data}.safetensors", tensors, header)


def film_nights(method: str) -> None:
    """Trains a method as the checkpoint film-nights was, but for the network, and writes its parameters."""
    run = DrawnRun(FILM_NIGHTS, drawn_data(FILM_NIGHTS), epochs=EPOCHS.get(method), method=method)
    for _ in run.training.run():
        pass
    config, kept = run.training.config, run.training.kept_epoch
    header = {"method": method, "data": FILM_NIGHTS, "split": 0, "preset": FILM_NIGHTS, "seed": 0}
    header |= {"training": asdict(config), "note": f"epoch {kept} of {config.epochs} kept"}
    header |= {"errors": run.errors(), "versions": versions()}
    tensors = {name: tensor.contiguous() for name, tensor in run.training.method.state_dict().items()}
    write_safetensors(BASELINES_FOLDER / f"{method}-{FILM_NIGHTS}.safetensors", tensors, header)


if __name__ == "__main__":
    main()
