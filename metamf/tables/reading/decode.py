"""Bytes -> text: the kind of the file, bounded unpacking of gzip, the encoding, and the refusal of other formats.

The kind is recognised by the first bytes, never by the name of the file.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib

import charset_normalizer

from metamf.tables.limits import Limits, TableError
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
_AROUND = 200  # bytes on each side of a letter that is not ASCII, from which its encoding is guessed
_MARKUP = re.compile(r"\s*<(?:!doctype|\?xml|html|head|body|table|script)\b", re.IGNORECASE)
_JSON = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")


def kind_of(data: bytes) -> str:
    """'gzip', 'zip' (.xlsx, .npz), 'xls', 'npy', or 'text' for everything else."""
    for magic, kind in (
        (b"\x1f\x8b", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls"),
        (b"\x93NUMPY", "npy"),
    ):
        if data.startswith(magic):
            return kind
    return "text"


def gunzip(data: bytes, limits: Limits) -> bytes:
    """The content of a gzip file, never unpacking more than ``limits.expanded`` bytes."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(limits.expanded + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError("the gzip file is damaged or cut off: pack it again") from error
    if len(content) > limits.expanded:
        raise TableError(f"the gzip file unpacks to more than {in_mib(limits.expanded)}: take a part of the table")
    return content


def decode(data: bytes, encoding: str | None) -> tuple[str, str, bytes, bool]:
    """The text, its codec, its byte order mark (b"" if it has none), and whether the codec is a guess.

    A byte order mark decides. Without one, UTF-16 is recognised by its zero bytes, and what is valid UTF-8 is
    UTF-8. Of the rest charset-normalizer decides; in doubt it is Windows-1252, or else Latin-1.
    """
    bom, codec = next(((bom, codec) for bom, codec in BOMS if data.startswith(bom)), (b"", None))
    guess = False
    if encoding is not None:
        codec = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)
        codec, bom = next(((c, b) for b, c in BOMS if data.startswith(b) and c[:6] == codec[:6]), (codec, b""))
    elif codec is None:
        codec = _by_zero_bytes(data[:65536])
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


def _by_zero_bytes(head: bytes) -> str | None:
    """UTF-16 without a mark: digits and delimiters have a zero byte each, all on the same side."""
    pairs = len(head) // 2
    if not pairs or b"\0" not in head:
        return None
    low, high = head[1::2].count(0), head[0::2].count(0)
    if low > 0.3 * pairs and not high:
        return "utf-16-le"
    return "utf-16-be" if high > 0.3 * pairs and not low else None


def _eight_bit(data: bytes) -> str:
    sample = b"\n".join(_around_letters(data[: 2**21]))
    western = "cp1252"
    try:
        data.decode(western)
    except UnicodeDecodeError:
        western = "latin-1"
    matches = charset_normalizer.from_bytes(sample, cp_isolation=_GUESSED, preemptive_behaviour=False)
    best = matches.best()
    as_western = next((match for match in matches if "cp1252" in match.could_be_from_charset), None)
    if best is None or (as_western is not None and as_western.chaos <= best.chaos + 0.05):
        return western
    try:
        data.decode(best.encoding)
    except UnicodeDecodeError:
        return western
    return best.encoding


def _around_letters(data: bytes) -> list[bytes]:
    """The first hundred places at which a byte is not ASCII, each with what is around it in its line."""
    found, end = [], 0
    for letter in re.finditer(rb"[\x80-\xff]", data):
        if letter.start() < end:
            continue
        before = data[max(end, letter.start() - _AROUND) : letter.start()]
        after = data[letter.start() : letter.start() + 1 + _AROUND]
        found.append(re.split(rb"[\r\n]", before)[-1] + re.split(rb"[\r\n]", after)[0])
        end = letter.start() + len(re.split(rb"[\r\n]", after)[0])
        if len(found) == 100:
            break
    return found


def _checked(text: str) -> str:
    text = text.rstrip("\x1a")  # the end-of-file character of DOS
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"the control character U+{ord(found[0]):04X} in line {line:,}"
        raise TableError(f"the file holds {what}, so it is not a table of text: save the table as CSV or .xlsx")
    return text


def refuse_other_formats(text: str) -> None:
    """Raises TableError for a web page, XML or JSON, even if the file is called .csv."""
    if _MARKUP.match(text):
        raise TableError("the file is a web page or XML, not a table: open it in Excel and save it as .xlsx or CSV")
    if _JSON.match(text):
        raise TableError("the file is JSON, not a table: save it as CSV with one line per rating")
