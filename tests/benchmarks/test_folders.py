"""The folders of benchmarks: each tells in its docstring what all of its files are."""

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def told(folder: Path) -> set[str]:
    """The names before a colon in the docstring of a folder."""
    text = (folder / "__init__.py").read_text("utf-8")
    return {name for names in re.findall(r"([\w., ]+?) : ", text) for name in re.split(r",? +", names.strip())}


@pytest.mark.parametrize("name", ["accuracy", "load", "paper", "speed", "tables"])
def test_a_folder_names_all_its_files(name):
    files = {file.name for file in (BENCHMARKS / name).glob("[!_]*.py")}
    assert told(BENCHMARKS / name) == files and len(files) > 2


def test_the_folder_of_all_names_its_folders_and_files():
    folders = {file.parent.name for file in BENCHMARKS.glob("*/__init__.py")}
    assert told(BENCHMARKS) == folders | {file.name for file in BENCHMARKS.glob("[!_]*.py")}
