"""Episodic meta-training, Algorithm 2: one loop for every meta-learned method.

The loop knows a method by two calls, ``method.adapt(support)`` and ``adapted.predict(row, col)``. It is a generator
that yields after every epoch, so that a command line can draw a progress bar, a page can pause it, and a test can stop
it; what it needs to go on is in ``state_dict``. Everything random in an epoch comes from (seed, epoch). Processes that
work together (``metamf.learning.workers``) each read a share of every batch and hold the same parameters at any time.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from metamf.episodes import EpisodeBatch, Sampler
from metamf.learning.objectives import squared_errors
from metamf.learning.workers import Loss, Workers


@dataclass(frozen=True)
class TrainingConfig:
    """Algorithm 2's settings. An epoch is ``updates_per_epoch`` updates, each on a batch of ``batch_size`` blocks.

    ``schedule``: the learning rate is 'constant', or falls to zero as a 'cosine'. ``averaging``: decay of the
    exponential average of the parameters that is validated and kept (0: the parameters themselves). ``keep``: those of
    the epoch with the lowest validation error, 'best', or of the 'last' one. ``warmup``: updates over which the
    learning rate rises to its value. ``clip_gradient``: the gradient's largest norm. ``patience``: epochs without a
    better validation error before training stops (None: never).
    """

    learning_rate: float
    epochs: int
    updates_per_epoch: int
    batch_size: int = 16
    schedule: str = "constant"
    averaging: float = 0.0
    keep: str = "best"
    warmup: int = 0
    clip_gradient: float | None = None
    weight_decay: float = 0.0
    patience: int | None = None
    seed: int = 0

    def __post_init__(self):
        if self.schedule not in ("constant", "cosine"):
            raise ValueError(f"schedule must be 'constant' or 'cosine', got {self.schedule!r}")
        if self.keep not in ("best", "last"):
            raise ValueError(f"keep must be 'best' or 'last', got {self.keep!r}")
        for name in ("learning_rate", "epochs", "updates_per_epoch", "batch_size"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 <= self.averaging < 1:
            raise ValueError(f"averaging must lie in [0, 1), got {self.averaging}")
        if self.patience is not None and self.patience < 1:
            raise ValueError(f"patience must be at least 1, or None, got {self.patience}")


@dataclass(frozen=True)
class Progress:
    """Where training stands after an epoch; errors are mean squared errors in standardised units."""

    epoch: int
    train_error: float
    validation_error: float
    best_error: float
    best_epoch: int


class MetaTraining:
    """Meta-trains ``method``, which at any time holds the parameters to keep: those with the lowest validation error so
    far, or the last ones.

    Parameters
    ----------
    method : a module with ``adapt(support) -> adapted`` and ``adapted.predict(row, col)``
    sampler : the meta-training episodes
    validation : meta-validation episodes, fixed
    objective : (method, episodes) -> a weighted sum over query entries and its weight: their ratio is minimised;
        validation always measures the query error
    workers : the processes that share the work; all of them make the same calls

    Raises
    ------
    ValueError
        if no validation entry is to be predicted.
    """

    def __init__(
        self,
        method: nn.Module,
        sampler: Sampler,
        validation: EpisodeBatch,
        config: TrainingConfig,
        objective: Callable[[nn.Module, EpisodeBatch], tuple[torch.Tensor, torch.Tensor]] = squared_errors,
        workers: Workers = Workers(),
    ):
        self.method, self.sampler, self.config, self.workers = method, sampler, config, workers
        self.validation = workers.share(validation)
        self.device = validation.query_x.device
        if not len(validation.query_x):
            raise ValueError("the validation episodes have no query entry to measure an error on")
        method.to(self.device).eval()
        self.learner = copy.deepcopy(method)  # whose parameters the optimizer moves
        self.average = copy.deepcopy(method)  # the running average of those
        self.loss = workers.averaged(Loss(objective, self.learner))
        self.error = Loss(squared_errors, self.average)
        parameters = [p for p in self.learner.parameters() if p.requires_grad]
        fused = self.device.type == "cpu"
        self.optimizer = torch.optim.AdamW(
            parameters, config.learning_rate, weight_decay=config.weight_decay, fused=fused
        )
        self.history: list[Progress] = []

    def run(self) -> Iterator[Progress]:
        """Trains from where the state stands until the last epoch, or until patience runs out.

        An epoch that does not end (Ctrl-C, an error) leaves everything as it was before it.

        Raises
        ------
        FloatingPointError
            if an error is not finite: training diverged.
        """
        while not self.finished:
            before = self.state_dict()
            try:
                progress = self._epoch()
            except BaseException:
                self.load_state_dict(*before)
                raise
            self.history.append(progress)
            if self.kept_epoch == progress.epoch:
                self.method.load_state_dict(self.average.state_dict())
            yield progress

    @property
    def finished(self) -> bool:
        if not self.history:
            return False
        last = self.history[-1]
        stale = self.config.patience is not None and last.epoch - last.best_epoch >= self.config.patience
        return stale or last.epoch >= self.config.epochs

    @property
    def kept_epoch(self) -> int:
        """The epoch whose parameters ``method`` holds, 0 before the first one."""
        if not self.history:
            return 0
        return self.history[-1].epoch if self.config.keep == "last" else self.history[-1].best_epoch

    def _epoch(self) -> Progress:
        epoch = len(self.history) + 1
        rng = np.random.default_rng([self.config.seed, 1, epoch])
        sums = np.zeros(2)
        self.learner.train()
        with torch.random.fork_rng([self.device] if self.device.type == "cuda" else []):
            seed = int(rng.integers(2**62))
            for update in range(self.config.updates_per_epoch):
                # for dropout; anew every time, since a process without a share of a batch draws nothing
                torch.manual_seed(seed + update)
                self._set_learning_rate((epoch - 1) * self.config.updates_per_epoch + update)
                episodes = self.sampler.sample(rng, self.config.batch_size, self.device)
                total, weight = self.loss(self.workers.share(episodes))
                both = self.workers.add_up(total, weight)
                self._finite("training", epoch, *both)
                sums += both
                self.optimizer.zero_grad(set_to_none=True)
                (total * self.workers.size / max(both[1], 1)).backward()
                if self.config.clip_gradient is not None:
                    nn.utils.clip_grad_norm_(self.learner.parameters(), self.config.clip_gradient)
                self.optimizer.step()
                self._update_average()
        with torch.no_grad():
            error = self._finite("validation", epoch, *self.workers.add_up(*self.error(self.validation)))
        best = min(((p.validation_error, p.epoch) for p in self.history), default=(math.inf, 0))
        best = min(best, (error, epoch))
        return Progress(epoch, sums[0] / max(sums[1], 1), error, *best)

    def _finite(self, part: str, epoch: int, total: float, weight: float) -> float:
        if math.isfinite(value := total / max(weight, 1)):
            return value
        raise FloatingPointError(
            f"the {part} error became {value} in epoch {epoch}, so training stops; the best parameters are kept. "
            f"Use a learning rate smaller than {self.config.learning_rate:g}"
        )

    def _set_learning_rate(self, update: int) -> None:
        share = update / (self.config.epochs * self.config.updates_per_epoch)
        factor = (1 + math.cos(math.pi * share)) / 2 if self.config.schedule == "cosine" else 1.0
        factor *= min(1.0, (update + 1) / (self.config.warmup + 1))
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * factor

    @torch.no_grad()
    def _update_average(self) -> None:
        new = 1 - self.config.averaging
        torch._foreach_lerp_(list(self.average.parameters()), list(self.learner.parameters()), new)

    def state_dict(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """Everything that training needs to go on: a copy of the tensors, and the rest as JSON values."""
        tensors = {}
        for name, module in (("learner", self.learner), ("average", self.average), ("kept", self.method)):
            tensors |= {f"{name}.{key}": value.clone() for key, value in module.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{index}.{key}": value.clone() for key, value in moments.items()}
        return tensors, {"config": asdict(self.config), "history": [asdict(progress) for progress in self.history]}

    def load_state_dict(self, tensors: dict[str, torch.Tensor], values: dict[str, Any]) -> None:
        """Goes on from ``state_dict``. Raises ValueError if it comes from a run with another configuration."""
        if values["config"] != asdict(self.config):
            raise ValueError(f"the stopped run had other settings: {values['config']}, not {asdict(self.config)}")
        part = lambda prefix: {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}  # noqa: E731
        for name, module in (("learner", self.learner), ("average", self.average), ("kept", self.method)):
            module.load_state_dict(part(f"{name}."))
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for key, value in part("optimizer.").items():
            index, name = key.split(".")
            moments.setdefault(int(index), {})[name] = value.clone()
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": moments})
        self.history = [Progress(**progress) for progress in values["history"]]
