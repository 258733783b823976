"""Episodic meta-training, Algorithm 2: one loop for every meta-learned method.

The loop knows a method by two calls, ``method.adapt(support)`` and ``adapted.predict(row, col)``.
It is a generator that yields after every epoch, so that a command line can draw a progress bar, a
page can pause it, and a test can stop it; everything that it needs to be resumed is in
``state_dict``. All random numbers of an epoch come from (seed, epoch).
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
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from metamf.learning.episodes import EpisodeBatch, Sampler
from metamf.learning.objectives import squared_errors
from metamf.ratings.randomness import own_random_state

_OPTIMIZER = "optimizer."  # begins the names of its moments in a saved state


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of Algorithm 2."""

    learning_rate: float  # of AdamW, at its highest
    epochs: int  # at most
    updates_per_epoch: int
    batch_size: int = 16  # matrices (at most) that an update learns from
    schedule: str = "constant"  # or "cosine": the learning rate falls to zero along half a cosine
    # decay of the moving average of the parameters, which is validated and kept; 0: no average
    averaging: float = 0.0
    # the parameters of the epoch with the lowest validation error; "last": those of the last epoch
    keep: str = "best"
    warmup: int = 0  # updates over which the learning rate rises linearly to its value
    clip_gradient: float | None = None  # largest norm of a gradient
    weight_decay: float = 0.0
    # epochs without a lower validation error after which training stops
    patience: int | None = None
    seed: int = 0  # everything random in an epoch comes from this number and the epoch's

    def __post_init__(self) -> None:
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
    """Progress of a training after an epoch."""

    epoch: int  # the epoch that has just ended, from 1
    train_error: float  # mean of the objective over the epoch's query entries
    validation_error: float  # mean squared error over the query entries of the validation episodes
    best_error: float  # the lowest validation error so far
    best_epoch: int  # the epoch that it belongs to


