"""A text file -> a grid of codes: its kind, encoding, dialect and records.

Each different text of a table is kept once, so that a million cells take a few megabytes. What a
spreadsheet would take for a formula gets an apostrophe where this library rewrites a text, which
reading takes off.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, dropwhile, islice
from typing import Any

import charset_normalizer
import numpy as np

from metamf.tables.limits import Limits, TableError
from metamf.tables.numerals import is_missing, is_number_like
from metamf.wording import in_mib

DELIMITERS = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "pipe",
    " ": "space",
    "::": "double colon",
}
BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CODECS = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# Encodings among which is chosen if the bytes are not UTF-8; Windows-1252 contains the printable
# part of Latin-1.
_GUESSED = [
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "big5",
]
_MARKUP = re.compile(r"\s*<(?:!doctype|\?xml|html|head|body|table|script)\b", re.IGNORECASE)
_JSON = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_NEWLINE = re.compile("\r\n|\n|\r")
COMMENT = re.compile(r"\s*(?:#|%|//)")
_SEPARATOR_LINE = re.compile(r"sep=([^\r\n])[ \t]*[\r\n]", re.IGNORECASE)
# a backslash before a quotation mark inside a cell; a film's number above its ratings, as in the
# files of the Netflix prize
_ESCAPED = re.compile(r'"[^"\n]*\\"[^"\n]*[^\\]"')
_DOUBLED = re.compile(r'[^,;\t|\s]""')
_BLOCK_LINE = re.compile(r"\d+:\s*")
_TIME = re.compile(r"(?:\d{1,3}:)?\d{1,3}:\d{2}(?:[.,]\d+)?")
_CHUNK = 256  # records held at a time: so few that the garbage collector hardly runs
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 200, 200_000  # from which the delimiter is guessed
_TOLD = 50_000  # lines after which progress is told
_SIGNS = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"  # that begin a formula: OWASP's advice on CSV injection
_FORMULA = re.compile(f"'*(?:\\s*{_SIGNS}|[\t\r\n])")
_NEGATIVE = re.compile(r"-\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")  # a number is no formula

# another delimiter, or a sign of a sentence, in a cell
_UNCUT = re.compile(r"(?<!\d)[,;\t|]|[,;\t|](?!\d)")
# signs at which some spreadsheet, by its country, ends a cell
_CUTS = re.compile("[,;\t|]")
# quotation marks and white space before a sign of a formula, tried once for each such run
_BEFORE_SIGN = re.compile(f"(?<!['\"\\s])['\"\\s]*+(?={_SIGNS})")
_CUT_OFF = re.compile("(?<=[,;\t|\r\n])")
_MARKED = re.compile("(?<=[,;\t|\r\n])'")


def escape(text: str) -> str:
    """The text in a form that a spreadsheet shows and never runs, wherever it cuts texts into
    cells; an apostrophe that stands there is doubled."""
    if _FORMULA.match(text) and not _NEGATIVE.fullmatch(text):
        text = "'" + text
    return _replaced_before_signs(_CUT_OFF, "'", text)


def unescape(text: str) -> str:
    """The text from which ``escape`` made ``text``."""
    whole = _replaced_before_signs(_MARKED, "", text)
    return whole[1:] if whole.startswith("'") and _FORMULA.match(whole) else whole


def _replaced_before_signs(behind_a_cut: re.Pattern[str], new: str, text: str) -> str:
    """The text with ``new`` for what the pattern finds between where a spreadsheet cuts and a sign
    of a formula."""

    def replaced(found: re.Match[str]) -> str:
        before = text[max(found.start() - 1, 0) : found.start()]
        return behind_a_cut.sub(new, before + found[0])[len(before) :]

    return _BEFORE_SIGN.sub(replaced, text)


def label_in(text: str) -> str:
    """The name in a cell of a file: without white space around it and without the apostrophe."""
    return unescape(text.strip()).strip()


@dataclass(frozen=True)
class Dialect:
    """How a text table is written: signs, codec and byte order mark, line ends; and whether
    quotation marks enclose cells, or are ordinary characters, and whether one inside such a cell
    follows a backslash."""

    delimiter: str = ","
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"
    quotes: bool = True
    escaped: bool = False

    def quoted(self, text: str, always: bool = False) -> str:
        """The text as one cell, in quotation marks where it needs them."""
        special = self.delimiter in text or '"' in text or "\n" in text or "\r" in text
        if self.quotes and (always or special or (self.delimiter == " " and not text)):
            return '"' + text.replace('"', '\\"' if self.escaped else '""') + '"'
        return text

    def name(self, text: str, always: bool = False) -> str:
        """A name that is rewritten as one cell, which no spreadsheet runs, wherever it cuts lines
        into cells; in quotation marks where it needs them, or always."""
        return self.quoted(escape(text), always or bool(_CUTS.search(text)))

    def line(self, cells: Iterable[str]) -> str:
        """Cells that are already quoted, as one line without its end, which is never blank."""
        return self.delimiter.join(cells) or '"' * 2 * self.quotes


@dataclass(frozen=True)
class Grid:
    """Records of different lengths, laid end to end: (cells,) positions of each cell's text in
    ``texts``, of which the first is the empty one; (L + 1,) where each record begins and the last
    one ends; (L,) the line of the file, counted from 1, of each record."""

    codes: np.ndarray
    starts: np.ndarray
    lines: np.ndarray
    texts: list[str]

    def record(self, i: int) -> list[str]:
        return [self.texts[code] for code in self.codes[self.starts[i] : self.starts[i + 1]]]

    @property
    def widths(self) -> np.ndarray:
        return np.diff(self.starts)

    @cached_property
    def written(self) -> np.ndarray:
        """(L,) whether each record has a cell that is not blank."""
        blank = np.array([not text.strip() for text in self.texts])
        filled = np.zeros(len(self.lines), dtype=bool)
        record = np.repeat(np.arange(len(self.lines)), self.widths)
        filled[record[~blank[self.codes]]] = True
        return filled


@dataclass(frozen=True)
class Loaded:
    """The cells of a file; ``kind`` is 'text', 'xlsx', 'npy', 'other', or 'none' for ratings that
    come from no file, ``data`` a file of which a copy will be edited, ``first_column`` the column
    of the sheet, counted from 1, in which the grid begins."""

    grid: Grid
    kind: str = "other"
    data: bytes = field(default=b"", repr=False)
    dialect: Dialect = Dialect()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    first_column: int = 1


def build_grid(records: Iterable[tuple[int, list[str]]], limits: Limits, cells: int) -> Grid:
    """The grid of ``records``, each a line number and its texts; TableError as soon as it is beyond
    the limits."""
    code_of: defaultdict[str, int] = defaultdict(None, {"": 0})
    code_of.default_factory = code_of.__len__  # a new text gets the next code
    codes: list[np.ndarray] = [np.empty(0, dtype=np.int32)]
    lines: list[int] = []
    starts = [0]
    records = iter(records)
    while chunk := list(islice(records, _CHUNK)):
        for line, texts in chunk:
            lines.append(line)
            starts.append(starts[-1] + len(texts))
            if len(texts) > limits.columns + 1:  # one more for the names of the rows
                raise TableError(
                    f"line {line:,} has more columns than the limit of {limits.columns:,}"
                )
        if len(lines) > limits.rows + 1:
            raise TableError(f"the table has more rows than the limit of {limits.rows:,}: split it")
        if starts[-1] > cells:
            raise TableError(f"the table has more cells than the limit of {cells:,}: split it")
        part = chain.from_iterable(texts for _, texts in chunk)
        codes.append(np.fromiter(map(code_of.__getitem__, part), dtype=np.int32))
    return Grid(
        np.concatenate(codes),
        np.array(starts, dtype=np.int64),
        np.array(lines, dtype=np.int64),
        list(code_of),
    )


def gunzip(data: bytes, limits: Limits) -> bytes:
    """The content of a gzip file, never unpacking more than ``limits.expanded`` bytes."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limits.expanded + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError("the gzip file is damaged or cut off: compress it again") from error
    if len(content) > limits.expanded:
        raise TableError(
            f"the gzip file unpacks to more than the limit of {in_mib(limits.expanded)}: split "
            "the table"
        )
    return content


