"""Tuning by hiding: a meta-learned network is moved a little for one matrix.

Of the matrix's own observed entries some are hidden, the others predict them, and an Adam step on
all parameters of the network makes the prediction better; then others are hidden. This is
meta-learning (Algorithm 2) whose episodes all come from one matrix. Unobserved entries are never
used. The paper's baseline FT takes the same steps on the *given* entries and gets worse: FT trains
the network to reproduce its input, hiding trains it to predict.

How long is decided by a fixed part of the entries (the check part) that tuning never sees: the
network with the lowest error there is kept, the untouched one if tuning does not help. It decides
on the number of rounds, too.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from metamf.learning.episodes import (
    Episode,
    EpisodeBatch,
    canonical_lines,
    canonical_order,
    divide_entries,
)
from metamf.learning.objectives import adapted
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state

Tuned = TypeVar("Tuned", bound=nn.Module)

HIDDEN_SHARES = 0.05, 0.5  # smallest and largest share that a step hides, uniform in between
HIGHEST_RATE = 1e-3  # learning rate at its highest
WARMUP = 10  # steps over which the learning rate rises linearly
CLIP_GRADIENT = 1.0  # largest norm
CHECK_SHARE = 0.15  # share of the entries
LARGEST_CHECK = 5_000  # entries: more would cost time and decide nothing
FEWEST_TO_TUNE = 20  # below them nothing is tuned: the check part would be a coin toss
CHECK_EVERY = 10  # steps
STALE_CHECKS = 4  # checks in a row without a lower error, after which "auto" stops
#: Numbers of steps that "auto" plans: the first one whose steps cost ``MOST_WORK`` entries at most,
#: about a minute on one core (benchmarks/results/fill.csv), or the last. More turned small matrices
#: back up.
HORIZONS = 160, 80, 40, 20
MOST_WORK = 4_000_000
#: Cost of a step, in entries, from which a matrix learns from random parts of it; a row or a column
#: costs as much as ``SIDE_COST`` entries, and a part is at most ``LONGEST`` times as long as it is
#: wide.
LARGEST_EPISODE = 100_000
SIDE_COST = 7
LONGEST = 4


@dataclass(frozen=True)
class Tuning:
    """The settings of tuning by hiding; ValueError if the number of steps is not positive."""

    steps: int | None = None  # None: as many as help, by the check part, and the size allows
    seed: int = 0  # everything random comes from this number

    def __post_init__(self) -> None:
        if self.steps is not None and self.steps < 1:
            raise ValueError(f"the number of tuning steps must be at least 1, got {self.steps}")


@dataclass(frozen=True)
class TuningProgress:
    """Progress of a tuning; errors are root mean squared errors on the check part, standardised
    units."""

    step: int  # steps that were made
    steps: int  # steps that are planned
    error: float  # now
    first_error: float  # of the untouched network
    best_error: float
    best_step: int  # the step after which it was reached
    seconds: float  # since tuning began


@dataclass(frozen=True)
class TuningOutcome:
    """Outcome of a tuning; errors as in ``TuningProgress``, nan if the matrix has too few entries
    for a check part."""

    steps: int  # steps that were made
    kept: int  # the step after which the network was kept; 0: the untouched one
    first_error: float  # of the untouched network
    error: float  # of the kept network
    gain: float  # fall of the mean squared error on the check part
    spread: float  # standard error of ``gain``
    checked: int  # entries of the check part
    seconds: float  # time that it took
    rounds: int | None = None  # with which the kept network has that error; None: its own T


def tune(
    method: Tuned,
    ratings: Ratings,
    objective: Callable[[Tuned, EpisodeBatch], tuple[Tensor, Tensor]],
    settings: Tuning = Tuning(),
    progress: Callable[[TuningProgress], object] | None = None,
    rounds: Sequence[int] = (),
) -> tuple[Tuned, TuningOutcome]:
    """Returns a copy of a meta-learned method, tuned to one matrix, in evaluation mode; and the
    outcome.

    The same seed gives the same network.

    Parameters
    ----------
    method : a network with ``adapt(support)``, whose result has ``predict(row, col)``; it stays as
        it is
    ratings : the observed entries, in standardised units
    objective : that with which the method was meta-trained (``metamf.learning.objectives``)
    progress : called with a ``TuningProgress`` after every ``CHECK_EVERY`` steps and after the last
        one; if it returns True, tuning stops and keeps the best so far
    rounds : numbers of rounds to choose from, of which the untouched network takes the first; none:
        only its own T
    """
    division = check_part(ratings, settings.seed)
    if division is None:
        nan = float("nan")
        return method, TuningOutcome(0, 0, nan, nan, 0.0, 0.0, 0, 0.0)
    started = time.perf_counter()
    rng = np.random.default_rng([settings.seed, 2])
    learner = copy.deepcopy(method).float().requires_grad_(True)
    parameters = list(learner.parameters())
    device = parameters[0].device
    check = EpisodeBatch.of([division], device=device)

    @torch.no_grad()
    def squares(rounds: int | None = None) -> Tensor:
        """(n_check,) squared errors on the check part, standardised units squared; infinite if not
        a number."""
        learner.eval()
        estimates = adapted(learner, check.support, rounds).predict(
            check.query_row, check.query_col
        )
        return (estimates - check.query_x).double().square().nan_to_num(nan=math.inf)

    first = lowest = squares()
    best: dict[str, Tensor] | None = None
    best_step = step = 0
    # without labels, which a batch does not need
    matrix = _Hidden(replace(division.support, row_labels=None, col_labels=None))
    planned = settings.steps or usual_steps(matrix.ratings)
    optimizer = torch.optim.Adam(parameters, HIGHEST_RATE)
    with torch.enable_grad(), own_random_state(settings.seed, device):
        while step < planned:
            falling = (1 + math.cos(math.pi * step / planned)) / 2
            rate = HIGHEST_RATE * falling * min(1.0, (step + 1) / (WARMUP + 1))
            optimizer.param_groups[0]["lr"] = rate
            learner.train()
            total, weight = objective(learner, matrix.episode(rng, device))
            optimizer.zero_grad(set_to_none=True)
            (total / weight.clamp(min=1e-12)).backward()
            norm = nn.utils.clip_grad_norm_(parameters, CLIP_GRADIENT)
            if torch.isfinite(norm):  # a step that is not a number would end the network
                optimizer.step()
            step += 1
            if step % CHECK_EVERY and step < planned:
                continue
            now = squares()
            if float(now.mean()) < float(lowest.mean()):
                lowest = now
                best_step = step
                best = {name: value.clone() for name, value in learner.state_dict().items()}
            if progress is not None:
                error, first_error, best_error = map(_root, (now, first, lowest))
                seconds = time.perf_counter() - started
                stopped = progress(
                    TuningProgress(
                        step, planned, error, first_error, best_error, best_step, seconds
                    )
                )
                if stopped is True:
                    break
            if settings.steps is None and step - best_step >= STALE_CHECKS * CHECK_EVERY:
                break
    networks = [method]
    if best is not None:
        networks.append(copy.deepcopy(method))
        networks[1].load_state_dict(best)
    found = []
    for network in networks:
        learner.load_state_dict(network.state_dict())
        found += [(squares(T), network, T) for T in rounds or (None,)]
    first = found[0][0]
    lowest, kept, T = min(found, key=lambda one: float(one[0].mean()))
    difference = first - lowest  # (n_check,)
    outcome = TuningOutcome(
        step,
        0 if kept is method else best_step,
        _root(first),
        _root(lowest),
        float(difference.mean()),
        float(difference.std() / math.sqrt(len(difference))) if len(difference) > 1 else 0.0,
        len(difference),
        time.perf_counter() - started,
        T,
    )
    return kept.eval(), outcome


def check_part(ratings: Ratings, seed: int) -> Episode | None:
    """The entries that tuning with this seed sees, as support, and those that it is checked on, as
    query.

    None for fewer than ``FEWEST_TO_TUNE`` entries. The order of rows and columns makes no
    difference.
    """
    if ratings.nnz < FEWEST_TO_TUNE:
        return None
    share = min(CHECK_SHARE, LARGEST_CHECK / ratings.nnz)
    return divide_entries(
        ratings, 1 - share, np.random.default_rng([seed, 3]), canonical_order(ratings)
    )


def step_cost(ratings: Ratings, sizes: np.ndarray) -> float:
    """The cost of a step on random rows and columns of a matrix, ``sizes`` (2,) in number, in
    entries."""
    return ratings.nnz * float(np.prod(sizes / ratings.shape)) + SIDE_COST * float(sizes.sum())


def usual_steps(ratings: Ratings) -> int:
    """The number of steps that "auto" plans for a matrix, by its size."""
    cost = min(step_cost(ratings, np.array(ratings.shape, dtype=float)), LARGEST_EPISODE)
    return next((steps for steps in HORIZONS if steps * cost <= MOST_WORK), HORIZONS[-1])


class _Hidden:
    """The entries of a matrix, of which each step hides some."""

    def __init__(self, ratings: Ratings) -> None:
        self.ratings = ratings
        self.lines = canonical_lines(ratings)
        self.order = canonical_order(ratings)

    def episode(self, rng: np.random.Generator, device: torch.device) -> EpisodeBatch:
        """Some of the entries hidden, in the whole matrix or, if it is large, in a random part of
        it."""
        ratings = self.ratings
        order = self.order
        sizes = np.array(ratings.shape, dtype=float)
        if step_cost(ratings, sizes) > LARGEST_EPISODE:
            sizes = np.minimum(sizes, LONGEST * sizes.min())
            while step_cost(ratings, sizes) > LARGEST_EPISODE:
                sizes *= 0.95
            ids = (
                rng.permutation(lines)[: max(1, round(want))]
                for lines, want in zip(self.lines, sizes)
            )
            part = ratings.submatrix(*ids)
            if part.nnz >= 2:
                ratings = part
                order = canonical_order(part)
        episode = divide_entries(ratings, 1 - rng.uniform(*HIDDEN_SHARES), rng, order)
        return EpisodeBatch.of([episode], device=device)


def _root(squares: Tensor) -> float:
    return math.sqrt(float(squares.mean()))
