"""Words and decorated numbers that stand for ratings, and estimates that look alike."""

import numpy as np
import peoples_files as files
import pytest
from untouched import check_untouched

from metamf.tables import ReadOptions, read_table
from metamf.tables.reading.roles import RolesInDoubtError


def test_words_stand_on_a_scale_whose_order_can_be_changed():
    table = read_table(files.agreement())
    assert table.ratings.row_labels is None and table.ratings.shape == (12, 6)
    assert set(table.ratings.values) <= {1, 2, 3, 4, 5}
    assert "Strongly disagree = 1" in " ".join(table.report.sentences())
    assert {now for _, now in check_untouched(files.agreement(), table)} == {"Neutral"}
    turned = read_table(files.agreement(), options=ReadOptions(words=[files.AGREEMENT[::-1]]))
    np.testing.assert_array_equal(turned.ratings.values, 6 - table.ratings.values)


def test_words_of_no_known_scale_are_asked_about():
    data = files.agreement()
    for word, other in zip(files.AGREEMENT[::-1], ("fab", "nice", "meh", "bah", "ugh")):
        data = data.replace(word.encode(), other.encode())
    with pytest.raises(RolesInDoubtError, match="hold words .*in which order they stand") as caught:
        read_table(data)
    assert set(caught.value.doubts[0].words) == {"fab", "nice", "meh", "bah", "ugh"}
    table = read_table(data, options=ReadOptions(words=("ugh", "bah", "meh", "nice", "fab")))
    np.testing.assert_array_equal(table.ratings.values, read_table(files.agreement()).ratings.values)


def test_yes_and_no_are_one_and_zero():
    table = read_table(b"who,tea,coffee\nA,yes,no\nB,no,\nC,yes,no\n")
    assert table.ratings.values.tolist() == [1, 0, 0, 1, 0] and table.ratings.col_labels == ("tea", "coffee")


@pytest.mark.parametrize("sign", ["{}%", "{} %", "{} stars", "{}/5", "{} out of 5", "€ {}"])
def test_decorated_numbers_are_numbers_and_estimates_look_alike(sign):
    data = files.decorated(sign)
    table, plain = read_table(data), read_table(files.decorated("{}%" if "%" in sign else "{}"))
    np.testing.assert_array_equal(table.ratings.values, plain.ratings.values)
    assert {now for _, now in check_untouched(data, table)} == {sign.format("3.4")}


def test_labelled_and_drawn_numbers_are_numbers_too():
    labelled = files.decorated("{}")
    drawn = labelled
    for number, word in zip("12345", ("bad", "poor", "fair", "good", "great")):
        labelled = labelled.replace(f",{number}".encode(), f",{number} - {word}".encode())
        drawn = drawn.replace(f",{number}".encode(), f",{'★' * int(number)}".encode())
    plain = read_table(files.decorated("{}")).ratings.values
    for data, nearest in ((labelled, "3 - fair"), (drawn, "★★★")):
        table = read_table(data)
        np.testing.assert_array_equal(table.ratings.values, plain)
        assert {now for _, now in check_untouched(data, table)} == {nearest}
