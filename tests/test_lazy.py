"""Faces that import late: names and sub-packages are there when asked for, and nothing else is."""

import subprocess
import sys

import pytest

import metamf


def test_a_sub_package_needs_no_import_of_its_own():
    code = "import metamf; print(metamf.ratings.RatingScale(1, 5).maximum, metamf.Ratings.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["5", "Ratings"]


@pytest.mark.parametrize("name", ["novelty", "__wrapped__"])
def test_a_name_that_is_not_there_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'metamf' has no attribute '{name}'"):
        getattr(metamf, name)


def test_all_names_are_listed_before_they_are_imported():
    assert set(metamf.__all__) <= set(dir(metamf))
