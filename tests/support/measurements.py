"""Tables of measurements, whose columns have units of their own."""

import numpy as np


def table_of_measurements(rows=60, seed=0, units=(1.0, 1000.0, 0.01, 20.0, 5.0, 300.0)):
    """One common factor measured in six units; three in ten cells missing. Returns the table with
    holes, and whole."""
    rng = np.random.default_rng(seed)
    units = np.array(units)
    level = rng.normal(size=(rows, 1))
    whole = units * (
        4 + level * rng.choice([-1, 1], len(units)) + 0.3 * rng.normal(size=(rows, len(units)))
    )
    return np.where(rng.random(whole.shape) < 0.3, np.nan, whole), whole


def relative_error(X, whole, estimates):
    """RMSE on the missing cells in units of each column's spread."""
    missing = np.isnan(X)
    return np.sqrt(np.mean(((estimates - whole) / whole.std(0))[missing] ** 2))