def decode(data: bytes, encoding: str | None) -> tuple[str, str, bytes]:
    """The text, its codec, and its byte order mark, b"" if it has none. Where neither a mark nor
    valid UTF-8 tells the codec, charset-normalizer decides; in doubt it is Windows-1252, or else
    Latin-1."""
    marks = [(bom, codec) for bom, codec in BOMS if data.startswith(bom)]
    if encoding is not None:
        codec = _CODECS.get(encoding, encoding)
        marks = [mark for mark in marks if mark[1][:6] == codec[:6]] or [(b"", codec)]
    elif not marks:
        try:
            return _checked(data.decode("utf-8")), "utf-8", b""
        except UnicodeDecodeError:
            marks = [(b"", _eight_bit(data))]
    bom, codec = marks[0]
    try:
        return _checked(data[len(bom) :].decode(codec)), codec, bom
    except LookupError as error:
        raise TableError(f"no encoding is called {codec!r}: write cp1252, for example") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"the file is not text in the encoding {codec} (byte {error.start:,} does not fit): "
            "choose another encoding"
        ) from error


def _eight_bit(data: bytes) -> str:
    """The encoding of bytes that are not UTF-8, by the first hundred lines with a byte that is not
    ASCII."""
    lines = (line for line in data[: 2**21].splitlines() if not line.isascii())
    sample = b"\n".join(islice(lines, 100))
    matches = charset_normalizer.from_bytes(
        sample, cp_isolation=_GUESSED, preemptive_behaviour=False
    )
    best = matches.best()
    western = next((match for match in matches if "cp1252" in match.could_be_from_charset), None)
    sure = best is not None and (western is None or western.chaos > best.chaos + 0.05)
    codec = best.encoding if best is not None and sure else "cp1252"
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return "latin-1"
    return codec


