"""The MAP steps, Eqs. (6) and (7): gradient descent from the prior means on the negative log
posterior, Eqs. (1)-(3),

    1/2 sum_nm b_nm (u_n . v_m - x_nm)^2  +  lambda/2 ( sum_n |u_n - u0_n|^2 + sum_m |v_m - v0_m|^2 ).

``map_step`` writes a step down, and autograd differentiates it. ``map_steps`` takes T of them, with
their derivatives written down, too; meta-training goes through it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from metamf.ratings.batch import RatingsBatch
from metamf.ratings.segments import Segments, weighted_sums


class Factors(NamedTuple):
    """The factors after the last step, and the path that led there; both can be differentiated
    through."""

    U: Tensor  # (N, K) of the rows
    V: Tensor  # (M, K) of the columns
    path: Tensor  # (T + 1, N + M, K) U(t) on top of V(t); path[0] is the prior mean


def map_steps(
    U0: Tensor,
    V0: Tensor,
    batch: RatingsBatch,
    eta: Tensor,
    lam: Tensor,
    T: int,
    safe: bool = False,
) -> Factors:
    """T MAP steps from the prior means, Eqs. (6) and (7), both from the factors of the step before;
    differentiable once, in U0, V0, batch.x, eta and lam. Cost O(T nnz K), forward and backward.

    Parameters
    ----------
    U0, V0 : (N, K), (M, K) prior means
    batch : the observed entries, in standardised units
    eta, lam : step size and prior precision, scalars
    T : the number of steps
    safe : whether no row and no column takes a longer step than its curvature allows
        (``safe_step``); where the fixed step size converges quickly both agree, and where it
        diverges (rows with hundreds of entries) safe steps descend
    """
    steps = _SafeSteps if safe else _FixedSteps
    w, path = steps.apply(torch.cat([U0, V0]), batch.x, eta, lam, batch, T)
    U, V = w.split([batch.N, batch.M])
    return Factors(U, V, path)


def map_step(
    U: Tensor,
    V: Tensor,
    U0: Tensor,
    V0: Tensor,
    batch: RatingsBatch,
    eta: Tensor,
    lam: Tensor,
    safe: bool = False,
) -> tuple[Tensor, Tensor]:
    """One step of Eqs. (6) and (7) from U (N, K) and V (M, K); parameters as for ``map_steps``."""
    grad_U, grad_V = map_gradient(U, V, U0, V0, batch, lam)
    eta_n, eta_m = safe_step_sizes(U, V, batch, eta, lam) if safe else (eta, eta)
    return U - eta_n * grad_U, V - eta_m * grad_V


def safe_step_sizes(
    U: Tensor, V: Tensor, batch: RatingsBatch, eta: Tensor, lam: Tensor
) -> tuple[Tensor, Tensor]:
    """The step sizes eta_n (N, 1) and eta_m (M, 1) that safe steps take from U and V."""
    eta_n = safe_step(V, batch.by_row, batch.col, eta, lam)
    eta_m = safe_step(U, batch.by_col, batch.row, eta, lam)
    return eta_n, eta_m


def map_gradient(
    U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, batch: RatingsBatch, lam: Tensor | float
) -> tuple[Tensor, Tensor]:
    """The gradients (N, K) and (M, K) of the negative log posterior, the brackets of Eqs. (6) and
    (7)."""
    Un, Vm = U.index_select(0, batch.row), V.index_select(0, batch.col)  # (nnz, K)
    residual = ((Un * Vm).sum(1) - batch.x).unsqueeze(1)  # (nnz, 1)
    grad_U = torch.zeros_like(U).index_add_(0, batch.row, residual * Vm) + lam * (U - U0)
    grad_V = torch.zeros_like(V).index_add_(0, batch.col, residual * Un) + lam * (V - V0)
    return grad_U, grad_V


def safe_step(partner: Tensor, groups: Segments, at: Tensor, eta: Tensor, lam: Tensor) -> Tensor:
    """Step sizes min(eta, 1 / (2 L)) of the rows or of the columns, (n, 1).

    L_n = sum_m b_nm |v_m|^2 + lambda is the largest curvature that the objective can have along
    u_n.

    Parameters
    ----------
    partner : (m, K) factors of the other side
    groups : the entries by row, or by column
    at : (nnz,) the position in ``partner`` of each entry
    """
    curvature = groups.sum(partner.square().sum(1, keepdim=True)[at]) + lam
    return torch.minimum(eta, 0.5 / curvature)


def fold_in_steps(
    U0: Tensor, V_path: Tensor, batch: RatingsBatch, eta: Tensor, lam: Tensor, safe: bool
) -> Tensor:
    """Factors (N, K) of new rows, by Eq. (6) alone, while the columns follow the path ``V_path`` (T
    + 1, M, K).

    Rows of the matrix from which ``V_path`` was computed get the factors that ``map_steps`` gave
    them.
    """
    U = U0
    for V in V_path[:-1]:
        step = safe_step(V, batch.by_row, batch.col, eta, lam) if safe else eta
        U = U - step * map_gradient(U, V, U0, V, batch, lam)[0]
    return U


def objective(
    U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, batch: RatingsBatch, lam: Tensor
) -> Tensor:
    """The negative log posterior of the module's docstring, which the steps descend."""
    likelihood, prior = objective_parts(U, V, U0, V0, batch, lam)
    return likelihood + prior


