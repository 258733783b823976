"""The dialect of a text table: leading comments, delimiter, quoting, line ends."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from metamf.tables.options import DELIMITERS
from metamf.tables.reading.numerals import MISSING_TOKENS

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_NUMBER_LIKE = re.compile(r"\s*[+\-\u2212]?[.,]?[0-9]+(?:[.,'\u2019][0-9]+)*\.?(?:[eE][+-]?[0-9]+)?\s*")
_COMMENT = re.compile(r"\s*(?:#|%|//)")
_SEPARATOR_LINE = re.compile(r"\ufeff?sep=(.)\s*", re.IGNORECASE)
_MOST_COMMENTS = 1000  # lines


@dataclass(frozen=True)
class Dialect:
    """How a text table is written: what it takes to write it again as it was read.

    Attributes
    ----------
    delimiter : one of DELIMITERS
    decimal, thousands : the decimal sign, and the thousands sign or ""
    encoding, bom : codec, and byte order mark or b""
    newline, final_newline : line end, and whether the last line has one
    quoting : 'minimal' (where needed), 'text' (every cell that is not a number, as R does), 'all', or 'none' (quotation
        marks are ordinary characters)
    hash_leads : whether the table's first line begins with #, as comments do
    """

    delimiter: str = ","
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"
    final_newline: bool = True
    quoting: str = "minimal"
    hash_leads: bool = False

    def quoted(self, text: str, is_text: bool = True) -> str:
        """The text as one cell, in quotation marks where the dialect asks for them."""
        if self.quoting == "none":
            return text
        special = self.delimiter in text or any(c in text for c in '"\r\n') or (self.delimiter == " " and not text)
        if special or self.quoting == "all" or (self.quoting == "text" and is_text):
            return '"' + text.replace('"', '""') + '"'
        return text

    def line(self, cells: Iterable[str], leads: bool = False) -> str:
        """Cells that are already quoted, joined to one line without its end.

        A line that reading would skip, because it is blank or looks like a comment, gets quotation marks; unless it
        ``leads`` the table, and the table that was read began with such a line.
        """
        first, *rest = list(cells) or [""]
        line = self.delimiter.join([first, *rest])
        skipped = not line or (_COMMENT.match(line) and not (leads and self.hash_leads))
        return self.delimiter.join([f'"{first}"', *rest]) if skipped and self.quoting != "none" else line


def split_comments(text: str) -> tuple[tuple[str, ...], int, str | None]:
    """The leading comments (#, %, //, ``sep=;``, blank lines), where the table begins, and its delimiter if named."""
    comments: list[str] = []
    start, delimiter = 0, None
    while start < len(text) and len(comments) < _MOST_COMMENTS:
        line = _line_at(text, start)
        if not comments and (separator := _SEPARATOR_LINE.fullmatch(line[1])):
            delimiter = separator[1] if separator[1] in DELIMITERS else None
        elif line[1].strip() and not _COMMENT.match(line[1]):
            break
        comments.append(line[1])
        start = line.end()
    return tuple(comments), start, delimiter


def _line_at(text: str, start: int) -> re.Match[str]:
    """The line, empty perhaps, that begins there, and its end."""
    line = _LINE.match(text, start)
    assert line is not None  # the pattern matches at every place
    return line


def newline_of(text: str) -> str:
    """The line end of the first line."""
    return _line_at(text, 0)[2] or "\n"


def guess_delimiter(sample: list[str]) -> str:
    """The delimiter that cuts the sample's lines into equally many cells of which most are numbers or missing."""
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        records = [record for record in split_lines(sample, candidate) if record]
        width, lines = Counter(map(len, records)).most_common(1)[0] if records else (1, 0)
        if width < 2 or (candidate == " " and len(records[0]) not in (width, width - 1)):
            continue  # these are names of several words, not columns
        cells = [cell for record in (records[1:] or records) for cell in record]
        numbers = sum(is_number_like(cell) or is_missing(cell) for cell in cells)
        score = (round(lines / len(records) * (0.05 + numbers / len(cells)), 6), width)
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def split_lines(lines: Iterable[str], delimiter: str) -> Iterable[list[str]]:
    """The records of ``lines``, up to the first line that cannot be split."""
    lines = list(lines)
    form = csv_format(delimiter, "".join(lines))
    try:
        yield from csv.reader((stand_in(line, delimiter) for line in lines), **form)
    except csv.Error:
        return


def csv_format(delimiter: str, text: str) -> dict:
    """Arguments of csv.reader for ``text``.

    '::' is replaced by a control character, which ``decode`` refuses in texts; several spaces count as one delimiter;
    and in ``a, "b"`` the space before the quotation mark does not belong to the cell.
    """
    spaced = delimiter == " " or delimiter + ' "' in text
    return {"delimiter": "\x1f" if delimiter == "::" else delimiter, "skipinitialspace": spaced}


def stand_in(line: str, delimiter: str) -> str:
    """The line as csv.reader can split it: with one character for '::', or without spaces at its end."""
    if delimiter == "::":
        return line.replace("::", "\x1f")
    return line.rstrip(" \r\n") + "\n" if delimiter == " " else line


def guess_quoting(sample: list[str], delimiter: str) -> str:
    """The quoting that writes the sample's first lines exactly as they are; 'minimal' if none does."""
    text = "".join(sample[:20])
    if '"' not in text:
        return "minimal"
    newline = newline_of(text)
    records = list(split_lines(sample[:20], delimiter))
    for quoting in ("minimal", "text", "all"):
        dialect = Dialect(delimiter, quoting=quoting)
        lines = (
            dialect.line(dialect.quoted(c, not (is_number_like(c) or is_missing(c))) for c in record)
            for record in records
        )
        if newline.join(lines) == text.rstrip("\r\n"):
            return quoting
    return "minimal"


def is_missing(cell: str) -> bool:
    """Whether the cell holds one of the usual marks for a missing value."""
    return cell.strip().casefold() in MISSING_TOKENS


def is_number_like(cell: str) -> bool:
    """Whether the cell is a number in some format; which one is decided later, from all cells."""
    return _NUMBER_LIKE.fullmatch(cell) is not None