def _checked(text: str) -> str:
    if found := _CONTROL.search(text.rstrip("\x1a")):  # the end-of-file character of DOS may stay
        line = text.count("\n", 0, found.start()) + 1
        what = f"the control character U+{ord(found[0]):04X} in line {line:,}"
        raise TableError(
            f"the file holds {what}, so it is not a text file: save the table as CSV or .xlsx, or "
            "name its encoding"
        )
    return text


_NO_TABLES = (  # beginnings of texts that are no tables, and what to do with them
    (_MARKUP, "a web page or XML, not a table: open it in Excel and save it as .xlsx or CSV"),
    (_JSON, "JSON, not a table: save it as CSV with one line per rating"),
    (
        re.compile("%%MatrixMarket"),
        "in the Matrix Market format, not a table: read it with scipy.io.mmread, and save one line "
        "per rating as CSV",
    ),
)


def load_text(
    data: bytes,
    limits: Limits,
    encoding: str | None = None,
    delimiter: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Loaded:
    """The grid of a text file in any dialect, of which the encoding and the delimiter are guessed
    where they are not said."""
    text, codec, bom = decode(data, encoding)
    text = text.rstrip("\x1a")
    for beginning, what in _NO_TABLES:
        if beginning.match(text):
            raise TableError(f"the file is {what}")
    sample = _sample(text)
    if any(_BLOCK_LINE.fullmatch(line) for line in sample):
        raise TableError(
            'the file has lines such as "1:" that name a film, or an item, for the lines below '
            "them: add a column with the item of each line"
        )
    named = _SEPARATOR_LINE.match(text)
    said = delimiter or (named[1] if named and named[1] in DELIMITERS else None)
    delimiter = said or guess_delimiter(sample)
    escaped = bool(_ESCAPED.search(text)) and not _DOUBLED.search(text)
    newline = found[0] if (found := _NEWLINE.search(text)) else "\n"
    for quotes in (True, False):
        escaped &= quotes
        try:
            records = split_records(text, delimiter, quotes, escaped, progress)
            cells = ((line, [] if named and line == 1 else record) for line, record, _ in records)
            grid = build_grid(cells, limits, limits.cells)
            break
        except csv.Error as error:
            if not quotes:
                message = (
                    "a line holds more than 131,072 characters in one cell: is the delimiter right?"
                )
                raise TableError(message) from error
    dialect = Dialect(
        delimiter, encoding=codec, bom=bom, newline=newline, quotes=quotes, escaped=escaped
    )
    return Loaded(grid, "text", data, dialect)


def _sample(text: str) -> list[str]:
    """The first whole lines of the text, without comments in front of them."""
    lines = io.StringIO(text[:_SAMPLE_CHARACTERS], newline="").readlines()
    whole = lines[:-1] if len(lines) > 1 and len(text) > _SAMPLE_CHARACTERS else lines
    table = dropwhile(lambda line: not line.strip() or COMMENT.match(line), whole)
    return list(islice(table, _SAMPLE_LINES)) or whole[:_SAMPLE_LINES]


def guess_delimiter(sample: list[str]) -> str:
    """The delimiter that cuts the sample's lines into equally many cells of which most are numbers
    or missing."""
    best, delimiter = (0.0, 0), ","
    for candidate in DELIMITERS:
        records: list[list[str]] = []
        with suppress(csv.Error):  # up to the first line that cannot be split
            for record in _reader(sample, candidate, "".join(sample)):
                records += [record] if record else []
        width, lines = Counter(map(len, records)).most_common(1)[0] if records else (1, 0)
        if width < 2 or (candidate == " " and len(records[0]) not in (width, width - 1)):
            continue  # these are names of several words, not columns
        cells = [cell for record in (records[1:] or records) for cell in record]
        numbers = sum(map(_is_typed, cells))
        uncut = sum(bool(_UNCUT.search(cell)) for cell in cells)
        score = (round(lines / len(records) * (0.05 + (numbers - uncut) / len(cells)), 6), width)
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def _is_typed(cell: str) -> bool:
    """Whether a cell is a number, a duration such as 1:05.02, or missing."""
    return is_number_like(cell) or is_missing(cell) or _TIME.fullmatch(cell.strip()) is not None


def _reader(lines: Iterable[str], delimiter: str, text: str, **how: Any) -> Any:
    """A csv.reader of the ``lines`` of ``text``. '::' is replaced by a control character, which
    ``decode`` refuses in texts; several spaces count as one delimiter; in ``a, "b"`` the space
    before the quotation mark is not part of b."""
    spaced = delimiter == " " or delimiter + ' "' in text
    if delimiter == "::":
        delimiter = "\x1f"
        lines = (line.replace("::", delimiter) for line in lines)
    elif delimiter == " ":
        lines = (line.rstrip(" \r\n") + "\n" for line in lines)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=spaced, **how)


