"""Presets: their titles are inventions."""

import pytest

from metamf import datasets


@pytest.mark.data
def test_no_preset_borrows_a_real_title():
    titles = {
        title.casefold().split(" (")[0] for name in ("ml-100k", "ml-1m") for title in datasets.load(name).col_labels
    }
    for preset in datasets.presets().values():
        for label in preset.matrix.ratings.col_labels:
            assert label.casefold().removeprefix("the ") not in {title.removesuffix(", the") for title in titles}
