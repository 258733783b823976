"""Checkpoint files: what goes in comes out, and nothing but a whole, fitting, finite safetensors file
is taken; and what a checkpoint says of itself."""

import os
import pickle
import struct
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from checkpoint_files import (  # noqa: F401  fixtures
    INFO,
    SMALL,
    SMALL_UNIVERSAL,
    configured,
    model,
    path,
    rewritten,
    universal_path,
)
from problems import ratings_matrix

from metamf import Ratings
from metamf.checkpoints import files
from metamf.checkpoints.files import load_checkpoint, read_safetensors, save_checkpoint
from metamf.checkpoints.info import HEADER_VERSION, CheckpointError, CheckpointInfo, read_info
from metamf.datasets import synthetic
from metamf.learning.tuning import Tuning, TuningOutcome
from metamf.network.meta_mf import MetaMF
from metamf.network.universal.network import Universal
from metamf.ratings.batch import RatingsBatch

CELLS = torch.arange(48) // 6, torch.arange(48) % 6


def assert_equal(loaded, model, *parts):
    """The same predictions of a batch, and ready to predict."""
    assert not loaded.training and not any(p.requires_grad for p in loaded.parameters())
    batch = RatingsBatch.of([synthetic(np.random.default_rng(0), 8, 6).ratings])
    with torch.no_grad():
        found, expected = loaded.adapt(batch), model.adapt(batch)
        for part in ("predict", *parts):
            assert torch.equal(getattr(found, part)(*CELLS), getattr(expected, part)(*CELLS))


def test_a_checkpoint_comes_back_with_the_same_predictions_and_description(model, path):
    loaded, info = load_checkpoint(path)
    assert info == INFO and loaded.config == SMALL
    assert_equal(loaded, model)


def test_a_universal_checkpoint_comes_back_with_its_intervals_and_without_units(tmp_path):
    torch.manual_seed(0)
    model = Universal(SMALL_UNIVERSAL).eval()
    model.interval_widths.copy_(torch.linspace(0.1, 3, 990).view(2, 5, 99))
    model.units.copy_(torch.tensor([0.6, 0.07, 14, 50]))
    info = replace(INFO, data="several", standardization=None, scale=None, kind="universal")
    loaded, found = load_checkpoint(save_checkpoint(tmp_path / "u.safetensors", model, info))
    assert type(loaded) is Universal and loaded.config == SMALL_UNIVERSAL and found == info
    assert torch.equal(loaded.interval_widths, model.interval_widths)
    assert loaded.scale_units == model.scale_units
    assert_equal(loaded, model, "variance")


def test_older_checkpoints_are_read_one_without_features_and_one_with_a_setting_that_is_gone(
    path, universal_path
):
    older = {k: v for k, v in asdict(SMALL).items() if k not in files.LATER_SETTINGS}
    assert load_checkpoint(rewritten(path, config=older))[0].config == SMALL
    older = asdict(SMALL_UNIVERSAL) | {"components": True}
    assert load_checkpoint(rewritten(universal_path, config=older))[0].config == SMALL_UNIVERSAL
    with pytest.raises(CheckpointError, match="configuration: 'components' is unknown"):
        load_checkpoint(rewritten(universal_path, config=older | {"components": False}))


