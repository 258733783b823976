"""Statistics of rows and columns, by hand."""

import math

import pytest
import torch

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.universal.effects import Side, VarianceComponents, statistics_of

BATCH = RatingsBatch.of(
    [Ratings([0, 0, 1], [0, 2, 2], [1.0, 2.0, 3.0], (2, 4)), Ratings([0], [0], [1.0], (1, 1))], torch.float64
)
VARIANCES = VarianceComponents(
    *(torch.tensor(pair, dtype=torch.float64).unsqueeze(1) for pair in ((2.0, 1), (4, 1), (8, 9)))
)
EXPECTED = {  # counts, cells, precisions of the effects, matrices
    Side.ROWS: ([2, 1, 1], [4, 4, 1], [4, 4, 9], [0, 0, 1]),
    Side.COLS: ([1, 0, 2, 0, 1], [2, 2, 2, 2, 1], [2, 2, 2, 2, 9], [0, 0, 0, 0, 1]),
}


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("components", [True, False])
def test_the_statistics_of_both_sides(side, components):
    counts, cells, precisions, matrix = EXPECTED[side]
    effect = torch.arange(len(counts), dtype=torch.float64).unsqueeze(1)
    found = statistics_of(side, BATCH, effect, VARIANCES, components)
    assert torch.equal(found.effect, effect) and found.count[:, 0].tolist() == counts
    assert found.log_count[:, 0].tolist() == pytest.approx([math.log(n + 1) / 5 for n in counts])
    assert found.root_share[:, 0].tolist() == pytest.approx([math.sqrt(n / m) for n, m in zip(counts, cells)])
    assert found.log_length[:, 0].tolist() == pytest.approx([math.log(m + 1) / 5 for m in cells])
    assert found.noise_deviation[:, 0].tolist() == pytest.approx([math.sqrt((8, 9)[d]) for d in matrix])
    if components:
        assert found.effect_precision[:, 0].tolist() == pytest.approx(precisions)
        expected = [[math.log(v) / 4 for v in ((2, 4, 8), (1, 1, 9))[d]] for d in matrix]
        torch.testing.assert_close(found.log_variances, torch.tensor(expected, dtype=torch.float64))
    else:
        assert (found.effect_precision == 1).all() and found.log_variances.shape == (len(counts), 0)
