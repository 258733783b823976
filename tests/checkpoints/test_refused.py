"""Checkpoints: nothing but a whole, fitting, finite safetensors file is taken."""

import pickle
import re
import struct
from dataclasses import asdict

import numpy as np
import pytest
import torch
from checkpoint_files import SMALL, SMALL_UNIVERSAL, configured, model, path, rewritten, universal_path  # noqa: F401  fixtures
from safetensors.torch import save_file

from metamf.checkpoints import checkpoint as checkpoints
from metamf.checkpoints.bundled import PRETRAINED
from metamf.checkpoints.checkpoint import load_checkpoint
from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors
from metamf.checkpoints.info import CheckpointInfo
from metamf.model.meta_mf import MetaMF


def learned(**values):
    return {"learned_from": {"rows": [1, 2], "cols": [1, 2], "density": [0.1, 0.2], "scales": []} | values}


ENTRY = "prior.layers.0.entry"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, r"format version 2, this metamf reads version 1"),
        ({"format": None}, r"format version None"),
        ({"tensors": {ENTRY: None}}, rf"'{ENTRY}' is missing"),
        ({"tensors": {"extra": torch.zeros(1)}}, r"'extra' is unknown"),
        ({"tensors": {ENTRY: torch.zeros(1, 5)}}, rf"'{ENTRY}' is torch.float32 \(1, 5\), .* asks for .* \(1, 4\)"),
        ({"tensors": {ENTRY: torch.zeros(1, 4, dtype=torch.float64)}}, rf"'{ENTRY}' is torch.float64"),
        ({"tensors": {ENTRY: torch.full((1, 4), torch.nan)}}, rf"'{ENTRY}' holds values that are not finite"),
        ({"tensors": {ENTRY: torch.full((1, 4), torch.inf)}}, rf"'{ENTRY}' holds values that are not finite"),
        ({"kind": None}, r"'kind' is missing"),
        ({"kind": "metaMF"}, r"kind 'metaMF' is not one of metamf, universal"),
        ({"kind": "universal"}, r"configuration: '\w+' is (unknown|missing)"),
        ({"config": None}, r"'config' is missing"),
        ({"name": None}, r"'name' is missing"),
        ({"standardization": None}, r"'standardization' is missing"),
        (configured(surprise=1), r"configuration: 'surprise' is unknown"),
        ({"config": {k: v for k, v in asdict(SMALL).items() if k != "rank"}}, r"configuration: 'rank' is missing"),
        (configured(rank=4), r"asks for .* \(4, 5\)|asks for .* \(4,\)"),
        (configured(channels="4"), r"channels = '4' is not a finite int"),
        (configured(channels=4.0), r"channels = 4.0 is not a finite int"),
        (configured(channels=True), r"channels = True is not a finite int"),
        (configured(learn_step_size=1), r"learn_step_size = 1 is not a finite bool"),
        (configured(step_size=float("nan")), r"step_size = nan is not a finite float"),
        (configured(step_size=float("inf")), r"step_size = inf is not a finite float"),
        (configured(step_size=-0.1), r"step_size must be positive, got -0.1"),
        (configured(channels=0), r"channels must be at least 1, got 0"),
        ({"config": [1, 2]}, r"does not describe a MetaMF checkpoint \(config = \[1, 2\] is not of type dict\)"),
        ({"standardization": {"mean": 3, "std": 0}}, r"Standardization\(mean=3, std=0\)"),
        ({"standardization": {"mean": 3, "std": float("nan")}}, r"std=nan"),
        ({"standardization": {"mean": "3", "std": 1}}, r"does not describe"),
        ({"standardization": {"mean": 3}}, r"does not describe"),
        ({"scale": {"minimum": 5, "maximum": 1, "step": 1}}, r"a rating scale needs finite minimum < maximum"),
        ({"scale": {"minimum": None, "maximum": 1, "step": 1}}, r"does not describe"),
        ({"name": ["small"]}, r"name = \['small'\] is not of type str"),
        ({"split_seed": "7"}, r"split_seed = '7' is not of type int"),
        ({"errors": 1}, r"errors = 1 is not of type dict"),
        (
            {"learned_from": {"rows": [1, 2]}},
            r"learned_from = .* does not have the keys rows, cols, density",
        ),
        (learned(rows=[30, 10]), r"learned_from: rows = \[30, 10\] is not a range"),
        (learned(density=[0.1, 1.5]), r"learned_from: density = \[0.1, 1.5\] is not a range"),
        (learned(cols=5), r"does not describe"),
        (learned(scales=[{"minimum": 5, "maximum": 1}]), r"a rating scale needs finite minimum < maximum"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_name(path, change, message):
    with pytest.raises(CheckpointError, match=message) as caught:
        load_checkpoint(rewritten(path, **change))
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "metamf"}, r"configuration: '\w+' is (unknown|missing)"),
        ({"config": asdict(SMALL_UNIVERSAL) | {"rank": 4}}, r"'log_precision' is .* \(2, 4\), .* asks for .* \(2, 5\)"),
        ({"config": asdict(SMALL_UNIVERSAL) | {"steps": 0}}, r"steps must be at least 1, got 0"),
        ({"tensors": {"interval_widths": None}}, r"'interval_widths' is missing"),
        ({"tensors": {"units": None}}, r"'units' is missing"),
        (
            {"tensors": {"interval_widths": torch.full((2, 5, 99), torch.nan)}},
            r"'interval_widths' holds values that are not",
        ),
        ({"scale": {"minimum": 1, "maximum": 5, "step": 1}}, r"does not describe"),
        ({"standardization": {"mean": 3, "std": 1}}, r"does not describe"),
    ],
)
def test_what_does_not_fit_a_universal_checkpoint_is_refused_with_its_name(universal_path, change, message):
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(altered(universal_path, **change))


