"""A small universal checkpoint and that of ML-1M in the place of the bundled ones, and matrices to
fill in."""

import numpy as np
import pytest
from problems import small_universal

from metamf.checkpoints.bundled import find_checkpoint
from metamf.checkpoints.files import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.datasets import synthetic


@pytest.fixture(scope="module")
def small_checkpoints(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pretrained")
    info = CheckpointInfo("universal", "ml-1m, jester", None, None, 0, {"preset": "universal"})
    save_checkpoint(folder / "universal.safetensors", small_universal(), info)
    (folder / "ml-1m.safetensors").write_bytes(find_checkpoint("ml-1m").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metamf.checkpoints.bundled.PRETRAINED", folder)
        yield


def made_up(n=14, m=10, density=0.5, seed=0):
    """The observed ratings of a synthetic n x m matrix."""
    return synthetic(np.random.default_rng(seed), n, m, density=density).ratings
