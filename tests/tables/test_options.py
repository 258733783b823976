"""Options that do not exist are named."""

import pytest

from metamf.tables import ReadOptions, TableError


@pytest.mark.parametrize(
    "name, value", [("form", "tall"), ("delimiter", "x"), ("encoding", "rot13"), ("duplicates", "max")]
)
def test_an_option_that_does_not_exist_is_named(name, value):
    with pytest.raises(TableError, match=f"{name} must be one of .* got '{value}'"):
        ReadOptions(**{name: value})


def test_a_sign_cannot_be_two_things():
    with pytest.raises(TableError, match="decimal and thousands sign cannot both be ','"):
        ReadOptions(decimal=",", thousands=",")


def test_one_marker_needs_no_tuple():
    assert ReadOptions(missing_markers=99).missing_markers == (99,)
