"""What the layers read of an entry: its value, its residual, and what its row and column contribute."""

import torch
from problems import CORNER_CASES, random_ratings, small_universal

from metamf.ratings.batch import RatingsBatch
from metamf.universal.effects import Side, statistics_of
from metamf.universal.reading import input_values, soft_clip


def test_outliers_reach_the_network_within_limits():
    x = torch.tensor([-1e30, -6.0, -0.1, 0.0, 0.1, 1e30])
    torch.testing.assert_close(soft_clip(x[2:5]), x[2:5], rtol=1e-3, atol=0)
    assert soft_clip(x).abs().max() <= 6 and soft_clip(x, 2.0)[-1] == 2


def test_the_input_layer_applied_to_rows_columns_and_entries_is_the_layer_applied_to_six_inputs():
    batch, model = RatingsBatch.of([random_ratings(6, 5), CORNER_CASES["a block"]], torch.float64), small_universal()
    model = model.double()
    effects, variances = model._effects(batch)
    rows = statistics_of(Side.ROWS, batch, effects.row, variances, components=True)
    cols = statistics_of(Side.COLS, batch, effects.col, variances, components=True)
    values = input_values(batch, rows, cols, model.input)
    found, row, col = values(None), batch.row, batch.col
    torch.testing.assert_close(values(slice(3, 9)), found[3:9])
    x, noise = batch.x.unsqueeze(1), variances.noise[batch.row_matrix[row]]
    residual = (x - effects.row[row] - effects.col[col]) / noise.sqrt()
    clipped = [soft_clip(value) for value in (x, residual, effects.row[row], effects.col[col])]
    counts = [(count + 1).log() / 5 for count in (batch.row_count[row], batch.col_count[col])]
    torch.testing.assert_close(found, model.input(torch.cat([*clipped, *counts], 1)))
