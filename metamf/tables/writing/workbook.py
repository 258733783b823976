"""A filled table -> Excel with the origin of each cell in colours, or Parquet, as bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from metamf.tables.escaping import escape
from metamf.tables.limits import TableError
from metamf.tables.reading.numerals import NUMBER, NumberFormat, read_texts
from metamf.tables.table import Frame
from metamf.tables.writing.filled import CLIPPED, HELD_OUT, IMPUTED, MISSING, OBSERVED, PROVENANCE, Filled, cell_order
from metamf.wording import percent

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_STYLES = {
    HELD_OUT: ("FFF2CC", "observed, but hidden from the method"),
    IMPUTED: ("DDEBF7", "estimated"),
    CLIPPED: ("F8CBAD", "estimated, and put back on the rating scale"),
    MISSING: ("D9D9D9", "no estimate"),
}


def to_excel(filled: Filled) -> bytes:
    """A workbook: "Filled" (estimates in italics on a colour), "Lower" and "Upper" with intervals, "Held out" with the
    ratings that were hidden beside their estimates where there are any, and a legend."""
    import openpyxl
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font, PatternFill

    N, M = filled.ratings.shape
    if N > 1_048_575 or M > 16_383:
        raise TableError(
            f"Excel holds 1,048,575 rows and 16,383 columns beside the names, the table has {N:,} x {M:,}: "
            "write CSV or Parquet"
        )
    book = openpyxl.Workbook(write_only=True)
    rows, columns = ([_for_excel(name) for name in side] for side in filled.names)
    grids = [("Filled", filled.values)]
    if filled.lower is not None and filled.upper is not None:
        grids += [("Lower", filled.lower), ("Upper", filled.upper)]

    def style(cell: Any, kind: int) -> Any:
        colour, _ = _STYLES[kind]
        cell.font, cell.fill = Font(italic=kind != HELD_OUT), PatternFill("solid", fgColor=colour)
        return cell

    frame = filled.source.frame
    for title, values in grids:
        sheet = book.create_sheet(title)
        if frame is not None and title == "Filled":
            for line in _framed_lines(filled, frame):
                sheet.append([style(WriteOnlyCell(sheet, value), kind) if kind else value for value, kind in line])
            continue
        sheet.freeze_panes = "B2"
        sheet.append(["", *columns])
        styled = {kind: style(WriteOnlyCell(sheet), kind)._style for kind in _STYLES}
        for name, row, kinds in zip(rows, np.asarray(values), filled.kinds):
            cells: list[Any] = [name]
            for value, kind in zip(row.tolist(), kinds.tolist()):
                as_read = title == "Filled" and kind in (OBSERVED, HELD_OUT)
                cell = None if value != value else value if as_read else _written(value)
                if kind:
                    cell = WriteOnlyCell(sheet, cell)
                    cell._style = styled[kind]  # one style for all, instead of one built per cell
                cells.append(cell)
            sheet.append(cells)
    hidden = np.argwhere(filled.kinds == HELD_OUT)
    if len(hidden):
        sheet = book.create_sheet("Held out")
        sheet.append(["row", "column", "rating", "estimate", *(title.lower() for title, _ in grids[1:])])
        for n, m in hidden:
            estimates = (X[n, m] for X in (filled.mean, *(X for _, X in grids[1:])))
            sheet.append([rows[n], columns[m], float(filled.values[n, m]), *map(_written, estimates)])
    legend = book.create_sheet("Legend")
    legend.append(["provenance", "meaning", "cells"])
    counts = np.bincount(filled.kinds.reshape(-1), minlength=len(PROVENANCE))
    legend.append(["observed", "as in the table that was read", int(counts[OBSERVED])])
    for kind, (_, meaning) in _STYLES.items():
        legend.append([style(WriteOnlyCell(legend, PROVENANCE[kind]), kind), meaning, int(counts[kind])])
    legend.append(["method", _for_excel(filled.method)])
    if filled.level is not None:
        share = percent(filled.level, digits=6)
        legend.append(["interval", f"{share} of the missing ratings should lie in Lower to Upper"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _framed_lines(filled: Filled, frame: Frame) -> Iterator[list[tuple[str | float | None, int]]]:
    """The cells of each line of a table of which a part was left alone, as values with their provenance."""
    source = filled.source
    texts = source.cells.texts
    meanings = read_texts(list(texts), NumberFormat(source.dialect.decimal, source.dialect.thousands), ())

    def value_of(code: int) -> str | float | None:
        if meanings.kinds[code] == NUMBER and not meanings.padded[code]:
            return float(meanings.values[code])
        return _for_excel(texts[code]) or None

    for codes, row in zip(frame.cells, frame.rows):
        line: list[tuple[str | float | None, int]] = []
        for code, col in zip(codes, frame.cols):
            if row < 0 or col < 0:
                line.append((value_of(code), OBSERVED))
                continue
            value, kind, style = float(filled.values[row, col]), int(filled.kinds[row, col]), frame.styles[col]
            known = kind in (OBSERVED, HELD_OUT)
            if style is not None and value == value:
                line.append((_for_excel(texts[code] if known else style.text_of(value, f"{value:.6g}")), kind))
            else:
                line.append((None if value != value else value if known else _written(value), kind))
        yield line


def to_parquet(filled: Filled) -> bytes:
    """One line per cell, as in ``to_csv_long``; the first columns are always called row, column and value."""
    import pandas as pd

    (N, M), kinds = filled.ratings.shape, filled.kinds.reshape(-1)
    guessed = (kinds > OBSERVED) & (kinds < MISSING)

    def where_estimated(X: np.ndarray) -> np.ndarray:
        return np.where(guessed, np.asarray(X, dtype=np.float64).reshape(-1), np.nan)

    names = filled.full_names
    frame = {
        "row": np.repeat(np.array(names[0], dtype=object), M),
        "column": np.tile(np.array(names[1], dtype=object), N),
        "value": filled.values.reshape(-1),
        "provenance": np.array(PROVENANCE, dtype=object)[kinds],
        "estimate": where_estimated(filled.mean),
    }
    if filled.lower is not None and filled.upper is not None:
        level = np.nan if filled.level is None else filled.level
        frame["lower"], frame["upper"] = where_estimated(filled.lower), where_estimated(filled.upper)
        frame["interval"] = where_estimated(np.full((N, M), level))
    frame["method"] = np.where(guessed, filled.method, "").astype(object)
    stream = io.BytesIO()
    pd.DataFrame(frame).iloc[cell_order(filled)].to_parquet(stream, index=False)
    return stream.getvalue()


def _written(estimate: float) -> float:
    """An estimate with as many digits as in the other kinds of files."""
    return float(f"{estimate:.6g}")


def _for_excel(text: str) -> str:
    """A name as Excel can hold it: no formula, no character that XML forbids, and whole."""
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", escape(text))
    if len(text) > 32_767:
        raise TableError(f"Excel cells hold 32,767 characters, a name has {len(text):,}: write CSV or Parquet")
    return text
