"""Checkpoints: what goes in comes out."""

import json
import os
import struct
from dataclasses import replace

import numpy as np
import pytest
import torch
from checkpoint_files import INFO, SMALL, SMALL_UNIVERSAL, model, path, universal_path  # noqa: F401  fixtures

from metamf.checkpoints import info as described
from metamf.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from metamf.checkpoints.files import read_safetensors
from metamf.datasets import synthetic
from metamf.model.meta_mf import MetaMFConfig
from metamf.ratings.batch import RatingsBatch
from metamf.universal.network import Universal


def test_a_checkpoint_comes_back_with_the_same_predictions_and_description(model, path):
    loaded, info = load_checkpoint(path)
    assert info == INFO and loaded.config == SMALL
    assert not loaded.training and not any(p.requires_grad for p in loaded.parameters())
    assert loaded.state_dict().keys() == model.state_dict().keys()
    ratings = synthetic(np.random.default_rng(0), 8, 6).ratings
    batch = RatingsBatch.of([ratings.with_values(INFO.standardization.apply(ratings.values))])
    cells = torch.arange(48) // 6, torch.arange(48) % 6
    with torch.no_grad():
        assert torch.equal(loaded.adapt(batch).predict(*cells), model.adapt(batch).predict(*cells))


def test_a_universal_checkpoint_comes_back_with_its_intervals_and_without_units(tmp_path):
    torch.manual_seed(0)
    model = Universal(SMALL_UNIVERSAL).eval()
    model.interval_widths.copy_(torch.linspace(0.1, 3, 990).view(2, 5, 99))
    model.units.copy_(torch.tensor([0.6, 0.07, 14, 50]))
    info = replace(INFO, data="several", standardization=None, scale=None, kind="universal")
    loaded, found = load_checkpoint(save_checkpoint(tmp_path / "u.safetensors", model, info))
    assert type(loaded) is Universal and loaded.config == SMALL_UNIVERSAL and found == info
    assert not loaded.training and not any(p.requires_grad for p in loaded.parameters())
    assert torch.equal(loaded.interval_widths, model.interval_widths) and loaded.scale_units == model.scale_units
    ratings = synthetic(np.random.default_rng(0), 8, 6).ratings
    batch, cells = RatingsBatch.of([ratings]), (torch.arange(48) // 6, torch.arange(48) % 6)
    with torch.no_grad():
        mine, theirs = loaded.adapt(batch), model.adapt(batch)
        assert torch.equal(mine.predict(*cells), theirs.predict(*cells))
        assert torch.equal(mine.variance(*cells), theirs.variance(*cells))


def test_the_header_says_which_kind_of_model_it_is(path, universal_path):
    assert [read_safetensors(file)[1]["kind"] for file in (path, universal_path)] == ["metamf", "universal"]


def test_saving_overwrites_and_makes_folders(model, path, tmp_path):
    save_checkpoint(path, model, replace(INFO, name="second"))
    assert load_checkpoint(path)[1].name == "second"
    deep = save_checkpoint(tmp_path / "a" / "b" / "c.safetensors", model, INFO)
    assert load_checkpoint(deep)[1] == INFO
    assert sorted(file.name for file in tmp_path.rglob("*") if file.is_file()) == [deep.name, path.name]


def test_the_header_alone_describes_the_checkpoint(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))["__metadata__"]
    values = {key: json.loads(value) for key, value in header.items()}
    assert values["format"] == described.HEADER_VERSION
    assert MetaMFConfig(**values["config"]) == SMALL
    assert values["standardization"] == {"mean": 3.5, "std": 1.1}
    assert values["scale"] == {"minimum": 1, "maximum": 5, "step": 0.5}
    for key in ("name", "data", "split_seed", "recipe", "errors", "versions", "created"):
        assert values[key] == getattr(INFO, key)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError("no space left on device"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_the_old_file_and_no_other(model, path, monkeypatch, step, failure):
    before = path.read_bytes()

    def fail(*_):
        raise failure

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(failure)):
        save_checkpoint(path, model, replace(INFO, name="never"))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_json_cannot_hold_is_refused_before_the_old_file_is_touched(model, path):
    before = path.read_bytes()
    with pytest.raises(TypeError, match="not JSON serializable"):
        save_checkpoint(path, model, replace(INFO, errors={"ratio": np.float32(1)}))
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]
