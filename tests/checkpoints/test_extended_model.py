"""The extended model: intervals, no step size, and units that are those of the matrix."""

import numpy as np
import pytest
import torch
from checkpoint_files import INFO
from models_of_checkpoints import extended_model, paper_model, standardised
from problems import STARS, ratings_matrix

from metamf.ratings.matrix import Ratings
from metamf.ratings.whole_units import FixedUnits, OwnUnits, ScaleUnits


def test_only_the_extended_model_gives_intervals_and_has_no_step_size():
    paper, extended, batch = paper_model(), extended_model(), standardised(ratings_matrix())
    with pytest.raises(ValueError, match="checkpoint 'small' gives no intervals: use checkpoint='universal'"):
        paper.intervals(paper.adapt(batch), batch, 0.9, True)
    assert paper.step_size == pytest.approx(0.05) and paper.prior_precision > 0
    assert (extended.step_size, extended.prior_precision) == (None, None)
    with torch.inference_mode():
        adapted = extended.adapt(batch, None, "safe")
        narrow, wide = (extended.intervals(adapted, batch, level, True) for level in (0.5, 0.95))
    assert adapted.rule == "exact"
    block = wide.block(slice(2, 5), slice(0, 4))
    rows, cols = (at.ravel() for at in np.mgrid[2:5, 0:4])
    np.testing.assert_allclose(block.ravel(), wide.at(rows, cols), rtol=1e-5)
    assert (0 < narrow.block(slice(2, 5), slice(0, 4))).all() and (narrow.at(rows, cols) < wide.at(rows, cols)).all()


def test_the_paper_s_model_has_units_of_its_own_and_the_extended_one_those_of_the_matrix():
    known, unknown = Ratings.from_dense(ratings_matrix(), scale=STARS), Ratings.from_dense(10 * ratings_matrix())
    paper, extended = paper_model(), extended_model()
    assert paper.units(known) == FixedUnits(INFO.standardization) and isinstance(paper.units(unknown), OwnUnits)
    assert isinstance(extended.units(known), ScaleUnits) and isinstance(extended.units(unknown), OwnUnits)
    with pytest.raises(ValueError, match="no units of its own"):
        extended.units(known, "checkpoint")
