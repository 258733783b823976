"""The differentiable MAP steps, Eqs. (6) and (7) of the paper, and their path.

With w = (U; V) stacked, one step is

    w(t+1) = w(t) - eta * ( g(w(t)) + lambda * (w(t) - w(0)) ),

where g is the gradient of half the squared error on the observed entries. All T steps and their derivative are one
``torch.autograd.Function``: the backward pass is the adjoint recursion

    a(t) = a(t+1) - eta * ( H(t) a(t+1) + lambda * a(t+1) ),

in which H(t), the Hessian of half the squared error, is symmetric and never formed. Cost O(T nnz K), forward and
backward; memory O(T (N + M) K).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from metamf.ratings.batch import EntryProducts, RatingsBatch
from metamf.ratings.segments import Segments, weighted_sums


class Factors(NamedTuple):
    """The factors after the last step, and the path that led there; both can be differentiated through.

    Attributes
    ----------
    U, V : (N, K), (M, K) factors of the rows and the columns
    path : (T + 1, N + M, K) U(t) on top of V(t); path[0] is the prior mean
    """

    U: Tensor
    V: Tensor
    path: Tensor


def map_steps(U0: Tensor, V0: Tensor, batch: RatingsBatch, eta: Tensor, lam: Tensor, T: int) -> Factors:
    """T MAP steps from the prior means, Eqs. (6) and (7).

    Parameters
    ----------
    U0, V0 : (N, K), (M, K) prior means
    batch : the observed entries, in standardised units
    eta, lam : scalar tensors, step size and prior precision
    T : number of steps

    Returns
    -------
    Factors
        differentiable once, in U0, V0, batch.x, eta and lam
    """
    w, path = _MapSteps.apply(torch.cat([U0, V0]), batch.x, eta, lam, batch, T)
    return Factors(*w.split([batch.N, batch.M]), path)


def map_gradient(U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, batch: RatingsBatch, lam) -> tuple[Tensor, Tensor]:
    """The gradient in U (N, K) and V (M, K) of the negative log posterior, as Eqs. (6) and (7) multiply it by eta."""
    Un, Vm = U.index_select(0, batch.row), V.index_select(0, batch.col)  # (nnz, K)
    residual = ((Un * Vm).sum(1) - batch.x).unsqueeze(1)  # (nnz, 1)
    grad_U = torch.zeros_like(U).index_add_(0, batch.row, residual * Vm) + lam * (U - U0)
    grad_V = torch.zeros_like(V).index_add_(0, batch.col, residual * Un) + lam * (V - V0)
    return grad_U, grad_V


def safe_map_steps(U0: Tensor, V0: Tensor, batch: RatingsBatch, eta: Tensor, lam: Tensor, T: int) -> Factors:
    """``map_steps`` in which no row and no column moves further than its curvature allows.

    The step size of row n is min(eta, 1 / (2 L_n)) with L_n = sum_m b_nm |v_m|^2 + lambda, the largest curvature that
    the objective can have along u_n; the same holds for columns. Where the paper's fixed step size converges quickly
    the two agree; where it diverges (rows with hundreds of observations) these steps still descend. Differentiable by
    autograd. Arguments as for ``map_steps``.
    """
    path = [(U0, V0)]
    for _ in range(T):
        U, V = path[-1]
        grad_U, grad_V = map_gradient(U, V, U0, V0, batch, lam)
        path.append(
            (
                U - safe_step(V, batch.by_row, batch.col, eta, lam) * grad_U,
                V - safe_step(U, batch.by_col, batch.row, eta, lam) * grad_V,
            )
        )
    return Factors(*path[-1], torch.stack([torch.cat(factors) for factors in path]))


def safe_step(partner: Tensor, groups: Segments, at: Tensor, eta: Tensor, lam: Tensor) -> Tensor:
    """Step sizes min(eta, 1 / (2 L)) of the rows or of the columns, (n_groups, 1).

    Parameters
    ----------
    partner : factors of the other side, (m, K)
    groups : the entries by row, or by column
    at : (nnz,) the position in ``partner`` of each entry
    eta, lam : step size and prior precision
    """
    curvature = groups.sum(partner.square().sum(1, keepdim=True)[at]) + lam
    return torch.minimum(eta, 0.5 / curvature)


def fold_in_steps(U0: Tensor, V_path: Tensor, batch: RatingsBatch, eta: Tensor, lam: Tensor, safe: bool) -> Tensor:
    """Factors (N, K) of new rows, by Eq. (6) alone, while the columns follow the path ``V_path`` (T + 1, M, K).

    Rows of the matrix from which ``V_path`` was computed get the factors that ``map_steps`` gave them.
    """
    U = U0
    for V in V_path[:-1]:
        step = safe_step(V, batch.by_row, batch.col, eta, lam) if safe else eta
        U = U - step * map_gradient(U, V, U0, V, batch, lam)[0]
    return U


def objective(U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, batch: RatingsBatch, lam) -> Tensor:
    """The objective of the MAP steps, Eq. (1) up to sign and constants: half the squared error plus the prior term."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x
    distance = (U - U0).square().sum() + (V - V0).square().sum()
    return (residual.square().sum() + lam * distance) / 2


