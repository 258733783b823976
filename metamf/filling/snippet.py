"""The Python program that repeats a filling."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

_SETTINGS = ("clip", "round_to_scale", "hold_out", "seed", "outside")


def snippet(made: dict[str, Any]) -> str:
    """A Python program that makes the filled table again.

    Parameters
    ----------
    made : dict
        The manifest, as ``metamf.filling.manifest.manifest`` made it or as it was read from its JSON file.

    Returns
    -------
    str
        The program. It reads the same input, which it expects in the current folder, and writes the file that the
        manifest names as its output, or else a wide CSV file.
    """
    name = made["input"]["name"]
    stem = PurePath(name).stem.removesuffix(".csv")
    output = made.get("output") or {"name": f"{stem}-filled.csv", "form": "csv_wide"}
    settings, scale, how = made["settings"], made["settings"]["scale"], made["method"]
    reading = "".join(f"{key}={_frozen(value)!r}, " for key, value in made["reading"].items())
    a_scale = "None" if scale is None else "RatingScale({minimum!r}, {maximum!r}, {step!r})".format(**scale)
    a_method = ", ".join([repr(how["key"]), *(f"{key}={value!r}" for key, value in how["settings"].items())])
    maker = "rival" if how.get("chooses settings") else "method"  # one that chooses its settings on the given cells
    others = "".join(f"    {key}={settings[key]!r},\n" for key in _SETTINGS)
    metamf_version, python_version = (made["versions"][name] for name in ("metamf", "python"))
    return f'''"""Fills in the table again, as metamf {metamf_version} did on Python {python_version}.

Run it beside the table, where metamf is installed, or with its repository on the path: PYTHONPATH=FOLDER python FILE
"""

import hashlib
from pathlib import Path

from metamf.filling import fill, {maker}
from metamf.ratings import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions, read_table, write

name = {name!r}
content = Path(name).read_bytes()
if hashlib.sha256(content).hexdigest() != "{made["input"]["sha256"]}":
    raise SystemExit(f"{{name}} is not the file that was filled in")
table = read_table(content, name, ReadOptions({reading}limits=COMMAND_LINE))
filling = fill(
    table.ratings,
    {maker}({a_method}),
    level={settings["level"]!r},
    scale={a_scale},
{others})
write.write_atomically({output["name"]!r}, write.to_{output["form"]}(filling.filled_table(table)))
'''


def _frozen(value: Any) -> Any:
    """A list as a tuple: JSON has no tuples, and ``ReadOptions`` takes nothing else."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
