"""One episode of meta-training, looked at: Algorithm 2, lines 5 to 8, as a value.

``trace_episode`` keeps everything that one correction of the network comes from: the factors and
the objective of Eqs. (1) to (3) at each step, the loss of Eq. (9) at each step, and the derivative
of its last value by the start, U(0) and V(0), through the steps. ``corrected`` carries line 8 out, as plain gradient
descent.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from metamf.learning.episodes import Episode, EpisodeBatch
from metamf.learning.objectives import query_error
from metamf.network.map_steps import map_step, objective_parts
from metamf.network.meta_mf import MetaMF
from metamf.network.protocol import StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings

SMALLEST_STEP = 1e-9  # of a correction, where halving ends although the loss is no number
PARAMETERS = {  # the groups of parameters that a correction moves, by the beginnings of their names
    "exchangeable layers, Eq. (4)": "prior.layers.",
    "f_U, Eq. (5)": "prior.f_U.",
    "f_V, Eq. (5)": "prior.f_V.",
    "λ": "log_prior_precision",
    "η": "log_step_size",
}


@dataclass(frozen=True, eq=False)
class Objective:
    """The negative log posterior of Eqs. (1) to (3) at each step, halved as Eqs. (6) and (7)
    descend it; (T + 1,) each, in standardised units squared."""

    likelihood: np.ndarray  # half the squared errors on the given entries, Eq. (2)
    prior: np.ndarray  # lambda / 2 times the squared distance from the prior means, Eq. (3)

    @property
    def total(self) -> np.ndarray:
        """What the steps make smaller."""
        return self.likelihood + self.prior


@dataclass(frozen=True, eq=False)
class EpisodeTrace:
    """What one episode does, in standardised units.

    ``slope_rows`` and ``slope_cols`` are the derivatives of ``losses[T]`` by U(0) and V(0). At
    index t the steps up to t count as constants, first order: U(0) moves U(t) as it moves itself,
    and only the steps after t are differentiated. Index 0 is the derivative through all steps, with
    which a network is trained; at index T no step is differentiated.
    """

    episode: Episode  # support: X and B, query: X' and B'
    U: np.ndarray  # (T + 1, N, K); U[0] is the prior mean
    V: np.ndarray  # (T + 1, M, K)
    objective: Objective
    losses: np.ndarray  # (T + 1,) Eq. (9) after each step: mean squared error on the query entries
    slope_rows: np.ndarray  # (T + 1, N, K)
    slope_cols: np.ndarray  # (T + 1, M, K)
    # norm of the derivative by the parameters, by ``PARAMETERS``
    parameter_slopes: dict[str, float]

    @property
    def T(self) -> int:
        """The number of steps."""
        return len(self.losses) - 1


def trace_episode(
    network: MetaMF, episode: Episode, step_rule: StepRule | None = None
) -> EpisodeTrace:
    """Traces one episode, computed in double precision on a copy of the network, without dropout.

    ValueError if the episode has no query entry.

    Parameters
    ----------
    network : one that takes the steps of Eqs. (6) and (7)
    episode : a matrix whose entries are divided, in standardised units
    step_rule : 'paper' or 'safe' steps; 'auto' and None: those that ``MetaMF.adapt`` takes here
    """
    if not episode.query.nnz:
        raise ValueError("an episode needs a query entry, on which Eq. (9) is measured; got none")
    learner = _copy(network)
    batch = EpisodeBatch.of([episode], torch.float64)
    support = batch.support
    with torch.no_grad():
        adapted = learner.adapt(support, step_rule=step_rule)
        safe = adapted.rule == "safe"
        path = list(adapted.path)
        start = path[0]
        eta = learner.step_size
        lam = learner.prior_precision
        sizes = [support.N, support.M]
        objective = objective_path(path, support, lam)
    T = len(path) - 1
    # Each step has its own copy of the prior mean, so that derivatives are told apart by step.
    w = start.clone().requires_grad_()
    reached = [w]
    priors = [start.clone().requires_grad_() for _ in range(T)]
    for prior in priors:
        U, V = w.split(sizes)
        U0, V0 = prior.split(sizes)
        w = torch.cat(map_step(U, V, U0, V0, support, eta, lam, safe))
        reached.append(w)
    sides = torch.stack(reached).split(sizes, dim=1)  # (T + 1, N, K), (T + 1, M, K)
    found = torch.linalg.vecdot(sides[0][:, batch.query_row], sides[1][:, batch.query_col])
    losses = (found - batch.query_x).square().mean(1)
    slopes = torch.autograd.grad(losses[-1], [*reached, *priors], materialize_grads=True)
    by_state = torch.stack(slopes[: T + 1])
    by_prior = torch.stack([*slopes[T + 1 :], torch.zeros_like(start)])
    # what reaches U(0) through the steps after t: by U(t), and as the prior mean of these steps
    by_start = by_state + by_prior.flip(0).cumsum(0).flip(0)
    U, V = (side.detach().numpy() for side in sides)
    slope_rows, slope_cols = (side.numpy() for side in by_start.split(sizes, dim=1))
    return EpisodeTrace(
        episode,
        U,
        V,
        objective,
        losses.detach().numpy(),
        slope_rows,
        slope_cols,
        _slopes(learner, batch),
    )


def objective_path(path: list[Tensor], support: RatingsBatch, lam: Tensor) -> Objective:
    """The parts of Eqs. (1) to (3) along a path of U on top of V, (N + M, K) at each step."""
    sizes = [support.N, support.M]
    U0, V0 = path[0].split(sizes)
    pairs = (w.split(sizes) for w in path)
    parts = [objective_parts(U, V, U0, V0, support, lam) for U, V in pairs]
    likelihood, prior = torch.tensor(parts, dtype=torch.float64).T.numpy()
    return Objective(likelihood, prior)


def objective_of(U: np.ndarray, V: np.ndarray, given: Ratings, prior_precision: float) -> Objective:
    """The same of arrays (T + 1, N, K) and (T + 1, M, K), for the ``given`` entries in standardised
    units and lambda."""
    support = RatingsBatch.of([given], torch.float64)
    path = torch.tensor(np.concatenate([U, V], axis=1), dtype=torch.float64)
    return objective_path(list(path), support, torch.tensor(prior_precision))


def corrected(network: MetaMF, episode: Episode) -> tuple[MetaMF, float]:
    """Line 8 of Algorithm 2 by plain descent: a copy of the network, in double precision, after one
    step against the gradient of Eq. (9) on an episode, and the size of that step.

    The size is 1, halved until the loss falls by half of what its gradient promises (Armijo).
    """
    learner = _copy(network)
    episodes = EpisodeBatch.of([episode], torch.float64)
    trained = [parameter for parameter in learner.parameters() if parameter.requires_grad]
    loss = query_error(learner, episodes)
    slopes = torch.autograd.grad(loss, trained, materialize_grads=True)
    promised = sum(float(slope.square().sum()) for slope in slopes) / 2
    learner.requires_grad_(False)
    size = 1.0
    for parameter, slope in zip(trained, slopes):
        parameter.sub_(slope, alpha=size)
    while not query_error(learner, episodes) <= loss - size * promised and size > SMALLEST_STEP:
        size /= 2
        for parameter, slope in zip(trained, slopes):
            parameter.add_(slope, alpha=size)
    return learner, size


def _copy(network: MetaMF) -> MetaMF:
    """A copy in double precision, of which the parameters that are trained have gradients."""
    learner = copy.deepcopy(network).double().eval().requires_grad_()
    learner.log_step_size.requires_grad_(network.config.learn_step_size)
    return learner


def _slopes(learner: MetaMF, batch: EpisodeBatch) -> dict[str, float]:
    query_error(learner, batch).backward()
    squares = dict.fromkeys(PARAMETERS, 0.0)
    for name, parameter in learner.named_parameters():
        group = next(group for group, begin in PARAMETERS.items() if name.startswith(begin))
        if parameter.grad is not None:
            squares[group] += float(parameter.grad.square().sum())
    return {group: float(np.sqrt(square)) for group, square in squares.items()}
