"""Record of how a filled table was made, from which it can be made again: JSON values.

The Python program that repeats a filling.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, fields
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import torch

from metamf.checkpoints.bundled import find_checkpoint
from metamf.evaluate.filling import Filling
from metamf.evaluate.holdout import HoldoutReport
from metamf.evaluate.methods import Method
from metamf.files import sha256_of
from metamf.ratings.limits import outside_scale
from metamf.tables import ReadOptions, Table
from metamf.version import __version__

MANIFEST_FORMAT = 1  # raised when a key changes its meaning


class Output(NamedTuple):
    """The file that a filled table was written to.

    Attributes
    ----------
    name : str
        Its name, without folders.
    form : {'csv_wide', 'csv_long', 'excel', 'parquet', 'svg'}
        Ending of the function ``metamf.tables.write.to_...`` that wrote it.
    """

    name: str
    form: str


def manifest(
    name: str,
    content: bytes,
    options: ReadOptions,
    table: Table,
    filling: Filling,
    *,
    holdout: HoldoutReport | None = None,
    seed: int | None = None,
    output: Output | None = None,
) -> dict[str, Any]:
    """Returns all that is needed to make a filled table again, without any rating or name of a row or column.

    Parameters
    ----------
    name : str
        Name of the file that was read; its folders are left out.
    content : bytes
        Its content.
    options : ReadOptions
        Options by which it was read.
    table : Table
        The table that was read.
    filling : Filling
        The table filled in.
    holdout : HoldoutReport, optional
        Errors on held-out cells.
    seed : int, optional
        The seed of the choice of these cells.
    output : Output, optional
        The file that was written.

    Returns
    -------
    dict
        JSON values: digest of the input, reading, versions, method, settings as the fields of ``FillSettings`` and the
        scale, and counts; with a report, its verdict, the typical error of each method and the
        gain of tuning.
    """
    ratings, scale = filling.ratings, filling.ratings.scale
    missing = ratings.n_rows * ratings.n_cols - ratings.nnz
    values = {
        "format": MANIFEST_FORMAT,
        "input": {"name": PurePath(name).name, "bytes": len(content), "sha256": sha256_of(content)},
        "reading": {
            field.name: getattr(options, field.name)
            for field in fields(ReadOptions)
            if field.name != "limits" and getattr(options, field.name) != field.default
        },
        "versions": {
            "metamf": __version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "method": _method(filling.method),
        "settings": asdict(filling.settings) | {"scale": None if scale is None else asdict(scale)},
        "counts": {
            "rows": ratings.n_rows,
            "columns": ratings.n_cols,
            "observed": ratings.nnz,
            "held out": int(filling.hidden.sum()),
            "estimated": missing,
            "outside the scale": int(outside_scale(ratings, scale).sum()),
            "clipped": int(filling.clipped.sum()),
            "rounded": int(filling.rounded.sum()),
            "missing markers": dict(table.report.cells.missing),
            "duplicates": table.report.cells.duplicates,
        },
    }
    if output is not None:
        values["output"] = output._asdict()
    if holdout is not None:
        sentence = holdout.tuning_sentence()
        values["held-out cells"] = {
            "seed": seed,
            "repeats": holdout.repeats,
            "cells per repeat": holdout.n_hidden,
            "verdict": holdout.verdict(),
            "rmse": {e.method.name: round(holdout.typical(e), 6) for e in holdout.errors},
        } | ({"tuning": sentence} if sentence else {})
    return values


def _method(how: Method) -> dict[str, Any]:
    values = {"key": how.key, "label": how.label, "settings": dict(how.settings), "chooses settings": how.chooses}
    if how.info is not None:
        content = find_checkpoint(how.key).read_bytes()
        values["checkpoint"] = {"sha256": sha256_of(content), "data": how.info.data, "created": how.info.created}
    return values


_SETTINGS = ("clip", "round_to_scale", "hold_out", "seed", "outside")


def snippet(made: dict[str, Any]) -> str:
    """A Python program that makes the filled table again.

    Parameters
    ----------
    made : dict
        The manifest, as ``metamf.evaluate.manifest.manifest`` made it or as it was read from its JSON file.

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
    maker = "tuned_baseline" if how.get("chooses settings") else "method"
    others = "".join(f"    {key}={settings[key]!r},\n" for key in _SETTINGS)
    metamf_version, python_version = (made["versions"][name] for name in ("metamf", "python"))
    return f'''"""Fills in the table again, as metamf {metamf_version} did on Python {python_version}.

Run it beside the table, where metamf is installed, or with its repository on the path: PYTHONPATH=FOLDER python FILE
"""

import hashlib
from pathlib import Path

from metamf.evaluate import fill, {maker}
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
