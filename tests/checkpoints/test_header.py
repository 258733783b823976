"""The header of a safetensors file, read without its tensors."""

import pytest
from checkpoint_files import (
    model,  # noqa: F401  a fixture
    path,  # noqa: F401  a fixture
)

from metamf.checkpoints.header import CheckpointError, decode_header, read_header


def test_the_values_of_a_header_come_back_without_the_tensors(path):
    header = read_header(path)
    assert (header["name"], header["split_seed"], header["standardization"]) == ("small", 7, {"mean": 3.5, "std": 1.1})
    assert decode_header(None) == {} and decode_header({"a": "[1, null]"}) == {"a": [1, None]}


def test_what_is_not_a_file_or_not_safetensors_is_refused_by_its_path(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no checkpoint .*none\.safetensors"):
        read_header(tmp_path / "none.safetensors")
    (tmp_path / "text.safetensors").write_bytes(b"row,column,value\n" * 100)
    with pytest.raises(CheckpointError, match=r"text\.safetensors is not a safetensors checkpoint"):
        read_header(tmp_path / "text.safetensors")
