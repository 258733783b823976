"""The dialect of a text table: found in its first lines, and written again as it was."""

import pytest

from metamf.tables.dialect import Dialect, guess_delimiter, guess_quoting, newline_of, split_comments, split_lines


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        (["name,a,b\n", "ann,1,2\n"], ","),
        (["name;a;b\n", "ann;1,5;2,5\n"], ";"),
        (["a\tb\n", "1\t2\n"], "\t"),
        (["1::31::2.5\n", "1::32::3\n"], "::"),
        (["1 31 2.5\n", "1 32 3\n"], " "),
        (["Casablanca\n", "The Big Sleep\n", "The Third Man\n"], ","),  # names of several words, not columns
    ],
)
def test_the_delimiter_is_the_one_that_cuts_lines_into_numbers(lines, delimiter):
    assert guess_delimiter(lines) == delimiter


def test_leading_comments_are_split_off_and_may_name_the_delimiter():
    assert split_comments("sep=;\n# a comment\n\na;b\n#c;d\n") == (("sep=;", "# a comment", ""), 19, ";")
    assert split_comments("a,b\n# no comment\n") == ((), 0, None)
    assert newline_of("a,b\r\nc") == "\r\n" and newline_of("a") == "\n"


@pytest.mark.parametrize(
    ("lines", "quoting"),
    [
        (["a,b\n", "1,2\n"], "minimal"),
        (['a,"b,c"\n', "1,2\n"], "minimal"),
        (['"a","b"\n', '"ann",2\n'], "text"),
        (['"a","b"\n', '"1","2"\n'], "all"),
    ],
)
def test_the_quoting_that_writes_the_lines_as_they_are_is_found(lines, quoting):
    assert guess_quoting(lines, ",") == quoting
    dialect = Dialect(quoting=quoting)
    for line, record in zip(lines, split_lines(lines, ",")):
        assert dialect.line(dialect.quoted(cell, not cell.isdigit()) for cell in record) == line.rstrip()


def test_a_line_that_reading_would_skip_gets_quotation_marks():
    assert Dialect().line(["#1", "2"]) == '"#1",2' and Dialect().line([""]) == '""'
    assert Dialect(hash_leads=True).line(["#1", "2"], leads=True) == "#1,2"
    assert Dialect(quoting="none").line(["#1"]) == "#1" and Dialect(quoting="none").quoted('a"b') == 'a"b'
    assert Dialect(delimiter=";").quoted('say "hi"; go') == '"say ""hi""; go"'
