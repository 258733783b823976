"""How many computations run at once: what the environment may say."""

import pytest

from metamf.webapp.serving.places import places


def test_a_number_from_one_on_or_nothing():
    assert places("") is None and places("3") == 3
    for text in ("0", "-1", "two", "1.5"):
        with pytest.raises(ValueError, match=f"METAMF_PLACES is '{text}': set it to a whole number"):
            places(text)
