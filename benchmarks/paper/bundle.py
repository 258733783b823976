"""Writes the meta-trained baselines of the app, EML and MAML of split 0, to pretrained/baselines, with a card.

python -m benchmarks.paper.bundle
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import torch

from benchmarks.paper.methods import TEST_BLOCKS, Training, meta_trained, prepared, versions
from benchmarks.paper.store import MODEL_FOLDER
from benchmarks.report.markdown import TITLES, markdown
from metamf.baselines import METHODS
from metamf.baselines.biases import Mean
from metamf.checkpoints.bundled import BASELINES_FOLDER
from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.datasets import NAMES
from metamf.files import write_atomically
from metamf.learning.evaluation import summarize


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", choices=("eml", "maml"), default=("eml", "maml"))
    parser.add_argument("--data", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--models", type=Path, default=MODEL_FOLDER)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for method in options.methods:
        for data in options.data:
            training = Training(method, data, 0, "tuned", 0)
            ready = meta_trained(training, options.models)
            errors = summarize(ready.method, Mean(), prepared(data, 0, TEST_BLOCKS).test)
            header = asdict(training) | {"note": ready.note, "errors": errors, "versions": versions()}
            tensors = {name: tensor.contiguous() for name, tensor in ready.method.state_dict().items()}
            write_safetensors(BASELINES_FOLDER / f"{method}-{data}.safetensors", tensors, header)
    write_atomically(BASELINES_FOLDER / "README.md", card().encode())


def card() -> str:
    rows = []
    for path in sorted(BASELINES_FOLDER.glob("*.safetensors")):
        header = read_safetensors(path)[1]
        method, data = METHODS[header["method"]].label, TITLES[header["data"]]
        rows.append(
            {
                "file": path.name,
                "method": method,
                "meta-trained on": data,
                "squared error": f"{header['errors']['query_mse']:.4f}",
                "ratio to Mean": f"{header['errors']['ratio']:.4f}",
            }
        )
    return f"""# Meta-trained baselines

Parameters of the baselines that have to be meta-trained, for the comparison in the app: on the meta-training part (70 %
of the users, 70 % of the items) of split 0, preset `tuned`. FT starts from EML. Errors on {TEST_BLOCKS} held-out
blocks of the same split, standardised units. Written by `python -m benchmarks.paper.bundle`.

{markdown(pd.DataFrame(rows))}

Network parameters only: none is indexed by user or item, and no rating is inside. The data are not part of this
repository; their licences are on the cards of the checkpoints.
"""


if __name__ == "__main__":
    main()
