"""Numbers and lists in sentences."""

import pytest

from metamf.wording import (
    first_few,
    name_of,
    percent_of_any_size,
    percent_with_error,
    shown,
    written,
)

SPACE = "\N{NO-BREAK SPACE}"
NAN = float("nan")
NAMES = "ann", ""
SAID = [  # ~ is a space at which no line breaks
    # a share of any size keeps two digits, and never an exponent
    (percent_of_any_size, (1,), "100~%"),
    (percent_of_any_size, (0.725,), "72~%"),
    (percent_of_any_size, (0.0999,), "10~%"),
    (percent_of_any_size, (0.0996,), "10~%"),
    (percent_of_any_size, (0.05,), "5~%"),
    (percent_of_any_size, (0.0421,), "4.2~%"),
    (percent_of_any_size, (0.00005,), "0.005~%"),
    # a standard error is said where it is known and not zero
    (percent_with_error, (0.1234, 0.031, 0), "12~±~3~%"),
    (percent_with_error, (0.1234, 0.031, 1), "12.3~±~3.1~%"),
    (percent_with_error, (0.1234, 0.004, 0), "12~%"),
    (percent_with_error, (0.1234, NAN, 1), "12.3~%"),
    (first_few, (["a", "b", "c"],), "a, b, c"),
    (first_few, ([str(i) for i in range(2000)], 2), "0, 1 and 1,998 more"),
    # a quoted text is short, and no terminal obeys it
    (shown, ("ann",), '"ann"'),
    (shown, ("\x1b[2J\u202e",), '"\\x1b[2J\\u202e"'),
    (shown, ("x" * 1000,), f'"{"x" * 37}..."'),
    # who has no name has a number
    (name_of, (NAMES, 0, "row"), "ann"),
    (name_of, (NAMES, 1, "row"), "row 2"),
    (name_of, (None, 1, "row"), "row 2"),
    (name_of, (None, 1, ""), "2"),
    # as a person would write it
    (written, (1.234,), "1.23"),
    (written, (912.3,), "912"),
    (written, (7.31e45,), "7 × 10⁴⁵"),
    (written, (4e-49,), "4 × 10⁻⁴⁹"),
    (written, (0.00142,), "0.0014"),
    (written, (-0.0111,), "−0.011"),
    (written, (0.0,), "0.00"),
    (written, (NAN,), "–"),
    (written, (float("inf"),), "–"),
]


@pytest.mark.parametrize(("say", "of", "text"), SAID)
def test_numbers_and_names_are_said_as_a_person_would(say, of, text):
    assert say(*of) == text.replace("~", SPACE)
