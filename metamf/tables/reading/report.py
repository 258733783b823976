"""What was understood of a table, in values for programs and in sentences for people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.options import DELIMITERS
from metamf.wording import counted, first_few, shown

_SUMMARIES = {
    "total",
    "totals",
    "sum",
    "mean",
    "average",
    "avg",
    "median",
    "summe",
    "gesamt",
    "mittelwert",
    "durchschnitt",
    "schnitt",
    "moyenne",
    "somme",
    "media",
    "promedio",
    "suma",
}


@dataclass(frozen=True)
class Note:
    """Something the reader noticed and dealt with in the way that ``message`` says.

    kind : 'encoding', 'quotation marks', 'title lines', 'number format', 'mixed formats', 'infinite values', 'ragged
    lines', 'blank rows', 'empty cells at the end', 'ignored columns', 'duplicates', 'duplicate labels', 'empty labels',
    'constant columns', 'summaries', 'empty rows', 'empty columns', 'suspected marker', 'escaped labels', 'sheets',
    'formulas', 'identifiers'
    where : an address such as 'line 4', or ""
    """

    kind: str
    message: str
    where: str = ""


@dataclass(frozen=True)
class TableReport:
    """How a file was understood.

    form, reason : 'wide' or 'long', and why in one sentence
    header, row_labels : whether names were found; label_column : the name of the column that holds the row names
    columns : of a long table, the names of the row, column and value columns
    sheet, sheets, file_columns : the sheet that was read; all sheets of the workbook, and all columns of the file
    missing : how many cells each text made missing, the empty one included, most frequent first
    suspected : numbers that look like missing markers but were read as ratings, with their counts
    duplicates, duplicate_examples : (row, column) pairs given more than once, and the first few of them
    """

    name: str
    form: str
    reason: str
    delimiter: str | None
    decimal: str
    thousands: str
    encoding: str | None
    header: bool
    row_labels: bool
    label_column: str | None
    columns: tuple[str, str, str] | None
    sheet: str | None
    sheets: tuple[str, ...]
    file_columns: tuple[str, ...]
    n_rows: int
    n_cols: int
    observed: int
    missing: dict[str, int]
    suspected: tuple[tuple[str, int], ...]
    duplicates: int
    duplicate_examples: tuple[str, ...]
    notes: tuple[Note, ...]

    def sentences(self) -> list[str]:
        """The report for a reader, most important first."""
        cells = self.n_rows * self.n_cols
        out = [
            f"{counted(self.n_rows, 'row')} and {counted(self.n_cols, 'column')}: {self.observed:,} of {cells:,} cells "
            f"are observed ({100 * self.observed / cells:.3g} %).",
            f"Read as a {self.form} table: {self.reason}.",
            self._dialect(),
            self._labels(),
            self._missing(),
        ]
        for note in self.notes:
            sentence = f"{note.message[:1].upper()}{note.message[1:]}{f' ({note.where})' if note.where else ''}"
            out.append(sentence + ("" if sentence.endswith((".", "?")) else "."))
        return out

    def _dialect(self) -> str:
        numbers = "decimal comma" if self.decimal == "," else "decimal point"
        if self.thousands:
            numbers += f", thousands sign {shown(self.thousands)}"
        if self.sheet is not None:
            return f"Sheet {shown(self.sheet)}; {numbers}."
        if self.delimiter is None:
            return "A matrix saved by NumPy."
        return f"Delimiter: {DELIMITERS.get(self.delimiter, self.delimiter)}; {numbers}; encoding: {self.encoding}."

    def _labels(self) -> str:
        header = "The first line holds names" if self.header else "There is no header line"
        if self.form == "long":
            return f"{header}; rows, columns and values are {', '.join(shown(c) for c in self.columns)}."
        return f"{header}; {'the first column holds row names' if self.row_labels else 'rows have no names'}."

    def _missing(self) -> str:
        if not self.missing:
            return "No cell is marked as missing."
        tokens = [f"{count:,} {'empty' if not text else shown(text)}" for text, count in self.missing.items()]
        return f"Cells marked as missing: {first_few(tokens, 8)}. Zero {self._zero()}."

    def _zero(self) -> str:
        return "counts as missing, as you said" if any(_is_zero(text) for text in self.missing) else "is a rating"


def _is_zero(text: str) -> bool:
    digits = [c for c in text if c.isdigit()]
    return bool(digits) and set(digits) == {"0"} and not any(c.isalpha() for c in text)


def label_of(labels: tuple | None, i: int, what: str) -> str:
    """'row 3 ("ann")', or 'row 3' without names; positions are counted from 1."""
    return f"{what} {i + 1:,}" + ("" if labels is None or not labels[i] else f" ({shown(str(labels[i]))})")


def suspected_markers(values: np.ndarray) -> tuple[tuple[float, int], ...]:
    """Observed numbers that may mean "missing": far outside the rest and frequent, or an overwhelming zero.

    Up to three values at one end are suspected if the gap between them and the rest is more than twice the range of the
    rest (three different values at least), and they make up one percent of the observed cells, two cells at least. Zero
    is suspected if it is the smallest value and more than half of all observed cells, next to three other values.
    """
    distinct, counts = np.unique(values, return_counts=True)
    suspects = {}
    for sign in (1, -1):
        v, c = (distinct, counts) if sign == 1 else (-distinct[::-1], counts[::-1])
        for k in range(1, min(3, len(v) - 3) + 1):
            gap, span = v[-k] - v[-k - 1], v[-k - 1] - v[0]
            if gap > 2 * span and c[-k:].sum() >= max(2, 0.01 * values.size):
                suspects |= {sign * v[-i]: int(c[-i]) for i in range(1, k + 1)}
    if len(distinct) > 3 and distinct[0] == 0 and counts[0] > 0.5 * values.size:
        suspects[0.0] = int(counts[0])
    return tuple((float(v), n) for v, n in sorted(suspects.items()))


def matrix_notes(ratings: Ratings) -> list[Note]:
    """Constant columns, empty rows and columns, labels given twice or not at all. All of these are kept."""
    notes = []
    filled = ratings.col_counts > 1
    low, high = np.full(ratings.n_cols, np.inf), np.full(ratings.n_cols, -np.inf)
    np.minimum.at(low, ratings.cols, ratings.values)
    np.maximum.at(high, ratings.cols, ratings.values)
    for kind, found, labels, what, text in (
        (
            "constant columns",
            filled & (low == high),
            ratings.col_labels,
            "column",
            "always the same value; kept, since rows may still differ",
        ),
        (
            "empty rows",
            ratings.row_counts == 0,
            ratings.row_labels,
            "row",
            "no observed cell; kept, and filled from the columns alone",
        ),
        (
            "empty columns",
            ratings.col_counts == 0,
            ratings.col_labels,
            "column",
            "no observed cell; kept, and filled from the rows alone",
        ),
    ):
        if found.any():
            where = first_few([label_of(labels, i, what) for i in np.flatnonzero(found)[:4]])
            n = int(found.sum())
            notes.append(Note(kind, f"{counted(n, what)} {'has' if n == 1 else 'have'} {text}", where))
    for labels, what in ((ratings.row_labels, "row"), (ratings.col_labels, "column")):
        if labels is None:
            continue
        if sums := [shown(label) for label in labels if label.strip(" :.").casefold() in _SUMMARIES]:
            notes.append(
                Note(
                    "summaries",
                    f"{counted(len(sums), what)} may be a total or a mean of the others and not "
                    "ratings; kept: take it out of the file if so",
                    first_few(sums),
                )
            )
        twice = len(labels) - len(set(labels))
        if blank := labels.count(""):
            notes.append(Note("empty labels", f"{counted(blank, what)} {'has' if blank == 1 else 'have'} no name"))
            twice -= blank - 1
        if twice:
            seen: set = set()
            again = [shown(label) for label in labels if label and (label in seen or seen.add(label))]
            notes.append(
                Note(
                    "duplicate labels",
                    f"{counted(len(again), what + ' name')} given again; {what}s of the same name are kept apart",
                    first_few(list(dict.fromkeys(again))),
                )
            )
    return notes
