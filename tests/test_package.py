"""The installed package: a wheel from this repository, in an environment of its own, used from another folder."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from source_files import imports, module_of, part_of, sources

import metamf

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
BUILD = PROJECT["build-system"]["requires"]
# Modules that have another name than their distribution; Streamlit asks for the Starlette that it is served by.
IMPORTED_AS = {"sklearn": "scikit-learn", "starlette": "streamlit"}
OPTIONAL = ("pyreadstat",)  # for SPSS files, which are refused in a sentence without it
# Imports of what is neither a dependency nor needed by one fail in the environment, as if it were not installed.
BLOCKER = """\
import os, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in undeclared:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
undeclared = {with_app!r} if os.environ.get("METAMF_TEST_WITH_EXTRAS") else {alone!r}
sys.meta_path.insert(0, Blocker())
"""


def declared(*extras):
    """The requirements of the package, and of some of its extras."""
    project = PROJECT["project"]
    return [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]


def needed(requirements):
    """The names of the distributions that these requirements bring, those of their own requirements included."""
    names, left = set(), [(Requirement(line), "") for line in requirements]
    while left:
        requirement, extra = left.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for wanted in {"", *requirement.extras} if name not in names else requirement.extras:
            with contextlib.suppress(metadata.PackageNotFoundError):  # not on this platform
                left += [(Requirement(line), wanted) for line in metadata.requires(name) or ()]
        names.add(name)
    return names


def undeclared(requirements):
    """The modules of this process's packages that an environment with these requirements alone would lack."""
    there = needed(requirements)
    return sorted(
        module
        for module, distributions in metadata.packages_distributions().items()
        if module != "metamf" and not there & set(map(canonicalize_name, distributions))
    )


def test_requirements_pin_what_the_package_depends_on():
    text = "".join((REPOSITORY / file).read_text() for file in ("requirements.txt", "requirements-dev.txt"))
    pinned = {line.name: line for line in map(Requirement, re.findall(r"^\w.*==.*", text, re.M))}
    for wanted in map(Requirement, [*declared(*PROJECT["project"]["optional-dependencies"]), *BUILD]):
        (version,) = (part.version for part in pinned[wanted.name].specifier)
        assert wanted.specifier.contains(version), wanted


def test_what_the_package_imports_is_declared():
    files = sources()
    app, tables = ("app", "served"), ("tables",)
    extras = {"webapp": app, "pages": app, "app": app, "figures": app, "tables": tables, "datasets": tables}
    wrong = []
    for path in files:
        room = part_of(module_of(path))
        if room == "benchmarks":
            continue
        own = {canonicalize_name(Requirement(line).name) for line in declared(*extras.get(room, ()))}
        for line, name in imports(path, files):
            module = name.partition(".")[0]
            known = module in sys.stdlib_module_names or module in ("metamf", "pages", *OPTIONAL)
            if not known and canonicalize_name(IMPORTED_AS.get(module, module)) not in own:
                wrong.append(f"{path}:{line}: {name}")
    assert not wrong, "\n".join(wrong)


