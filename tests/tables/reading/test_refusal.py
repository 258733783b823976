"""Messages about cells are harmless themselves."""

import pytest

from metamf.tables import TableError, read_table


def test_text_that_no_one_asked_for_cannot_reach_a_terminal():
    with pytest.raises(TableError) as caught:
        read_table("a,b\n1,\u202eevil\u200b".encode() + b"x" * 500 + b"\n2,3\n")
    assert "\u202e" not in str(caught.value) and len(str(caught.value)) < 400
