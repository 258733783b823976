"""What a checkpoint says of itself: read from its header, checked."""

from dataclasses import asdict, replace

import pytest
from checkpoint_files import INFO, model, path  # noqa: F401  fixtures
from problems import ratings_matrix

from metamf import Ratings
from metamf.checkpoints.info import HEADER_VERSION, CheckpointError, read_info
from metamf.learning.tuning import Tuning, TuningOutcome

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
WRONG = [
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


@pytest.mark.parametrize(("change", "message"), WRONG)
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
