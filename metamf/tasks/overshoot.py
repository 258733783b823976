"""How long a MAP step may be: a step longer than 2 / (largest curvature) overshoots, and what overshoots grows.

The objective of the steps, Eq. (1) up to sign and constants, is

    f(w) = 1/2 sum over observed (u_n . v_m - x_nm)^2 + lambda/2 |w - w(0)|^2,    w = (U; V).

Along the direction in which it curves most, by the largest eigenvalue H of its second derivative, a gradient step of
size eta multiplies the distance from the bottom by 1 - eta H: beyond eta = 2 / H it lands on the other side, further up
than it began (any textbook on optimisation, such as Nesterov, "Lectures on convex optimization", 2018, Section 1.2).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from metamf.imputer.result import Trajectory
from metamf.ratings.matrix import Ratings

LARGEST_COMPUTED = 250_000  # cells of a matrix up to which it is computed; the page waits for it
_TOLERANCE = 1e-3  # relative, of the eigenvalue; the picture shows two digits
_EXTREME = 1e15  # factors beyond which squares of squares would overflow


def longest_steps(path: Trajectory, ratings: Ratings, lam: float) -> np.ndarray | None:
    """The longest step that does not overshoot, at every step of a path.

    Parameters
    ----------
    path : Trajectory
        The factors at every step, in standardised units.
    ratings : Ratings
        The observed entries, in rating units.
    lam : float
        Prior precision.

    Returns
    -------
    ndarray of shape (t + 1,), or None
        2 / H at each step, as far as the factors are finite and not beyond 1e15; None for a matrix with more than
        ``LARGEST_COMPUTED`` cells.
    """
    N, M = ratings.shape
    if N * M > LARGEST_COMPUTED:
        return None
    mask, X = np.zeros((N, M)), np.zeros((N, M))
    mask[ratings.rows, ratings.cols] = 1
    X[ratings.rows, ratings.cols] = path.standardization.apply(ratings.values.astype(np.float64))
    found, start = [], None
    for U, V in zip(path.U.astype(np.float64), path.V.astype(np.float64)):
        if not (np.abs(U).max() < _EXTREME and np.abs(V).max() < _EXTREME):  # NaN ends here, too
            break
        largest, start = largest_curvature(U, V, mask, X, lam, start)
        found.append(2 / largest)
    return np.array(found)


def largest_curvature(
    U: np.ndarray, V: np.ndarray, mask: np.ndarray, X: np.ndarray, lam: float, start: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of the objective's second derivative in (U; V), and a direction that has it.

    Parameters
    ----------
    U, V : ndarray of shape (N, K) and (M, K)
        The factors, in standardised units.
    mask, X : ndarray of shape (N, M)
        1 at the observed cells and 0 elsewhere; the ratings in standardised units, 0 where there is none.
    lam : float
        Prior precision.
    start : ndarray of shape ((N + M) * K,), optional
        The direction to begin the search with, such as that of the step before.
    """
    N, K = U.shape
    residual = mask * (U @ V.T) - X  # (N, M)

    def product(direction: np.ndarray) -> np.ndarray:
        dU, dV = np.split(direction.reshape(-1, K), [N])  # (N, K), (M, K)
        change = mask * (dU @ V.T + U @ dV.T)  # (N, M) of the residual, along the direction
        slopes = (change @ V + residual @ dV, change.T @ U + residual.T @ dU)
        return np.concatenate(slopes).ravel() + lam * direction.ravel()

    size = (N + len(V)) * K
    if start is None:
        start = np.random.default_rng(0).standard_normal(size)
    if size == 2:  # eigsh wants more dimensions than eigenvalues and one to spare
        values, vectors = np.linalg.eigh(np.column_stack([product(row) for row in np.eye(2)]))
        return float(values[-1]), vectors[:, -1]
    operator = LinearOperator((size, size), product, dtype=np.float64)
    values, vectors = eigsh(operator, 1, which="LA", v0=start, tol=_TOLERANCE)
    return float(values[0]), vectors[:, 0]
