"""Bytes -> cells: what a person said about a file before it is read, and the file of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from metamf.tables.binary import kind_of, load_binary
from metamf.tables.limits import WEB, Limits, TableError
from metamf.tables.plan import ANEW, Source
from metamf.tables.text import DELIMITERS, Loaded, gunzip, load_text
from metamf.wording import in_mib

_SPELLED = {
    "delimiter": {name: sign for sign, name in DELIMITERS.items()} | {"\\t": "\t", "": " "},
    "thousands": {"": " ", "space": " ", "none": ""},
}
_POSSIBLE = {  # what is said, and how it is called
    "header": (r"\d+", "takes a number of lines"),
    "form": (r"(?:wide|long)\b.*", "is wide or long"),
    "delimiter": ("|".join(map(re.escape, DELIMITERS)), f"is {', '.join(DELIMITERS.values())}"),
    "decimal": ("[.,]{1,2}", "is . or ,"),
    "thousands": ("[,. ']?", "is one of , . ' space none"),
}


@dataclass(frozen=True)
class Said:
    """What a person, or a plan, says of a file; the reader guesses what is None."""

    limits: Limits = WEB
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: str | None = None
    form: str = ""

    @classmethod
    def of(cls, edits: Sequence[str], limits: Limits) -> Said:
        """What some edits say; TableError for a value that cannot be."""
        said: dict[str, Any] = {}
        for edit in since_proposed(edits):
            what, colon, text = (part.strip() for part in edit.partition(":"))
            if not colon or what not in ANEW:
                continue
            said[what] = value = _SPELLED.get(what, {}).get(text, text)
            pattern, possible = _POSSIBLE.get(what, (".*", ""))
            if not re.fullmatch(pattern, value, re.DOTALL):
                raise TableError(f"{what}: {possible}, not {text!r}")
        said.pop("all", None)
        return cls(limits, **said)

    @classmethod
    def by(cls, source: Source, limits: Limits) -> Said:
        """What a plan says of its file."""
        return cls(limits, source.sheet, source.encoding, source.delimiter)


def since_proposed(edits: Sequence[str]) -> tuple[str, ...]:
    """The edits behind the last "all: proposed"."""
    last = [i for i, edit in enumerate(edits) if re.fullmatch(r"\s*all\s*:\s*proposed\s*", edit)]
    return tuple(edits[last[-1] + 1 :] if last else edits)


def load(data: bytes, said: Said, progress: Callable[[float], None] | None = None) -> Loaded:
    """The cells of a file as texts, whatever its kind; TableError where it is too large, damaged or
    of a kind that is not read."""
    limits = said.limits
    if len(data) > limits.bytes:
        size = f"{in_mib(len(data))}, above the limit of {in_mib(limits.bytes)}"
        raise TableError(f"the file is {size}: split it")
    kind = kind_of(data)
    if kind == "gzip":
        data = gunzip(data, limits)
        kind = kind_of(data)
    if not data.strip():
        raise TableError("the file is empty: it must contain a table with at least one number")
    if kind == "text":
        return load_text(data, limits, said.encoding, said.delimiter, progress)
    return load_binary(data, kind, limits, said.sheet)