def test_saving_overwrites_and_makes_folders(model, path, tmp_path):
    save_checkpoint(path, model, replace(INFO, name="second"))
    assert load_checkpoint(path)[1].name == "second"
    deep = save_checkpoint(tmp_path / "a" / "b" / "c.safetensors", model, INFO)
    assert load_checkpoint(deep)[1] == INFO
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {deep, path}


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError("no space left on device"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_the_old_file_and_no_other(
    model, path, monkeypatch, step, failure
):
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


ENTRY = "prior.layers.0.entry"


WRONG = [
    ({"tensors": {ENTRY: None}}, rf"'{ENTRY}' is missing"),
    ({"tensors": {"extra": torch.zeros(1)}}, r"'extra' is unknown"),
    ({"tensors": {ENTRY: torch.zeros(1, 5)}}, rf"'{ENTRY}' is torch.float32 \(1, 5\), .* \(1, 4\)"),
    ({"tensors": {ENTRY: torch.full((1, 4), torch.nan)}}, rf"'{ENTRY}' holds .* not finite"),
    ({"kind": None}, r"'kind' is missing"),
    ({"kind": "universal"}, r"configuration: '\w+' is (unknown|missing)"),
    ({"config": None}, r"'config' is missing"),
    (configured(surprise=1), r"configuration: 'surprise' is unknown"),
    ({"config": {"rank": 3}}, r"configuration: 'channels' is missing"),
    (configured(rank=4), r"asks for .* \(4, 5\)|asks for .* \(4,\)"),
    (configured(channels="4"), r"channels = '4' is not a finite int"),
    (configured(learn_step_size=1), r"learn_step_size = 1 is not a finite bool"),
    (configured(step_size=float("nan")), r"step_size = nan is not a finite float"),
    (configured(channels=0), r"channels must be at least 1, got 0"),
    ({"config": [1, 2]}, r"does not describe a MetaMF checkpoint \(config = \[1, 2\] is not of"),
]
WRONG_UNIVERSAL = [
    ({"kind": "metamf"}, r"configuration: '\w+' is (unknown|missing)"),
    ({"config": asdict(SMALL_UNIVERSAL) | {"steps": 0}}, r"steps must be at least 1, got 0"),
    ({"tensors": {"interval_widths": None}}, r"'interval_widths' is missing"),
]


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [("path", *each) for each in WRONG] + [("universal_path", *each) for each in WRONG_UNIVERSAL],
)
def test_what_does_not_fit_is_refused_with_its_name(request, file, change, message):
    file = request.getfixturevalue(file)
    with pytest.raises(CheckpointError, match=message) as caught:
        load_checkpoint(rewritten(file, **change))
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize("kind", files.NETWORKS)
@pytest.mark.parametrize("value", [10**9, 10**30])
def test_a_hostile_size_is_refused_before_a_network_is_made(
    path, universal_path, kind, value, monkeypatch
):
    file = {"metamf": path, "universal": universal_path}[kind]
    _, header = read_safetensors(file)
    made = (lambda config: pytest.fail("a network was made"), files.NETWORKS[kind][1])
    monkeypatch.setitem(files.NETWORKS, kind, made)
    sizes = [key for key in header["config"] if key in files.LARGEST_SIZES]
    assert len(sizes) == {"metamf": 8, "universal": 6}[kind]
    for key in sizes:
        said = rf"configuration: {key} = {value} is above the limit"
        with pytest.raises(CheckpointError, match=said):
            load_checkpoint(rewritten(file, config=header["config"] | {key: value}))


def test_a_huge_network_is_built_on_meta_before_its_shapes_are_checked(path, monkeypatch):
    devices, (network, config_class) = set(), files.NETWORKS["metamf"]

    def spy(config):
        model = network(config)
        devices.update(parameter.device.type for parameter in model.parameters())
        return model

    monkeypatch.setitem(files.NETWORKS, "metamf", (spy, config_class))
    with pytest.raises(CheckpointError, match=r"asks for .* \(1, 4096\)"):
        load_checkpoint(rewritten(path, **configured(channels=4096, hidden=4096)))
    assert devices == {"meta"}  # which takes no memory


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("a checkpoint was unpickled",)


def raw(header: bytes, body: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + body


def with_tensor(about: bytes) -> bytes:
    return raw(b'{"a": {' + about + b"}}", b"\0" * 4)


def with_format(value: bytes) -> bytes:
    return raw(b'{"__metadata__": {"format": "' + value + b'"}}')


NO_CHECKPOINT = {
    "an empty file": b"",
    "text": b"row,column,value\n" * 100,
    "a pickle": pickle.dumps(Bomb()),
    "a length beyond the file": struct.pack("<Q", 2**62) + b"{}",
    "a header that is not JSON": raw(b"not json"),
    "metadata that is not JSON": with_format(b"one"),
    "metadata nested without end": with_format(b"[" * 100_000),
    "a number without end": with_format(b"9" * 10_000),
    "an unknown dtype": with_tensor(b'"dtype": "F31", "shape": [1], "data_offsets": [0, 4]'),
    "offsets outside the file": with_tensor(
        b'"dtype": "F32", "shape": [9], "data_offsets": [0, 36]'
    ),
    "a shape without end": with_tensor(
        b'"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 4]'
    ),
}


@pytest.mark.parametrize("content", NO_CHECKPOINT.values(), ids=NO_CHECKPOINT)
def test_a_file_that_is_not_safetensors_is_refused(tmp_path, content):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"is not a safetensors checkpoint|format version"):
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


