"""The list of packages of a served installation: whole, by digests, and what the tests run with."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
LOCK = (REPOSITORY / "deploy" / "requirements.lock").read_text("utf-8")
LOCKED = {canonicalize_name(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.M)}
REQUIREMENTS = "".join((REPOSITORY / f"requirements{name}.txt").read_text("utf-8") for name in ("", "-dev"))
PINNED = dict(re.findall(r"^([\w-]+)==([^\s;]+)", REQUIREMENTS, re.M))
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
BASE = 150 * 10**6  # bytes of python:3.11-slim and of pip in a virtual environment, roughly
EXTRAS = PROJECT["optional-dependencies"]
DIRECT = {Requirement(text).name for text in (*PROJECT["dependencies"], *EXTRAS["app"], *EXTRAS["served"])}


def needed(names):
    """All packages that these need here, as their own descriptions say; nothing that only a GPU needs."""
    found, new = set(), set(map(canonicalize_name, names))
    while new:
        name = new.pop()
        found.add(name)
        for text in metadata.requires(name) or ():
            wanted = Requirement(text)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                new |= {canonicalize_name(wanted.name)} - found
    return {name for name in found if not name.startswith(("nvidia-", "cuda-", "triton"))}


def test_every_package_that_is_served_is_locked_by_digests():
    assert needed(DIRECT) - LOCKED.keys() == {"torch"}  # which the Dockerfile takes from an index of its own
    entries = re.split(r"\n(?=[\w.-]+==)", LOCK)[1:]
    assert len(entries) >= len(LOCKED) - 1
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)


def test_the_locked_versions_are_those_of_the_tests():
    assert {name: LOCKED[name] for name in PINNED.keys() & LOCKED.keys()}.items() <= PINNED.items()
    dockerfile = (REPOSITORY / "deploy" / "Dockerfile").read_text("utf-8")
    assert f"torch=={PINNED['torch']}" in dockerfile
    assert "--require-hashes -r requirements.lock" in dockerfile


def test_the_image_is_below_a_gigabyte_and_a_half():
    left_out = {("torch", "include"), ("torch", "test")}  # as the Dockerfile has it
    dockerfile = (REPOSITORY / "deploy" / "Dockerfile").read_text("utf-8")
    assert all(f"site-packages/{'/'.join(folder)}" in dockerfile for folder in left_out)
    if not metadata.version("torch").endswith("+cpu"):
        pytest.skip("needs torch as the image has it: for the CPU alone")
    taken = BASE + sum(file.stat().st_size for file in (REPOSITORY / "pretrained").rglob("*") if file.is_file())
    for name in {distribution.metadata["name"] for distribution in metadata.distributions()}:
        if canonicalize_name(name) in {*LOCKED, "torch"}:
            files = metadata.files(name) or ()
            taken += sum(file.size or 0 for file in files if file.parts[:2] not in left_out)
    assert 10**9 < taken < 1.5 * 10**9


def test_each_dependency_has_its_reason():
    page = (REPOSITORY / "docs" / "upgrade.md").read_text("utf-8").partition("## Why each package")[2]
    assert set(re.findall(r"`([\w-]+)`", page)) == DIRECT
