"""safetensors files with a header of JSON values, read and written whole."""

import pytest
import torch

from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors


def test_tensors_and_header_come_back_and_folders_are_made(tmp_path):
    tensors, header = {"a": torch.arange(6.0).view(2, 3)}, {"name": "x", "scale": None, "list": [1, 2.5]}
    path = write_safetensors(tmp_path / "deep" / "a.safetensors", tensors, header)
    found, said = read_safetensors(str(path))
    assert said == header and list(found) == ["a"] and torch.equal(found["a"], tensors["a"])


def test_another_file_and_none_are_refused_by_their_path(tmp_path):
    (tmp_path / "a.txt").write_text("not tensors")
    with pytest.raises(CheckpointError, match=r"a\.txt is not a safetensors checkpoint"):
        read_safetensors(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        read_safetensors(tmp_path / "none")
