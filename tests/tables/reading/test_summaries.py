"""Columns and rows that sum up others, found by their values."""

import numpy as np
import peoples_files as files
from untouched import check_untouched

from metamf.tables import ReadOptions, read_table
from metamf.tables.reading.summaries import AVERAGE, CELLS, LOWEST, SPREAD, SUM, summing_columns, summing_rows


def test_rows_and_columns_of_averages_are_found_by_their_values():
    data = files.with_averages()
    table = read_table(data)
    assert table.ratings.shape == (8, 5) and table.report.layout.row_lines == (10,)
    said = " ".join(table.report.sentences())
    assert '"Ø" (the average of 5 other columns)' in said and "line 10 (the average of the other rows)" in said
    check_untouched(data, table)
    kept = read_table(data, options=ReadOptions(keep_rows="All", ratings="Ø"))
    assert kept.ratings.shape == (9, 6)
    assert read_table(data, options=ReadOptions(leave_rows=("Ana", 10))).ratings.shape == (7, 5)


def test_a_column_called_total_that_is_not_a_sum_is_a_rating():
    data = files.with_averages().replace("Ø".encode(), b"Total").replace(b".", b"1")
    assert "Total" in read_table(data, options=ReadOptions(ratings="Total")).ratings.col_labels
    lines = [[f"p{i}", *row] for i, row in enumerate(files.ratings(10, 4, missing=0))]
    table = read_table(files.written([["who", "a", "b", "c", "Total"], *lines]))
    assert table.ratings.col_labels == ("a", "b", "c", "Total")


def test_sums_and_averages_of_neighbours_and_of_all_others_are_told_apart():
    parts = np.random.default_rng(0).integers(1, 100, (12, 4)).astype(float)
    with_sums = np.column_stack([parts[:, :2], parts[:, :2].sum(1), parts[:, 2:], parts.mean(1)])
    assert summing_columns(with_sums) == {2: (SUM, 2), 5: (AVERAGE, 4)}
    assert summing_columns(parts) == {} and summing_columns(with_sums[:4]) == {}  # four lines prove nothing
    assert summing_rows(np.vstack([parts, parts.mean(0)])) == {12: AVERAGE} and summing_rows(parts) == {}


def test_what_stands_beside_an_average_and_describes_the_same_cells_is_found():
    rng = np.random.default_rng(5)
    X = np.where(rng.random((24, 10)) < 0.85, rng.integers(2, 21, (24, 10)) / 2, np.nan)
    mean, spread = np.nanmean(X, axis=0).round(2), np.nanstd(X, axis=0, ddof=1).round(2)
    count, lowest = (~np.isnan(X)).sum(axis=0), np.nanmin(X, axis=0)
    assert summing_rows(np.vstack([X, mean, spread])) == {24: AVERAGE, 25: SPREAD}
    assert summing_rows(np.vstack([count, mean, X])) == {0: CELLS, 1: AVERAGE}
    assert summing_rows(np.vstack([X, mean, spread, lowest])) == {24: AVERAGE, 25: SPREAD, 26: LOWEST}
    assert not summing_rows(np.vstack([X, spread, spread]))  # without an average it may be anything
    per_row = np.nanmean(X, axis=1).round(2), (~np.isnan(X)).sum(axis=1)
    assert summing_columns(np.column_stack([X, *per_row])) == {10: (AVERAGE, 10), 11: (CELLS, 10)}


def test_a_person_above_an_average_is_not_taken_for_its_spread_or_an_extreme():
    rng = np.random.default_rng(1)
    X = rng.integers(1, 6, (20, 6)).astype(float)
    for last in ([1, 1, 2, 1, 1, 2], [5, 5, 5, 4, 5, 5]):  # as a rounded spread; the highest but for one
        whole = np.vstack([X, last])
        found = summing_rows(np.vstack([whole, whole.mean(axis=0).round(2), whole.std(axis=0).round(2)]))
        assert found == {21: AVERAGE, 22: SPREAD}
