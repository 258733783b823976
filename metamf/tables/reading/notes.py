"""Notes: what the reader noticed in a file, and how it dealt with it."""

from __future__ import annotations

from dataclasses import dataclass

from metamf.wording import shown


@dataclass(frozen=True)
class Note:
    """Something the reader noticed, and dealt with in the way that the message says.

    Attributes
    ----------
    kind : 'encoding', 'quotation marks', 'title lines', 'number format', 'mixed formats', 'infinite values', 'ragged
        lines', 'blank rows', 'empty cells at the end', 'ignored columns', 'duplicates', 'duplicate labels', 'empty
        labels', 'constant columns', 'summaries', 'empty rows', 'empty columns', 'suspected marker', 'escaped labels',
        'sheets', 'tables', 'formulas' or 'identifiers'
    message : a sentence without its capital letter and its full stop
    where : an address such as 'line 4', or ""
    """

    kind: str
    message: str
    where: str = ""

    def sentence(self) -> str:
        """The note for a reader, with its address."""
        text = f"{self.message[:1].upper()}{self.message[1:]}{f' ({self.where})' if self.where else ''}"
        return text + ("" if text.endswith((".", "?")) else ".")


def label_of(labels: tuple | None, position: int, noun: str) -> str:
    """The address of a row or column: 'row 3 ("ann")', or 'row 3' if it has no name; counted from 1."""
    name = "" if labels is None or not labels[position] else f" ({shown(str(labels[position]))})"
    return f"{noun} {position + 1:,}{name}"
