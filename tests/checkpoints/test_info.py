"""What a checkpoint says of itself: read from the values of its header, checked."""

from dataclasses import asdict, replace

import pytest
from checkpoint_files import INFO

from metamf.checkpoints.header import CheckpointError
from metamf.checkpoints.info import HEADER_VERSION, CheckpointInfo, read_info

HEADER = {"format": HEADER_VERSION, **asdict(INFO)}


def test_a_description_comes_back_from_its_header():
    assert read_info("a.safetensors", HEADER) == INFO
    assert read_info("a.safetensors", HEADER | {"learned_from": None}) == replace(INFO, learned_from=None)
    no_units = replace(INFO, kind="universal", standardization=None, scale=None)
    assert read_info("a.safetensors", {"format": HEADER_VERSION, **asdict(no_units)}) == no_units


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format version 2, this metamf reads version 1"),
        ({"kind": "other"}, "kind 'other' is not one of metamf, universal"),
        ({"split_seed": "7"}, "split_seed = '7' is not of type int"),
        ({"standardization": {"mean": 3.5, "std": 0}}, "needs a finite mean and a finite positive std"),
        ({"learned_from": {"rows": [1, 2]}}, "does not have the keys rows, cols, density and scales"),
        ({"learned_from": HEADER["learned_from"] | {"density": [0.5, 2]}}, r"density = \[0.5, 2\] is not a range"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_the_file(change, message):
    with pytest.raises(CheckpointError, match=rf"a\.safetensors.*{message}"):
        read_info("a.safetensors", HEADER | change)


def test_a_value_that_is_missing_is_named():
    with pytest.raises(CheckpointError, match="'data' is missing"):
        read_info("a.safetensors", {key: value for key, value in HEADER.items() if key != "data"})


def test_the_kind_says_what_a_round_is_called_and_whether_there_are_intervals():
    known = {kind: CheckpointInfo("a", "b", None, None, 0, kind=kind) for kind in ("metamf", "universal")}
    assert {kind: (info.round_name, info.gives_intervals) for kind, info in known.items()} == {
        "metamf": ("step", False),
        "universal": ("sweep", True),
    }
