"""What both kinds of model have to keep: estimates, folding in, precision."""

import pytest
import torch
from models_of_checkpoints import extended_model, paper_model, standardised
from problems import ratings_matrix

MODELS = [paper_model, extended_model]


@pytest.mark.parametrize("make", MODELS)
@torch.inference_mode()
def test_adapting_gives_what_the_network_gives(make):
    model, batch = make(), standardised(ratings_matrix())
    found, direct = model.adapt(batch), model.network.adapt(batch)
    row, col = torch.arange(108) // 9, torch.arange(108) % 9
    assert torch.equal(found.predict(row, col), direct.predict(row, col))
    assert found.path.shape == (model.rounds + 1, 12 + 9, found.U.shape[1])
    torch.testing.assert_close(found.path[-1], torch.cat([found.U, found.V]))
    assert len(model.adapt(batch, 1).path) == 2 and model.descends(found, batch)


@pytest.mark.parametrize("make", MODELS)
@torch.inference_mode()
def test_folding_in_the_fitted_rows_gives_their_factors(make):
    model, X = make(), ratings_matrix()
    adapted = model.adapt(standardised(X))
    torch.testing.assert_close(model.fold_in(standardised(X[2:5]), adapted), adapted.U[2:5], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("make", MODELS)
def test_single_precision_is_a_copy_where_the_model_is_in_double(make):
    model = make()
    assert model.dtype == torch.float32 and model.single() is model
    model.network.double()
    single = model.single()
    assert (model.dtype, single.dtype) == (torch.float64, torch.float32) and type(single) is type(model)
    assert single.info == model.info
