"""The README is true: its figures are those of the files, its commands those of CI, its code runs."""

import re
from pathlib import Path

from benchmarks.report import __main__ as report

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")


def test_measured_tables_are_those_of_the_result_files():
    for page in (report.README, report.CARD):
        text = page.read_text("utf-8")
        assert report.render(text) == text, "run `python -m benchmarks.report`"


def test_a_changed_figure_would_be_noticed():
    assert report.render(README.replace("ratio", "RATIO")) != README.replace("ratio", "RATIO")


def test_its_two_commands_are_one_line_each_and_make_their_own_environment():
    for title in ("Run the app", "Run the tests"):
        block = re.search(rf"### {title}\n\n```\n(.*?)```", README, re.S)[1]
        (line,) = block.splitlines()
        assert line.startswith("python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt && .venv/bin/")


def test_files_that_it_names_exist():
    for name in re.findall(r"\]\(([^)#]+)\)", README):
        assert name.startswith("http") or (REPOSITORY / name).exists(), name
    for names in re.findall(r"^\| (`metamf/[^|]*)\|", README, re.M):
        folder = Path("metamf")
        for name in re.findall(r"`([^`]+)`", names):
            path = REPOSITORY / name if name.startswith(("metamf", "app", "pages")) else REPOSITORY / folder / name
            assert path.exists(), name


def test_requirements_are_pinned():
    lines = (REPOSITORY / "requirements.txt").read_text().split()
    assert "torch==2.13.0" in lines and all("==" in line for line in lines)


def test_no_path_of_a_machine_is_in_the_repository():
    for path in REPOSITORY.rglob("*"):
        parts = path.relative_to(REPOSITORY).parts
        if path.suffix in {".py", ".md", ".toml", ".csv", ".txt", ".css"} and not parts[0].startswith(
            (".git", ".venv")
        ):
            assert "/work/" not in path.read_text("utf-8").replace('"/work/"', ""), path
