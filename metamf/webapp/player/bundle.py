"""The player's modules joined into one text: Streamlit mounts a component from one module, a saved page has one script.

No build step: the files of ``js/`` are what browsers, node and this function read. What is joined is plain: modules
import names from each other, ``import { a, b } from "./x.js";``, export them where they are declared, and declare no
name twice.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
ENTRY = "player.js"
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./([\w-]+\.js)";\s*?$', re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:function\*?|class|const|let|var)\s+([\w$]+)", re.M
)
_EXPORT = re.compile(r"^export\s+(?!default\b)(?=(?:async\s+)?(?:function|class|const|let|var)\b)", re.M)
_LEFT_OVER = re.compile(r"^(?:import\b|export\b).*", re.M)


@cache
def script() -> str:
    """All modules that the player needs, as the text of one module with its default export."""
    return join(FOLDER / "js", ENTRY)


@cache
def style() -> str:
    """All style sheets of the folder, in the order of their names; the player's own comes first."""
    sheets = sorted(FOLDER.glob("*.css"), key=lambda sheet: (sheet.name != "player.css", sheet.name))
    return "\n".join(sheet.read_text("utf-8") for sheet in sheets)


def join(folder: Path, entry: str) -> str:
    """The modules that ``entry`` needs, each after those that it imports; the entry's default export stays.

    Raises
    ------
    ValueError
        If two modules declare a name at their top level, a module imports what is not exported or in another form, or
        modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    _collect(folder, entry, texts, ())
    owners: dict[str, str] = {}
    parts = []
    for name, text in texts.items():
        for declared in _DECLARED.findall(text):
            if declared in owners:
                raise ValueError(f"{owners[declared]} and {name} both declare {declared!r}: rename one of them")
            owners[declared] = name
        body = _IMPORT.sub("", text)
        body = _EXPORT.sub("", body)
        own = body.replace("export default", "", 1) if name == entry else body
        if left_over := _LEFT_OVER.search(own):
            raise ValueError(f'{name}: write `import {{ a, b }} from "./x.js";` instead of {left_over[0]!r}')
        parts.append(f"// {name}\n{body.strip()}\n")
    return "\n".join(parts)


def _collect(folder: Path, name: str, texts: dict[str, str], trail: tuple[str, ...]) -> None:
    """Puts into ``texts`` the module ``name`` after all that it imports."""
    if name in trail:
        raise ValueError(f"modules import each other in a circle: {' -> '.join((*trail, name))}")
    if name in texts:
        return
    text = (folder / name).read_text("utf-8")
    for names, source in _IMPORT.findall(text):
        _collect(folder, source, texts, (*trail, name))
        for wanted in filter(None, map(str.strip, names.split(","))):
            if not re.search(
                rf"^export\s+(?:async\s+)?(?:function\*?|class|const|let|var)\s+{wanted}\b", texts[source], re.M
            ):
                raise ValueError(f"{name} imports {wanted!r}, which {source} does not export")
    texts[name] = text
