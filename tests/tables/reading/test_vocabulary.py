"""Names of columns, compared without case, spaces and signs."""

import pytest

from metamf.tables.reading.vocabulary import names_rows, plain


def test_case_spaces_and_signs_do_not_matter():
    assert plain(" User_ID ") == plain("user id") == plain("UserId") == "userid"


@pytest.mark.parametrize("name", ["id", "User ID", "customer_id", "productCode", "#", "Nr.", "Unnamed: 0"])
def test_names_of_keys(name):
    assert names_rows(name)


@pytest.mark.parametrize("name", ["", "Alien", "school", "candid", "Do you like this key?", "my own lucky number"])
def test_names_of_ratings(name):
    assert not names_rows(name)
