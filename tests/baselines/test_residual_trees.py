"""Trees on what the normal distribution over the columns leaves over."""

import numpy as np
import torch

from metamf.baselines.normal import FEWEST_ENTRIES, fit_normal, fit_residual_trees


def bent(N=150, seed=0):
    """(N, 4) standardised columns, of which the last is the square of the first, and the cells that are observed."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(N, 4))
    z[:, 1] = z[:, 0] + 0.3 * rng.normal(size=N)
    z[:, 3] = (z[:, 0] ** 2 - 1) / np.sqrt(2)
    return z, rng.random(z.shape) > 0.2


def entries(z, observed):
    row, col = map(torch.tensor, np.nonzero(observed))
    return torch.tensor(z[observed]), row, col


def test_a_cell_left_out_has_the_mean_that_the_others_of_its_row_give_it():
    z, observed = bent(30)
    given = entries(z, observed)
    normal = fit_normal(*given, z.shape)
    left_out = normal.left_out(*given, len(z)).numpy()
    completed = normal.complete(*given, len(z))[0].numpy()
    np.testing.assert_allclose(left_out[~observed], completed[~observed], rtol=1e-6)
    for n, m in np.argwhere(observed)[::7]:
        without = observed.copy()
        without[n, m] = False
        alone = normal.complete(*entries(z, without), len(z))[0].numpy()[n, m]
        assert abs(left_out[n, m] - alone) < 1e-4


def test_trees_find_a_bend_that_the_normal_distribution_cannot_and_know_new_rows():
    z, observed = bent()
    given = entries(z, observed)
    normal = fit_normal(*given, z.shape)
    trees = fit_residual_trees(normal, *given, len(z))
    new, _ = bent(80, seed=1)
    seen = np.ones(new.shape, dtype=bool)
    seen[:, 3] = False
    estimates = trees.complete(*entries(new, seen), len(new))[:, 3].numpy()
    straight = normal.complete(*entries(new, seen), len(new))[0][:, 3].numpy()
    assert np.mean((estimates - new[:, 3]) ** 2) < 0.7 * np.mean((straight - new[:, 3]) ** 2)
    one = fit_residual_trees(normal, *given, len(z), only=3)
    assert [forest is not None for forest in one.forests] == [False, False, False, True]
    np.testing.assert_array_equal(one.complete(*entries(new, seen), len(new))[:, 3], estimates)


def test_a_column_of_few_entries_has_no_trees():
    z, observed = bent()
    observed[FEWEST_ENTRIES - 1 :, 2] = False
    given = entries(z, observed)
    normal = fit_normal(*given, z.shape)
    trees = fit_residual_trees(normal, *given, len(z))
    assert [forest is None for forest in trees.forests] == [False, False, True, False]
    left_out = normal.left_out(*given, len(z)).numpy()
    np.testing.assert_array_equal(trees.complete(*given, len(z)).numpy()[:, 2], left_out[:, 2])
