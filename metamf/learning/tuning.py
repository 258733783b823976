"""Tuning by hiding: a meta-learned network is moved a little for one matrix.

Of the matrix's own observed entries some are hidden, the others predict them, and an Adam step on all parameters of the
network makes the prediction better; then others are hidden. This is meta-learning (Algorithm 2) whose episodes all come
from one matrix. Unobserved entries are never used. The paper's baseline FT takes the same steps on the *given* entries
and gets worse: FT trains the network to reproduce its input, hiding trains it to predict.

How long is decided by a fixed part of the entries (the check part) that tuning never sees: the network with the lowest
error there is kept, the untouched one if tuning does not help. It decides on the number of rounds, too.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from metamf.learning.episodes import Episode, EpisodeBatch, canonical_lines, canonical_order, divide_entries
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
#: Numbers of steps that "auto" chooses from, by the time that there is: each half of the one before.
HORIZONS = 320, 160, 80, 40, 20
USUAL_STEPS = 160  # that "auto" plans at most: more turned small matrices back up
#: Cost of a step, in entries, from which a matrix learns from random parts of it; a row or a column costs as much as
#: ``SIDE_COST`` entries, and a part is at most ``LONGEST`` times as long as it is wide.
LARGEST_EPISODE = 100_000
SIDE_COST = 7
LONGEST = 4


@dataclass(frozen=True)
class Tuning:
    """The settings of tuning by hiding; ValueError if the number of steps or the time limit is not positive."""

    steps: int | None = None  # None: as many as help, by the check part and the time
    seconds: float | None = 60.0  # time limit; with a number of steps tuning ends there, whatever it has reached
    seed: int = 0  # everything random comes from this number

    def __post_init__(self) -> None:
        if self.steps is not None and self.steps < 1:
            raise ValueError(f"the number of tuning steps must be at least 1, got {self.steps}")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"the time limit of tuning must be positive, got {self.seconds} seconds")


@dataclass(frozen=True)
class TuningProgress:
    """Progress of a tuning; errors are root mean squared errors on the check part, standardised units."""

    step: int  # steps that were made
    steps: int  # steps that are planned
    error: float  # now
    first_error: float  # of the untouched network
    best_error: float
    best_step: int  # the step after which it was reached
    seconds: float  # since tuning began


@dataclass(frozen=True)
class TuningOutcome:
    """Outcome of a tuning; errors as in ``TuningProgress``, nan if the matrix has too few entries for a check part."""

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
    """Returns a copy of a meta-learned method, tuned to one matrix, in evaluation mode; and the outcome.

    The same seed gives the same network, unless the time limit ends tuning or shortens what "auto" plans.

    Parameters
    ----------
    method : a network with ``adapt(support)``, whose result has ``predict(row, col)``; it stays as it is
    ratings : the observed entries, in standardised units
    objective : that with which the method was meta-trained (``metamf.learning.objectives``)
    progress : called with a ``TuningProgress`` after every ``CHECK_EVERY`` steps and after the last one; if it returns
        True, tuning stops and keeps the best so far
    rounds : numbers of rounds to choose from, of which the untouched network takes the first; none: only its own T
    """
    division = check_part(ratings, settings.seed)
    if division is None:
        nan = float("nan")
        return method, TuningOutcome(0, 0, nan, nan, 0.0, 0.0, 0, 0.0)
    return _Run(method, division, objective, settings, progress, rounds).finish()


def check_part(ratings: Ratings, seed: int) -> Episode | None:
    """The entries that tuning with this seed sees, as support, and those that it is checked on, as query.

    None for fewer than ``FEWEST_TO_TUNE`` entries. The order of rows and columns makes no difference.
    """
    if ratings.nnz < FEWEST_TO_TUNE:
        return None
    share = min(CHECK_SHARE, LARGEST_CHECK / ratings.nnz)
    return divide_entries(ratings, 1 - share, np.random.default_rng([seed, 3]), canonical_order(ratings))


class _Run(Generic[Tuned]):
    """One tuning, from the division of the entries to the outcome."""

    def __init__(
        self,
        method: Tuned,
        division: Episode,
        objective: Callable[[Tuned, EpisodeBatch], tuple[Tensor, Tensor]],
        settings: Tuning,
        progress: Callable[[TuningProgress], object] | None,
        rounds: Sequence[int],
    ) -> None:
        self.original = method
        self.settings = settings
        self.objective = objective
        self.progress = progress
        self.rounds = rounds or (None,)
        self.started = time.perf_counter()
        self.limit = math.inf if settings.seconds is None else settings.seconds
        self.rng = np.random.default_rng([settings.seed, 2])
        self.learner = copy.deepcopy(method).float().requires_grad_(True)
        self.parameters = [parameter for parameter in self.learner.parameters() if parameter.requires_grad]
        self.device = self.parameters[0].device
        # without labels, which a batch does not need
        self.kept_entries = replace(division.support, row_labels=None, col_labels=None)
        self.lines = canonical_lines(self.kept_entries)
        self.order = canonical_order(self.kept_entries)
        self.check = EpisodeBatch.of([division], device=self.device)
        self.first_squares = self.best_squares = self._check()
        self.best: dict[str, Tensor] | None = None
        self.best_step = self.step = self.checked_at = 0
        self.fastest = math.inf  # seconds of a step

    def finish(self) -> tuple[Tuned, TuningOutcome]:
        optimizer = torch.optim.Adam(self.parameters, HIGHEST_RATE)
        planned = self.settings.steps or USUAL_STEPS
        with torch.enable_grad(), own_random_state(self.settings.seed, self.device):
            while self.step < planned and self._seconds() <= self.limit:
                began = self._seconds()
                self._update(optimizer, planned)
                self.fastest = min(self.fastest, self._seconds() - began)
                self.step += 1
                if self.step == 3 and self.settings.steps is None:
                    planned = self._affordable()
                if (self.step % CHECK_EVERY == 0 or self.step == planned) and self._checked(planned):
                    break
            if self.step != self.checked_at:  # time has ended between two checks
                self._checked(planned)
        networks = [self.original]
        if self.best is not None:
            networks.append(copy.deepcopy(self.original))
            networks[1].load_state_dict(self.best)
        found = []
        for network in networks:
            self.learner.load_state_dict(network.state_dict())
            found += [(self._check(T), network, T) for T in self.rounds]
        first = found[0][0]
        squares, network, rounds = min(found, key=lambda one: float(one[0].mean()))
        difference = first - squares  # (n_check,)
        outcome = TuningOutcome(
            self.step,
            0 if network is self.original else self.best_step,
            _root(first),
            _root(squares),
            float(difference.mean()),
            float(difference.std() / math.sqrt(len(difference))) if len(difference) > 1 else 0.0,
            len(difference),
            self._seconds(),
            rounds,
        )
        return network.eval(), outcome

    def _update(self, optimizer: torch.optim.Optimizer, planned: int) -> None:
        falling = (1 + math.cos(math.pi * self.step / planned)) / 2
        for group in optimizer.param_groups:
            group["lr"] = HIGHEST_RATE * falling * min(1.0, (self.step + 1) / (WARMUP + 1))
        self.learner.train()
        total, weight = self.objective(self.learner, self._episode())
        optimizer.zero_grad(set_to_none=True)
        (total / weight.clamp(min=1e-12)).backward()
        norm = nn.utils.clip_grad_norm_(self.parameters, CLIP_GRADIENT)
        if torch.isfinite(norm):  # a step that is not a number would end the network
            optimizer.step()

    def _episode(self) -> EpisodeBatch:
        """Some of the entries hidden, in the whole matrix or, if it is large, in a random part of it."""
        ratings = self.kept_entries
        order = self.order
        sizes = np.array(ratings.shape, dtype=float)

        def cost() -> float:
            return ratings.nnz * float(np.prod(sizes / ratings.shape)) + SIDE_COST * float(sizes.sum())

        if cost() > LARGEST_EPISODE:
            sizes = np.minimum(sizes, LONGEST * sizes.min())
            while cost() > LARGEST_EPISODE:
                sizes *= 0.95
            ids = (self.rng.permutation(lines)[: max(1, round(want))] for lines, want in zip(self.lines, sizes))
            part = ratings.submatrix(*ids)
            if part.nnz >= 2:
                ratings = part
                order = canonical_order(part)
        episode = divide_entries(ratings, 1 - self.rng.uniform(*HIDDEN_SHARES), self.rng, order)
        return EpisodeBatch.of([episode], device=self.device)

    def _checked(self, planned: int) -> bool:
        """Measures the error on the check part; whether to stop."""
        squares = self._check()
        self.checked_at = self.step
        if float(squares.mean()) < float(self.best_squares.mean()):
            self.best_squares = squares
            self.best_step = self.step
            self.best = {name: value.clone() for name, value in self.learner.state_dict().items()}
        stop = False
        if self.progress is not None:
            now, first, best = map(_root, (squares, self.first_squares, self.best_squares))
            progress = TuningProgress(self.step, planned, now, first, best, self.best_step, self._seconds())
            stop = self.progress(progress) is True
        stale = self.settings.steps is None and self.step - self.best_step >= STALE_CHECKS * CHECK_EVERY
        return stop or stale

    @torch.no_grad()
    def _check(self, rounds: int | None = None) -> Tensor:
        """(n_check,) squared errors on the check part, standardised units squared; infinite if not a number."""
        self.learner.eval()
        found = adapted(self.learner, self.check.support, rounds)
        estimates = found.predict(self.check.query_row, self.check.query_col)
        return (estimates - self.check.query_x).double().square().nan_to_num(nan=math.inf)

    def _affordable(self) -> int:
        """The number of steps for which there is time, by the fastest of the first three: the first one of a process
        takes several times as long."""
        left = self.limit - self._seconds()
        within = (steps for steps in HORIZONS if steps <= USUAL_STEPS and (steps - self.step) * self.fastest <= left)
        return next(within, HORIZONS[-1])

    def _seconds(self) -> float:
        return time.perf_counter() - self.started


def _root(squares: Tensor) -> float:
    return math.sqrt(float(squares.mean()))
