"""The installed package: a wheel from this repository, in an environment of its own, used from
another folder; and its face, which imports late."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from source_files import imports, module_of, part_of, sources

import metamf

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
BUILD = PROJECT["build-system"]["requires"]
# Modules that have another name than their distribution; Streamlit asks for the Starlette that it
# is served by.
IMPORTED_AS = {"sklearn": "scikit-learn", "starlette": "streamlit"}
OPTIONAL = ("pyreadstat",)  # for SPSS files, which are refused in a sentence without it


def declared(*extras):
    """The requirements of the package, and of some of its extras."""
    project = PROJECT["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    return [line for lines in lists for line in lines]


def test_requirements_pin_what_the_package_depends_on():
    files = ("requirements.txt", "requirements-dev.txt")
    text = "".join((REPOSITORY / file).read_text() for file in files)
    assert re.findall(r"^(?!.*==).+", text, re.M) == ["-r requirements.txt"]
    pinned = {line.name: line for line in map(Requirement, re.findall(r"^\w.*==.*", text, re.M))}
    of_all = declared(*PROJECT["project"]["optional-dependencies"])
    for wanted in map(Requirement, [*of_all, *BUILD]):
        (version,) = (part.version for part in pinned[wanted.name].specifier)
        assert wanted.specifier.contains(version), wanted


def test_what_the_package_imports_is_declared():
    files = sources()
    app, tables = ("app", "served"), ("tables",)
    extras = dict.fromkeys(("webapp", "pages", "app", "figures"), app)
    extras |= dict.fromkeys(("tables", "datasets"), tables)
    wrong = []
    for path in files:
        room = part_of(module_of(path))
        if room == "benchmarks":
            continue
        lines = declared(*extras.get(room, ()))
        own = {canonicalize_name(Requirement(line).name) for line in lines}
        for line, name in imports(path, files):
            module = name.partition(".")[0]
            known = module in sys.stdlib_module_names or module in ("metamf", "pages", *OPTIONAL)
            if not known and canonicalize_name(IMPORTED_AS.get(module, module)) not in own:
                wrong.append(f"{path}:{line}: {name}")
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # a copy: building leaves files behind, and would pick up those of an earlier build
    unneeded = (".*cache", "__pycache__", ".git", ".venv", "build", "*.egg-info", "tests")
    ignored = shutil.ignore_patterns(*unneeded, "node_modules")
    source = shutil.copytree(REPOSITORY, folder / "source", ignore=ignored)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([*pip, "--no-index", "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of the environment in an empty folder that is not the repository."""
    environment = tmp_path_factory.mktemp("environment")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    venv.create(environment, symlinks=True)
    programs = environment / "bin"
    pip = (sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet")
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    (package,) = environment.rglob("site-packages/metamf")
    # The dependencies are those of this process: found behind the environment's own packages, never
    # downloaded.
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (package.parent / "dependencies.pth").write_text("\n".join(paths))
    own = ("PYTHON", "METAMF")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(own)}

    def run(program, *argv):
        words = [str(programs / program), *map(str, argv)]
        output = {"capture_output": True, "text": True, "timeout": 300}
        done = subprocess.run(words, cwd=elsewhere, env=variables, **output)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = elsewhere
    return run


@pytest.mark.slow
def test_the_wheel_has_the_package_and_nothing_beside_it(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    own = f"metamf-{metamf.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"metamf", own}
    code = [*REPOSITORY.glob("metamf/**/*.py"), *REPOSITORY.glob("metamf/**/*.js")]
    assert {str(file.relative_to(REPOSITORY)) for file in code} <= names
    others = ("py.typed", "webapp/style.css", "webapp/icon.svg", "webapp/player/player.css")
    assert {f"metamf/{name}" for name in (*others, "webapp/player/standalone.html")} <= names
    assert len([name for name in names if name.startswith("metamf/pretrained/")]) >= 10
    assert [name for name in names if "test" in Path(name).name] == ["metamf/testing.py"]


@pytest.mark.slow
def test_the_installed_command_fills_in_a_table(installed):
    assert installed("metamf", "--version") == f"metamf {metamf.__version__}\n"
    (installed.folder / "ratings.csv").write_text("name;first;second\nann;5;\nbo;4;2\ncy;;1\n")
    assert installed("metamf", "impute", "ratings.csv", "--quiet", "--out", "filled.csv") == ""
    head, *rows = (installed.folder / "filled.csv").read_text().splitlines()
    assert head == "name;first;second" and [row[:3] for row in rows] == ["ann", "bo;", "cy;"]
    assert all(all(row.split(";")) for row in rows)


@pytest.mark.slow
def test_the_app_starts_and_its_page_results_has_the_measured_numbers(installed):
    code = """\
from streamlit.testing.v1 import AppTest
from metamf.cli.commands import entry
page = AppTest.from_file(str(entry()), default_timeout=120).run()
print(entry().parent.parent.parent.name, len(page.exception))
page.switch_page("pages/results.py").run()
said = " ".join(element.proto.body for element in page.get("html"))
print(len(page.exception), "<td>0.875</td>" in said)
"""
    assert installed("python", "-c", code) == "site-packages 0\n0 True\n"


def test_a_sub_package_needs_no_import_of_its_own():
    code = "import metamf; print(metamf.ratings.RatingScale(1, 5).maximum, metamf.Ratings.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["5", "Ratings"]
    assert set(metamf.__all__) <= set(dir(metamf))  # listed before they are imported


@pytest.mark.parametrize("name", ["novelty", "__wrapped__"])
def test_a_name_that_is_not_there_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'metamf' has no attribute '{name}'"):
        getattr(metamf, name)
