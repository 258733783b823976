"""How large a table may be, the error for a table that cannot be read or written, and the notes that reading takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from metamf.wording import MIB, in_mib

# Bytes of a process that reads and fills in a table: at rest, and of a cell, measured with 5.4 million of them
_AT_REST, _OF_A_CELL = 400 * MIB, 220
_FEWEST = 200_000  # cells that are read with any memory


class Answer(NamedTuple):
    """One answer to a question about a table: in words, and as an option of ``ReadOptions`` with its values."""

    words: str
    option: str
    values: tuple[Any, ...]


class TableError(ValueError):
    """A table that cannot be read or written; one sentence that names the value and says what to do."""

    sheets: tuple[str, ...] = ()  # names of the file's, as far as it was understood
    columns: tuple[str, ...] = ()
    first_lines: tuple[tuple[str, ...], ...] = ()  # texts of the first lines below the header, a text for each column
    sheet: str | None = None  # the one that was read
    markers: tuple[str, ...] = ()  # texts in cells that may well mean "missing"
    answers: tuple[Answer, ...] = ()  # what may be done, the likeliest first
    doubt: Doubt | None = None  # the first one of ``doubts``
    doubts: tuple[Doubt, ...] = ()  # all questions about the table


@dataclass(frozen=True)
class Doubt:
    """A question that only a person can answer."""

    columns: tuple[int, ...]  # positions of those in question
    names: tuple[str, ...]
    sentence: str  # what is odd about them, without a full stop
    answers: tuple[Answer, ...]  # to choose from, the likeliest first
    words: tuple[str, ...] = ()  # that need an order, which is an answer, too
    ordered: bool = False  # whether ``words`` stand in an order that may well be theirs, as A1, A2, A3 do
    given: Answer | None = None  # to another question, from which this one follows

    @property
    def key(self) -> tuple[str, ...]:
        """What the question is about, the same for the same question: columns and kinds of answers, and markers."""
        return (*self.names, *(a.option for a in self.answers), *sorted(self.texts))

    @property
    def texts(self) -> set[str]:
        """The texts that the question is about: words, and markers for missing."""
        return {*self.words, *(str(v) for a in self.answers if a.option == "missing_markers" for v in a.values)}

    @property
    def question(self) -> str:
        """The sentence, and from which answer it follows."""
        return f"if {self.given.words}: {self.sentence}" if self.given else self.sentence

    @property
    def likeliest(self) -> Answer:
        """The first answer, or the order of words where it is known."""
        return Answer("this is their order", "words", (self.words,)) if self.ordered else self.answers[0]


def likeliest_answers(doubts: Sequence[Doubt], given: Answer | None = None) -> list[tuple[Doubt, Answer]]:
    """Each question that has answers, and the likeliest one, ``given`` in place of that where it is one; and the
    questions that follow from these answers."""
    answered = [doubt for doubt in doubts if doubt.answers]
    firsts = [doubt for doubt in answered if doubt.given is None]
    pairs = [(doubt, given if given in doubt.answers else doubt.likeliest) for doubt in firsts]
    said = [answer for _, answer in pairs]
    return pairs + [(doubt, doubt.likeliest) for doubt in answered if doubt.given in said]


def in_doubt(*doubts: Doubt) -> TableError:
    """The error that asks some questions, with their answers."""
    sentences = []
    for doubt in doubts:
        options = [f"{a.option}={list(a.values)} ({a.words})" for a in doubt.answers]
        order = ["what their order is, lowest first, by words=[(...)]"] if doubt.words else []
        say = f": say {', or '.join(order + options)}" if order + options else ""
        sentences.append(f"{doubt.question}{say}")
    error = TableError("; and ".join(sentences))
    error.doubt, error.doubts = doubts[0], doubts
    error.answers = tuple(answer for doubt in doubts for answer in doubt.answers)
    error.markers = tuple(str(v) for a in error.answers if a.option == "missing_markers" for v in a.values)
    return error


@dataclass(frozen=True)
class Note:
    """A warning of the reader and how it was handled. ``message`` is a clause; ``kind`` is a name for programs;
    ``where`` is an address such as 'line 4', or ""."""

    kind: str
    message: str
    where: str = ""

    def sentence(self) -> str:
        """The note for a reader, with its address."""
        text = f"{self.message[:1].upper()}{self.message[1:]}{f' ({self.where})' if self.where else ''}"
        return text + ("" if text.endswith((".", "?")) else ".")


@contextmanager
def offering(**choices: object) -> Iterator[None]:
    """Within this context a TableError gets what there is to choose from: ``sheets``, or ``columns`` and lines."""
    try:
        yield
    except TableError as error:
        vars(error).update({name: value for name, value in choices.items() if name not in vars(error)})
        raise


@dataclass(frozen=True)
class Limits:
    """How large a table may be, by default on a server of two cores and some gigabytes of memory. Beyond a limit it
    is refused as a whole; nothing is cut off in silence."""

    bytes: int = 32 * MIB  # of the file as it arrives
    expanded: int = 64 * MIB  # bytes of what a .gz, .xlsx or .npz unpacks to, checked before or while it is unpacked
    rows: int = 1_500_000  # lines of the file
    columns: int = 20_000  # cells of one line, and columns of the matrix
    cells: int = 6_000_000  # of the file
    matrix_rows: int = 200_000  # each takes some kilobytes of memory while it is filled in
    matrix: int = 5_500_000  # cells, where all of it is filled in
    workbook_cells: int = 500_000  # of all sheets, which take far longer to read than text

    def within(self, memory: int) -> Limits:
        """The limits where a process of ``memory`` bytes reads and fills in a table; the same where that is enough."""
        most = max(_FEWEST, (memory - _AT_REST) // _OF_A_CELL)
        matrix = min(self.matrix, most) if self._whole else self.matrix
        return replace(self, cells=min(self.cells, most), matrix=matrix)

    @property
    def _whole(self) -> bool:
        """Whether all of the matrix is filled in."""
        return self.matrix < self.matrix_rows * self.columns

    def sentence(self) -> str:
        """The limits in words, to be shown before a file is chosen."""
        cells = f" and {self.matrix:,} cells" if self._whole else ""
        return (
            f"Files up to {in_mib(self.bytes)} ({in_mib(self.expanded)} unpacked), {self.rows:,} lines, "
            f"{self.columns:,} columns and {self.cells:,} cells (Excel: {self.workbook_cells:,}); a matrix of up to "
            f"{self.matrix_rows:,} rows{cells}."
        )

    def check_matrix(self, n_rows: int, n_cols: int) -> None:
        """Raises TableError if a matrix of ``n_rows`` x ``n_cols`` exceeds the limits."""
        for size, limit, what in ((n_rows, self.matrix_rows, "rows"), (n_cols, self.columns, "columns")):
            if size > limit:
                raise TableError(f"the table has {size:,} {what}, above the limit of {limit:,}: split it")
        if n_rows * n_cols > self.matrix:
            raise TableError(
                f"the matrix has {n_rows:,} rows x {n_cols:,} columns = {n_rows * n_cols:,} cells to fill, "
                f"above the limit of {self.matrix:,}: split it"
            )


WEB = Limits()
WINDOW = Limits(matrix=200_000 * 20_000)  # for pages that fill in a window of the matrix, never all of it
_MILLION = 1_000_000
COMMAND_LINE = Limits(
    1024 * MIB, 4096 * MIB, 50 * _MILLION, _MILLION, 200 * _MILLION, 50 * _MILLION, 200 * _MILLION, 20 * _MILLION
)
