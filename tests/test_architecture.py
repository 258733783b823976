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
    {"figures", "datasets", "testing"},
    {"tables", "learning"},
    {"network"},
    {"baselines"},
    {"checkpoints", "reproduction"},
    {"recipes", "answer"},
    {"metamf"},  # metamf/__init__.py, the public names
    {"webapp", "cli", "benchmarks"},
    {"pages", "app", "__main__"},
]
PROTOCOL_ONLY = {"learning", "testing"}  # know a method by what it does
METHODS = {"network", "baselines"}
PRINTS = {"cli", "__main__"}
STREAMLIT = {"webapp", "pages", "app"}
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
            if importer in PROTOCOL_ONLY and target in METHODS:
                wrong.append(f"{path}:{line}: {importer} must not know a concrete method ({name})")
            elif target != importer and floor_of(target) >= floor:
                wrong.append(f"{path}:{line}: {importer} must not know {target}")
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
        if name.split(".")[0] == "streamlit" and part_of(module_of(path)) not in STREAMLIT
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


CHECKS = [upward_imports, imports_of_the_own_face, circles, streamlit_imports, unpickling, prints]


@pytest.mark.parametrize("check", CHECKS)
def test_the_repository_keeps_the_rules(check):
    assert check(sources()) == []


def test_each_check_finds_what_it_forbids():
    wrong = {
        "metamf/ratings/matrix.py": "from metamf.network import MetaMF",
        "metamf/learning/training.py": "from metamf.network import meta_mf\nprint('epoch')",
        "metamf/figures/maps.py": "import streamlit as st",
        "metamf/checkpoints/files.py": "import torch\ntorch.load('x', weights_only=True)",
        "metamf/datasets/a.py": "from metamf.datasets.b import x\nfrom metamf.datasets import y",
        "metamf/datasets/b.py": "def later():\n    from . import a",
    }
    files = sources() | wrong
    found = {check.__name__: str(check(files)) for check in CHECKS}
    assert "ratings must not know network" in found["upward_imports"]
    assert "learning must not know a concrete method" in found["upward_imports"]
    assert "metamf/datasets/a.py:2" in found["imports_of_the_own_face"]
    assert "metamf.datasets.b" in found["circles"] and "maps.py:1" in found["streamlit_imports"]
    assert "files.py:2: torch.load" in found["unpickling"] and "training.py:2" in found["prints"]
    with pytest.raises(LookupError, match="'novelty' has no place yet"):
        upward_imports({"metamf/novelty.py": ""})
