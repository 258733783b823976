"""The targets of tests/fuzz.py on what they begin with, so that the script is ready; and on all that it ever found."""

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("fuzz", Path(__file__).with_name("fuzz.py"))
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_a_target_takes_what_it_begins_with_and_what_was_found(name):
    for content in [b"", b"\xff\xfe\x00", *fuzz.seeds(name)[:10]]:
        fuzz.TARGETS[name](content)
