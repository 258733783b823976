"""What is right for a file, as data, and how many clicks a proposed plan is away from it.

tests/tables/right has one TOML file for each set of files, and in it one entry for each file. It
says what a person would expect with nothing answered, from the description of the file and never
from what a reader does. Columns are names, or positions counted from 1 such as "2, 5-9":

    header = 1         lines up to the last one with names, or a list of those that are as good
    long = [R, C, V]   columns of the rows, the columns and the values of a long table; a list of
                       positions in one of them are alternatives
    name, fill, keep   columns of that role; of a column that is not named here, no gap is filled
    may                columns that may have any role
    lines              lines that are no rows; lines_may: they may be; any_lines = true: any may
    rows               number of rows of the matrix
    given              [numbers that teach, the lowest, the highest] of the columns to fill, or the
                       first of these; a list of such lists are alternatives
    doubtful           texts that are not used, "TEXT" or "COLUMNS: TEXT"
    order              words from low to high; scale: [low, high] of the columns to fill
    values             the matrix of the columns to fill, without rows that hold no number; of a
                       long table with row_names and col_names
    cells              [line, column, number], or "left" (stays as it is), or "fill" (is a gap)
    nothing = true     nothing is filled without something amber
    refused            pattern of the sentence; or_refused: refusing is as good
    amber = "none"     nothing in the file deserves a second look

A difference is something for a person to change, with the edit that changes it. Where several
columns need the same edit for their words, scale or missing texts, that is one click.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
RIGHT = REPOSITORY / "tests" / "tables" / "right"
SHARED = REPOSITORY.parent / "shared"
#: Where the files of a set are, those of ../shared only where it is at hand.
FOLDERS = {
    "cases": SHARED / "cases",
    "forms": REPOSITORY / "tests" / "forms",
    "fresh": SHARED / "fresh",
}
MOST_ROUNDS = 6  # of edits; each needs what the ones before have proposed anew
TOLERANCE = 1e-6  # of a number, relatively


@dataclass(frozen=True)
class Right:
    """What is right for one file: the keys of the module's docstring."""

    header: tuple[int, ...] = (1,)
    long: tuple[str, ...] = ()
    name: str = ""
    fill: str = ""
    keep: str = ""
    may: str = ""
    lines: tuple[int, ...] = ()
    lines_may: tuple[int, ...] = ()
    any_lines: bool = False
    rows: int | None = None
    given: tuple[tuple[float, ...], ...] = ()
    doubtful: tuple[str, ...] = ()
    order: str = ""
    scale: tuple[float, ...] = ()
    cells: tuple[tuple[int, str, float | str], ...] = ()
    values: tuple[tuple[float, ...], ...] = ()
    row_names: tuple[str, ...] = ()
    col_names: tuple[str, ...] = ()
    nothing: bool = False
    refused: str | None = None
    or_refused: str | None = None
    amber: str = ""
    text: str = field(default="", repr=False)  # the file itself, where it is so small
    encoding: str = "utf-8"  # of ``text``
    edits: tuple[str, ...] = ()  # what is said about the file before anything is checked

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Right:
        """The value of an entry of TOML. Raises TypeError if it has a key that is not known."""
        entry = dict(entry)
        for key in ("header", "given"):  # one of them, or a list of alternatives
            value = entry.get(key)
            one = isinstance(value, int) if key == "header" else value and not _is_list(value[0])
            if one:
                entry[key] = [value]
        for key in ("given", "values", "cells"):
            entry[key] = [tuple(value) for value in entry.get(key, ())]
        entry["cells"] = [(line, str(column), to) for line, column, to in entry["cells"]]
        return cls(**{k: tuple(v) if _is_list(v) else v for k, v in entry.items()})


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


class Difference(NamedTuple):
    """Something in a reading that is not right: what, the edit that mends it, and where it is.

    ``click`` says which differences one click mends together; ``edit`` is None if nothing does.
    """

    what: str
    edit: str | None = None
    column: int | None = None
    line: int | None = None
    click: str = ""


class Clicks(NamedTuple):
    """How far a proposed plan is from the right one."""

    n: int  # clicks to the right plan, counted up to the point where none helps
    found: tuple[str, ...] = ()  # what they mend
    lost: tuple[str, ...] = ()  # what is wrong after all of them
    silent: tuple[str, ...] = ()  # what was wrong and not amber where it is
    alarms: tuple[str, ...] = ()  # what is amber though nothing in the file deserves a second look


