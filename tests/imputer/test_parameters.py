"""What the parameters of the imputer may be: everything else is named, with its value, before anything is computed."""

from pathlib import Path

import numpy as np
import pytest
import torch
from problems import STARS, ratings_matrix

from metamf import MetaMFImputer
from metamf.imputer.parameters import PARAMETERS, check_parameters


@pytest.fixture
def X():
    return ratings_matrix()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": True}, "steps must be None or a whole number that is not negative, got True"),
        ({"steps": 2.0}, "steps must be None or a whole number that is not negative, got 2.0"),
        ({"steps": -1}, "steps must be None or a whole number that is not negative, got -1"),
        ({"steps": 2.5}, "steps must be None or a whole number that is not negative, got 2.5"),
        ({"checkpoint": None}, "checkpoint must be a name or a path, got None"),
        (
            {"standardize": "both"},
            r"standardize must be one of \('auto', 'checkpoint', 'matrix', 'columns', 'rows', 'chosen'\), got 'both'",
        ),
        ({"step_rule": ["auto"]}, r"step_rule must be one of \('auto', 'paper', 'safe'\), got \['auto'\]"),
        ({"clip": "no"}, "clip must be True or False, got 'no'"),
        ({"scale": "1:5"}, r"scale must be a pair \(minimum, maximum\), a RatingScale or None, got '1:5'"),
        ({"scale": (1, 3, 5)}, r"scale must be a pair \(minimum, maximum\), .* got \(1, 3, 5\)"),
        ({"scale": (5, 1)}, "minimum < maximum, got 5.0"),
        ({"scale": (2, 5)}, "cell .* lies outside the scale 2 to 5: correct it, or give another scale, or none"),
        ({"device": None}, "device must be the name of a device, got None"),
        ({"device": "cuda:99"}, r"device 'cuda:99' cannot be used here \(.*\): use device='cpu'"),
        ({"device": "toaster"}, r"device 'toaster' cannot be used here \(.*\): use device='cpu'"),
    ],
)
def test_a_parameter_that_it_may_not_be_is_named(X, values, message):
    for call in (MetaMFImputer(**values).fit, MetaMFImputer(**values).impute):
        with pytest.raises(ValueError, match=message):
            call(X)


@pytest.mark.parametrize("interval", ["0.9", True, 0.0, 1, [0.9]])
def test_a_level_that_it_may_not_be_is_named(X, interval):
    with pytest.raises(ValueError, match=r"between 0.01 and 0.99, got "):
        MetaMFImputer().impute(X, interval=interval)


def test_every_parameter_of_the_imputer_is_checked():
    assert PARAMETERS.keys() == MetaMFImputer().get_params().keys()


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"steps": np.int64(3), "clip": np.False_},
        {"steps": 0},
        {"checkpoint": Path("mine.safetensors"), "device": torch.device("cpu")},
        {"scale": [1, 5]},
        {"scale": STARS},
    ],
)
def test_what_they_may_be_passes(values):
    check_parameters(MetaMFImputer(**values).get_params())
