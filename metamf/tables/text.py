"""A text file -> a grid of codes: its kind, encoding, dialect and records.

Each different text of a table is kept once, so that a million cells take a few megabytes. What a spreadsheet would take
for a formula gets an apostrophe where this library rewrites a text, which reading takes off.
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
from itertools import chain, dropwhile, islice
from typing import Any

import charset_normalizer
import numpy as np

from metamf.tables.limits import Limits, Note, TableError
from metamf.tables.numbers import is_missing, is_number_like
from metamf.tables.options import DELIMITERS, ReadOptions
from metamf.tables.words import is_time
from metamf.wording import in_mib

BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Encodings among which is chosen if the bytes are not UTF-8; Windows-1252 contains the printable part of Latin-1.
_GUESSED = ["cp1252", "cp1250", "cp1251", "cp1253", "shift_jis", "euc_jp", "euc_kr", "gb18030", "big5"]
_MARKUP = re.compile(r"\s*<(?:!doctype|\?xml|html|head|body|table|script)\b", re.IGNORECASE)
_JSON = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_NEWLINE = re.compile("\r\n|\n|\r")
COMMENT = re.compile(r"\s*(?:#|%|//)")
_SEPARATOR_LINE = re.compile(r"sep=([^\r\n])[ \t]*[\r\n]", re.IGNORECASE)
_ESCAPED = re.compile(r'"[^"\n]*\\"[^"\n]*[^\\]"')  # a backslash before a quotation mark inside a cell
_DOUBLED = re.compile(r'[^,;\t|\s]""')
_BLOCK_LINE = re.compile(r"\d+:\s*")  # a film's number above its ratings, as in the files of the Netflix prize
_CHUNK = 256  # records held at a time: so few that the garbage collector hardly runs
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 200, 200_000  # from which the delimiter is guessed
_TOLD = 50_000  # lines after which progress is told
_FORMULA = re.compile("'*(?:\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])")  # OWASP's advice on CSV injection

_UNCUT = re.compile(r"(?<!\d)[,;\t|]|[,;\t|](?!\d)")  # another delimiter, or a sign of a sentence, in a cell
_CUTS = re.compile("[,;\t|]")  # signs at which some spreadsheet, by its country, ends a cell


def escape(text: str) -> str:
    """The text in a form that a spreadsheet shows and never runs; an apostrophe that it has is doubled."""
    return "'" + text if _FORMULA.match(text) else text


def unescape(text: str) -> str:
    """The text from which ``escape`` made ``text``."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def label_in(text: str) -> str:
    """The name in a cell of a file: without white space around it and without the apostrophe."""
    return unescape(text.strip()).strip()


@dataclass(frozen=True)
class Dialect:
    """How a text table is written: signs, codec and byte order mark, line ends; and whether quotation marks enclose
    cells, or are ordinary characters, and whether one inside such a cell follows a backslash."""

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

    def name(self, text: str) -> str:
        """A name that is rewritten as one cell, which no spreadsheet runs, wherever it cuts lines into cells."""
        return self.quoted(escape(text), always=bool(_CUTS.search(text)))

    def line(self, cells: Iterable[str]) -> str:
        """Cells that are already quoted, as one line without its end, which is never blank."""
        return self.delimiter.join(cells) or '"' * 2 * self.quotes


@dataclass(frozen=True)
class Grid:
    """Records of different lengths, laid end to end: (cells,) positions of each cell's text in ``texts``, of which the
    first is the empty one; (L + 1,) where each record begins and the last one ends; (L,) the line of the file, counted
    from 1, and the position in the whole file of each record; and the codes that stand for no value, in spite of their
    text."""

    codes: np.ndarray
    starts: np.ndarray
    lines: np.ndarray
    texts: list[str]
    records: np.ndarray
    absent: tuple[int, ...] = ()

    def record(self, i: int) -> list[str]:
        return [self.texts[code] for code in self.codes[self.starts[i] : self.starts[i + 1]]]

    @property
    def widths(self) -> np.ndarray:
        return np.diff(self.starts)

    def keep(self, chosen: np.ndarray) -> Grid:
        """Returns the records where ``chosen`` (L,) is True."""
        widths = self.widths[chosen]
        codes = self.codes[np.repeat(chosen, self.widths)]
        starts = np.append(0, np.cumsum(widths))
        return Grid(codes, starts, self.lines[chosen], self.texts, self.records[chosen], self.absent)


