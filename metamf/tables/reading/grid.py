"""Records of texts -> a grid of codes: each different text is kept once, so a million cells take a few megabytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

import numpy as np

from metamf.tables.dialect import (
    Dialect,
    csv_format,
    guess_delimiter,
    guess_quoting,
    is_missing,
    is_number_like,
    newline_of,
    split_comments,
    split_lines,
    stand_in,
)
from metamf.tables.limits import Limits, TableError
from metamf.tables.options import ReadOptions
from metamf.tables.reading.decode import decode, refuse_other_formats
from metamf.tables.reading.notes import Note
from metamf.wording import shown

_CHUNK = 256  # records held at a time: so few that the garbage collector hardly runs
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 200, 100_000  # from which delimiter and quoting are guessed
_TOLD = 50_000  # lines after which progress is told


@dataclass(frozen=True)
class Grid:
    """Records of different lengths, laid end to end.

    Attributes
    ----------
    codes : (cells,) position of each cell's text in ``texts``
    starts : (L + 1,) position in ``codes`` at which each record begins, and the end of the last one
    lines : (L,) line of the file on which each record begins, counted from 1
    texts : the different texts; the first is the empty one
    """

    codes: np.ndarray
    starts: np.ndarray
    lines: np.ndarray
    texts: list[str]

    def record(self, i: int) -> list[str]:
        return [self.texts[code] for code in self.codes[self.starts[i] : self.starts[i + 1]]]

    @property
    def widths(self) -> np.ndarray:
        return np.diff(self.starts)

    def keep(self, chosen: np.ndarray) -> Grid:
        """Returns the records where ``chosen`` (L,) is True."""
        widths = self.widths[chosen]
        starts = np.concatenate([[0], np.cumsum(widths)])
        return Grid(self.codes[np.repeat(chosen, self.widths)], starts, self.lines[chosen], self.texts)


@dataclass(frozen=True)
class Loaded:
    """A file on its way to a table.

    Attributes
    ----------
    grid : the cells
    dialect : dialect in which they are written
    comments : the lines above the table
    sheet, sheets : the sheet that was read, and all of a workbook
    notes : notes that were taken so far
    is_text : whether the file is a text, with a delimiter and an encoding
    """

    grid: Grid
    dialect: Dialect
    comments: tuple[str, ...] = ()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    notes: list[Note] = field(default_factory=list)
    is_text: bool = False


class _Codes(dict):
    """text -> code; a text that is new gets the next code.

    Each text can be freed as soon as it has its code. pandas.factorize needs many of them at once, by blocks, and on a
    whole table it would hold every text in memory.
    """

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code


def build_grid(records: Iterable[tuple[int, list[str]]], limits: Limits, cells: int) -> Grid:
    """The grid of ``records``, each a line number and its texts.

    Raises TableError as soon as there are more rows than ``limits`` allow, or more than ``cells`` cells.
    """
    code_of = _Codes({"": 0})
    codes: list[np.ndarray] = []
    widths: list[int] = []
    lines: list[int] = []
    records, total = iter(records), 0
    while chunk := list(islice(records, _CHUNK)):
        part = [texts for _, texts in chunk]
        lines.extend(line for line, _ in chunk)
        widths.extend(map(len, part))
        total += sum(widths[-len(part) :])
        if len(widths) > limits.rows + 1:
            raise TableError(f"the table has more than {limits.rows:,} rows, the limit: take a part of it")
        if total > cells:
            raise TableError(f"the table has more than {cells:,} cells, the limit: take a part of it")
        codes.append(np.fromiter(map(code_of.__getitem__, chain.from_iterable(part)), dtype=np.int32))
    starts = np.concatenate([[0], np.cumsum(np.array(widths, dtype=np.int64))])
    flat = np.concatenate(codes) if codes else np.empty(0, dtype=np.int32)
    return Grid(flat, starts, np.array(lines, dtype=np.int64), list(code_of))


def load_text(data: bytes, options: ReadOptions, progress: Callable[[float], None] | None = None) -> Loaded:
    """The grid of a text file in any dialect."""
    text, codec, bom, guess = decode(data, options.encoding)
    refuse_other_formats(text)
    comments, start, named = split_comments(text)
    sample = _sample(text, start)
    delimiter = options.delimiter or named or guess_delimiter(sample)
    hash_leads = bool(comments) and _is_header(comments[-1], sample, delimiter)
    if hash_leads:
        start = text.rfind(comments[-1], 0, start)
        comments, sample = comments[:-1], _sample(text, start)
    notes = []
    if guess:
        notes.append(Note("encoding", f"the text is not UTF-8; it was read as {codec}: check names with accents"))
    try:
        grid = build_grid(
            _records(text, start, delimiter, len(comments), options, csv.QUOTE_MINIMAL, progress),
            options.limits,
            options.limits.cells,
        )
        quoting = guess_quoting(sample, delimiter)
    except csv.Error as error:
        if "limit" in str(error):
            raise TableError(_open_quote(sample)) from error
        grid = build_grid(
            _records(text, start, delimiter, len(comments), options, csv.QUOTE_NONE, progress),
            options.limits,
            options.limits.cells,
        )
        quoting = "none"
        notes.append(
            Note("quotation marks", "quotation marks do not come in pairs; they were read as ordinary characters")
        )
    dialect = Dialect(
        delimiter,
        encoding=codec,
        bom=bom,
        newline=newline_of(text[start:] or "\n"),
        final_newline=text.endswith(("\n", "\r")),
        quoting=quoting,
        hash_leads=hash_leads,
    )
    return Loaded(grid, dialect, comments, notes=notes, is_text=True)


def _open_quote(sample: list[str]) -> str:
    """A message for a cell that does not end: where it probably begins."""
    opened = next((line for line in sample if line.count('"') % 2), None)
    where = "the table" if opened is None else f"the line {shown(opened.strip())}"
    return f"{where} holds more than 131,072 characters in one cell: is a quotation mark never closed?"


def _sample(text: str, start: int) -> list[str]:
    lines = list(islice(io.StringIO(text[start : start + _SAMPLE_CHARACTERS], newline=""), _SAMPLE_LINES + 1))
    return (
        lines[:-1]
        if len(lines) > 1 and (len(lines) > _SAMPLE_LINES or len(text) > start + _SAMPLE_CHARACTERS)
        else lines
    )


def _is_header(comment: str, sample: list[str], delimiter: str) -> bool:
    """Whether a comment such as "# user,item,rating" is the header: it has as many cells as the next line."""
    names = next(iter(split_lines([comment], delimiter)), [])
    first = next(iter(split_lines(sample, delimiter)), [])
    holds_values = any(is_number_like(cell) or is_missing(cell) for cell in first)
    return len(names) == len(first) > 1 and names[0].strip().startswith("#") and holds_values


def _records(
    text: str,
    start: int,
    delimiter: str,
    skipped: int,
    options: ReadOptions,
    quoting: Literal[0, 3],  # csv.QUOTE_MINIMAL, csv.QUOTE_NONE
    progress: Callable[[float], None] | None,
) -> Iterator[tuple[int, list[str]]]:
    file = io.StringIO(text, newline="")
    file.seek(start)
    limit = options.limits.columns + 1  # one more for the row labels

    def lines() -> Iterator[str]:
        for number, line in enumerate(file):
            if progress is not None and number % _TOLD == 0:
                progress(file.tell() / len(text))
            if len(line) > limit and line.count(delimiter) >= limit and delimiter != " ":
                raise TableError(f"a line has more than {limit - 1:,} columns, the limit: {shown(line)}")
            yield stand_in(line, delimiter)

    before = skipped
    reader = csv.reader(lines(), **csv_format(delimiter, text), quoting=quoting, strict=True)
    for record in reader:
        if len(record) > limit:
            raise TableError(f"a line has more than {limit - 1:,} columns, the limit (line {before + 1:,})")
        yield before + 1, record
        before = skipped + reader.line_num