class MetaTraining:
    """Meta-training of ``method``, which holds the parameters to keep at any time: those with the
    lowest validation error so far, or the last ones (``config.keep``).

    ``objective`` gives a weighted sum over query entries and the sum of the weights, whose ratio is
    minimised; validation always measures the mean squared error. ``learner`` is the copy of the
    method whose parameters the optimizer moves, ``average`` the one that holds their exponential
    moving average, and ``history`` has the progress after each epoch. Raises ValueError if the
    validation episodes have no query entry.
    """

    def __init__(
        self,
        method: nn.Module,
        sampler: Sampler,
        validation: EpisodeBatch,
        config: TrainingConfig,
        objective: Callable[
            [nn.Module, EpisodeBatch], tuple[torch.Tensor, torch.Tensor]
        ] = squared_errors,
    ):
        self.method = method
        self.sampler = sampler
        self.config = config
        self.objective = objective
        self.validation = validation
        self.device = validation.query_x.device
        if not len(validation.query_x):
            raise ValueError("the validation episodes have no query entry to measure an error on")
        method.to(self.device).eval()
        self.learner = copy.deepcopy(method)
        self._averaging = AveragedModel(
            self.learner, multi_avg_fn=get_ema_multi_avg_fn(config.averaging)
        )
        # the first call copies: the average starts where training does
        self._averaging.update_parameters(self.learner)
        self.average = self._averaging.module
        trained = [parameter for parameter in self.learner.parameters() if parameter.requires_grad]
        fused = self.device.type == "cpu"
        self.optimizer = torch.optim.AdamW(trained, weight_decay=config.weight_decay, fused=fused)
        # at its highest; it can be changed between two epochs
        self.learning_rate = config.learning_rate
        self._networks = nn.ModuleDict(
            {"learner": self.learner, "average": self.average, "kept": self.method}
        )
        self.history: list[Progress] = []

    def run(self) -> Iterator[Progress]:
        """Trains from the present state until the last epoch, or until patience runs out; yields
        after every epoch.

        An epoch that is interrupted (by Ctrl-C or an error) leaves the state as it was before the
        epoch. Raises FloatingPointError if the training or the validation error is not finite:
        training diverged.
        """
        while not self.finished:
            before = self._tensors()
            try:
                progress = self._epoch()
            except BaseException:
                self._load_tensors(before)
                raise
            self.history.append(progress)
            if self.kept_epoch == progress.epoch:
                self.method.load_state_dict(self.average.state_dict())
            yield progress

    @property
    def finished(self) -> bool:
        """Whether the last epoch has ended, or patience has run out."""
        if not self.history:
            return False
        last = self.history[-1]
        patience = self.config.patience or math.inf
        return last.epoch >= self.config.epochs or last.epoch - last.best_epoch >= patience

    @property
    def kept_epoch(self) -> int:
        """The epoch whose parameters ``method`` holds, 0 before the first one."""
        if not self.history:
            return 0
        return self.history[-1].epoch if self.config.keep == "last" else self.history[-1].best_epoch

    def _epoch(self) -> Progress:
        """Lines 3 to 8 of Algorithm 2, ``updates_per_epoch`` times, then the validation error."""
        config = self.config
        epoch = len(self.history) + 1
        rng = np.random.default_rng([config.seed, 1, epoch])
        sums = np.zeros(2)
        updates_before = (epoch - 1) * config.updates_per_epoch
        self.learner.train()
        with own_random_state(int(rng.integers(2**62)), self.device):
            for update in range(updates_before, updates_before + config.updates_per_epoch):
                rate = self.learning_rate * self._learning_rate_factor(update)
                self.optimizer.param_groups[0]["lr"] = rate
                episodes = self.sampler.sample(rng, config.batch_size, self.device)
                total, weight = self.objective(self.learner, episodes)
                sums += total.item(), weight.item()
                self._finite("training", epoch, total, weight)
                self.optimizer.zero_grad(set_to_none=True)
                (total / weight.clamp(min=1)).backward()
                if config.clip_gradient is not None:
                    nn.utils.clip_grad_norm_(self.learner.parameters(), config.clip_gradient)
                self.optimizer.step()
                self._averaging.update_parameters(self.learner)
        with torch.no_grad():
            found = squared_errors(self.average, self.validation)
        error = self._finite("validation", epoch, *found)
        errors = [(progress.validation_error, progress.epoch) for progress in self.history]
        best = min([*errors, (error, epoch)])
        return Progress(epoch, sums[0] / max(sums[1], 1), error, *best)

    def _finite(self, part: str, epoch: int, total: torch.Tensor, weight: torch.Tensor) -> float:
        value = total.item() / max(weight.item(), 1)
        if not math.isfinite(value):
            raise FloatingPointError(
                f"the {part} error became {value} in epoch {epoch}, so training stops; the best "
                f"parameters are kept. Use a learning rate smaller than {self.learning_rate:g}"
            )
        return value

    def _learning_rate_factor(self, update: int) -> float:
        """The factor of the learning rate at update number ``update``, counted from 0 over all
        epochs.

        In closed form, so that a resumed run has the learning rates, to the bit, of one that was
        not stopped.
        """
        factor = min(1.0, (update + 1) / (self.config.warmup + 1))
        if self.config.schedule == "cosine":
            total = self.config.epochs * self.config.updates_per_epoch
            factor *= (1 + math.cos(math.pi * update / total)) / 2
        return factor

    def state_dict(self) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
        """The state from which training can be resumed: a copy of the tensors, and the rest as JSON
        values."""
        return self._tensors(), {
            "config": asdict(self.config),
            "learning_rate": self.learning_rate,
            "history": [asdict(progress) for progress in self.history],
        }

    def load_state_dict(self, tensors: dict[str, torch.Tensor], values: dict[str, Any]) -> None:
        """Takes over a state that ``state_dict`` returned; ValueError if that run had another
        configuration."""
        if values["config"] != asdict(self.config):
            raise ValueError(
                f"the stopped run had other settings: {values['config']}, not {asdict(self.config)}"
            )
        self._load_tensors(tensors)
        self.learning_rate = values["learning_rate"]
        self.history = [Progress(**progress) for progress in values["history"]]

    def _tensors(self) -> dict[str, torch.Tensor]:
        tensors = {name: value.clone() for name, value in self._networks.state_dict().items()}
        for index, moments in self.optimizer.state_dict()["state"].items():
            for key, value in moments.items():
                tensors[f"{_OPTIMIZER}{index}.{key}"] = value.clone()
        return tensors

    def _load_tensors(self, tensors: dict[str, torch.Tensor]) -> None:
        networks: dict[str, torch.Tensor] = {}
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for key, value in tensors.items():
            if key.startswith(_OPTIMIZER):
                index, name = key.removeprefix(_OPTIMIZER).split(".")
                moments.setdefault(int(index), {})[name] = value.clone()
            else:
                networks[key] = value
        self._networks.load_state_dict(networks)
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": moments})