@dataclass(frozen=True)
class Loaded:
    """The cells of a file; ``kind`` is 'text', 'xlsx', 'npy', 'other', or 'none' for ratings that come from no file,
    ``data`` a file of which a copy will be edited, ``first_column`` the column of the sheet, counted from 1, in which
    the grid begins."""

    grid: Grid
    kind: str = "other"
    data: bytes = field(default=b"", repr=False)
    dialect: Dialect = Dialect()
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    first_column: int = 1
    notes: list[Note] = field(default_factory=list)


def build_grid(records: Iterable[tuple[int, list[str]]], limits: Limits, cells: int) -> Grid:
    """The grid of ``records``, each a line number and its texts; TableError as soon as it is beyond the limits."""
    code_of: defaultdict[str, int] = defaultdict(None, {"": 0})
    code_of.default_factory = code_of.__len__  # a new text gets the next code
    codes: list[np.ndarray] = []
    widths: list[int] = []
    lines: list[int] = []
    records, total = iter(records), 0
    while chunk := list(islice(records, _CHUNK)):
        part = [texts for _, texts in chunk]
        lines.extend(line for line, _ in chunk)
        for line, texts in chunk:
            if len(texts) > limits.columns + 1:  # one more for the names of the rows
                raise TableError(f"line {line:,} has more columns than the limit of {limits.columns:,}")
        widths.extend(map(len, part))
        total += sum(widths[-len(part) :])
        if len(widths) > limits.rows + 1:
            raise TableError(f"the table has more rows than the limit of {limits.rows:,}: split it")
        if total > cells:
            raise TableError(f"the table has more cells than the limit of {cells:,}: split it")
        codes.append(np.fromiter(map(code_of.__getitem__, chain.from_iterable(part)), dtype=np.int32))
    starts = np.append(0, np.cumsum(np.array(widths, dtype=np.int64))).astype(np.int64)
    flat = np.concatenate(codes) if codes else np.empty(0, dtype=np.int32)
    return Grid(flat, starts, np.array(lines, dtype=np.int64), list(code_of), np.arange(len(lines)))


