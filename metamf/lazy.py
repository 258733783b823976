"""Package faces that import the names they offer when those are asked for (PEP 562).

So ``import metamf`` and the help of the command line do without torch. A face imports its names
under ``TYPE_CHECKING``, where type checkers and ``tests/test_architecture.py`` read them, and
otherwise asks for them here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def lazy_names(
    face: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns the functions ``__getattr__`` and ``__dir__`` of the package ``face``, which imports
    its names late.

    ``homes`` has, for each module, the names that the package offers from it, separated by spaces.
    """
    module_of = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        if not name.startswith("_") and find_spec(f"{face}.{name}"):
            return import_module(f"{face}.{name}")  # metamf.ratings, without an import of its own
        raise AttributeError(f"module {face!r} has no attribute {name!r}")

    return get, lambda: sorted({*vars(import_module(face)), *module_of})
