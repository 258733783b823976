"""A multivariate normal distribution over the columns, fitted by EM, its covariance shrunken to its
diagonal.

The textbook form, kept apart from the library's own: rows are independent draws of N(mu, S); the E
step completes each row by its conditional mean and covariance given what is observed, the M step
takes the mean and the covariance of the completed rows, with as many more rows as there are columns
whose covariance is diagonal (an inverse Wishart prior). Little and Rubin, "Statistical Analysis
with Missing Data", Section 11.2.
"""

from __future__ import annotations

import numpy as np

ITERATIONS, TOLERANCE = 60, 1e-4  # at most; relative change of the covariance at which to stop


def normal(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conditional means and variances of all cells given the observed cells of their row, (N, M)
    each.

    z : (N, M) columns in their own units, NaN where nothing is observed
    """
    N, M = z.shape
    seen = ~np.isnan(z)
    both_seen = seen[:, :, None] & seen[:, None, :]  # (N, M, M)
    both_missing = ~seen[:, :, None] & ~seen[:, None, :]
    # makes the unobserved part of S invertible
    filler = np.where(seen, 0.0, 1.0)[:, :, None] * np.eye(M) + 1e-9 * np.eye(M)
    mu, S = np.zeros(M), np.eye(M)
    for _ in range(ITERATIONS):
        inverse = np.where(both_seen, np.linalg.inv(np.where(both_seen, S, 0) + filler), 0)
        weights = np.einsum("nab,nb->na", inverse, np.where(seen, z - mu, 0))  # (N, M)
        mean = np.where(seen, z, mu + weights @ S)
        covariance = np.where(both_missing, S - S @ inverse @ S, 0)  # (N, M, M)
        new = mean.mean(axis=0)
        squares = (mean - new).T @ (mean - new) + covariance.sum(axis=0)
        before, S = S, (squares + M * np.diag(np.diag(squares) / N)) / (N + M)
        mu = new
        if np.abs(S - before).max() < TOLERANCE * np.abs(S).max():
            break
    return mean, np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0)
