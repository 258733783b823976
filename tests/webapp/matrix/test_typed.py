"""What is typed into the sheet of an own matrix: what it says, what is refused, and its address."""

import numpy as np
import pytest
from opened import no_data_sets  # noqa: F401  a fixture

from metamf.webapp.matrix.grid import EXAMPLE, IN_ADDRESS, Sheet, TypedError


def sheet(rows=("Ada", "Ben"), cols=("Alien", "Brazil"), cells=(("5", ""), ("", "1"))):
    return Sheet(tuple(rows), tuple(cols), tuple(map(tuple, cells)))


def test_names_and_numbers_make_a_matrix():
    matrix = sheet(rows=(" Ada  L. ", ""), cells=(("4,5", " "), ("", "−1"))).matrix()
    np.testing.assert_array_equal(matrix.ratings.to_dense(), [[4.5, np.nan], [np.nan, -1]])
    assert matrix.ratings.row_labels == ("Ada L.", "row 2") and matrix.ratings.col_labels == ("Alien", "Brazil")
    assert EXAMPLE.matrix().ratings.scale.maximum == 5


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"rows": ("Ada", " Ada ")}, 'Two rows are called "Ada": give one of them another name.'),
        ({"cols": ("", "column 1")}, 'Two columns are called "column 1"'),
        ({"cells": (("lots", ""), ("", "1"))}, 'Ada, Alien: "lots" is not a number.'),
        ({"cells": (("5", "1e999"), ("", "1"))}, 'Ada, Brazil: "1e999" is not a number.'),
        ({"cells": (("5" * 40, ""), ("", "1"))}, "is not a number"),
        ({"cells": (("5", "1e300"), ("", "1"))}, "is too large"),
        ({"cols": ("x" * 61, "y")}, "is longer than 60 characters"),
    ],
)
def test_what_is_not_a_matrix_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(TypedError, match=sentence):
        sheet(**changes).matrix()


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {"rows": ["a"], "cols": ["b"]},
        {"rows": ["a"], "cols": ["b"], "cells": [["1", "2"]]},
        {"rows": ["a"], "cols": ["b"], "cells": [[1]]},
        {"rows": ["a"], "cols": ["b"], "cells": 5},
        {"rows": [], "cols": [], "cells": []},
        {"rows": ["a"] * 31, "cols": ["b"], "cells": [[""]] * 31},
    ],
)
def test_whatever_a_browser_sends_is_a_sheet_or_refused(sent):
    with pytest.raises(TypedError):
        Sheet.sent(sent)


def test_a_sheet_comes_back_from_the_address_unless_it_is_too_large():
    typed = sheet(rows=("Ada ~_!t", "²"), cols=("", "<b>"), cells=(("5", "x"), ("", " 1,5")))
    assert Sheet.from_text(typed.to_text()) == typed
    large = Sheet(("row",) * 30, ("column",) * 30, (("−1,234.5",) * 30,) * 30)
    assert large.to_text() == ""
    assert len(Sheet(("",) * 30, ("",) * 30, (("5",) * 30,) * 30).to_text()) < IN_ADDRESS
