"""Options that say how a table is read, and the option that answers a reader's question."""

import argparse

import peoples_files
import pytest

from metamf.cli.reading import add_reading, error_sentence, read_options
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.limits import COMMAND_LINE


def options(*words):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_reading(parser)
    return read_options(parser.parse_args(words))


def test_without_options_everything_is_guessed():
    assert options() == ReadOptions(limits=COMMAND_LINE)


def test_signs_have_names_columns_count_from_1_and_words_an_order():
    found = options(
        *("--delimiter", "\\t", "--thousands", "point", "--no-header", "--columns", "1", "film", "3"),
        *("--leave-alone", "Age", "--leave-alone", "2", "--leave-rows", "9", "--words", "bad < fair<good"),
    )
    assert (found.delimiter, found.thousands, found.header) == ("\t", ".", False)
    assert (found.row_column, found.column_column, found.value_column) == (0, "film", 2)
    assert (found.leave_alone, found.leave_rows, found.words) == (("Age", 1), (9,), (("bad", "fair", "good"),))


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--delimiter", "x"), "'x' is not one of comma"), (("--words", "good<good"), "not a scale of different words")],
)
def test_what_cannot_be_meant_is_named(words, said):
    with pytest.raises(argparse.ArgumentError, match=said):
        options(*words)


def test_a_question_of_the_reader_comes_with_the_option_that_answers_it():
    with pytest.raises(TableError) as caught:
        read_table(peoples_files.form())
    assert "--leave-alone Age if they are not ratings, or --ratings Age" in error_sentence(caught.value)
    error = TableError("cell (1, 2) holds a text")
    error.markers = ("n/a?",)
    assert error_sentence(error) == "cell (1, 2) holds a text (--missing 'n/a?')"
