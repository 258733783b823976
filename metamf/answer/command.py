"""The ``metamf impute`` command that fills in a table in the same way, to repeat it or to note how it was made."""

from __future__ import annotations

import shlex
from dataclasses import fields

from metamf.answer.filling import FillSettings
from metamf.answer.methods import Method
from metamf.ratings.scale import RatingScale
from metamf.tables import ReadOptions

_THOUSANDS = {"": "none", ".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_COLUMNS = "row_column", "column_column", "value_column"
_SIMPLE = "form", "delimiter", "decimal", "encoding", "duplicates", "sheet"  # options whose value is written as it is
_COLUMN_LISTS = "names", "ratings", "describes", "leave_alone"


def impute_command(
    name: str,
    reading: ReadOptions,
    how: Method,
    settings: FillSettings,
    scale: RatingScale | None | str = "found",
    out: str = "filled.csv",
) -> str:
    """Returns the command that reads the file ``name``, fills it in by ``how``, and writes ``out``.

    ``scale`` is the rating scale, None for no limits, or "found" for the one that the ratings show. A network that was
    tuned, and settings that a method chose on the table, are not in the command: it tunes, or takes the usual ones.
    """
    words = ["python", "-m", "metamf", "impute", _file(name)]
    words += _reading(reading)
    words += _method(how)
    if isinstance(scale, RatingScale):
        ends = [scale.minimum, scale.maximum, *([] if scale.step is None else [scale.step])]
        words.append(f"--scale={':'.join(f'{end:g}' for end in ends)}")
    elif scale is None:
        words.append("--scale=none")
    if settings.outside != "error":
        words.append(f"--outside={settings.outside}")
    if not settings.clip:
        words.append("--no-clip")
    if settings.round_to_scale:
        words.append("--round")
    if settings.hold_out:
        words += [f"--hold-out={settings.hold_out:g}", f"--seed={settings.seed}"]
    words += ["--out", _file(out)]
    return shlex.join(words)


def _file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _method(how: Method) -> list[str]:
    tuned_before = how.settings.get("tune") is not None and how.key.endswith(".safetensors")  # on the page, now gone
    words = [] if how.key == "universal" or tuned_before else [f"--model={how.key}"]
    return words + [f"--{name.replace('_', '-')}={value}" for name, value in how.settings.items() if _stated(value)]


def _stated(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _reading(options: ReadOptions) -> list[str]:
    """The options that differ from what the reader would guess."""
    given = {
        field.name: value
        for field in fields(ReadOptions)
        if field.name != "limits" and (value := getattr(options, field.name)) != field.default
    }
    words = [f"--{name}={given[name]}" for name in _SIMPLE if name in given]
    if "thousands" in given:
        words.append(f"--thousands={_THOUSANDS[given['thousands']]}")
    for name in ("header", "row_labels"):
        if name in given:
            words.append(f"--{'' if given[name] else 'no-'}{name.replace('_', '-')}")
    if "header_lines" in given:
        words.append(f"--header-lines={given['header_lines']}")
    if all(name in given for name in _COLUMNS):
        words += ["--columns", *(_column(given[name]) for name in _COLUMNS)]
    words += [f"--missing={marker}" for marker in given.get("missing_markers", ())]
    words += [f"--number-in={text}" for text in given.get("number_in", ())]
    if "zero_is_missing" in given:
        words.append("--zero-is-missing")
    for name in _COLUMN_LISTS:
        words += [f"--{name.replace('_', '-')}={_column(value)}" for value in given.get(name, ())]
    for name in ("leave_rows", "keep_rows"):
        words += [f"--{name.replace('_', '-')}={value}" for value in given.get(name, ())]
    return words + [f"--words={'<'.join(scale)}" for scale in given.get("words", ())]


def _column(column: str | int | tuple[str | int, ...]) -> str:
    """A column by its name, or by its number from 1; several that name a row are joined by +."""
    if isinstance(column, tuple):
        return "+".join(map(_column, column))
    return str(column + 1) if isinstance(column, int) else column