def gunzip(data: bytes, limits: Limits) -> bytes:
    """The content of a gzip file, never unpacking more than ``limits.expanded`` bytes."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limits.expanded + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError("the gzip file is damaged or cut off: compress it again") from error
    if len(content) > limits.expanded:
        raise TableError(f"the gzip file unpacks to more than the limit of {in_mib(limits.expanded)}: split the table")
    return content


def decode(data: bytes, encoding: str | None) -> tuple[str, str, bytes, bool]:
    """The text, its codec, its byte order mark (b"" if it has none), and whether the codec is a guess: neither a mark
    nor valid UTF-8 tells it. Then charset-normalizer decides; in doubt it is Windows-1252, or else Latin-1."""
    bom, codec = next(((bom, codec) for bom, codec in BOMS if data.startswith(bom)), (b"", None))
    guess = False
    if encoding is not None:
        codec = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)
        codec, bom = next(((c, b) for b, c in BOMS if data.startswith(b) and c[:6] == codec[:6]), (codec, b""))
    if codec is None:
        try:
            return _checked(data.decode("utf-8")), "utf-8", b"", False
        except UnicodeDecodeError:
            codec, guess = _eight_bit(data), True
    try:
        return _checked(data[len(bom) :].decode(codec)), codec, bom, guess
    except UnicodeDecodeError as error:
        raise TableError(
            f"the file is not text in the encoding {codec} (byte {error.start:,} does not fit): choose another encoding"
        ) from error


def _eight_bit(data: bytes) -> str:
    """The encoding of bytes that are not UTF-8, by the first hundred lines with a byte that is not ASCII."""
    lines = (line for line in data[: 2**21].splitlines() if not line.isascii())
    sample = b"\n".join(islice(lines, 100))
    matches = charset_normalizer.from_bytes(sample, cp_isolation=_GUESSED, preemptive_behaviour=False)
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
            f"the file holds {what}, so it is not a text file: save the table as CSV or .xlsx, or name its encoding"
        )
    return text


def load_text(data: bytes, options: ReadOptions, progress: Callable[[float], None] | None = None) -> Loaded:
    """The grid of a text file in any dialect."""
    text, codec, bom, guess = decode(data, options.encoding)
    text = text.rstrip("\x1a")
    if _MARKUP.match(text):
        raise TableError("the file is a web page or XML, not a table: open it in Excel and save it as .xlsx or CSV")
    if _JSON.match(text):
        raise TableError("the file is JSON, not a table: save it as CSV with one line per rating")
    if text.startswith("%%MatrixMarket"):
        raise TableError(
            "the file is in the Matrix Market format, not a table: read it with scipy.io.mmread, and save one line per "
            "rating as CSV"
        )
    sample = _sample(text)
    if any(_BLOCK_LINE.fullmatch(line) for line in sample):
        raise TableError(
            'the file has lines such as "1:" that name a film, or an item, for the lines below them: add a column '
            "with the item of each line"
        )
    named = _SEPARATOR_LINE.match(text)
    said = options.delimiter or (named[1] if named and named[1] in DELIMITERS else None)
    delimiter = said or guess_delimiter(sample)
    message = f"the text is not UTF-8; it was read as {codec}: check names with accents"
    notes = [Note("encoding", message)] if guess else []
    escaped = bool(_ESCAPED.search(text)) and not _DOUBLED.search(text)
    for quotes in (True, False):
        try:
            records = split_records(text, delimiter, quotes, progress, escaped)
            cells = ((line, [] if named and line == 1 else record) for line, record, _ in records)
            grid = build_grid(cells, options.limits, options.limits.cells)
            break
        except csv.Error as error:
            if not quotes:
                message = "a line holds more than 131,072 characters in one cell: is the delimiter right?"
                raise TableError(message) from error
            message = "quotation marks do not come in pairs; they were read as ordinary characters"
            notes.append(Note("quotation marks", message))
    newline = found[0] if (found := _NEWLINE.search(text)) else "\n"
    dialect = Dialect(delimiter, encoding=codec, bom=bom, newline=newline, quotes=quotes, escaped=escaped and quotes)
    return Loaded(grid, "text", data, dialect, notes=notes)


def _sample(text: str) -> list[str]:
    """The first whole lines of the text, without comments in front of them."""
    lines = io.StringIO(text[:_SAMPLE_CHARACTERS], newline="").readlines()
    whole = lines[:-1] if len(lines) > 1 and len(text) > _SAMPLE_CHARACTERS else lines
    table = dropwhile(lambda line: not line.strip() or COMMENT.match(line), whole)
    return list(islice(table, _SAMPLE_LINES)) or whole[:_SAMPLE_LINES]


def guess_delimiter(sample: list[str]) -> str:
    """The delimiter that cuts the sample's lines into equally many cells of which most are numbers or missing."""
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
        numbers = sum(is_number_like(cell) or is_missing(cell) or is_time(cell) for cell in cells)
        uncut = sum(bool(_UNCUT.search(cell)) for cell in cells)
        score = (round(lines / len(records) * (0.05 + (numbers - uncut) / len(cells)), 6), width)
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def _reader(lines: Iterable[str], delimiter: str, text: str, **how: Any) -> Any:
    """A csv.reader of the ``lines`` of ``text``. '::' is replaced by a control character, which ``decode`` refuses in
    texts; several spaces count as one delimiter; in ``a, "b"`` the space before the quotation mark is not part of b."""
    sign, spaced = "\x1f" if delimiter == "::" else delimiter, delimiter == " " or delimiter + ' "' in text
    if delimiter == "::":
        lines = (line.replace("::", sign) for line in lines)
    elif delimiter == " ":
        lines = (line.rstrip(" \r\n") + "\n" for line in lines)
    return csv.reader(lines, delimiter=sign, skipinitialspace=spaced, **how)


def split_records(
    text: str, delimiter: str, quotes: bool, progress: Callable[[float], None] | None = None, escaped: bool = False
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

    how, before = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE, 0
    escapes = {"escapechar": "\\", "doublequote": False} if escaped and quotes else {}
    reader = _reader(lines(), delimiter, text, quoting=how, strict=True, **escapes)
    for record in reader:
        yield before + 1, record, "".join(raw)
        raw.clear()
        before = reader.line_num


def raw_cells(content: str, delimiter: str, quotes: bool, escaped: bool = False) -> list[str]:
    """The cells of a record as they are written, with spaces and quotation marks: joined by the delimiter they are
    ``content``. Several spaces count as one delimiter; the further ones belong to the cell behind them."""
    if delimiter != " " and not (quotes and '"' in content):
        return content.split(delimiter)
    end = re.escape(delimiter)
    plain = f"(?:(?!{end}).)" + ("+" if delimiter == " " else "*")
    inside = r'[^"\\]|\\.' if escaped else '[^"]|""'
    cell = rf'( *"(?:{inside})*"?(?:(?!{end}).)*| *{plain}){end}' if quotes else f"( *{plain}){end}"
    cells = re.findall(cell, content.rstrip(" " if delimiter == " " else "") + delimiter, re.DOTALL)
    rest = content[len(delimiter.join(cells)) :]
    return [*cells[:-1], "".join(cells[-1:]) + rest] if rest else cells
