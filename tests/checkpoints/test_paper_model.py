"""The paper's model: which steps a matrix and a new row take."""

import pytest
import torch
from models_of_checkpoints import paper_model, standardised, with_a_full_row

from metamf.checkpoints.paper_model import OVERSHOOT, overshoots


@pytest.mark.parametrize(
    ("before", "after", "count", "over"),
    [
        (4.0, 3.0, 10, False),
        (4.0, 4.0 + 10 * OVERSHOOT - 1e-3, 10, False),
        (4.0, 4.0 + 10 * OVERSHOOT + 1e-3, 10, True),
        (4.0, 4.0 + 10 * OVERSHOOT + 1e-3, 20, False),  # more entries, more room
        (0.0, 0.0, 0, False),  # nothing observed
        (4.0, torch.inf, 10, True),
        (4.0, torch.nan, 10, True),
    ],
)
def test_a_row_overshoots_if_its_squared_error_rises_by_a_share_of_its_entries(before, after, count, over):
    given = (torch.tensor([[value]], dtype=torch.float64) for value in (before, after, count))
    assert overshoots(*given).tolist() == [[over]]


def test_the_tolerance_is_a_factor_on_what_is_let_pass():
    before, count = torch.tensor([[4.0]]), torch.tensor([[10.0]])
    after = before + OVERSHOOT * count + 0.01
    assert overshoots(before, after, count) and not overshoots(before, after, count, tolerance=1.01)


@pytest.mark.parametrize(("columns", "density", "descends"), [(150, 0.1, True), (400, 0.02, False)])
@pytest.mark.parametrize("transposed", [False, True])
def test_one_row_or_column_that_overshoots_turns_the_matrix_to_safe_steps(columns, density, descends, transposed):
    X = with_a_full_row(columns, density)
    heavy, light = (standardised(part.T if transposed else part) for part in (X, X[1:]))
    model = paper_model()
    assert [model.adapt(batch).rule for batch in (light, heavy)] == ["paper", "safe"]
    auto, paper, safe = (model.adapt(heavy, None, rule) for rule in ("auto", "paper", "safe"))
    assert model.descends(paper, heavy) == descends
    assert (paper.rule, safe.rule) == ("paper", "safe")
    assert torch.equal(auto.U, safe.U) and torch.equal(auto.V, safe.V) and not torch.equal(auto.U, paper.U)


def test_a_new_row_takes_safe_steps_if_it_alone_overshoots():
    model, rows = paper_model(), with_a_full_row()[:3]
    light = standardised(with_a_full_row()[1:])
    auto, paper, safe = (model.adapt(light, None, rule) for rule in ("auto", "paper", "safe"))
    assert auto.rule == "paper"
    found, by_paper, by_safe = (model.fold_in(standardised(rows), adapted) for adapted in (auto, paper, safe))
    torch.testing.assert_close(found[1:], by_paper[1:])
    assert not torch.allclose(found[0], by_paper[0])
    errors = [(U[0] @ auto.V.T - standardised(rows[:1]).x).square().mean() for U in (found, by_paper)]
    assert errors[0] < errors[1]
    assert by_safe.shape == found.shape
