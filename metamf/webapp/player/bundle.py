"""The player's modules joined into one text: Streamlit mounts a component from one module, a saved page has one script.

No build step: the files of ``js/`` are what browsers, node and this function read. Each module becomes a function that
is called once, so names that it does not export stay its own. JSDoc is for the checks, and left out. Only two forms are
read: names are imported by ``import { a, b as c } from "./x.js";`` and exported where they are declared.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
ENTRY = "player.js"
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./([\w-]+\.js)";[ \t]*$', re.M)
_EXPORT = re.compile(r"^export\s+(?=(?:async\s+)?(?:function\*?|class|const|let|var)\s+([\w$]+))", re.M)
_COMMENT = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.M | re.S)  # above a line of code, not within one
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
        If a module imports what is not exported, imports or exports in another form, or modules import each other in a
        circle.
    """
    texts: dict[str, str] = {}
    _collect(folder, entry, texts, ())
    return "\n".join(_joined(name, text, own=name == entry) for name, text in texts.items())


def _joined(name: str, text: str, own: bool) -> str:
    """A module as a statement; the entry, ``own``, as it is."""
    body = _IMPORT.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = {_variable(found[2])};", text)
    body = _COMMENT.sub("", _EXPORT.sub("", body)).strip()
    if left_over := _LEFT_OVER.search(body.replace("export default ", "", 1) if own else body):
        raise ValueError(f'{name}: write `import {{ a, b }} from "./x.js";` instead of {left_over[0]!r}')
    if own:
        return f"// {name}\n{body}\n"
    names = ", ".join(_EXPORT.findall(text))
    return f"// {name}\nconst {_variable(name)} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();\n"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")


def _collect(folder: Path, name: str, texts: dict[str, str], trail: tuple[str, ...]) -> None:
    """Puts into ``texts`` the module ``name`` after all that it imports."""
    if name in trail:
        raise ValueError(f"modules import each other in a circle: {' -> '.join((*trail, name))}")
    if name in texts:
        return
    text = (folder / name).read_text("utf-8")
    for names, source in _IMPORT.findall(text):
        _collect(folder, source, texts, (*trail, name))
        exported = _EXPORT.findall(texts[source])
        for wanted in (part.split(" as ")[0].strip() for part in names.split(",")):
            if wanted and wanted not in exported:
                raise ValueError(f"{name} imports {wanted!r}, which {source} does not export")
    texts[name] = text