HEADER = {"format": HEADER_VERSION, **asdict(INFO)}
REPORT = TuningOutcome(40, 20, 0.9, 0.8, 0.17, 0.02, 15, 1.5)


def learned(**values):
    return {"learned_from": HEADER["learned_from"] | values}


def test_a_description_comes_back_from_its_header():
    unknown = replace(INFO, learned_from=None)
    assert read_info("a.safetensors", HEADER | {"learned_from": None}) == unknown
    universal = replace(INFO, kind="universal", standardization=None, scale=None)
    found = read_info("a.safetensors", {"format": HEADER_VERSION, **asdict(universal)})
    assert found == universal and (found.round_name, found.gives_intervals) == ("sweep", True)
    assert (INFO.round_name, INFO.gives_intervals) == ("step", False)


BACKWARDS = {"minimum": 5, "maximum": 1, "step": 1}
WRONG_IN_HEADER = [
    ({"format": 2}, "format version 2, this metamf reads version 1"),
    ({"kind": "other"}, "kind 'other' is not one of metamf, universal"),
    ({"split_seed": "7"}, "split_seed = '7' is not of type int"),
    ({"name": ["small"]}, r"name = \['small'\] is not of type str"),
    ({"errors": 1}, "errors = 1 is not of type dict"),
    ({"standardization": {"mean": 3}}, "does not describe"),
    ({"standardization": {"mean": 3.5, "std": 0}}, "needs a finite mean and a finite positive std"),
    ({"scale": BACKWARDS}, "a rating scale needs finite minimum < maximum"),
    ({"learned_from": {"rows": [1, 2]}}, "does not have the keys rows, cols, density and scales"),
    (learned(density=[0.5, 2]), r"density = \[0.5, 2\] is not a range"),
    (learned(rows=[30, 10]), r"rows = \[30, 10\] is not a range"),
    (learned(scales=[BACKWARDS]), "a rating scale needs finite minimum < maximum"),
]


@pytest.mark.parametrize(("change", "message"), WRONG_IN_HEADER)
def test_a_value_that_does_not_fit_is_named_with_the_file(change, message):
    with pytest.raises(CheckpointError, match=rf"a\.safetensors.*{message}"):
        read_info("a.safetensors", HEADER | change)


def test_a_value_that_is_missing_is_named():
    with pytest.raises(CheckpointError, match="'data' is missing"):
        read_info("a.safetensors", {key: value for key, value in HEADER.items() if key != "data"})


def test_a_tuned_network_says_where_it_comes_from_and_what_tuning_did():
    ratings = Ratings.from_dense(ratings_matrix())
    info = INFO.tuned(ratings, Tuning(40, 3), REPORT)
    tuning = info.recipe["tuning"]
    assert (info.name, tuning["from"], info.tuning_seed) == ("small-tuned", "small", 3)
    assert tuning["settings"] == {"steps": 40, "seed": 3} and tuning["report"]["kept"] == 20
    assert tuning["matrix"] == {"rows": 12, "columns": 9, "entries": ratings.nnz}
    assert info.errors == {} and INFO.errors  # those of the untuned network
    assert info.recipe["preset"] == INFO.recipe["preset"] and INFO.tuning_seed is None


def test_the_width_factor_belongs_to_a_tuned_network_only_and_is_checked():
    tuned = INFO.tuned(Ratings.from_dense([[1.0]]), Tuning(), REPORT)
    assert tuned.with_width_factor(1.25).width_factor == 1.25
    assert tuned.width_factor == 1 and INFO.with_width_factor(1.25) == INFO
    for factor in (0, -1, float("inf"), float("nan"), "wide", None):
        assert tuned.with_width_factor(factor).width_factor == 1
