"""What comes back of a file as it was read: all but what was filled in."""

import csv
import io

import numpy as np
from exports import estimated

from metamf.tables.write import to_csv_wide


def cells_of(content):
    return list(csv.reader(io.StringIO(content.decode())))


def check_untouched(content, table, value=3.4):
    """Everything but the missing cells of the matrix comes back as it was read; returns what was filled in."""
    X = np.full(table.ratings.shape, value)
    before, after = cells_of(content), cells_of(to_csv_wide(table, estimated(table, X)))
    assert [len(line) for line in before] == [len(line) for line in after]
    changed = [(was, now) for old, new in zip(before, after) for was, now in zip(old, new) if was != now]
    assert len(changed) == X.size - table.ratings.nnz
    return changed
