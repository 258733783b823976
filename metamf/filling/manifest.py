"""What is needed to make a filled table again: a manifest, and a Python program that follows from it."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict, fields
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import torch

import metamf
from metamf.checkpoints.checkpoint import find_checkpoint
from metamf.filling.fill_in import Filling, Method
from metamf.filling.holdout import HoldoutReport
from metamf.tables import ReadOptions, Table

FORMAT = 1


class Output(NamedTuple):
    """name : of the file, without folders;  form : 'csv_wide', 'csv_long', 'excel' or 'parquet'"""

    name: str
    form: str


def manifest(
    name: str,
    content: bytes,
    options: ReadOptions,
    table: Table,
    filling: Filling,
    holdout: HoldoutReport | None = None,
    seed: int | None = None,
    output: Output | None = None,
) -> dict[str, Any]:
    """JSON values: the input's digest, versions, method, settings and counts; no rating and no label.

    name, content, options : the file that was read, and how;  table, filling : what came of it
    holdout, seed : errors on held-out cells, and the seed that drew them;  output : the file that was written, if one
    """
    ratings, scale = filling.ratings, filling.ratings.scale
    missing = ratings.n_rows * ratings.n_cols - ratings.nnz
    values = {
        "format": FORMAT,
        "input": {"name": PurePath(name).name, "bytes": len(content), "sha256": _digest(content)},
        "reading": {
            field.name: getattr(options, field.name)
            for field in fields(ReadOptions)
            if field.name != "limits" and getattr(options, field.name) != field.default
        },
        "versions": {
            "metamf": metamf.__version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "method": _method(filling.method),
        "settings": dict(filling.settings) | {"scale": None if scale is None else asdict(scale)},
        "counts": {
            "rows": ratings.n_rows,
            "columns": ratings.n_cols,
            "observed": ratings.nnz,
            "held out": int(filling.held_out.sum()),
            "estimated": missing,
            "clipped": int(filling.clipped.sum()),
            "rounded": int(filling.rounded.sum()),
            "missing markers": dict(table.report.missing),
            "duplicates": table.report.duplicates,
        },
    }
    if output is not None:
        values["output"] = output._asdict()
    if holdout is not None:
        values["held-out cells"] = {
            "seed": seed,
            "repeats": holdout.repeats,
            "cells per repeat": holdout.held_out,
            "verdict": holdout.verdict(),
            "rmse": {e.method.key: round(float(e.rmse.mean()), 6) for e in holdout.errors},
        }
    return values


def snippet(made: dict[str, Any]) -> str:
    """A Python program that makes the filled table again from the same file, beside which it stands: the file that
    was written, or else CSV in the form of the upload."""
    name = made["input"]["name"]
    stem = PurePath(name).stem.removesuffix(".csv")
    output = made.get("output") or {"name": f"{stem}-filled.csv", "form": "csv_wide"}
    settings, scale, how = made["settings"], made["settings"]["scale"], made["method"]
    reading = "".join(f"{key}={_frozen(value)!r}, " for key, value in made["reading"].items())
    a_scale = "None" if scale is None else "RatingScale({minimum!r}, {maximum!r}, {step!r})".format(**scale)
    a_method = ", ".join([repr(how["key"]), *(f"{key}={value!r}" for key, value in how["settings"].items())])
    others = "".join(f"    {key}={settings[key]!r},\n" for key in ("clip", "round_to_scale", "hold_out", "seed"))
    metamf_version, python_version = (made["versions"][name] for name in ("metamf", "python"))
    return f'''"""Fills in the table again, as metamf {metamf_version} did on Python {python_version}.

Run it beside the table, with the repository of metamf on the path: PYTHONPATH=metamf's-folder python this-file.py
"""

import hashlib
from pathlib import Path

from metamf.filling import fill, method
from metamf.ratings import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions, read_table, write

name = {name!r}
content = Path(name).read_bytes()
if hashlib.sha256(content).hexdigest() != "{made["input"]["sha256"]}":
    raise SystemExit(f"{{name}} is not the file that was filled in")
table = read_table(content, name, ReadOptions({reading}limits=COMMAND_LINE))
filling = fill(
    table.ratings,
    method({a_method}),
    level={settings["level"]!r},
    scale={a_scale},
{others})
write.write_atomically({output["name"]!r}, write.to_{output["form"]}(filling.of(table)))
'''


def _method(how: Method) -> dict[str, Any]:
    values = {"key": how.key, "label": how.label, "settings": dict(how.settings)}
    if how.info is not None:
        content = find_checkpoint(how.key).read_bytes()
        values["checkpoint"] = {"sha256": _digest(content), "data": how.info.data, "created": how.info.created}
    return values


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _frozen(value: Any) -> Any:
    """JSON has no tuples, ``ReadOptions`` takes nothing else."""
    return tuple(value) if isinstance(value, list) else value
