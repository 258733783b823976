"""Columns of words among columns of numbers: each text has the meaning that its own column gives it."""

from metamf.tables import ReadOptions, read_table


def test_one_word_may_mean_different_numbers_in_different_columns():
    content = (
        b"who,film,service,age\nA,good,good,3\nB,bad,fair,4\nC,good,bad,1\nD,bad,fair,2\nE,good,good,5\nF,bad,bad,5\n"
    )
    words = [("bad", "good"), ("bad", "fair", "good")]
    table = read_table(content, options=ReadOptions(form="wide", words=words, ratings="age"))
    assert table.ratings.to_dense()[:2].tolist() == [[2, 3, 3], [1, 2, 4]]
    assert table.ratings.col_labels == ("film", "service", "age")
