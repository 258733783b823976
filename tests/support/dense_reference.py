"""The whole model on dense arrays with a mask, line by line as the paper prints it: Algorithm 1,
and the equations around it.

A matrix is an N x M array X, its observations are an N x M mask B, a representation Z is N x M x C.
This is what the model means; ``metamf.network`` is how it is computed, in time that grows with the
number of observations. Tests hold the kernels, their gradients and the page's pictures against it.

Written in plain NumPy, with operators that torch tensors have, too: autograd can pass through the
same lines. Leading dimensions are a batch of matrices of one size. X is finite, also where b = 0,
and the mean of an empty row or column is 0. ``w`` are the parameters by name, as a checkpoint has
them.
"""

import math

import numpy as np
import torch


def algorithm_1(w, X, B, T, safe=False, features=(None, None)):
    """U(0), ..., U(T) and V(0), ..., V(T), two lists; ``features`` of rows (N, P) and of columns
    (M, Q) are beyond the paper."""
    U0, V0 = prior_means(w, X, B, *features)
    eta = math.e ** w["log_step_size"]
    lam = math.e ** w["log_prior_precision"]
    U = [U0]
    V = [V0]
    for t in range(T):
        next_u, next_v = map_step(U[t], V[t], U0, V0, X, B, eta, lam, safe)
        U.append(next_u)
        V.append(next_v)
    return U, V


def prior_means(w, X, B, row_features=None, col_features=None):
    """Eqs. (4) and (5): U0 (N, K) and V0 (M, K); no activation after the last layer."""
    Z = X[..., None]  # (N, M, 1)
    layer = 0
    while f"prior.layers.{layer}.entry" in w:
        Z = Z if layer == 0 else relu(Z)
        names = ("entry", "column", "row", "matrix", "bias")
        Z = exchangeable_layer(Z, B, *(w[f"prior.layers.{layer}.{name}"] for name in names))
        if layer == 0 and row_features is not None:
            Z = Z + (row_features @ w["prior.layers.0.of_row_features"])[..., :, None, :]
        if layer == 0 and col_features is not None:
            Z = Z + (col_features @ w["prior.layers.0.of_col_features"])[..., None, :, :]
        layer += 1
    U0 = feed_forward(beside(Z.mean(-2), row_features), w, "prior.f_U")
    V0 = feed_forward(beside(Z.mean(-3), col_features), w, "prior.f_V")
    return U0, V0


def exchangeable_layer(Z, B, w1, w2, w3, w4, w5):
    """Eq. (4) without its activation: Z (N, M, C) -> (N, M, C'); w1 to w4 (C, C'), w5 (C',)."""
    b = B[..., None]
    return (
        (b * Z) @ w1
        + average(b * Z, b, (-3,)) @ w2
        + average(b * Z, b, (-2,)) @ w3
        + average(b * Z, b, (-3, -2)) @ w4
        + w5
    )


def average(bZ, b, axes):
    """The sum of b z over the sum of b."""
    return bZ.sum(axes, keepdims=True) / b.sum(axes, keepdims=True).clip(min=1)


def feed_forward(z, w, name):
    """f_U or f_V of Eq. (5): linear layers, a ReLU between any two."""
    layers = [key for key in w if key.startswith(name) and key.endswith(".weight")]
    for index, key in enumerate(layers):
        z = z if index == 0 else relu(z)
        z = z @ w[key].T + w[key.replace(".weight", ".bias")]
    return z


def map_step(U, V, U0, V0, X, B, eta, lam, safe=False):
    """Eqs. (6) and (7), both from the factors of the step before."""
    residual = B * (estimates(U, V) - X)
    change_u = residual @ V + lam * (U - U0)
    change_v = residual.swapaxes(-1, -2) @ U + lam * (V - V0)
    eta_n, eta_m = step_sizes(U, V, B, eta, lam) if safe else (eta, eta)
    return U - eta_n * change_u, V - eta_m * change_v


def step_sizes(U, V, B, eta, lam):
    """Safe steps, beyond the paper: eta_n (N, 1) and eta_m (M, 1), no longer than half the inverse
    of the largest curvature that a row or a column can have."""
    curvature_n = (B * (V**2).sum(-1)[..., None, :]).sum(-1)[..., None] + lam
    curvature_m = (B * (U**2).sum(-1)[..., :, None]).sum(-2)[..., None] + lam
    return (0.5 / curvature_n).clip(max=eta), (0.5 / curvature_m).clip(max=eta)


def estimates(U, V):
    """Eq. (8), for all cells."""
    return U @ V.swapaxes(-1, -2)


def objective(U, V, U0, V0, X, B, lam):
    """Eqs. (1) to (3), negative and halved, as Eqs. (6) and (7) descend it: the likelihood's part
    and the prior's."""
    likelihood = (B * (estimates(U, V) - X) ** 2).sum() / 2
    prior = lam * (((U - U0) ** 2).sum() + ((V - V0) ** 2).sum()) / 2
    return likelihood, prior


def test_error(U, V, X, B):
    """Eq. (9): the mean squared error on the test matrix X' where b' = 1."""
    return (B * (estimates(U, V) - X) ** 2).sum() / B.sum()


test_error.__test__ = False  # the paper's word, and not a test


def relu(z):
    return z * (z > 0)


def beside(z, features):
    if features is None:
        return z
    join = np.concatenate if isinstance(z, np.ndarray) else torch.cat
    return join((z, features), -1)


def weights(network) -> dict:
    """The parameters of a network by name, float64."""
    return {
        name: tensor.detach().cpu().double().numpy()
        for name, tensor in network.state_dict().items()
    }


def dense(ratings):
    """X (N, M), zero in the missing cells, and the mask B (N, M), float64 and bool."""
    X = ratings.to_dense()
    return np.nan_to_num(X), ~np.isnan(X)
