"""Bundled checkpoints as imputers, by name."""

import pytest

import metamf


@pytest.mark.parametrize("name", ["../pretrained/ml-1m", "pretrained/ml-1m", "/etc/passwd", "", "ml-1m.safetensors"])
def test_load_pretrained_takes_names_not_paths(name):
    with pytest.raises(metamf.CheckpointError, match=r"no pretrained checkpoint .*MetaMFImputer\(checkpoint"):
        metamf.load_pretrained(name)
