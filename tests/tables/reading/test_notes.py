"""Notes: sentences on what was noticed in a file."""

from metamf.tables.reading.notes import Note, label_of


def test_a_note_is_a_sentence_with_its_address():
    assert Note("blank rows", "two lines were blank", "line 4").sentence() == "Two lines were blank (line 4)."
    assert Note("identifiers", "are these names?").sentence() == "Are these names?"


def test_the_address_of_a_row_has_its_name_if_it_has_one():
    assert label_of(("ann", ""), 0, "row") == 'row 1 ("ann")'
    assert label_of(("ann", ""), 1, "row") == label_of(None, 1, "row") == "row 2"