class _MapSteps(torch.autograd.Function):
    """All T steps on w = (U; V), and the adjoint recursion of the module's docstring."""

    @staticmethod
    def forward(ctx, w0, x, eta, lam, batch, T):
        step, N = eta.item(), batch.N
        decay = step * lam.item()
        products, gradient = EntryProducts(batch), _gradient(batch)
        path = w0.new_empty(T + 1, *w0.shape)
        residuals = x.new_empty(T, len(x))
        path[0] = w0
        for w, w_next, residual in zip(path, path[1:], residuals):
            products.add(torch.neg(x, out=residual), w[:N], w[N:])
            # Eqs. (6), (7): w - eta * (g(w) + lambda * (w - w0)) = lerp(w, w0, eta * lambda) - eta * g(w)
            torch.lerp(w, w0, decay, out=w_next).sub_(gradient(w, residual), alpha=step)
        ctx.save_for_backward(path, residuals, eta, lam)
        ctx.N, ctx.products, ctx.gradient = N, products, gradient
        ctx.set_materialize_grads(False)
        return path[T].clone(), path

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_w, grad_path):
        path, residuals, eta, lam = ctx.saved_tensors
        path = path.detach()  # an output, which kernels would otherwise prepare to differentiate
        N, products, gradient = ctx.N, ctx.products, ctx.gradient
        T, step = len(residuals), eta.item()
        decay = step * lam.item()
        a = torch.zeros_like(path[T]) if grad_w is None else grad_w  # (N + M, K) adjoint of w(t + 1)
        a = a if grad_path is None else a + grad_path[T]
        # sums over the steps, added up as they come: allocating all T summands would take longer than the rest
        adjoints, moved = torch.zeros_like(a), torch.empty_like(a)
        grad_x, grad_eta, grad_decay = residuals.new_zeros(residuals.shape[1]), a.new_zeros(()), a.new_zeros(())
        for t in reversed(range(T)):
            w = path[t]
            change = torch.zeros_like(grad_x)  # change of the residuals, along a
            products.add(products.add(change, w[:N], a[N:]), a[:N], w[N:])
            hessian_a = gradient(a, residuals[t]).add_(gradient(w, change))  # H(t) a(t + 1)
            adjoints.add_(a)
            grad_decay.sub_(_dot(a, torch.sub(w, path[0], out=moved)))
            if ctx.needs_input_grad[1]:
                grad_x.add_(change)
            if ctx.needs_input_grad[2]:
                grad_eta.add_(_dot(a, torch.sub(path[t + 1], w, out=moved)))
            # a - eta * (H a + lambda * a) = (1 - eta * lambda) * a - eta * H a
            a = torch.mul(a, 1 - decay).sub_(hessian_a, alpha=step)
            a = a if grad_path is None else a.add_(grad_path[t])
        grad_w0 = torch.add(a, adjoints, alpha=decay)
        grad_x = step * grad_x if ctx.needs_input_grad[1] else None
        grad_eta = grad_eta / step if ctx.needs_input_grad[2] else None
        return grad_w0, grad_x, grad_eta, step * grad_decay, None, None


def _gradient(batch: RatingsBatch) -> Callable[[Tensor, Tensor], Tensor]:
    """The function (w, residual (nnz,)) -> g (N + M, K), the gradient of half the squared error.

    For each row, g sums over its entries the residual times the factors of the column; below, the same for columns. It
    is one sum over the 2 nnz ends of the entries: first those at rows, then those at columns.
    """
    rows, cols = batch.by_row, batch.by_col
    starts = torch.cat([rows.starts, cols.starts + len(batch.x)])
    far = torch.cat([rows.partners(cols) + batch.N, cols.partners(rows)])  # (2 nnz,) the other end's position in w
    entry = torch.cat([rows.order, cols.order])  # (2 nnz,)

    def gradient(w: Tensor, residual: Tensor) -> Tensor:
        return weighted_sums(starts, w, far, residual.index_select(0, entry))

    return gradient


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return torch.dot(a.flatten(), b.flatten())