def altered(path, tensors=None, **header):
    """As ``rewritten``, but what the header has as None stays."""
    old_tensors, old_header = read_safetensors(path)
    kept = {key: value for key, value in (old_tensors | (tensors or {})).items() if value is not None}
    return write_safetensors(path, kept, old_header | header)


@pytest.mark.parametrize("kind", checkpoints.NETWORKS)
@pytest.mark.parametrize("value", [10**9, 10**30])
def test_a_hostile_size_is_refused_before_a_network_is_made(path, universal_path, kind, value, monkeypatch):
    file, (_, config_class) = {"metamf": path, "universal": universal_path}[kind], checkpoints.NETWORKS[kind]
    _, header = read_safetensors(file)
    monkeypatch.setitem(checkpoints.NETWORKS, kind, (lambda config: pytest.fail("a network was made"), config_class))
    sizes = [key for key in header["config"] if key in checkpoints.LARGEST_SIZES]
    assert len(sizes) == 6
    for key in sizes:
        with pytest.raises(CheckpointError, match=rf"configuration: {key} = {value} is above the limit"):
            load_checkpoint(altered(file, config=header["config"] | {key: value}))


def test_a_network_is_described_without_its_memory_until_the_shapes_fit(path, monkeypatch):
    devices = []
    method, config_class = checkpoints.NETWORKS["metamf"]

    def spy(config):
        model = method(config)
        devices.extend(parameter.device.type for parameter in model.parameters())
        return model

    monkeypatch.setitem(checkpoints.NETWORKS, "metamf", (spy, config_class))
    rewritten(path, **configured(channels=4096, hidden=4096))
    with pytest.raises(CheckpointError, match=r"asks for .* \(1, 4096\)"):
        load_checkpoint(path)
    assert set(devices) == {"meta"}


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("a checkpoint was unpickled",)


def raw(header: bytes, body: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + body


@pytest.mark.parametrize(
    "content",
    {
        "an empty file": b"",
        "text": b"row,column,value\n" * 100,
        "a pickle": pickle.dumps(Bomb()),
        "a length beyond the file": struct.pack("<Q", 2**62) + b"{}",
        "a header that is not JSON": raw(b"not json"),
        "metadata of another type": raw(b'{"__metadata__": {"format": 1}}'),
        "metadata that is not JSON": raw(b'{"__metadata__": {"format": "one"}}'),
        "metadata nested without end": raw(b'{"__metadata__": {"format": "' + b"[" * 100_000 + b'"}}'),
        "a number without end": raw(b'{"__metadata__": {"format": "' + b"9" * 10_000 + b'"}}'),
        "an unknown dtype": raw(b'{"a": {"dtype": "F31", "shape": [1], "data_offsets": [0, 4]}}', b"\0" * 4),
        "offsets outside the file": raw(b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}', b"\0" * 4),
        "a shape without end": raw(
            b'{"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]}}', b"\0" * 4
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_a_file_that_is_not_safetensors_is_refused(tmp_path, content):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content[1])
    with pytest.raises(CheckpointError, match=r"is not a safetensors checkpoint|format version"):
        load_checkpoint(path)


def test_a_pickled_model_under_another_name_is_refused(model, tmp_path):
    path = tmp_path / "renamed.safetensors"
    torch.save(model.state_dict(), path)
    with pytest.raises(CheckpointError, match="is not a safetensors checkpoint"):
        load_checkpoint(path)


def test_safetensors_of_another_program_are_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    save_file({"weight": torch.zeros(2)}, path)
    with pytest.raises(CheckpointError, match="format version None"):
        load_checkpoint(path)


def test_a_truncated_file_is_refused_wherever_it_ends(path):
    whole = path.read_bytes()
    for length in (0, 1, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match="is not a safetensors checkpoint"):
            load_checkpoint(path)


def test_no_flipped_byte_of_the_header_gives_anything_but_a_checkpoint_or_a_refusal(path):
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(0, 8 + struct.unpack("<Q", whole[:8])[0], 200):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            loaded, info = load_checkpoint(path)
        except CheckpointError:
            continue
        assert isinstance(loaded, MetaMF) and isinstance(info, CheckpointInfo)


def test_a_file_that_is_not_there(tmp_path):
    for missing in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(FileNotFoundError, match="no checkpoint"):
            load_checkpoint(missing)


def test_torch_load_is_never_used():
    """Nor is pickle, but for messages to and from a process of our own, which are never in a file."""
    package = PRETRAINED.parent / "metamf"
    for file in set(package.rglob("*.py")) - {package / "webapp" / "serving" / "messages.py"}:
        assert not re.search(r"torch\.load\(|pickle\.|allow_pickle=True", file.read_text(encoding="utf-8")), file
