"""The README is short and true: its commands are those of CI, and its code runs. Figures: tests/docs/test_pages.py."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")
PAPER = REPOSITORY.parent / "shared" / "paper" / "meta_mf.tex"


def test_its_two_commands_are_one_line_each_and_make_their_own_environment():
    for title, file in (("Run the app", "requirements.txt"), ("Run the tests", "requirements-dev.txt")):
        block = re.search(rf"### {title}\n\n```\n(.*?)```", README, re.S)[1]
        (line,) = block.splitlines()
        assert line.startswith(f"python3 -m venv .venv && .venv/bin/pip install -q -r {file} && .venv/bin/")


def test_its_six_lines_print_what_stands_below_them(capsys):
    code, printed = re.search(r"```python\n(.*?)```.*?```\n(.*?)```", README, re.S).groups()
    assert len([line for line in code.splitlines() if line]) <= 6
    exec(code, {})
    assert capsys.readouterr().out == printed


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's source does not lie next to the repository")
def test_equation_numbers_are_the_papers():
    number, numbers = 0, {}  # of each label
    for lines in re.findall(r"\\begin{align}(.*?)\\end{align}", PAPER.read_text("utf-8"), re.S):
        for line in lines.split("\\\\"):
            number += "\\nonumber" not in line
            numbers |= dict.fromkeys(re.findall(r"\\label{eq:(\w+)}", line), number)
    assert number == 9 and f"x̂_nm = u_nᵀv_m (Eq. {numbers['v'] + 1})" in README
    rows = re.findall(r"^\| .*\(Eqs?\. ([\d, ]+)\) \| \[.*?\]\((.*?)\) \|$", README, re.M)
    labels = (("z",), ("uv0",), ("u", "v"), ("error",))
    assert [row[0] for row in rows] == [", ".join(str(numbers[label]) for label in row) for row in labels]
    for found, file in rows:  # the linked file names its equation
        assert re.search(rf"Eqs?\. \({found[0]}\)", (REPOSITORY / file).read_text("utf-8")), file


def test_requirements_are_pinned():
    lines = (REPOSITORY / "requirements.txt").read_text().splitlines()
    first, *more = (REPOSITORY / "requirements-dev.txt").read_text().splitlines()
    assert first == "-r requirements.txt" and "torch==2.13.0" in lines and not {*lines} & {*more}
    assert all(re.match(r"[\w-]+==[\d.]+($|; )", line) for line in lines + more)


def test_no_document_installs_the_name_that_is_free_on_the_index():
    for path in [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("deploy/*")]:
        assert not re.search(r"pip install[^\n`]*['\" ]metamf", path.read_text("utf-8")), path


def test_no_path_of_a_machine_is_in_the_repository():
    here = f"{REPOSITORY.parent}/"
    for path in REPOSITORY.rglob("*"):
        parts = path.relative_to(REPOSITORY).parts
        if path.suffix in {".py", ".md", ".toml", ".yml", ".csv", ".txt", ".css"} and not parts[0].startswith(
            (".git", ".venv")
        ):
            assert here.encode() not in path.read_bytes(), path
