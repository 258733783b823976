"""The direction of dependencies, read from the imports: who may know whom, and what nobody may use.

Rooms, the folders and files directly under ``metamf/``, may import what stands on lower floors; rooms of one floor are
ignorant of each other. Inside a folder modules import each other directly, never the folder's face, ``__init__.py``.
A new room needs a place in ``FLOORS``.
"""

import ast

import pytest
from source_files import imports, inner_imports, module_of, nodes, part_of, sources

FLOORS = [  # from the ground up; rooms of one floor are ignorant of each other
    {"ratings", "files", "wording", "version", "lazy"},
    {"figures", "model", "datasets", "testing"},
    {"tables", "learning"},
    {"universal", "baselines"},
    {"checkpoints", "reproduction"},
    {"imputer", "recipes"},  # recipes: two modules of ``learning``, see ``source_files.RECIPES``
    {"evaluate", "metamf"},  # metamf: metamf/__init__.py, the public names
    {"webapp", "cli", "benchmarks"},
    {"pages", "app", "__main__"},
]
PROTOCOL_ONLY = {"learning", "testing"}  # know a method by what it does
METHODS = {"model", "universal", "baselines"}
PRINTS = {"cli", "__main__"}
STREAMLIT = {"webapp", "pages", "app"}
OPENS_PAGES = {"benchmarks/speed/walks.py", "benchmarks/load/session.py"}  # as tests do
PARALLEL = {"Parallel", "delayed", "parallel_config"}  # of joblib, whose load would unpickle a file
UNPICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}


def floor_of(part: str) -> int:
    for floor, rooms in enumerate(FLOORS):
        if part in rooms:
            return floor
    raise LookupError(f"{part!r} has no place yet: put it on a floor of FLOORS, as low as its imports let it")


def upward_imports(files: dict[str, str]) -> list[str]:
    wrong = []
    for path in files:
        importer = part_of(module_of(path))
        floor = floor_of(importer)
        for line, name in inner_imports(path, files):
            target = part_of(name)
            if target != importer and floor_of(target) >= floor:
                wrong.append(f"{path}:{line}: {importer} must not know {target}")
            elif importer in PROTOCOL_ONLY and target in METHODS:
                wrong.append(f"{path}:{line}: {importer} must not know a concrete method ({name})")
    return wrong


def imports_of_the_own_face(files: dict[str, str]) -> list[str]:
    """Modules that import from the ``__init__.py`` of a folder that they stand in."""
    packages = {module_of(path) for path in files if path.endswith("/__init__.py")} - {"metamf"}
    return [
        f"{path}:{line}: import from the module itself, not from the face {name}"
        for path in files
        if not path.endswith("__init__.py")
        for line, name in inner_imports(path, files)
        if name in packages and module_of(path).startswith(f"{name}.")
    ]


def circles(files: dict[str, str]) -> list[list[str]]:
    """Modules that import each other in a circle, each circle once."""
    modules = {module_of(path): path for path in files}
    graph = {
        module: {name for _, name in inner_imports(path, files)} & modules.keys() for module, path in modules.items()
    }
    found, done = [], set()

    def visit(module: str, trail: list[str]) -> None:
        if module in trail:
            found.append([*trail[trail.index(module) :], module])
        elif module not in done:
            for target in sorted(graph[module]):
                visit(target, [*trail, module])
            done.add(module)

    for module in sorted(graph):
        visit(module, [])
    return found


def streamlit_imports(files: dict[str, str]) -> list[str]:
    return [
        f"{path}:{line}: Streamlit belongs into metamf/webapp, pages/ and app.py"
        for path in files
        for line, name in imports(path, files)
        if name.split(".")[0] == "streamlit" and part_of(module_of(path)) not in STREAMLIT and path not in OPENS_PAGES
    ]


def unpickling(files: dict[str, str]) -> list[str]:
    """Everything that could execute code from a file: torch.load, pickle and its kin, allow_pickle."""
    wrong = []
    for path, source in files.items():
        harmless = {
            node.lineno
            for node in nodes(source)
            if isinstance(node, ast.ImportFrom)
            and node.module == "joblib"
            and {alias.name for alias in node.names} <= PARALLEL
        }
        wrong += [
            f"{path}:{line}: {name}"
            for line, name in imports(path, files)
            if name.split(".")[0] in UNPICKLERS and line not in harmless
        ]
        for node in nodes(source):
            name = None
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = f"{node.value.id}.{node.attr}"
            elif isinstance(node, ast.ImportFrom) and node.module == "torch":
                name = next((f"torch.{alias.name}" for alias in node.names if alias.name == "load"), None)
            elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                harmless = isinstance(node.value, ast.Constant) and node.value.value is False
                name = None if harmless else "allow_pickle"
            if name in ("torch.load", "allow_pickle") or (name or "").endswith(".read_pickle"):
                wrong.append(f"{path}:{node.lineno}: {name}")
    return wrong


