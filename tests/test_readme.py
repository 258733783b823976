"""The README's commands are those of CI, and its equations the paper's. Its figures and what its code
prints: tests/docs/test_pages.py."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")
PAPER = REPOSITORY.parent / "shared" / "paper" / "meta_mf.tex"


def test_its_two_commands_are_one_line_each_and_make_their_own_environment():
    files = {"Run the app": "requirements.txt", "Run the tests": "requirements-dev.txt"}
    for title, file in files.items():
        block = re.search(rf"### {title}\n\n```\n(.*?)```", README, re.S)[1]
        (line,) = block.splitlines()
        begins = f"python3 -m venv .venv && .venv/bin/pip install -q -r {file} && .venv/bin/"
        assert line.startswith(begins)


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's source is not next to the repository")
def test_equation_numbers_are_the_papers():
    number, numbers = 0, {}  # of each label
    for lines in re.findall(r"\\begin{align}(.*?)\\end{align}", PAPER.read_text("utf-8"), re.S):
        for line in lines.split("\\\\"):
            number += "\\nonumber" not in line
            numbers |= dict.fromkeys(re.findall(r"\\label{eq:(\w+)}", line), number)
    assert number == 9 and f"x̂_nm = u_nᵀv_m (Eq. {numbers['v'] + 1})" in README
    rows = re.findall(r"^\| .*\(Eqs?\. ([\d, ]+)\) \| \[.*?\]\((.*?)\) \|$", README, re.M)
    labels = (("z",), ("uv0",), ("u", "v"), ("error",))
    assert [row[0] for row in rows] == [
        ", ".join(str(numbers[label]) for label in row) for row in labels
    ]
    for found, file in rows:  # the linked file names its equation
        assert re.search(rf"Eqs?\. \({found[0]}\)", (REPOSITORY / file).read_text("utf-8")), file


def test_no_document_installs_the_name_that_is_free_on_the_index():
    for path in (p for where in ("*.md", "docs/*.md", "deploy/*") for p in REPOSITORY.glob(where)):
        assert not re.search(r"pip install[^\n`]*['\" ]metamf", path.read_text("utf-8")), path


def test_no_path_of_a_machine_is_in_the_repository():
    here = f"{REPOSITORY.parent}/".encode()
    others = (".git", ".venv", "node_modules")
    endings = {".py", ".md", ".toml", ".yml", ".csv", ".txt", ".css", ".js"}
    for top in REPOSITORY.iterdir():
        for path in () if top.name.startswith(others) else [top, *top.rglob("*")]:
            assert path.suffix not in endings or here not in path.read_bytes(), path
