"""Numbers that name something (ZIP codes, article numbers, dates) are read as names, or the report says so."""

import numpy as np
import pytest

from metamf import RatingScale
from metamf.tables import ReadOptions, TableError, read_table
from metamf.tables.writing.filled import Filled
from metamf.tables.writing.text import to_csv_wide

ZIPS = ["03075", "02695", "90210", "01002", "06119", "02139", "94110", "07030", "60614", "02138", "03060", "10001"]


def lines(names, columns=3, corner="zip", header=True):
    """A wide table of ratings from 1 to 5, with ``names`` in the first column."""
    ratings = 1 + np.arange(len(names))[:, None] * np.array([1, 2, 3])[:columns] % 5
    head = [",".join([corner, *("park", "school", "shop")[:columns]])] if header else []
    return "\n".join([*head, *(",".join([name, *map(str, row)]) for name, row in zip(names, ratings))]) + "\n"


def kinds_of(table):
    return [note.kind for note in table.report.notes]


@pytest.mark.parametrize("corner", ["zip", "Gemeinde", ""])
@pytest.mark.parametrize("header", [True, False])
def test_zip_codes_with_leading_zeros_are_names(corner, header):
    table = read_table(lines(ZIPS, corner=corner, header=header).encode())
    assert table.report.layout.row_labels and table.ratings.row_labels == tuple(ZIPS)
    assert table.ratings.shape == (12, 3) and table.ratings.scale == RatingScale(1, 5, 1)
    (note,) = (note for note in table.report.notes if note.kind == "identifiers")
    assert '"03075"' in note.message and "names" in note.message
    again = to_csv_wide(Filled(table, np.zeros(table.ratings.shape)))
    assert again.decode() == lines(ZIPS, corner=corner, header=header)


@pytest.mark.parametrize(
    "corner",
    [
        "ZIP",
        "postcode",
        "Postal Code",
        "PLZ",
        "code",
        "key",
        "SKU",
        "date",
        "Participant ID",
        "productCode",
        "Unnamed: 0",
    ],
)
def test_names_of_key_columns_are_known(corner):
    table = read_table(lines(["310", "120", "775"], corner=corner).encode())
    assert table.ratings.row_labels == ("310", "120", "775") and table.ratings.shape == (3, 3)


@pytest.mark.parametrize("corner", ["school", "yes or no", "valid", "monkey", "update"])
def test_a_name_that_only_contains_such_a_word_is_a_column_of_ratings(corner):
    table = read_table(lines(["3", "1", "2"], corner=corner).encode())
    assert table.ratings.row_labels is None and table.ratings.shape == (3, 4)


@pytest.mark.parametrize(
    "ids", [["9780141439518", "9780061120084", "9780452284234"], ["20240301", "20231224", "20240105"]]
)
def test_long_digit_strings_in_any_order_are_names(ids):
    table = read_table(lines(ids, header=False).encode())
    assert table.ratings.row_labels == tuple(ids) and "identifiers" in kinds_of(table)


def test_column_numbers_with_leading_zeros_or_many_digits_are_a_header():
    for names in (("0042", "0007", "1300"), ("4006381333948", "4006381333931", "4006381333955")):
        table = read_table(f"sku,{','.join(names)}\nann,5,,3\nbob,,4,1\n".encode())
        assert table.ratings.col_labels == names and table.ratings.shape == (2, 3)
        table = read_table(f"sku,{','.join(names)}\n00012,5,,3\n00007,,4,1\n".encode())
        assert table.ratings.col_labels == names and table.ratings.row_labels == ("00012", "00007")


def test_an_identifier_beside_the_names_is_left_alone():
    data = "user,zip,a,b\nann,03075,3,4\nbob,02695,,5\ncleo,90210,1,2\n"
    table = read_table(data.encode())
    assert table.ratings.col_labels == ("a", "b") and '"zip" (identifiers)' in " ".join(table.report.sentences())
    phone = read_table(data.replace("0", "9").replace("zip", "phone").replace(",9", ",49179").encode())
    assert phone.ratings.col_labels == ("a", "b")
    kept = read_table(data.encode(), options=ReadOptions(ratings="zip"))
    (note,) = (note for note in kept.report.notes if note.kind == "identifiers")
    assert note.where == 'column 1 ("zip")' and '"03075"' in note.message


def test_whoever_denies_names_is_asked_and_told_of_the_leading_zeros():
    with pytest.raises(TableError, match='"zip" holds 1002 to 94110, where most of the others hold 1 to 5'):
        read_table(lines(ZIPS).encode(), options=ReadOptions(row_labels=False))
    table = read_table(lines(ZIPS).encode(), options=ReadOptions(row_labels=False, ratings="zip"))
    assert table.ratings.values[0] == 3075 and "identifiers" in kinds_of(table)


def test_ratings_that_are_all_written_with_two_digits_stay_ratings():
    table = read_table(b"park,school,shop\n05,10,07\n03,08,10\n09,01,02\n")
    assert table.ratings.row_labels is None and table.ratings.shape == (3, 3)
    assert table.ratings.scale == RatingScale(1, 10, 1) and "identifiers" not in kinds_of(table)


def test_ordinary_ratings_are_not_taken_for_identifiers():
    table = read_table(b"park,school,shop\n5,1,4\n3,2,5\n4,0,1\n")
    assert table.ratings.shape == (3, 3) and "identifiers" not in kinds_of(table)


def test_zip_codes_that_repeat_beside_three_columns_of_ratings_do_not_make_a_long_table():
    data = "zip,park,school,shop\n03075,3,1,4\n03075,4,2,2\n02695,1,5,3\n02695,5,3,1\n90210,2,2,2\n90210,1,4,5\n"
    table = read_table(data.encode())
    assert (
        table.report.layout.form == "wide" and table.ratings.shape == (6, 3) and "duplicate labels" in kinds_of(table)
    )


def test_leading_zeros_of_a_long_table_keep_names_apart():
    table = read_table(b"user,item,rating\n007,a,5\n7,a,3\n007,b,1\n")
    assert table.ratings.row_labels == ("007", "7") and table.ratings.shape == (2, 2)


def test_identifiers_in_the_value_column_of_a_long_table_are_told_of():
    table = read_table(b"who,what,zip\nann,a,03075\nann,b,02695\nbob,a,90210\n")
    assert table.report.layout.form == "long" and "identifiers" in kinds_of(table)


def test_a_column_of_dates_among_the_ratings_is_left_alone():
    data = "user,joined,a,b\nann,2024-01-02,3,4\nbob,2024-02-03,,5\ncleo,2024-03-04,1,2\n"
    table = read_table(data.encode())
    assert table.ratings.col_labels == ("a", "b") and table.ratings.row_labels == ("ann", "bob", "cleo")
    with pytest.raises(TableError, match='column "joined".* the column holds dates'):
        read_table(data.encode(), options=ReadOptions(ratings="joined"))
    table = read_table(b"date,a,b\n2024-01-02,3,4\n2024-02-03,,5\n2024-03-04,1,2\n")
    assert table.ratings.row_labels == ("2024-01-02", "2024-02-03", "2024-03-04")