def right_files() -> dict[tuple[str, str], Right]:
    """What is right for every file, by its set and its name."""
    return {
        (path.stem, name): Right.of(entry)
        for path in sorted(RIGHT.glob("*.toml"))
        for name, entry in tomllib.loads(path.read_text("utf-8")).items()
    }


def content(of: str, name: str, right: Right) -> bytes | None:
    """The bytes of a file; None where it is not at hand."""
    if of in FOLDERS:
        path = FOLDERS[of] / name
        return path.read_bytes() if path.exists() else None
    return right.text.encode(right.encoding)


def clicks(data: bytes, right: Right, reader: Any) -> Clicks:
    """Counts the edits from what ``reader`` (``metamf.tables``, or one with its ``propose`` and
    ``apply``) proposes for a file to what is right, by making them."""
    edits, made, found, silent, alarms = right.edits, set(), [], [], ()
    for done in range(MOST_ROUNDS):
        try:
            plan = reader.propose(data, edits=edits)
            table = reader.apply(data, plan)
        except ValueError as error:
            lost = _refusal(str(error), right)
            return Clicks(len(made), tuple(found), lost, (*silent, *lost), alarms)
        wrong = differences(plan, table, right)
        if done == 0:
            silent = [difference.what for difference in wrong if not is_amber(plan, difference)]
            alarms = tuple(a.sentence for a in plan.amber) if right.amber == "none" else ()
        todo = [difference for difference in wrong if difference.edit not in (None, *edits)]
        if not todo:
            break
        found += [difference.what for difference in todo]
        made |= {difference.click or difference.edit for difference in todo}
        edits += tuple(dict.fromkeys(difference.edit for difference in todo))
    lost = tuple(difference.what for difference in wrong)
    return Clicks(len(made), tuple(found), lost, tuple(silent), alarms)


def _refusal(sentence: str, right: Right) -> tuple[str, ...]:
    """What is wrong with refusing a file with a sentence."""
    wanted = right.refused if right.refused is not None else right.or_refused
    if wanted is None:
        return (f"refused: {sentence}",)
    if not re.search(wanted, sentence, re.IGNORECASE):
        return (f"refused, and does not say {wanted!r}: {sentence}",)
    return ()


def is_amber(plan: Any, difference: Difference) -> bool:
    """Whether something amber is where a difference is, or offers an edit of what it is about."""
    about = (difference.edit or "").partition(":")[0]
    place = difference.column, difference.line
    return any(
        about in [choice.edit.partition(":")[0] for choice in amber.edits]
        or (amber.column is not None and amber.column == difference.column)
        or (amber.line is not None and amber.line == difference.line)
        or place == (amber.column, amber.line) == (None, None)
        for amber in plan.amber
    )


def differences(plan: Any, table: Any, right: Right) -> list[Difference]:
    """What is not right in a reading. What is proposed anew once it is changed comes alone."""
    if right.refused is not None:
        return [Difference(f"read, though it should be refused ({right.refused})")]
    if source := _of_form(plan, right):
        return source
    found = _of_lines(plan, right)
    if plan.form == "long":
        found += _of_words(plan, plan.keys[-1:], right) + _of_doubts(plan, table, right)
        if right.nothing and not table.nothing_to_fill and not plan.amber:
            found.append(Difference("gaps are filled, and nothing is amber"))
    else:
        found += _of_roles(plan, table, right)
        found += _of_words(plan, _at(plan, right.fill), right)
        found += _of_doubts(plan, table, right) + _of_scale(plan, right)
    return found or _of_matrix(plan, table, right)


def positions(spec: str, names: list[str]) -> list[int]:
    """Columns, from 0, of a text such as "2, 5-9" or "tea, coffee"."""
    found = []
    for part in filter(None, (part.strip() for part in spec.split(","))):
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if span is None:
            found += [names.index(part)] if part in names else []
        else:
            found += range(int(span[1]) - 1, int(span[2] or span[1]))
    return [j for j in found if j < len(names)]


def _at(plan: Any, spec: str) -> list[int]:
    return positions(spec, [column.name for column in plan.columns])


def _named(plan: Any, j: int, what: str) -> str:
    """The edit of a column, by its name in quotation marks."""
    return f'"{plan.columns[j].name}": {what}'


def _of_form(plan: Any, right: Right) -> list[Difference]:
    """The header and the form, one of them at a time."""
    if right.any_lines and not right.long:
        return []
    if plan.header not in right.header and not right.any_lines:
        return [Difference(f"header {plan.header}", f"header: {right.header[0]}")]
    if not right.long:
        return [Difference(f"form {plan.form}", "form: wide")] if plan.form != "wide" else []
    wanted = [_alternatives(part) for part in right.long]
    if plan.form == "long" and _keys_are(plan, *wanted):
        return []
    edit = "form: long " + ",".join(str(columns[0]) for columns in wanted)
    return [Difference(f"form {plan.form}, columns {plan.keys}", edit)]


