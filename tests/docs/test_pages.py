"""README, docs/ and cards: figures are those of the result files, what they name exists, and the site builds."""

import functools
import importlib.util
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.report import __main__ as report
from metamf import MetaMFImputer

PAGES = report.PAGES
CARDS = sorted((report.REPOSITORY / "pretrained").glob("**/*.md"))
OTHERS = [*sorted(report.REPOSITORY.glob("*.md")), report.REPOSITORY / "examples" / "README.md"]
ROOTS = ("metamf/", "pages/", "benchmarks/", "docs/", "tests/", "examples/", "pretrained/", ".ci/", ".github/")
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


@pytest.fixture(params=sorted({*PAGES, *CARDS, *OTHERS}), ids=name_of)
def page(request):
    return request.param


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MkDocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


LONG = report.REPOSITORY / "docs" / "results.md"  # all tables and figures of the paper


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] * (page == LONG)) for page in report.PAGES], ids=name_of
)
def test_measured_parts_are_those_of_the_result_files(page):
    text = page.read_text("utf-8")
    assert report.render(text) == text, "run `python -m benchmarks.report`"


def test_every_part_stands_on_some_page_and_every_marker_is_closed():
    asked = set()
    for page in report.PAGES:
        text = page.read_text("utf-8")
        begun = re.findall(r"<!-- begin: (\w+)", text)
        assert begun == re.findall(r"<!-- end: (\w+) -->", text), page
        asked |= set(begun)
    assert asked == set(report.PARTS)


@pytest.mark.slow
def test_a_changed_figure_would_be_noticed():
    for page in report.PAGES:
        text = page.read_text("utf-8")
        if "<!-- begin" in text:
            changed = re.sub(r"(<!-- begin: \w+ [^>]*-->\n)", r"\g<1>CHANGED", text, count=1)
            assert report.render(changed) == text


def test_a_page_that_asks_for_an_unknown_part_is_refused():
    with pytest.raises(KeyError, match="nothing"):
        report.render("<!-- begin: nothing (written by benchmarks/report) -->\n<!-- end: nothing -->")


def test_constants_that_a_page_names_with_their_file_stand_there(page):
    for name, path in re.findall(r"`([A-Z][A-Z_]+)`\s+of\s+`([\w/]+\.py)`", page.read_text("utf-8")):
        assert re.search(rf"^{name}\b.* = ", (report.REPOSITORY / path).read_text("utf-8"), re.M), f"{name} of {path}"


def test_the_table_of_parameters_has_each_parameter_of_the_imputer():
    text = (report.REPOSITORY / "docs" / "api.md").read_text("utf-8")
    table = text.partition("| parameter | meaning |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.strip().splitlines()[1:]]
    named = [name for cell in first for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(inspect.signature(MetaMFImputer).parameters)


def test_links_lead_to_files_and_headings_that_exist(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if target.startswith("http"):
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_paths_that_it_names_exist(page):
    for name in re.findall(r"`([\w./-]+)`", page.read_text("utf-8")):
        if name.startswith(ROOTS) or name in FILES:
            assert (report.REPOSITORY / name).exists(), name


def test_modules_and_names_of_the_library_that_it_names_exist(page):
    text = page.read_text("utf-8")
    for name in re.findall(r"python -m ((?:metamf|benchmarks)[\w.]*)", text):
        assert importlib.util.find_spec(name), name
    for name in re.findall(r"`(metamf(?:\.\w+)+)`", text) + re.findall(r"^::: ([\w.]+)", text, re.MULTILINE):
        pkgutil.resolve_name(name)


def test_every_package_of_the_library_is_in_the_reference():
    text = (report.REPOSITORY / "docs" / "reference.md").read_text("utf-8")
    packages = {path.parent.name for path in (report.REPOSITORY / "metamf").glob("*/__init__.py")}
    assert packages - set(re.findall(r"^::: metamf\.(\w+)", text, re.MULTILINE)) == {"cli", "webapp"}  # programs


def test_the_python_of_the_api_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (report.REPOSITORY / "docs" / "api.md").read_text("utf-8"), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["X_hat"].shape == (3, 4) and names["cells"].shape == (2,) and names["new"].shape == (1, 4)
    assert (names["result"].lower < names["result"].upper).any() and len(names["frame"]) == 12
    assert b"Casablanca" in names["text"] and names["dense"].shape == (2, 3)


@pytest.mark.parametrize("form", ["Wide", "Long"])
def test_the_tables_that_the_page_on_tables_shows_are_read_as_it_says(form):
    from metamf.tables import read_table

    text = (report.REPOSITORY / "docs" / "tables.md").read_text("utf-8")
    shown = re.search(rf"\*{form}\*.*?```\n(.*?)```", text, re.DOTALL)[1]
    table = read_table(shown.encode(), "shown.csv")
    assert table.report.form == form.lower() and table.ratings.row_labels == ("Ada", "Ben")


def test_pictures_of_the_gallery_are_there_and_small():
    text = (report.REPOSITORY / "docs" / "gallery.md").read_text("utf-8")
    named = {report.REPOSITORY / "docs" / name for name in re.findall(r"\]\((gallery/[^)]+)\)", text)}
    kept = set((report.REPOSITORY / "docs" / "gallery").iterdir())
    assert named == kept and len(kept) == 20
    for picture in kept:
        assert 5_000 < picture.stat().st_size < 300_000, picture


REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr
    api = (tmp_path / "api" / "index.html").read_text("utf-8")
    assert "fit_transform" in api and "Parameters" in api
    assert "map_steps" in (tmp_path / "reference" / "index.html").read_text("utf-8")
