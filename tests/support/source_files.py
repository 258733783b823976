"""The repository's files as texts, and what they import."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@cache
def sources() -> dict[str, str]:
    """Every Python file that is not a test, by its path in the repository."""
    files = [REPOSITORY / "app.py"]
    for folder in ("metamf", "pages", "benchmarks"):
        files += sorted((REPOSITORY / folder).rglob("*.py"))
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in files}


def module_of(path: str) -> str:
    """metamf/files.py -> metamf.files; metamf/tables/__init__.py -> metamf.tables"""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def part_of(module: str) -> str:
    """metamf.datasets.jester -> datasets; metamf -> metamf; pages.compare -> pages"""
    names = module.split(".")
    return names[1] if names[0] == "metamf" and len(names) > 1 else names[0]


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements of a tree, without what stands in their expressions."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for one in getattr(tree, name, ()):
            yield one
            yield from statements(one)


@cache
def _imports(path: str, source: str, modules: frozenset[str]) -> list[tuple[int, str]]:
    module = module_of(path)
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    found = []
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: package.count(".") + 2 - node.level]
            base = ".".join(filter(None, [*(parents if node.level else ()), node.module]))
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                found.append((node.lineno, submodule if submodule in modules else base))
    return found


def imports(path: str, files: dict[str, str]) -> list[tuple[int, str]]:
    """(line, absolute name) of all that a file imports, wherever in the file; the submodule where
    one is meant."""
    return _imports(path, files[path], frozenset(map(module_of, files)))


def inner_imports(path: str, files: dict[str, str]) -> list[tuple[int, str]]:
    """Those of ``imports`` that stand in the repository, and Streamlit."""
    inner = ("metamf", "pages", "app", "benchmarks", "streamlit")
    return [(line, name) for line, name in imports(path, files) if name.split(".")[0] in inner]
