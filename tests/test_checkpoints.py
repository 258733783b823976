"""Checkpoints: what goes in comes out, and nothing but a whole, fitting, finite safetensors file is taken."""

import json
import pickle
import re
import struct
import subprocess
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from metamf import checkpoints
from metamf.checkpoints import (
    PRETRAINED,
    CheckpointError,
    CheckpointInfo,
    find_checkpoint,
    list_pretrained,
    load_checkpoint,
    read_safetensors,
    save_checkpoint,
    write_safetensors,
)
from metamf.datasets import synthetic
from metamf.model import MetaMF, MetaMFConfig
from metamf.ratings import RatingsBatch, RatingScale, Standardization
from metamf.universal import Universal, UniversalConfig

SMALL = MetaMFConfig(channels=4, layers=2, hidden=5, prior_layers=2, rank=3, steps=4, learn_step_size=True)
INFO = CheckpointInfo(
    name="small",
    data="made up",
    standardization=Standardization(3.5, 1.1),
    scale=RatingScale(1, 5, 0.5),
    split_seed=7,
    recipe={"preset": "by hand", "training": {"epochs": 3}},
    errors={"ratio": 0.875},
    versions={"torch": "2"},
    created="2026-01-31",
)
SMALL_UNIVERSAL = UniversalConfig(channels=4, layers=2, hidden=5, rank=3, steps=2, effect_sweeps=2)


@pytest.fixture
def model() -> MetaMF:
    torch.manual_seed(0)
    return MetaMF(SMALL).eval()


@pytest.fixture
def path(model, tmp_path):
    return save_checkpoint(tmp_path / "small.safetensors", model, INFO)


@pytest.fixture
def universal_path(tmp_path):
    torch.manual_seed(0)
    info = replace(INFO, standardization=None, scale=None)
    return save_checkpoint(tmp_path / "universal.safetensors", Universal(SMALL_UNIVERSAL), info)


def rewritten(path, tensors=None, **header):
    """The file with some tensors and header values replaced; None takes one out."""
    old_tensors, old_header = read_safetensors(path)
    keep = lambda values: {key: value for key, value in values.items() if value is not None}  # noqa: E731
    return write_safetensors(path, keep(old_tensors | (tensors or {})), keep(old_header | header))


def configured(**values):
    return {"config": asdict(SMALL) | values}


# -- there and back ---------------------------------------------------------------------------------------------------


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
    model.interval_widths.copy_(torch.linspace(0.1, 3, 198).view(2, 99))
    model.units.copy_(torch.tensor([0.6, 0.07, 14, 50]))
    info = replace(INFO, data="several", standardization=None, scale=None)
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
    assert values["format"] == checkpoints.FORMAT
    assert MetaMFConfig(**values["config"]) == SMALL
    assert values["standardization"] == {"mean": 3.5, "std": 1.1}
    assert values["scale"] == {"minimum": 1, "maximum": 5, "step": 0.5}
    for key in ("name", "data", "split_seed", "recipe", "errors", "versions", "created"):
        assert values[key] == getattr(INFO, key)


@pytest.mark.parametrize("step", ["save_file", "os.replace"])
@pytest.mark.parametrize("failure", [OSError("no space left on device"), KeyboardInterrupt()])
def test_a_failure_half_way_leaves_the_old_file_and_no_other(model, path, monkeypatch, step, failure):
    before = path.read_bytes()

    def fail(tensors_or_source, target, *_):
        with open(tensors_or_source if step == "os.replace" else target, "ab") as file:
            file.write(b"half of it")
        raise failure

    monkeypatch.setattr(f"metamf.checkpoints.{step}", fail)
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


