"""Cells that are given more than once."""

import pytest
from awkward_files import LONG

from metamf.tables import ReadOptions, TableError, read_table


def test_duplicates_are_counted_and_shown():
    data = ("user,item,rating\n" + "ann,Alien,5\nann,Alien,3\n" * 2 + "bob,Alien,1\nbob,Alien,1\n").encode()
    table = read_table(data, options=ReadOptions(duplicates="mean"))
    assert table.report.cells.duplicates == 2 and "lines 2 and 3" in table.report.cells.duplicate_examples[0]
    assert table.ratings.values.tolist() == [4.0, 1.0]
    assert table.source.cells.observed[0] == -1 and table.source.cells.texts[table.source.cells.observed[1]] == "1"


@pytest.mark.parametrize("how, value", [("mean", 3.5), ("first", 5), ("last", 2)])
def test_duplicates_are_resolved_as_asked_and_the_report_says_how(how, value):
    data = LONG.encode() + b"ann,Alien,2\n"
    table = read_table(data, options=ReadOptions(duplicates=how))
    assert table.ratings.to_dense()[0, 0] == value and table.ratings.nnz == 3
    (note,) = (note for note in table.report.notes if note.kind == "duplicates")
    assert how in note.message


def test_duplicates_are_refused_with_their_place_unless_a_rule_is_chosen():
    with pytest.raises(TableError, match=r'\("ann", "Alien"\) in lines 2 and 5: choose whether'):
        read_table(LONG.encode() + b"ann,Alien,2\n")


@pytest.mark.parametrize(
    ("more", "said"),
    [("", r"1 \(row, column\) pair is given"), ("b,x,1\nb,x,2\n", r"2 \(row, column\) pairs are given")],
)
def test_the_error_counts_the_pairs(more, said):
    with pytest.raises(TableError, match=said):
        read_table(f"user,item,rating\na,x,3\na,x,4\nc,y,5\n{more}".encode())
