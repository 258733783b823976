"""The repository's files as texts and syntax trees: what the rules of ``tests/test_architecture.py`` read."""

import ast
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def _texts(paths) -> dict[str, str]:
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in paths if path.is_file()}


@cache
def sources() -> dict[str, str]:
    """Every Python file that is not a test, by its path in the repository."""
    files = [REPOSITORY / "app.py"]
    for folder in ("metamf", "pages", "benchmarks"):
        files += sorted((REPOSITORY / folder).rglob("*.py"))
    return _texts(files)


@cache
def nodes(source: str) -> list[ast.AST]:
    """All nodes of a file's syntax tree; several rules read the same files."""
    return list(ast.walk(ast.parse(source)))


def module_of(path: str) -> str:
    """metamf/files.py -> metamf.files; metamf/tables/__init__.py -> metamf.tables"""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _modules(paths: frozenset[str]) -> set[str]:
    return {module_of(path) for path in paths}


def part_of(module: str) -> str:
    """metamf.datasets.jester -> datasets; metamf -> metamf; pages.compare -> pages"""
    names = module.split(".")
    return names[1] if names[0] == "metamf" and len(names) > 1 else names[0]


def imports(path: str, files: dict[str, str]) -> list[tuple[int, str]]:
    """(line, absolute name) of all that a file imports, wherever in the file; the submodule where one is meant."""
    modules, module = _modules(frozenset(files)), module_of(path)
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    found = []
    for node in nodes(files[path]):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: package.count(".") + 2 - node.level]) if node.level else ""
            base = ".".join(filter(None, [base, node.module]))
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                found.append((node.lineno, submodule if submodule in modules else base))
    return found


def inner_imports(path: str, files: dict[str, str]) -> list[tuple[int, str]]:
    """Those of ``imports`` that stand in the repository."""
    return [
        (line, name)
        for line, name in imports(path, files)
        if name.split(".")[0] in ("metamf", "pages", "app", "benchmarks")
    ]
