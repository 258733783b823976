"""No name means two things: what the rules of names in ``tests/test_architecture.py`` look for."""

import ast

from source_files import module_of, nodes, public_names

LIBRARY = "metamf"  # its rooms, but for those of the next line, which stand around the library
AROUND = ("metamf/webapp/", "metamf/cli/", "metamf/__main__.py")
#: Words of a shared protocol: each module that takes part has one of its own.
PROTOCOL = {"SPEC", "main", "run", "draw", "describe", "style"}
#: Names of the registries, which the command line lists without loading them; a test compares the lists.
REPEATED = {"METHODS", "PRESETS", "REFERENCES"}


def names_with_two_meanings(files: dict[str, str]) -> list[str]:
    """Public names that two modules define, where somebody may take one for the other.

    That is any name within the library; a class, wherever it stands in the package or the benchmarks; and a function or
    constant that others import by its bare name from two modules.
    """
    library: dict[str, set[str]] = {}
    classes: dict[str, set[str]] = {}
    for path, source in files.items():
        for name, statement in public_names(source).items():
            if path.startswith(f"{LIBRARY}/") and not path.startswith(AROUND):
                library.setdefault(name, set()).add(path)
            if path.startswith((f"{LIBRARY}/", "benchmarks/")) and isinstance(statement, ast.ClassDef):
                classes.setdefault(name, set()).add(path)
    homes = [library, classes, imported_by_name(files)]
    found = {name: paths for group in homes for name, paths in group.items() if len(paths) > 1}
    return [f"{name}: {', '.join(sorted(found[name]))}" for name in sorted(found.keys() - PROTOCOL - REPEATED)]


def imported_by_name(files: dict[str, str]) -> dict[str, set[str]]:
    """For each name that is imported without its module: the files that define it."""
    place_of = {module_of(path): path for path in files}
    homes: dict[str, set[str]] = {}
    for source in files.values():
        for node in nodes(source):
            if isinstance(node, ast.ImportFrom) and node.module in place_of:
                home = place_of[node.module]
                own = public_names(files[home])
                for alias in node.names:
                    if alias.name in own and alias.asname is None:
                        homes.setdefault(alias.name, set()).add(home)
    return homes
