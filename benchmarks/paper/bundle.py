"""Writes the meta-trained baselines of the app, EML and MAML of split 0, to pretrained/baselines.

python -m benchmarks.paper.bundle
python -m benchmarks.report  # their errors, on the card beside them
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


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER)
    models = parser.parse_args().models
    torch.set_num_threads(1)
    for method, data in product(("eml", "maml"), NAMES):
        training = Training(method, data, 0, "tuned", 0)
        ready = meta_trained(training, models)
        errors = summarize(ready.method, Mean(), prepared(data, 0, TEST_BLOCKS).test)
        header = asdict(training) | {"note": ready.note, "errors": errors, "versions": versions()}
        tensors = {name: tensor.contiguous() for name, tensor in ready.method.state_dict().items()}
        write_safetensors(BASELINES_FOLDER / f"{method}-{data}.safetensors", tensors, header)


if __name__ == "__main__":
    main()