# -- what is refused --------------------------------------------------------------------------------------------------

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
        ({"kind": "metaMF"}, r"kind 'metaMF' is none of metamf, universal"),
        ({"kind": "universal"}, r"configuration: '\w+' is (unknown|missing)"),
        ({"config": None}, r"'config' is missing"),
        ({"name": None}, r"'name' is missing"),
        ({"standardization": None}, r"'standardization' is missing"),
        (configured(surprise=1), r"configuration: 'surprise' is unknown"),
        ({"config": {k: v for k, v in asdict(SMALL).items() if k != "rank"}}, r"configuration: 'rank' is missing"),
        (configured(rank=4), r"asks for .* \(4, 5\)|asks for .* \(4,\)"),
        (configured(channels="4"), r"channels = '4' is no finite int"),
        (configured(channels=4.0), r"channels = 4.0 is no finite int"),
        (configured(channels=True), r"channels = True is no finite int"),
        (configured(learn_step_size=1), r"learn_step_size = 1 is no finite bool"),
        (configured(step_size=float("nan")), r"step_size = nan is no finite float"),
        (configured(step_size=float("inf")), r"step_size = inf is no finite float"),
        (configured(step_size=-0.1), r"step_size must be positive, got -0.1"),
        (configured(channels=0), r"channels must be at least 1, got 0"),
        ({"config": [1, 2]}, r"does not describe a MetaMF checkpoint \(config = \[1, 2\] is no dict\)"),
        ({"standardization": {"mean": 3, "std": 0}}, r"Standardization\(mean=3, std=0\)"),
        ({"standardization": {"mean": 3, "std": float("nan")}}, r"std=nan"),
        ({"standardization": {"mean": "3", "std": 1}}, r"does not describe"),
        ({"standardization": {"mean": 3}}, r"does not describe"),
        ({"scale": {"minimum": 5, "maximum": 1, "step": 1}}, r"a rating scale needs finite minimum < maximum"),
        ({"scale": {"minimum": None, "maximum": 1, "step": 1}}, r"does not describe"),
        ({"name": ["small"]}, r"name = \['small'\] is no str"),
        ({"split_seed": "7"}, r"split_seed = '7' is no int"),
        ({"errors": 1}, r"errors = 1 is no dict"),
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
            {"tensors": {"interval_widths": torch.full((2, 99), torch.nan)}},
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


@pytest.mark.parametrize("kind", checkpoints.KINDS)
@pytest.mark.parametrize("value", [10**9, 10**30])
def test_a_hostile_size_is_refused_before_a_network_is_made(path, universal_path, kind, value, monkeypatch):
    file, (_, config_class) = {"metamf": path, "universal": universal_path}[kind], checkpoints.KINDS[kind]
    _, header = read_safetensors(file)
    monkeypatch.setitem(checkpoints.KINDS, kind, (lambda config: pytest.fail("a network was made"), config_class))
    sizes = [key for key in header["config"] if key in checkpoints.LARGEST]
    assert len(sizes) == 6
    for key in sizes:
        with pytest.raises(CheckpointError, match=rf"configuration: {key} = {value} is above the limit"):
            load_checkpoint(altered(file, config=header["config"] | {key: value}))


def test_a_network_is_described_without_its_memory_until_the_shapes_fit(path, monkeypatch):
    devices = []
    method, config_class = checkpoints.KINDS["metamf"]

    def spy(config):
        model = method(config)
        devices.extend(parameter.device.type for parameter in model.parameters())
        return model

    monkeypatch.setitem(checkpoints.KINDS, "metamf", (spy, config_class))
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
        "a header that is no JSON": raw(b"not json"),
        "metadata of another type": raw(b'{"__metadata__": {"format": 1}}'),
        "metadata that is no JSON": raw(b'{"__metadata__": {"format": "one"}}'),
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
def test_a_file_that_is_no_safetensors_is_refused(tmp_path, content):
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
    for path in (tmp_path / "none.safetensors", tmp_path):
        with pytest.raises(FileNotFoundError, match="no checkpoint"):
            load_checkpoint(path)


def test_torch_load_is_never_used():
    package = PRETRAINED.parent / "metamf"
    for file in package.rglob("*.py"):
        assert not re.search(r"torch\.load\(|pickle\.|allow_pickle=True", file.read_text(encoding="utf-8")), file


# -- the bundled ones -------------------------------------------------------------------------------------------------


