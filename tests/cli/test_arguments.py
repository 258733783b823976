"""What options may be given: each type takes what it should, and names what it does not."""

import argparse

import pytest

from metamf.cli import arguments as types
from metamf.ratings.scale import RatingScale


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (types.whole_number(1), "3", 3),
        (types.level, "0.9", 0.9),
        (types.tuning, "auto", "auto"),
        (types.tuning, "40", 40),
        (types.seconds, "1.5", 1.5),
        (types.share, "0", 0.0),
        (types.scale, "0.5:5:0.5", RatingScale(0.5, 5, 0.5)),
        (types.scale, "1:5", RatingScale(1, 5)),
        (types.scale, "none", None),
        (types.scale, "found", "found"),
        (types.method_names, "mean, als,mean", ["mean", "als"]),
        (types.device, "cpu", "cpu"),
    ],
)
def test_what_an_option_means(kind, text, value):
    assert kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (types.whole_number(1), "0", "'0' is not a whole number of at least 1"),
        (types.whole_number(0), "two", "'two' is not a whole number of at least 0"),
        (types.level, "90", "'90' is not a level between 0.01 and 0.99"),
        (types.tuning, "often", "'often' is not a whole number of at least 1, nor 'auto'"),
        (types.seconds, "inf", "not a positive number of seconds"),
        (types.share, "1", "not a share of at least 0 and less than 1"),
        (types.scale, "5:1", "'5:1' is not a scale such as 1:5"),
        (types.safetensors_path, "model.pt", "does not end in .safetensors"),
        (types.method_names, "mean,magic", "there is no method 'magic'; choose from ours"),
        (types.device, "abacus", "the device 'abacus' is not available here"),
    ],
)
def test_what_an_option_cannot_be_is_named(kind, text, said):
    with pytest.raises(argparse.ArgumentTypeError, match=said):
        kind(text)
