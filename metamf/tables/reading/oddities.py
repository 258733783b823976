"""Oddities of a matrix that was read: markers in disguise, columns and rows without content, doubled names."""

from __future__ import annotations

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.tables.reading.cells import RatingCells
from metamf.tables.reading.notes import Note, label_of
from metamf.tables.reading.numerals import INFINITE, NO_VALUE, Meanings
from metamf.tables.reading.vocabulary import SUMMARIES
from metamf.wording import counted, first_few, shown


def notes_on_numbers(cells: RatingCells, texts: list[str], m: Meanings) -> list[Note]:
    """Cells that are infinite, or written with another decimal sign than the rest."""
    notes = []
    for kind, found, message in (
        ("infinite values", m.kinds == INFINITE, "infinite; they count as missing"),
        ("mixed formats", m.mixed, "written with the other decimal sign than the rest; they were read as meant"),
    ):
        at = np.flatnonzero(found[cells.codes])
        if len(at):
            where = f"{shown(texts[cells.codes[at[0]]])} in line {cells.lines[at[0]]:,}"
            notes.append(Note(kind, f"{counted(len(at), 'cell')} {'is' if len(at) == 1 else 'are'} {message}", where))
    return notes


def count_missing(cells: RatingCells, texts: list[str], m: Meanings) -> dict[str, int]:
    """Number of cells that each text made missing, the most frequent text first."""
    counts = np.bincount(cells.codes, minlength=len(texts))
    counts[(m.kinds != NO_VALUE) & (m.kinds != INFINITE)] = 0
    missing: dict[str, int] = {}
    for code in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]:
        text = texts[code].strip()
        missing[text] = missing.get(text, 0) + int(counts[code])
    return missing


def notes_on_markers(suspected: tuple[tuple[float, int], ...]) -> list[Note]:
    """Notes on numbers that may mean "missing"."""
    return [
        Note(
            "suspected marker",
            f"the number {value:g} stands in {counted(n, 'cell')}, apart from all others: if it means missing, name it "
            "as a missing marker",
        )
        for value, n in suspected
    ]


def notes_on_matrix(ratings: Ratings) -> list[Note]:
    """Constant columns, empty rows and columns, summaries, and names given twice or not at all. All are kept."""
    rows, columns = (ratings.row_labels, "row"), (ratings.col_labels, "column")
    constant = "always the same value; kept, since rows may still differ"
    empty = "no observed cell; kept, and filled from the"
    return [
        *_note_on_found("constant columns", _constant_columns(ratings), *columns, constant),
        *_note_on_found("empty rows", ratings.row_counts == 0, *rows, f"{empty} columns alone"),
        *_note_on_found("empty columns", ratings.col_counts == 0, *columns, f"{empty} rows alone"),
        *_notes_on_labels(*rows),
        *_notes_on_labels(*columns),
    ]


def _constant_columns(ratings: Ratings) -> np.ndarray:
    """(M,) whether all entries of a column are equal, two at least."""
    low, high = np.full(ratings.n_cols, np.inf), np.full(ratings.n_cols, -np.inf)
    np.minimum.at(low, ratings.cols, ratings.values)
    np.maximum.at(high, ratings.cols, ratings.values)
    return (ratings.col_counts > 1) & (low == high)


def _note_on_found(kind: str, found: np.ndarray, labels: tuple | None, noun: str, text: str) -> list[Note]:
    """A note on the rows or columns where ``found`` is True: how many there are, and the first few."""
    n = int(found.sum())
    if not n:
        return []
    where = first_few([label_of(labels, int(i), noun) for i in np.flatnonzero(found)])
    return [Note(kind, f"{counted(n, noun)} {'has' if n == 1 else 'have'} {text}", where)]


def _notes_on_labels(labels: tuple[str, ...] | None, noun: str) -> list[Note]:
    notes: list[Note] = []
    if labels is None:
        return notes
    if sums := [shown(label) for label in labels if label.strip(" :.").casefold() in SUMMARIES]:
        message = (
            f"{counted(len(sums), noun)} may be a total or a mean of the others and not ratings; kept: take "
            f"{'it' if len(sums) == 1 else 'them'} out of the file if so"
        )
        notes.append(Note("summaries", message, first_few(sums)))
    if blank := labels.count(""):
        notes.append(Note("empty labels", f"{counted(blank, noun)} {'has' if blank == 1 else 'have'} no name"))
    first = {label: i for i, label in reversed(list(enumerate(labels)))}
    again = [shown(label) for i, label in enumerate(labels) if label and first[label] < i]
    if again:
        message = f"{counted(len(again), noun + ' name')} given again; {noun}s of the same name are kept apart"
        notes.append(Note("duplicate labels", message, first_few(list(dict.fromkeys(again)))))
    return notes
