"""The keys that results of Your table are kept under."""

from dataclasses import replace

from metamf.ratings.scale import RatingScale
from metamf.webapp.your_table.state import ErrorsKey, FillingKey, TableKey

ERRORS = ErrorsKey(TableKey("digest", ()), RatingScale(1, 5), "error")
FILLING = FillingKey(ERRORS, 0.9, "mean", False, True, False, False)


def test_a_filling_is_the_same_whether_its_method_was_chosen_or_found_to_do_best():
    assert replace(FILLING, auto=True) == FILLING and hash(replace(FILLING, auto=True)) == hash(FILLING)


def test_a_filling_depends_on_what_its_errors_depend_on():
    other = replace(ERRORS, table=TableKey("digest", (("form", "long"),)))
    assert replace(FILLING, errors=other) != FILLING and replace(FILLING, method="als") != FILLING
