"""How many computations run at once: what the environment may say."""

import pytest

from metamf.webapp.serving.places import number_of_places


def test_a_number_from_one_on_or_nothing():
    assert number_of_places("") == 2 and number_of_places("3") == 3
    for text in ("0", "-1", "two", "1.5"):
        with pytest.raises(ValueError, match=f"METAMF_PLACES is '{text}': set it to a whole number"):
            number_of_places(text)
