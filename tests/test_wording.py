"""Numbers and lists in sentences."""

import pytest

from metamf import wording

OF_SHARES = {1: "100", 0.725: "72", 0.0999: "10", 0.0996: "10", 0.05: "5", 0.0421: "4.2"}


@pytest.mark.parametrize("share, text", [*OF_SHARES.items(), (0.00005, "0.005")])
def test_a_share_of_any_size_keeps_two_digits_and_never_an_exponent(share, text):
    assert wording.percent_of_any_size(share) == f"{text}\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    "error, decimals, text",
    [
        (0.031, 0, "12 ± 3 %"),
        (0.031, 1, "12.3 ± 3.1 %"),
        (0.004, 0, "12 %"),
        (float("nan"), 1, "12.3 %"),
    ],
)
def test_a_percentage_tells_a_standard_error_that_is_known_and_not_zero(error, decimals, text):
    assert wording.percent_with_error(0.1234, error, decimals) == text.replace(
        " ", "\N{NO-BREAK SPACE}"
    )


def test_of_many_items_the_first_few_are_named():
    assert wording.first_few(["a", "b", "c"]) == "a, b, c"
    assert wording.first_few([str(i) for i in range(2000)], 2) == "0, 1 and 1,998 more"


def test_a_quoted_text_is_short_and_no_terminal_obeys_it():
    assert wording.shown("ann") == '"ann"'
    assert wording.shown("\x1b[2J\u202e") == '"\\x1b[2J\\u202e"'
    assert len(wording.shown("x" * 1000)) == 42 and wording.shown("x" * 1000).endswith('..."')


def test_who_has_no_name_has_a_number():
    assert wording.name_of(("ann", ""), 0, "row") == "ann"
    assert wording.name_of(("ann", ""), 1, "row") == wording.name_of(None, 1, "row") == "row 2"
    assert wording.name_of(None, 1, "") == "2"


@pytest.mark.parametrize(
    "value, text",
    [
        (1.234, "1.23"),
        (912.3, "912"),
        (7.31e45, "7 × 10⁴⁵"),
        (4e-49, "4 × 10⁻⁴⁹"),
        (0.00142, "0.0014"),
        (-0.0111, "−0.011"),
        (0.0, "0.00"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_numbers_of_any_size_are_written_as_a_person_would(value, text):
    assert wording.written(value) == text
