"""The direction of dependencies, read from the imports: who may know whom.

Rooms, the folders and files directly under ``metamf/``, may import what stands on lower floors;
rooms of one floor are ignorant of each other. A new room needs a place in ``FLOORS``. What nobody
may use is banned in ``pyproject.toml``.
"""

import pytest
from source_files import inner_imports, module_of, part_of, sources

FLOORS = [  # from the ground up
    {"ratings", "files", "wording", "version", "lazy"},
    {"figures", "datasets", "testing", "tables", "learning"},
    {"network", "reproduction"},
    {"baselines"},
    {"checkpoints"},
    {"recipes", "answer"},
    {"streamlit"},
    {"metamf", "cli", "webapp"},  # metamf is metamf/__init__.py, the public names
    {"pages", "app", "__main__", "benchmarks"},
]
# Inside metamf/webapp: folders, and files directly under it.
WEBAPP = [
    {"address", "caches", "glossary", "visits", "worker"},
    {"engine", "headers", "look"},
    {"jobs", "player", "this_network"},
    {"files"},
    {"choices"},
    {"data"},
    {"run"},
    {"explore", "compare", "inside", "teach", "your_table"},
    {"sidebar"},
    {"frame"},
]


def room_of_the_app(module: str) -> str | None:
    """The folder or file under metamf/webapp in which a module stands; None elsewhere."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["metamf", "webapp"] and len(parts) > 2 else None


def upward_imports(files: dict[str, str], floors=FLOORS, room_of=part_of) -> list[str]:
    """Imports that lead upwards or sideways."""
    floor = {room: at for at, rooms in enumerate(floors) for room in rooms}
    wrong = []
    for path in files:
        importer = room_of(module_of(path))
        for line, name in inner_imports(path, files):
            target = room_of(name)
            if None in (importer, target) or importer == target:
                continue
            if floor[target] >= floor[importer]:
                wrong.append(f"{path}:{line}: {importer} must not know {target}")
    return wrong


@pytest.mark.parametrize("floors, room_of", [(FLOORS, part_of), (WEBAPP, room_of_the_app)])
def test_imports_lead_down(floors, room_of):
    assert upward_imports(sources(), floors, room_of) == []


def test_an_import_that_leads_up_is_found():
    wrong = {
        "metamf/ratings/a.py": "def later():\n    from metamf.network import MetaMF",
        "metamf/figures/a.py": "import streamlit as st",
        "metamf/webapp/player/a.py": "from ..explore import wrong",
        "metamf/webapp/inside/a.py": "from metamf.webapp.compare import page",
    }
    found = upward_imports(wrong) + upward_imports(wrong, WEBAPP, room_of_the_app)
    assert found == [
        "metamf/ratings/a.py:2: ratings must not know network",
        "metamf/figures/a.py:1: figures must not know streamlit",
        "metamf/webapp/player/a.py:1: player must not know explore",
        "metamf/webapp/inside/a.py:1: inside must not know compare",
    ]
    with pytest.raises(KeyError, match="novelty"):
        upward_imports({"metamf/novelty.py": "import metamf.files"})