def split_records(
    text: str,
    delimiter: str,
    quotes: bool,
    escaped: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Iterator[tuple[int, list[str], str]]:
    """The line, the cells and the whole text of each record."""
    file = io.StringIO(text, newline="")
    raw: list[str] = []

    def lines() -> Iterator[str]:
        for number, line in enumerate(file):
            if progress is not None and number % _TOLD == 0:
                progress(file.tell() / len(text))
            raw.append(line)
            yield line

    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    escapes = {"escapechar": "\\", "doublequote": False} if escaped and quotes else {}
    reader = _reader(lines(), delimiter, text, quoting=quoting, strict=True, **escapes)
    before = 0
    for record in reader:
        yield before + 1, record, "".join(raw)
        raw.clear()
        before = reader.line_num


def raw_cells(content: str, delimiter: str, quotes: bool, escaped: bool = False) -> list[str]:
    """The cells of a record as they are written, with spaces and quotation marks: joined by the
    delimiter they are ``content``. Several spaces count as one delimiter; the further ones belong
    to the cell behind them."""
    if delimiter != " " and not (quotes and '"' in content):
        return content.split(delimiter)
    end = re.escape(delimiter)
    plain = f"(?:(?!{end}).)" + ("+" if delimiter == " " else "*")
    inside = r'[^"\\]|\\.' if escaped else '[^"]|""'
    cell = rf'( *"(?:{inside})*"?(?:(?!{end}).)*| *{plain}){end}' if quotes else f"( *{plain}){end}"
    cells = re.findall(cell, content.rstrip(" " if delimiter == " " else "") + delimiter, re.DOTALL)
    rest = content[len(delimiter.join(cells)) :]
    return [*cells[:-1], "".join(cells[-1:]) + rest] if rest else cells
