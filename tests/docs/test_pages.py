"""README, docs/ and cards: figures are those of the result files, what they name exists, and the
site builds."""

import functools
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.report import __main__ as report
from metamf import MetaMFImputer

PAGES = report.PAGES
CARDS = sorted((report.REPOSITORY / "pretrained").glob("**/*.md"))
OTHERS = [*sorted(report.REPOSITORY.glob("*.md")), report.REPOSITORY / "examples" / "README.md"]
ROOTS = ("metamf/", "pages/", "benchmarks/", "docs/", "tests/", "examples/", "pretrained/")
ROOTS += (".ci/", ".github/")
FILES = ("app.py", "mkdocs.yml", "pyproject.toml", "requirements.txt", "requirements-dev.txt")


@pytest.fixture(scope="module", autouse=True)
def each_part_is_written_once():
    """Many pages ask for the same parts."""
    with pytest.MonkeyPatch.context() as patch:
        for name, write in report.PARTS.items():
            patch.setitem(report.PARTS, name, functools.cache(write))
        yield


def name_of(path):
    return path.relative_to(report.REPOSITORY).as_posix()


def found_in_pages(pattern):
    """What a pattern finds, with the page that it stands on."""
    for page in sorted({*PAGES, *CARDS, *OTHERS}):
        for found in re.findall(pattern, page.read_text("utf-8"), re.MULTILINE):
            yield page, found


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MkDocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


LONG = report.REPOSITORY / "docs" / "results.md"  # all tables and figures of the paper


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page == LONG)) for page in report.PAGES],
    ids=name_of,
)
def test_measured_parts_are_those_of_the_result_files(page):
    text = page.read_text("utf-8")
    assert report.render(text) == text, "run `python -m benchmarks.report`"


def test_every_part_stands_on_some_page_and_a_changed_one_is_written_anew():
    texts = [page.read_text("utf-8") for page in report.PAGES]
    asked = [name for text in texts for name in re.findall(r"<!-- begin: (\w+)", text)]
    assert set(asked) == set(report.PARTS)
    assert asked == [name for text in texts for name in re.findall(r"<!-- end: (\w+)", text)]
    text = "<!-- begin: limits (...) -->\nCHANGED\n<!-- end: limits -->"
    assert report.render(text) == text.replace("CHANGED", report.PARTS["limits"]())


def test_constants_that_a_page_names_with_their_file_stand_there():
    for page, (name, path) in found_in_pages(r"`([A-Z][A-Z_]+)`\s+of\s+`([\w/]+\.py)`"):
        code = (report.REPOSITORY / path).read_text("utf-8")
        assert re.search(rf"^{name}\b.* = ", code, re.M), f"{page}: {name} of {path}"


def test_the_table_of_parameters_has_each_parameter_of_the_imputer():
    text = (report.REPOSITORY / "docs" / "api.md").read_text("utf-8")
    table = text.partition("| parameter | meaning |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.strip().splitlines()[1:]]
    named = [name for cell in first for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(inspect.signature(MetaMFImputer).parameters)


def test_links_lead_to_files_and_headings_that_exist():
    for page, target in found_in_pages(r"\]\((?!http)([^)\s]+)\)"):
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), f"{page}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), f"{page}: {target}"


def test_paths_that_pages_name_exist():
    for page, name in found_in_pages(r"`([\w./-]+)`"):
        if name.startswith(ROOTS) or name in FILES:
            assert (report.REPOSITORY / name).exists(), f"{page}: {name}"


def test_modules_and_names_of_the_library_that_pages_name_exist():
    for page, name in found_in_pages(r"python -m ((?:metamf|benchmarks)[\w.]*)"):
        assert importlib.util.find_spec(name), f"{page}: {name}"
    for pattern in (r"`(metamf(?:\.\w+)+)`", r"^::: ([\w.]+)"):
        for _, name in found_in_pages(pattern):
            pkgutil.resolve_name(name)


def test_every_package_of_the_library_is_in_the_reference():
    text = (report.REPOSITORY / "docs" / "reference.md").read_text("utf-8")
    packages = {path.parent.name for path in (report.REPOSITORY / "metamf").glob("*/__init__.py")}
    listed = set(re.findall(r"^::: metamf\.(\w+)", text, re.MULTILINE))
    assert packages - listed == {"cli", "webapp"}  # programs


def run_python_of(page):
    """The names that the Python of a page in docs/ defines."""
    text, names = (report.REPOSITORY / "docs" / page).read_text("utf-8"), {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    return names


def test_the_python_of_the_api_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_python_of("api.md")
    assert (names["result"].lower < names["result"].upper).any() and len(names["frame"]) == 12
    assert b"Casablanca" in names["text"] and names["dense"].shape == (2, 3)


@pytest.mark.slow
def test_the_python_of_the_page_on_training_trains_saves_and_fills_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_python_of("training.md")
    assert np.isnan(names["tables"][0]).any() and np.isfinite(names["X_hat"]).all()
    assert names["info"].errors["ratio"] < 1 and (tmp_path / "mine.md").exists()


@pytest.mark.parametrize("form", ["Wide", "Long"])
def test_the_tables_that_the_page_on_tables_shows_are_read_as_it_says(form):
    from metamf.tables.table import read

    text = (report.REPOSITORY / "docs" / "tables.md").read_text("utf-8")
    shown = re.search(rf"\*{form}\*.*?```\n(.*?)```", text, re.DOTALL)[1]
    table = read(shown.encode())
    assert table.plan.form == form.lower()
    assert table.ratings.row_labels == ("Ada", "Ben")


def git(*words):
    return subprocess.run(("git", *words), capture_output=True, text=True, cwd=report.REPOSITORY)


@pytest.mark.skipif(
    git("rev-parse", "--is-shallow-repository").stdout.strip() != "false",
    reason="needs the whole history",
)
def test_commits_that_pages_name_are_in_the_history():
    text = "\n".join(page.read_text("utf-8") for page in (report.REPOSITORY / "docs").glob("*.md"))
    named = set(re.findall(r"(?:commit |git show |\| )([0-9a-f]{8})(?=[^0-9a-f]|$)", text))
    scripts = set(re.findall(r"git show ([0-9a-f]{8}:[\w./]+)", text))
    assert named and scripts
    lost = [each for each in named | scripts if git("cat-file", "-e", each).returncode]
    assert not lost, lost


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    words = ("mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path)
    command = [sys.executable, "-m", *words]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    where = {"cwd": report.REPOSITORY, "env": environment}
    done = subprocess.run(command, capture_output=True, text=True, **where)
    assert done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr
    assert "fit_transform" in (tmp_path / "api" / "index.html").read_text("utf-8")
    assert "map_steps" in (tmp_path / "reference" / "index.html").read_text("utf-8")
