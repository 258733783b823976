"""What is needed to make a filled table again: a manifest, and a Python program that follows from it."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict, fields
from pathlib import PurePath
from typing import Any

import numpy as np
import torch

import metamf
from metamf.checkpoints import find_checkpoint, list_pretrained, load_checkpoint
from metamf.filling import Filling
from metamf.holdout import HoldoutReport
from metamf.tables import ReadOptions, Table

FORMAT = 1


def manifest(
    name: str,
    content: bytes,
    options: ReadOptions,
    table: Table,
    filling: Filling,
    clip: bool,
    round_to_scale: bool,
    holdout: HoldoutReport | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """JSON values: the input's digest, versions, method, settings and counts; no rating and no label.

    name, content, options : the file that was read, and how;  table, filling : what came of it
    clip, round_to_scale : as given to ``fill``;  holdout, seed : errors on held-out cells, and the seed that drew them
    """
    ratings, scale = filling.ratings, filling.ratings.scale
    key = filling.method.key
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
        "method": {"key": key, "label": filling.method.label} | _checkpoint(key),
        "settings": {
            "level": filling.level,
            "scale": None if scale is None else asdict(scale),
            "clip": clip,
            "round_to_scale": round_to_scale,
        },
        "counts": {
            "rows": ratings.n_rows,
            "columns": ratings.n_cols,
            "observed": ratings.nnz,
            "estimated": missing,
            "clipped": int(filling.clipped.sum()),
            "rounded": int(filling.rounded.sum()),
            "missing markers": dict(table.report.missing),
            "duplicates": table.report.duplicates,
        },
    }
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
    """A Python program that makes the filled table again from the same file, beside which it stands."""
    name = made["input"]["name"]
    out = f"{PurePath(name).stem.removesuffix('.csv')}-filled.csv"
    settings, scale = made["settings"], made["settings"]["scale"]
    reading = ", ".join(f"{key}={_frozen(value)!r}" for key, value in made["reading"].items())
    a_scale = "None" if scale is None else "RatingScale({minimum!r}, {maximum!r}, {step!r})".format(**scale)
    metamf_version, python_version = (made["versions"][name] for name in ("metamf", "python"))
    return f'''"""Fills in the table again, as metamf {metamf_version} did on Python {python_version}."""

import hashlib
from pathlib import Path

from metamf.filling import fill
from metamf.ratings import RatingScale
from metamf.tables import ReadOptions, read_table, write

name = {name!r}
content = Path(name).read_bytes()
if hashlib.sha256(content).hexdigest() != "{made["input"]["sha256"]}":
    raise SystemExit(f"{{name}} is not the file that was filled in")
table = read_table(content, name, ReadOptions({reading}))
filling = fill(
    table.ratings,
    {made["method"]["key"]!r},
    level={settings["level"]!r},
    scale={a_scale},
    clip={settings["clip"]!r},
    round_to_scale={settings["round_to_scale"]!r},
)
write.write_atomically({out!r}, write.to_csv_wide(filling.of(table)))
'''


def _checkpoint(key: str) -> dict[str, Any]:
    if key not in list_pretrained():
        return {}
    path = find_checkpoint(key)
    _, info = load_checkpoint(path)
    return {"checkpoint": {"sha256": _digest(path.read_bytes()), "data": info.data, "created": info.created}}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _frozen(value: Any) -> Any:
    """JSON has no tuples, ``ReadOptions`` takes nothing else."""
    return tuple(value) if isinstance(value, list) else value
