"""Options that say how a table is to be read."""

from __future__ import annotations

import argparse
import shlex

from metamf.tables.limits import COMMAND_LINE, TableError
from metamf.tables.options import DELIMITERS, ENCODINGS, ReadOptions

DELIMITER_NAMES = {name.replace(" ", "-"): sign for sign, name in DELIMITERS.items()} | {"\\t": "\t"}
THOUSANDS = {"none": "", "point": ".", "comma": ",", "space": " ", "apostrophe": "'"}


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how a table is read."""
    table = parser.add_argument_group("table (what is not given is guessed)")
    table.add_argument(
        "--form",
        choices=("auto", "wide", "long"),
        default="auto",
        help="wide: one line per row of the matrix; long: one line per rating",
    )
    table.add_argument(
        "--delimiter", type=delimiter, help=f"the sign between cells, or its name: {', '.join(DELIMITER_NAMES)}"
    )
    table.add_argument("--decimal", choices=(".", ","), help="the decimal sign")
    table.add_argument("--thousands", choices=THOUSANDS, help="the sign that separates thousands")
    table.add_argument(
        "--encoding", choices=ENCODINGS, metavar="CODEC", help="the encoding of the text, such as utf-8 or cp1252"
    )
    table.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default="auto",
        help="whether the first line holds the names of the columns",
    )
    table.add_argument(
        "--row-labels",
        action=argparse.BooleanOptionalAction,
        default="auto",
        help="whether the first column of a wide table holds the names of the rows",
    )
    table.add_argument(
        "--columns",
        nargs=3,
        type=column,
        metavar=("ROW", "COLUMN", "VALUE"),
        help="columns of a long table, by name or by number from 1",
    )
    a_column, a_row = "a column, by name or by number from 1", "a row, by name or by line of the file"
    for name, kind, a_place, what in (
        ("names", column, a_column, "holds the names of the rows"),
        ("ratings", column, a_column, "holds ratings, whatever it looks like"),
        ("leave-alone", column, a_column, "holds no ratings and is written as it was read, such as an age or a remark"),
        ("leave-rows", row, a_row, "holds no ratings, such as one of averages"),
        ("keep-rows", row, a_row, "holds ratings although it looks like a sum or an average of the others"),
    ):
        table.add_argument(
            f"--{name}",
            action="append",
            type=kind,
            default=[],
            metavar=kind.__name__.upper(),
            help=f"{a_place}, that {what}; may be repeated",
        )
    table.add_argument(
        "--words",
        action="append",
        type=scale_of_words,
        default=[],
        metavar="A<B<C",
        help='words that stand for ratings, the lowest first, such as "Disagree<Neutral<Agree"; may be repeated',
    )
    table.add_argument("--sheet", help="the sheet of a workbook (default: the first that looks like a table)")
    table.add_argument(
        "--table",
        type=table_number,
        metavar="NUMBER",
        help="which of several tables under each other, counted from 1 (default: the largest)",
    )
    table.add_argument(
        "--missing",
        action="append",
        metavar="MARKER",
        help="a text or number that stands for a missing rating; may be repeated",
    )
    table.add_argument("--zero-is-missing", action="store_true", help="0 means missing; otherwise it is a rating")
    table.add_argument(
        "--duplicates",
        choices=("refuse", "mean", "last", "first"),
        default="refuse",
        help="what to do with a cell that is given more than once",
    )


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """The ``ReadOptions`` that these options mean."""
    row, column, value = arguments.columns or (None, None, None)
    return ReadOptions(
        form=arguments.form,
        delimiter=arguments.delimiter,
        decimal=arguments.decimal,
        thousands=None if arguments.thousands is None else THOUSANDS[arguments.thousands],
        encoding=arguments.encoding,
        header=arguments.header,
        row_labels=arguments.row_labels,
        row_column=row,
        column_column=column,
        value_column=value,
        missing_markers=tuple(arguments.missing or ()),
        zero_is_missing=arguments.zero_is_missing,
        duplicates=arguments.duplicates,
        sheet=arguments.sheet,
        table=arguments.table,
        names=tuple(arguments.names),
        ratings=tuple(arguments.ratings),
        leave_alone=tuple(arguments.leave_alone),
        leave_rows=tuple(arguments.leave_rows),
        keep_rows=tuple(arguments.keep_rows),
        words=tuple(arguments.words),
        limits=COMMAND_LINE,
    )


def delimiter(text: str) -> str:
    """A delimiter by its sign or by its name."""
    sign = DELIMITER_NAMES.get(text, text)
    if sign not in DELIMITERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(DELIMITER_NAMES)}")
    return sign


def column(text: str) -> str | int:
    """A column by its name, or by its position from 0, which a user counts from 1."""
    return int(text) - 1 if text.isdecimal() and int(text) else text


def table_number(text: str) -> int:
    """A table of several, by its position from 0, which a user counts from 1."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a table, counted from 1")
    return int(text) - 1


def row(text: str) -> str | int:
    """A row by its name, or by the line of the file, counted from 1."""
    return int(text) if text.isdecimal() and int(text) else text


def scale_of_words(text: str) -> tuple[str, ...]:
    """A scale of words, the lowest first, with < between them."""
    words = tuple(word.strip() for word in text.split("<"))
    if len(set(words)) < max(2, len(words)) or not all(words):
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale of different words such as 'Disagree<Neutral<Agree'")
    return words


def error_sentence(error: TableError) -> str:
    """Why a table cannot be read, and which option says what to do about it."""
    if error.doubts:
        doubt = error.doubts[0]
        named = " ".join(f"--leave-alone {shlex.quote(name)}" for name in doubt.names)
        if doubt.words:
            order = shlex.quote("<".join(doubt.words))
            return f"{doubt.sentence}: say with --words {order} in which order they stand, lowest first, or {named}"
        kept = " ".join(f"--ratings {shlex.quote(name)}" for name in doubt.names)
        return f"{doubt.sentence}: say {named} if they are not ratings, or {kept}"
    return f"{error}{''.join(f' (--missing {shlex.quote(text)})' for text in error.markers)}"
