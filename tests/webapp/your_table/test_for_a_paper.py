"""What one takes along for a paper: the paragraph, the pictures, the map in spreads of each
column."""

import numpy as np
import pytest
from opened import text
from payloads import floats_of
from your_table import WIDE, uploaded

from metamf.answer.methods import method
from metamf.answer.table_filling import fill_in
from metamf.figures.window import Window
from metamf.tables import read
from metamf.version import __version__
from metamf.webapp.your_table.cells import _maps
from metamf.webapp.your_table.for_a_paper import values_of

MIXED = "who,age,income\n" + "".join(
    f"p{i},{20 + i % 31 if i % 10 != 3 else ''},{20000 + 900 * (i % 13) if i % 5 else ''}\n"
    for i in range(40)
)


@pytest.fixture(scope="module")
def mixed():
    table = read(MIXED.encode())
    return table, fill_in(table.ratings, method("universal"), 0.9)


def test_the_pictures_have_given_values_and_estimates_of_each_column(mixed):
    table, answer = mixed
    given, estimated, names, gaps = values_of(table, answer)
    assert names == ["age", "income"]
    assert [len(values) for values in given] == [36, 32]
    assert [len(values) for values in estimated] == [4, 8]
    np.testing.assert_array_equal(estimated[0], answer.mean[gaps[:, 0], 0])
    assert gaps.sum() == table.n_gaps


def test_the_map_of_uncertainty_has_widths_in_spreads_of_each_column(mixed):
    table, answer = mixed
    scene = _maps(answer, Window.of(answer.shape, 0, 0))
    [width] = [one for one in scene["maps"] if one["kind"] == "width"]
    assert "in spreads of the column" in width["detail"]
    spreads = [values.std() for values in values_of(table, answer)[0]]
    expected = np.where(np.isnan(table.ratings.to_dense()), answer.upper - answer.lower, np.nan)
    found = floats_of(width["values"]).reshape(answer.shape)
    np.testing.assert_allclose(found, expected / spreads, rtol=1e-5)


@pytest.mark.slow
def test_the_page_shows_the_paragraph_with_a_button_to_copy_it():
    at = uploaded(WIDE)
    [paragraph] = [code.value for code in at.code if "were estimated with MetaMF" in code.value]
    assert "(3 of 12 cells, 25\N{NO-BREAK SPACE}%)" in paragraph
    assert __version__ in paragraph
    assert "For a paper" in text(at)