def objective_parts(
    U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, batch: RatingsBatch, lam: Tensor
) -> tuple[Tensor, Tensor]:
    """Its two parts, the negative log likelihood, Eq. (2), and the negative log prior, Eq. (3), up
    to constants, in standardised units squared."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x
    distance = (U - U0).square().sum() + (V - V0).square().sum()
    return residual.square().sum() / 2, lam * distance / 2


class _FixedSteps(torch.autograd.Function):
    """With w = (U; V) stacked and g the gradient of half the squared error, a step is

        w(t+1) = w(t) - eta ( g(w(t)) + lambda (w(t) - w(0)) ),

    and the adjoint recursion of its backward pass is

        a(t) = a(t+1) - eta ( H(t) a(t+1) + lambda a(t+1) ),

    in which H(t), the Hessian of half the squared error, is symmetric and never formed; memory O(T
    (N + M) K).
    """

    @staticmethod
    def forward(
        ctx: Any, w0: Tensor, x: Tensor, eta: Tensor, lam: Tensor, batch: RatingsBatch, T: int
    ) -> tuple[Tensor, Tensor]:
        step = eta.item()
        decay = step * lam.item()
        ends = _Ends.of(batch)
        path = w0.new_empty(T + 1, *w0.shape)
        residuals = x.new_empty(T, len(x))
        path[0] = w0
        for w, w_next, residual in zip(path, path[1:], residuals):
            ends.add_products(torch.neg(x, out=residual), w, w)
            # Eqs. (6), (7): w - eta * (g(w) + lambda * (w - w0)) = lerp(w, w0, eta * lambda) - eta
            # * g(w)
            torch.lerp(w, w0, decay, out=w_next).sub_(ends.gradient(w, residual), alpha=step)
        ctx.save_for_backward(path, residuals, eta, lam)
        ctx.ends = ends
        ctx.set_materialize_grads(False)
        return path[T].clone(), path

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, grad_w: Tensor | None, grad_path: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        path, residuals, eta, lam = ctx.saved_tensors
        path = path.detach()  # an output, which kernels would otherwise prepare to differentiate
        T = len(residuals)
        step = eta.item()
        decay = step * lam.item()
        a = _adjoint_of_the_end(path, grad_w, grad_path)
        # sums over the steps, added up as they come: allocating all T summands would take longer
        # than the rest
        adjoints = torch.zeros_like(a)
        moved = torch.empty_like(a)
        grad_x = residuals.new_zeros(residuals.shape[1])
        grad_eta = a.new_zeros(())
        grad_decay = a.new_zeros(())
        for t in reversed(range(T)):
            w = path[t]
            hessian_a, change = ctx.ends.hessian(w, residuals[t], a)  # H(t) a(t + 1)
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


class _SafeSteps(torch.autograd.Function):
    """With the step sizes s_n = min(eta, 1 / (2 L_n)) of ``safe_step`` and the gradient G = g(w) +
    lambda (w - w(0)),

        w(t+1) = w(t) - s G,            a(t) = a(t+1) - H(t) b - lambda b + 2 w(t) c,            b = s a(t+1),

    in which c_m sums, over the entries of m, the adjoint of L_n at their other ends: 2 s_n^2 (a_n .
    G_n) where the curvature bounds the step, else 0.
    """

    @staticmethod
    def forward(
        ctx: Any, w0: Tensor, x: Tensor, eta: Tensor, lam: Tensor, batch: RatingsBatch, T: int
    ) -> tuple[Tensor, Tensor]:
        precision = lam.item()
        ends = _Ends.of(batch)
        path = w0.new_empty(T + 1, *w0.shape)
        residuals = x.new_empty(T, len(x))
        sizes = w0.new_empty(T, len(w0), 1)
        gradients = w0.new_empty(T, *w0.shape)
        path[0] = w0
        for t, (w, residual) in enumerate(zip(path, residuals)):
            ends.add_products(torch.neg(x, out=residual), w, w)
            torch.sub(w, w0, out=gradients[t]).mul_(precision).add_(ends.gradient(w, residual))
            curvature = ends.sum(w.square().sum(1, keepdim=True)).add_(precision)
            torch.minimum(eta, 0.5 / curvature, out=sizes[t])
            torch.addcmul(w, sizes[t], gradients[t], value=-1, out=path[t + 1])
        ctx.save_for_backward(path, residuals, sizes, gradients, eta, lam)
        ctx.ends = ends
        ctx.set_materialize_grads(False)
        return path[T].clone(), path

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, grad_w: Tensor | None, grad_path: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        path, residuals, sizes, gradients, eta, lam = ctx.saved_tensors
        path = path.detach()
        ends = ctx.ends
        T = len(residuals)
        precision = lam.item()
        a = _adjoint_of_the_end(path, grad_w, grad_path)
        pulls = torch.zeros_like(a)  # the sum of b over the steps
        grad_x = residuals.new_zeros(residuals.shape[1])
        grad_eta = a.new_zeros(())
        grad_lam = a.new_zeros(())
        for t in reversed(range(T)):
            w = path[t]
            s = sizes[t]
            b = s * a
            hessian_b, change = ends.hessian(w, residuals[t], b)  # H(t) b
            # (N + M, 1) adjoint of the step sizes
            of_size = -torch.linalg.vecdot(a, gradients[t]).unsqueeze(1)
            bounded = s < eta
            of_curvature = torch.where(bounded, -2 * s.square() * of_size, 0)
            grad_eta.add_(of_size.masked_fill(bounded, 0).sum())
            grad_lam.add_(of_curvature.sum() - _dot(b, w - path[0]))
            grad_x.add_(change)
            pulls.add_(b)
            a = a - hessian_b - precision * b + 2 * w * ends.sum(of_curvature)
            a = a if grad_path is None else a.add_(grad_path[t])
        return a + precision * pulls, grad_x, grad_eta, grad_lam, None, None


class _Ends(NamedTuple):
    """The 2 nnz ends of the entries, first those at rows, then those at columns, so that g is one
    sum over them."""

    batch: RatingsBatch
    starts: Tensor  # (N + M,) the end at which each row or column begins
    far: Tensor  # (2 nnz,) the position in w of each end's other end
    entry: Tensor  # (2 nnz,) the entry of each end

    @classmethod
    def of(cls, batch: RatingsBatch) -> _Ends:
        rows = batch.by_row
        cols = batch.by_col
        starts = torch.cat([rows.starts, cols.starts + len(batch.x)])
        far = torch.cat([rows.partners(cols) + batch.N, cols.partners(rows)])
        return cls(batch, starts, far, torch.cat([rows.order, cols.order]))

    def add_products(self, values: Tensor, rows: Tensor, cols: Tensor) -> Tensor:
        """Adds u_n . v_m to ``values`` (nnz,), in place; U is on top in ``rows``, V below in
        ``cols``, (N + M, K) each."""
        N = self.batch.N
        return self.batch.add_products(values, rows[:N], cols[N:])

    def gradient(self, w: Tensor, residual: Tensor) -> Tensor:
        """g (N + M, K): the sum over the entries of a row or column of the residual times the other
        end's factors."""
        return weighted_sums(self.starts, w, self.far, residual.index_select(0, self.entry))

    def hessian(self, w: Tensor, residual: Tensor, along: Tensor) -> tuple[Tensor, Tensor]:
        """H(w) ``along`` (N + M, K), and the change (nnz,) of the residuals along it."""
        change = self.add_products(torch.zeros_like(residual), w, along)
        self.add_products(change, along, w)
        return self.gradient(along, residual).add_(self.gradient(w, change)), change

    def sum(self, values: Tensor) -> Tensor:
        """(N + M, C) the sum over the entries of a row or column of the ``values`` at the other
        end."""
        return weighted_sums(self.starts, values, self.far, None)


def _adjoint_of_the_end(path: Tensor, grad_w: Tensor | None, grad_path: Tensor | None) -> Tensor:
    """(N + M, K) the adjoint of w(T), which is an output and the last point of the path."""
    a = torch.zeros_like(path[-1]) if grad_w is None else grad_w
    return a if grad_path is None else a + grad_path[-1]


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return torch.dot(a.flatten(), b.flatten())