# -- a wheel, installed -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a copy: building leaves files behind, and would pick up those of an earlier build
    unneeded = shutil.ignore_patterns(
        ".*cache", "__pycache__", ".git", ".venv", "build", "*.egg-info", "tests", "node_modules"
    )
    shutil.copytree(REPOSITORY, source, ignore=unneeded)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run([*pip, "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of the environment in an empty folder that is not the repository."""
    environment, elsewhere = tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("elsewhere")
    venv.create(environment, symlinks=os.name != "nt")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    subprocess.run([*pip, wheel], check=True)
    (packages,) = {metamf_folder.parent for metamf_folder in environment.rglob("site-packages/metamf")}
    # The dependencies are those of this process: found behind the environment's own packages, never downloaded.
    (packages / "dependencies.pth").write_text(
        "\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    )
    blocker = BLOCKER.format(alone=undeclared(declared()), with_app=undeclared(declared("app")))
    (packages / "sitecustomize.py").write_text(blocker)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "METAMF"))}

    def run(program, *argv, extras=False):
        more = {"OMP_NUM_THREADS": "1"} | ({"METAMF_TEST_WITH_EXTRAS": "1"} if extras else {})
        words = [str(programs / program), *map(str, argv)]
        done = subprocess.run(words, cwd=elsewhere, env=variables | more, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = elsewhere
    return run


@pytest.mark.slow
def test_the_wheel_has_the_package_and_nothing_beside_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"metamf", f"metamf-{metamf.__version__}.dist-info"}
    assert "metamf/py.typed" in names and "metamf/webapp/style.css" in names and "metamf/webapp/icon.svg" in names
    player = {f"metamf/{file.relative_to(REPOSITORY / 'metamf')}" for file in (REPOSITORY / "metamf").rglob("*.js")}
    assert player | {"metamf/webapp/player/player.css", "metamf/webapp/player/standalone.html"} <= set(names)
    modules = {str(file.relative_to(REPOSITORY)) for file in (REPOSITORY / "metamf").rglob("*.py")}
    assert modules <= set(names) and len([name for name in names if name.startswith("metamf/pretrained/")]) >= 10
    assert not [name for name in names if "test" in name.split("/")[-1] and name != "metamf/testing.py"]


@pytest.mark.slow
def test_it_is_the_installed_package_that_runs_and_streamlit_is_not_there(installed):
    said = installed(
        "python",
        "-c",
        "import metamf; print(metamf.__file__)\ntry: import streamlit\nexcept ImportError as e: print(e)",
    )
    file, error = said.splitlines()
    assert "site-packages" in file and not file.startswith(str(REPOSITORY)) and error == "No module named 'streamlit'"


@pytest.mark.slow
def test_the_command_is_metamf_and_fills_in_a_table(installed):
    assert installed("metamf", "--version") == f"metamf {metamf.__version__}\n"
    assert installed("metamf", "impute", "--help").startswith("usage: metamf impute")
    (installed.folder / "ratings.csv").write_text("name;first;second\nann;5;\nbo;4;2\ncy;;1\n")
    assert installed("metamf", "impute", "ratings.csv", "--quiet", "--out", "filled.csv") == ""
    filled = (installed.folder / "filled.csv").read_text().splitlines()
    assert filled[0] == "name;first;second" and len(filled) == 4 and ";;" not in filled[1] and filled[3][:3] == "cy;"
    assert filled[3].count(";") == 2 and filled[3].split(";")[1]


@pytest.mark.slow
def test_the_app_starts_and_its_page_results_has_the_measured_numbers(installed):
    code = """\
from streamlit.testing.v1 import AppTest
from metamf.cli.commands import entry
page = AppTest.from_file(str(entry()), default_timeout=120).run()
print(entry().parent.parent.parent.name, len(page.exception))
page.switch_page("pages/results.py").run()
said = " ".join(element.value for element in page.markdown)
print(len(page.exception), "| Ours | **0.875 ± 0.008** (10) |" in said)
"""
    assert installed("python", "-c", code, extras=True) == "site-packages 0\n0 True\n"


ALL_PAGES = """\
import os, sys
import streamlit
from streamlit.testing.v1 import AppTest
app = AppTest.from_file(os.path.abspath("app.py"), default_timeout=300).run()
pages = sorted(name for name in os.listdir("pages") if name.endswith(".py"))
failed = [name for name in pages if app.switch_page(f"pages/{name}").run().exception]
print(streamlit.__version__, len(pages), failed)
"""


@pytest.mark.slow
def test_the_oldest_streamlit_that_is_allowed_draws_every_page(tmp_path):
    """The newest is the one of requirements.txt, which all other tests use."""
    [streamlit] = [line for line in PROJECT["project"]["optional-dependencies"]["app"] if line.startswith("streamlit")]
    oldest = re.search(r">=([\d.]+)", streamlit)[1]
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path)
    subprocess.run([*pip, f"streamlit=={oldest}.0"], check=True)
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{REPOSITORY}"}
    words = (sys.executable, "-c", ALL_PAGES)
    done = subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{oldest}.0 {len(list(REPOSITORY.glob('pages/*.py')))} []\n"
