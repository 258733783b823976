"""CONTRIBUTING.md, CITATION.cff and the workflow are true."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import metamf
from metamf.cli.options import build_parser

REPOSITORY = Path(__file__).resolve().parent.parent
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
CITATION = (REPOSITORY / "CITATION.cff").read_text("utf-8")
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))


def test_files_and_folders_that_contributing_names_exist():
    quoted = re.findall(r"`([^`\n]+)`", CONTRIBUTING)
    names = [name for name in quoted if re.fullmatch(r"[\w./-]+/[\w./-]*|[\w.-]+\.(md|txt|toml|py|cff)", name)]
    assert len(names) > 15
    for name in names:
        assert (REPOSITORY / name).exists(), name


def test_its_commands_are_commands():
    words = [shlex.split(argv) for argv in re.findall(r"python -m metamf ([^`\n]+)", CONTRIBUTING)]
    complete = [argv for argv in words if argv[0] == "download"]
    assert complete
    for argv in complete:
        assert build_parser(argv).parse_args(argv).command == argv[0]
    for module in re.findall(r"python -m (benchmarks[\w.]*)", CONTRIBUTING):
        path = REPOSITORY / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
    installed = (REPOSITORY / "requirements-dev.txt").read_text()
    for program in re.findall(r"\.venv/bin/(\w+)", CONTRIBUTING):
        assert program in ("pip", "python") or f"{program}==" in installed, program


@pytest.mark.parametrize("field", ["title", "version", "license"])
def test_the_citation_of_the_software_is_that_of_the_package(field):
    expected = {"title": "MetaMF", "version": metamf.__version__, "license": PROJECT["project"]["license"]}[field]
    assert re.search(rf"^{field}: (.*)$", CITATION, re.M)[1] == expected


def test_the_citation_names_the_authors_and_the_paper():
    software, paper = CITATION.split("preferred-citation:")
    (author,) = PROJECT["project"]["authors"]
    assert f"- name: {author['name']}\n" in software
    assert author["name"] in (REPOSITORY / "LICENSE").read_text()
    readme = " ".join((REPOSITORY / "README.md").read_text("utf-8").split())
    title, year, url = (re.search(rf"^  {field}: (.*)$", paper, re.M)[1] for field in ("title", "year", "url"))
    assert f"{title}*]({url}) (T. Iwata, {year})" in readme
    assert f"value: arXiv:{url.rpartition('/')[2]}\n" in paper
    assert "family-names: Iwata" in paper and "given-names: Tomoharu" in paper