def test_names_are_found_and_others_listed(path):
    assert list_pretrained() == sorted(list_pretrained()) and {"jester", "ml-100k", "ml-1m"} <= set(list_pretrained())
    assert find_checkpoint("jester") == PRETRAINED / "jester.safetensors"
    assert find_checkpoint(path) == find_checkpoint(str(path)) == path
    for name in ("ml-2m", "../jester", "jester/", "", "."):
        with pytest.raises(FileNotFoundError, match=r"one of the names jester, ml-100k, ml-1m"):
            find_checkpoint(name)


SCALES = {"ml-100k": RatingScale(1, 5, 1), "ml-1m": RatingScale(1, 5, 1), "jester": RatingScale(-10, 10)}


@pytest.mark.parametrize("name", SCALES)
def test_a_bundled_checkpoint_says_where_it_comes_from(name):
    model, info = load_checkpoint(find_checkpoint(name))
    assert (info.name, info.data, info.split_seed, info.scale) == (name, name, 0, SCALES[name])
    assert SCALES[name].minimum < info.standardization.mean < SCALES[name].maximum
    assert 0.9 < info.standardization.std < 6
    assert (model.config.rank, model.config.steps, model.config.layers, model.config.channels) == (32, 10, 3, 32)
    assert info.recipe["preset"] == "tuned"
    assert re.search(rf"python -m metamf train .*--data {name}\b", info.recipe["command"])
    assert {"python", "torch", "numpy"} <= info.versions.keys()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", info.created)


@pytest.mark.parametrize("name", SCALES)
def test_a_bundled_checkpoint_carries_its_measured_errors(name):
    errors = load_checkpoint(find_checkpoint(name))[1].errors
    assert errors["blocks"] == 200
    assert errors["ratio"] == pytest.approx(errors["query_mse"] / errors["mean_query_mse"])
    assert 0.7 < errors["ratio"] < 0.95
    assert 0 < errors["support_mse"] < errors["query_mse"]


@pytest.mark.parametrize("name", SCALES)
def test_a_bundled_checkpoint_has_a_card_with_its_figures(name):
    info = load_checkpoint(find_checkpoint(name))[1]
    text = find_checkpoint(name).with_suffix(".md").read_text(encoding="utf-8")
    assert info.recipe["command"] in text and info.created in text
    assert f"{info.errors['ratio']:.4f}" in text and f"{info.errors['mean_query_mse']:.4f}" in text
    assert "no rating can be read back" in " ".join(text.split()) and "Licence" in text


@pytest.mark.parametrize("name", list_pretrained())
def test_loading_a_checkpoint_does_not_wait_for_torch_s_compiler(name):
    """Its import takes longer than everything else on the way to the first answer."""
    load = f"import sys, metamf.checkpoints as c; c.load_checkpoint(c.find_checkpoint({name!r}))"
    program = f"{load}; sys.exit('torch._dynamo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=PRETRAINED.parent).returncode == 0


def test_the_bundled_universal_checkpoint_says_where_it_comes_from_and_how_well_it_does():
    path = find_checkpoint("universal")
    model, info = load_checkpoint(path)
    assert type(model) is Universal and path.stat().st_size < 2e6
    assert (info.name, info.standardization, info.scale) == ("universal", None, None)
    assert info.recipe["preset"] == "universal" and "ml-100k" not in info.data
    assert (model.interval_widths.diff() >= 0).all()
    assert (0 < model.interval_widths[:, 0]).all() and (model.interval_widths[:, -1] < 6).all()
    assert 0.5 < model.scale_units.mean < 0.7 and model.scale_units.mean_weight > 1
    text = path.with_suffix(".md").read_text(encoding="utf-8")
    assert info.recipe["command"] in text and info.created in text and "no rating can be read back" in text
    for name in info.data.split(", "):
        for where in ("blocks", "whole"):
            errors = info.errors[name][where]
            assert errors["ratio"] == pytest.approx(errors["query_mse"] / errors["mean_query_mse"])
            assert 0.6 < errors["ratio"] < 0.97 and 0 < errors["support_mse"] < errors["query_mse"]
            for level in (50, 80, 90, 95):
                assert errors[f"cover_{level}"] == pytest.approx(level / 100, abs=0.02)
            assert f"| {name}, {where} | {errors['query_mse']:.3f} | {errors['ratio']:.3f} |" in text
