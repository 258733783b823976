"""How a filled table was made: a record in JSON values, and the Python program that makes it again."""

from __future__ import annotations

import platform
from dataclasses import asdict, fields
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
import torch

from metamf.answer.answer import Answer
from metamf.answer.filling import FillSettings
from metamf.answer.holdout import HoldoutReport
from metamf.answer.methods import Method
from metamf.checkpoints.bundled import find_checkpoint
from metamf.files import sha256_of
from metamf.ratings.limits import outside_scale
from metamf.tables import ReadOptions, Table
from metamf.version import __version__

MANIFEST_FORMAT = 1  # raised when a key changes its meaning


class Output(NamedTuple):
    """The file that a filled table was written to."""

    name: str  # without folders
    form: str  # the ending of the function ``metamf.tables.write.to_...`` that wrote it


def manifest(
    name: str,
    content: bytes,
    options: ReadOptions,
    table: Table,
    how: Method,
    answer: Answer,
    settings: FillSettings,
    *,
    holdout: HoldoutReport | None = None,
    seed: int | None = None,
    output: Output | None = None,
) -> dict[str, Any]:
    """All that is needed to make a filled table again, without any rating or name of a row or column, as JSON values.

    ``name`` and ``content`` are those of the file that was read by ``options``, and ``answer`` is what ``fill`` gave
    with the method ``how`` and its ``settings``; ``holdout`` are errors on held-out
    cells that were chosen by ``seed``; ``output`` is the file that was written.
    """
    ratings, scale = answer.ratings, answer.ratings.scale
    values: dict[str, Any] = {
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
        "method": {"key": how.key, "label": how.label, "settings": dict(how.settings), "chooses settings": how.chooses},
        "settings": asdict(settings) | {"level": answer.level, "scale": None if scale is None else asdict(scale)},
        "counts": {
            "rows": ratings.n_rows,
            "columns": ratings.n_cols,
            "observed": ratings.nnz,
            "held out": int(answer.hidden.sum()),
            "estimated": ratings.n_rows * ratings.n_cols - ratings.nnz,
            "outside the scale": int(outside_scale(ratings, scale).sum()),
            "clipped": int(answer.clipped.sum()),
            "rounded": int(answer.rounded.sum()),
            "missing markers": dict(table.report.missing),
            "duplicates": table.report.duplicates,
        },
    }
    if how.info is not None:
        digest = sha256_of(find_checkpoint(how.key).read_bytes())
        values["method"]["checkpoint"] = {"sha256": digest, "data": how.info.data, "created": how.info.created}
    if output is not None:
        values["output"] = output._asdict()
    if holdout is not None:
        sentences = {"tuning": holdout.tuning_sentence(), "describing": holdout.describing_sentence()}
        values["held-out cells"] = {
            "seed": seed,
            "repeats": holdout.repeats,
            "cells per repeat": holdout.n_hidden,
            "verdict": holdout.verdict(),
            "rmse": {e.method.name: round(holdout.typical(e), 6) for e in holdout.errors},
        } | {name: sentence for name, sentence in sentences.items() if sentence}
    return values


def snippet(made: dict[str, Any]) -> str:
    """A Python program that makes the filled table again from its manifest, ``made``, or that read from its JSON file.

    The program reads the same input in the current folder, and writes the manifest's output, or else a wide CSV file.
    """
    name = made["input"]["name"]
    stem = PurePath(name).stem.removesuffix(".csv")
    output = made.get("output") or {"name": f"{stem}-filled.csv", "form": "csv"}
    settings, scale, how = made["settings"], made["settings"]["scale"], made["method"]
    reading = "".join(f"{key}={_frozen(value)!r}, " for key, value in made["reading"].items())
    a_scale = "None" if scale is None else "RatingScale({minimum!r}, {maximum!r}, {step!r})".format(**scale)
    a_method = ", ".join([repr(how["key"]), *(f"{key}={value!r}" for key, value in how["settings"].items())])
    maker = "tuned_baseline" if how.get("chooses settings") else "method"
    others = "".join(f"    {k}={settings[k]!r},\n" for k in ("clip", "round_to_scale", "hold_out", "seed", "outside"))
    metamf_version, python_version = (made["versions"][name] for name in ("metamf", "python"))
    return f'''"""Fills in the table again, as metamf {metamf_version} did on Python {python_version}.

Run it beside the table, where metamf is installed, or with its repository on the path: PYTHONPATH=FOLDER python FILE
"""

import hashlib
from pathlib import Path

from metamf.answer import fill, filled_table, {maker}
from metamf.ratings import RatingScale
from metamf.tables import COMMAND_LINE, ReadOptions, read_table, write

name = {name!r}
content = Path(name).read_bytes()
if hashlib.sha256(content).hexdigest() != "{made["input"]["sha256"]}":
    raise SystemExit(f"{{name}} is not the file that was filled in")
table = read_table(content, name, ReadOptions({reading}limits=COMMAND_LINE))
answer = fill(
    table.ratings,
    {maker}({a_method}),
    level={settings["level"]!r},
    scale={a_scale},
{others})
write.write_atomically({output["name"]!r}, write.to_{output["form"]}(filled_table(table, answer)))
'''


def _frozen(value: Any) -> Any:
    """A list as a tuple: JSON has no tuples, and ``ReadOptions`` takes nothing else."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