def prints(files: dict[str, str]) -> list[str]:
    return [
        f"{path}:{node.lineno}: the library does not print"
        for path, source in files.items()
        if path.startswith("metamf/") and part_of(module_of(path)) not in PRINTS
        for node in nodes(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


# -- the repository -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [upward_imports, imports_of_the_own_face, circles, streamlit_imports, unpickling, prints],
)
def test_the_repository_keeps_the_rules(check):
    assert check(sources()) == []


def test_the_checks_see_the_library():
    files = sources()
    assert {"metamf/__init__.py", "metamf/ratings/batch.py", "metamf/model/meta_mf.py"} <= files.keys()
    assert "metamf.ratings.segments" in [name for _, name in inner_imports("metamf/ratings/batch.py", files)]


# -- the checks themselves ----------------------------------------------------------------------------------------


EMPTY = {f"metamf/{room}/{name}.py": "" for floor in FLOORS[:-1] for room in floor for name in ("__init__", "part")}
EMPTY = {path: "" for path in EMPTY if not path.startswith(("metamf/metamf", "metamf/benchmarks"))}
EMPTY |= {"metamf/__init__.py": "", "metamf/learning/recipes.py": "", "benchmarks/speed/gpu.py": ""}


@pytest.mark.parametrize(
    "path, source, message",
    [
        ("metamf/ratings/part.py", "from metamf.model import MetaMF", "ratings must not know model"),
        ("metamf/ratings/part.py", "import metamf.learning.part", "ratings must not know learning"),
        ("metamf/datasets/part.py", "from ..tables import read", "datasets must not know tables"),
        ("metamf/model/part.py", "from metamf import learning", "model must not know learning"),
        ("metamf/learning/part.py", "def f():\n    from metamf import Ratings", "learning must not know metamf"),
        ("metamf/learning/part.py", "from metamf.learning.recipes import PRESETS", "learning must not know recipes"),
        ("metamf/learning/part.py", "from metamf.baselines.biases import Mean", "learning must not know baselines"),
        ("metamf/testing.py", "from metamf.model.part import MetaMF", "testing must not know model"),
        ("metamf/learning/part.py", "from metamf.model import part", "learning must not know a concrete method"),
        ("metamf/figures/part.py", "from metamf.webapp.part import State", "figures must not know webapp"),
        ("metamf/cli/part.py", "from benchmarks.speed import gpu", "cli must not know benchmarks"),
    ],
)
def test_an_import_upwards_or_sideways_is_found(path, source, message):
    (wrong,) = upward_imports(EMPTY | {path: source})
    assert wrong.startswith(path) and message in wrong


@pytest.mark.parametrize(
    "path, source",
    [
        ("metamf/model/part.py", "from metamf.ratings import Ratings"),
        ("metamf/datasets/part.py", "from . import loading\nfrom metamf.ratings import Ratings\nimport numpy"),
        ("metamf/webapp/part.py", "import metamf\nfrom metamf import figures, ratings"),
        ("pages/compare.py", "from metamf.webapp import state"),
        ("benchmarks/speed/gpu.py", "from benchmarks.speed import scale\nfrom metamf.universal import Universal"),
    ],
)
def test_an_import_downwards_is_accepted(path, source):
    assert upward_imports(EMPTY | {path: source}) == []


@pytest.mark.parametrize("source", ["from metamf.ratings import Ratings", "from . import Ratings"])
def test_an_import_of_the_own_face_is_found(source):
    assert len(imports_of_the_own_face(EMPTY | {"metamf/ratings/part.py": source})) == 1
    direct = {
        "metamf/ratings/part.py": "from metamf.ratings.matrix import Ratings",
        "metamf/model/part.py": "from metamf.ratings import Ratings",
    }
    assert imports_of_the_own_face(EMPTY | {"metamf/ratings/matrix.py": ""} | direct) == []


def test_a_module_without_a_place_is_named():
    with pytest.raises(LookupError, match="'novelty' has no place yet"):
        upward_imports({"metamf/novelty.py": ""})


def test_a_circle_is_found():
    files = {
        "metamf/datasets/__init__.py": "from metamf.datasets import a",
        "metamf/datasets/a.py": "from metamf.datasets.b import x",
        "metamf/datasets/b.py": "def later():\n    from . import a",
    }
    assert circles(files) == [["metamf.datasets.a", "metamf.datasets.b", "metamf.datasets.a"]]


@pytest.mark.parametrize("source", ["import streamlit as st", "from streamlit.testing.v1 import AppTest"])
def test_streamlit_in_the_library_is_found(source):
    assert len(streamlit_imports({"metamf/figures/maps.py": source})) == 1
    allowed = {path: source for path in ("app.py", "pages/compare.py", "metamf/webapp/matrix/choices.py")}
    assert streamlit_imports(allowed) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import torch\ntorch.load('x', weights_only=True)",
        "from torch import load",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "import numpy as np\nnp.load('x', allow_pickle=flag)",
        "import pandas as pd\npd.read_pickle('x')",
    ],
)
def test_unpickling_is_found(source):
    assert len(unpickling({"metamf/checkpoints/files.py": source})) == 1
    assert unpickling({"metamf/checkpoints/files.py": "import numpy as np\nnp.load('x', allow_pickle=False)"}) == []
    assert unpickling({"benchmarks/paper/__main__.py": "from joblib import Parallel, delayed"}) == []


def test_printing_is_found_outside_the_command_line():
    assert len(prints({"metamf/learning/training.py": "print('epoch')"})) == 1
    assert prints({"metamf/__main__.py": "print('epoch')", "benchmarks/speed/kernels.py": "print(1)"}) == []