def _alternatives(part: str) -> list[int]:
    return [int(j) for j in part.split()]


def _keys_are(plan: Any, rows: list[int], column: list[int], value: list[int]) -> bool:
    """Whether a long table's rows, columns and values are one each of those that are wanted."""
    keys = [j + 1 for j in plan.keys]
    right = keys[-2] in column and keys[-1] in value and bool({*keys[:-2]} & {*rows})
    return right and len(set(keys)) == len(keys)


def _of_lines(plan: Any, right: Right) -> list[Difference]:
    """Lines that count as rows and should not, and the other way round."""
    if right.any_lines:
        return []
    skipped = {line.line for line in plan.skipped}
    wrong = [(line, "skip") for line in right.lines if line not in skipped]
    extra = skipped - {*right.lines, *right.lines_may}
    wrong += [(line, "keep") for line in sorted(extra) if line > plan.header]
    return [
        Difference(f"line {line} should be: {what}", f"line {line}: {what}", line=line)
        for line, what in wrong
    ]


def _of_roles(plan: Any, table: Any, right: Right) -> list[Difference]:
    """Columns of another role than theirs; what is not filled and has no gap may be anything."""
    if right.nothing and (table.nothing_to_fill or plan.amber):
        return []
    fill, may, keep = (set(_at(plan, spec)) for spec in (right.fill, right.may, right.keep))
    names, gaps = _alternatives(right.name), _columns_with_gaps(table)
    wrong = []
    if names and not any(plan.columns[j - 1].role == "name" for j in names):
        wrong.append((min(names) - 1, "name"))
    for j, column in enumerate(plan.columns):
        if j in fill and column.role != "fill":
            wrong.append((j, "fill"))
        elif column.role == "fill" and (j in keep or j not in fill | may and j in gaps):
            wrong.append((j, "keep"))
    return [
        Difference(
            f"column {j + 1} ({plan.columns[j].name}) is {plan.columns[j].role}, not {role}",
            _named(plan, j, role),
            column=j,
        )
        for j, role in wrong
    ]


def _columns_with_gaps(table: Any) -> set[int]:
    """Columns of the file, from 0, in which something would be filled in."""
    rows = np.arange(table.ratings.n_rows)[:, None]
    gaps = table.to_fill(rows, np.arange(table.ratings.n_cols)).any(axis=0)
    return {j for j, gap in zip(table.fill_columns, gaps) if gap}


def _of_words(plan: Any, columns: Sequence[int], right: Right) -> list[Difference]:
    """Columns of words that have no order, or another one; but for codes of their own, such as of
    stars."""
    if not right.order:
        return []
    wanted = right.order.casefold().split("<")
    found = []
    for j in columns:
        code, what = plan.columns[j].code, ""
        if code.startswith("words "):
            words = [w.strip() for w in re.split("[<=]", code.removeprefix("words ").casefold())]
            if [word for word in words if word in wanted] != [w for w in wanted if w in words]:
                what = f"order {code}"
        elif plan.columns[j].role != "fill":
            what = "no order"
        if what:
            edit = _named(plan, j, f"order {right.order}")
            found.append(Difference(what, edit, column=j, click="order"))
    return found


def _of_doubts(plan: Any, table: Any, right: Right) -> list[Difference]:
    """Numbers that stand for no number, and count as one: of "3: 0" or "-99"."""
    found = []
    for entry in right.doubtful:
        match = re.fullmatch(r"(?:([\d, -]+): )?(.+)", entry)
        spec, text = match[1], match[2]
        try:
            number = float(text)
        except ValueError:
            continue  # a text teaches nothing by itself; what does is counted in ``given``
        for j, values in _values_by_column(plan, table):
            asked = not spec or j in _at(plan, spec)
            if asked and np.isclose(values, number, rtol=TOLERANCE, atol=0).any():
                what, missing = f"{text} counts as a number in column {j + 1}", f"missing {text}"
                edit = _named(plan, j, missing)
                found.append(Difference(what, edit, column=j, click=missing))
    return found


def _values_by_column(plan: Any, table: Any) -> list[tuple[int, np.ndarray]]:
    """The numbers that teach, by the column of the file that they stand in."""
    if plan.form == "long":
        return [(plan.keys[-1], table.ratings.values)]
    X = table.ratings.to_dense()
    return [(j, x[~np.isnan(x)]) for j, x in zip(table.fill_columns, X.T)]


