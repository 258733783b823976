"""The meta-trained baselines that are bundled: EML and MAML, and FT, which starts from EML's parameters.

``pretrained/baselines/<method>-<data>.safetensors`` holds the parameters and, in its header, where they come from.
Written by ``python -m benchmarks.paper.bundle``. The units are those of the meta-training data, standardised.
"""

from __future__ import annotations

from torch import nn

from metamf.baselines import METHODS
from metamf.checkpoints.bundled import PRETRAINED
from metamf.checkpoints.files import CheckpointError, read_safetensors

FOLDER = PRETRAINED / "baselines"


def trained_on(method: str) -> list[str]:
    """The names of the data sets that bundled parameters of ``method`` were meta-trained on."""
    source = METHODS[method].parameters_of or method
    return sorted(path.stem.removeprefix(f"{source}-") for path in FOLDER.glob(f"{source}-*.safetensors"))


def load_trained(method: str, data: str) -> nn.Module:
    """``method`` with its default settings and the parameters that were meta-trained on ``data``, in evaluation mode.

    Raises
    ------
    FileNotFoundError
        if there are no such parameters.
    CheckpointError
        if the file is no safetensors file, or holds other parameters.
    """
    spec = METHODS[method]
    path = FOLDER / f"{spec.parameters_of or method}-{data}.safetensors"
    tensors, _ = read_safetensors(path)
    module = spec.build()
    try:
        module.load_state_dict(tensors)
    except RuntimeError as error:
        raise CheckpointError(f"{path} does not hold the parameters of {spec.label} ({error})") from error
    return module.requires_grad_(False)
