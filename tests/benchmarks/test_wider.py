"""Random tables for wider meta-training: numbers of every kind, read in the units of their columns."""

import numpy as np

from benchmarks.accuracy import wider
from metamf.learning.episodes import divide_entries
from metamf.ratings.units import ScaleUnits


def test_random_tables_are_finite_tell_about_each_other_and_follow_from_the_seed():
    rng, correlations, missing = np.random.default_rng(0), [], []
    for _ in range(60):
        table = wider.random_table(rng, 80, 6)
        dense = table.to_dense()
        assert table.shape == (80, 6) and np.isfinite(table.values).all()
        missing.append(np.isnan(dense).mean())
        whole = dense[~np.isnan(dense).any(axis=1)]
        if len(whole) > 20 and (whole.std(axis=0) > 0).all():
            correlations.append(np.abs(np.corrcoef(whole.T)[np.triu_indices(6, 1)]).mean())
    assert min(missing) == 0 and 0.3 < max(missing) < 0.7
    assert max(correlations) > 0.5 and min(correlations) < 0.2  # columns that tell all of each other, and nothing
    one, same = (wider.random_table(np.random.default_rng(3), 20, 4).to_dense() for _ in range(2))
    np.testing.assert_array_equal(one, same)


def test_each_column_of_an_episode_is_in_units_of_its_support():
    rng = np.random.default_rng(1)
    values = rng.standard_normal((400, 3)) * (1, 100, 0.01) + (0, 1e4, 5)
    episode = wider.in_units_of_columns(divide_entries(wider.Ratings.from_dense(values), 0.7, rng))
    for part in (episode.support, episode.query):
        dense = part.to_dense()
        np.testing.assert_allclose(np.nanmean(dense, axis=0), 0, atol=0.3)
        np.testing.assert_allclose(np.nanstd(dense, axis=0), 1, atol=0.2)


def test_the_share_of_batches_that_are_tables_is_the_one_asked_for():
    ratings = wider.Ratings.from_dense(np.full((30, 30), 2.0))
    settings = {"matrices": (ratings,), "units": ScaleUnits(), "large_share": 0.0, "smallest": 3, "largest": (20, 20)}
    rng = np.random.default_rng(2)
    for share in (0.0, 1.0):
        sampler = wider.TablesToo(**settings, tables_share=share)
        batch = [episode for _ in range(5) for episode in sampler.episodes(rng, 4)]
        of_tables = [episode.support.values.std() > 0 for episode in batch]
        assert np.mean(of_tables) == share