def _of_scale(plan: Any, right: Right) -> list[Difference]:
    """Columns to fill whose limits are not those of their scale."""
    found = []
    for j in _at(plan, right.fill) if right.scale else ():
        column = plan.columns[j]
        place = column if column.group is None else plan.groups[column.group]
        if (place.low, place.high) != right.scale:
            edit = _named(plan, j, "scale {:g} to {:g}".format(*right.scale))
            what = f"limits {place.low, place.high}"
            found.append(Difference(what, edit, column=j, click="scale"))
    return found


def _of_matrix(plan: Any, table: Any, right: Right) -> list[Difference]:
    """The matrix: rows, numbers, single cells. No edit is known for what is wrong here."""
    found = []
    if right.rows is not None and table.ratings.n_rows != right.rows:
        found.append(Difference(f"{table.ratings.n_rows} rows, not {right.rows}"))
    by_column = dict(_values_by_column(plan, table))
    fill = plan.keys[-1:] if plan.form == "long" else _at(plan, right.fill)
    values = np.concatenate([np.empty(0), *(by_column.get(j, np.empty(0)) for j in fill)])
    summary = (len(values), values.min(), values.max()) if len(values) else (0, np.nan, np.nan)
    if right.given and not any(_same(summary, wanted) for wanted in right.given):
        said = json.dumps([float(f"{x:.7g}") for x in summary])
        found.append(Difference(f"numbers {said}, not {json.dumps(right.given)}"))
    if plan.form == "wide":
        found += _of_cells(plan, table, right)
    return found + (_of_values(plan, table, right) if right.values else [])


def _same(found: tuple[float, ...], wanted: tuple[float, ...]) -> bool:
    return all(np.isclose(x, y, rtol=1e-4, atol=1e-9) for x, y in zip(found, wanted))


def _of_values(plan: Any, table: Any, right: Right) -> list[Difference]:
    """The whole matrix, or of a long table its cells by their names."""
    X, wanted = table.ratings.to_dense(), np.array(right.values, dtype=float)
    if plan.form == "long":
        rows, cols = table.ratings.row_labels, table.ratings.col_labels
        if not {*right.row_names} <= {*rows} or not {*right.col_names} <= {*cols}:
            return [Difference(f"names {rows} and {cols}")]
        X = X[[rows.index(row) for row in right.row_names]]
        X = X[:, [cols.index(col) for col in right.col_names]]
    else:
        at = [table.fill_columns.index(j) for j in _at(plan, right.fill) if j in table.fill_columns]
        X = X[:, at]
        X = X[~np.isnan(X).all(axis=1)]
    if X.shape != wanted.shape or not np.allclose(X, wanted, rtol=TOLERANCE, equal_nan=True):
        return [Difference(f"matrix {X.tolist()}, not {wanted.tolist()}")]
    return []


def _of_cells(plan: Any, table: Any, right: Right) -> list[Difference]:
    """Single cells of a wide table."""
    found, X = [], table.ratings.to_dense()
    rows = {int(line): i for i, line in enumerate(table.row_lines)}
    columns = {j: at for at, j in enumerate(table.fill_columns)}
    for line, spec, wanted in right.cells:
        (j,) = _at(plan, spec)
        where = f"line {line}, column {j + 1}"
        value = X[rows[line], columns[j]] if line in rows and j in columns else np.nan
        if isinstance(wanted, str) and not np.isnan(value):
            found.append(Difference(f"{where} teaches {value:g}", column=j))
        elif not isinstance(wanted, str) and not np.isclose(value, wanted, rtol=TOLERANCE):
            found.append(Difference(f"{where} is {value:g}, not {wanted:g}", column=j))
    return found


def summary_of(all_clicks: list[Clicks]) -> dict[str, float]:
    """Median and 90th percentile of clicks, files that no click mends, and what is wrong in
    silence."""
    counts = [c.n if not c.lost else max(c.n + 1, 2) for c in all_clicks]
    return {
        "files": len(counts),
        "clicks, median": float(np.median(counts)),
        "clicks, 90th percentile": float(np.quantile(counts, 0.9, method="inverted_cdf")),
        "files that take a click": sum(bool(c.n or c.lost) for c in all_clicks),
        "not reached": sum(bool(c.lost) for c in all_clicks),
        "wrong and not amber": sum(len(c.silent) > 0 for c in all_clicks),
        "amber without reason": sum(len(c.alarms) > 0 for c in all_clicks),
    }
