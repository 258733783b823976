"""Data-parallel meta-training: the processes that ``torchrun`` starts share every batch between them.

Each process draws the same batch from the same seed, reads its share of the matrices, and DistributedDataParallel adds
the gradients up. The loss is a weighted mean over the whole batch, whose weight the processes add up, too, so that the
sum of the gradients is the gradient that one process would have computed, but for the order of the additions.
Processes talk through gloo on CPUs, and through nccl on GPUs.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from metamf.episodes import EpisodeBatch


@dataclass
class Workers:
    """The processes that share the work: this one is number ``rank`` of ``size``, on ``device``."""

    rank: int = 0
    size: int = 1
    device: str = "cpu"
    interrupted: bool = False

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and speaks."""
        return self.rank == 0

    def share(self, episodes: EpisodeBatch) -> EpisodeBatch:
        """This process's matrices of a batch that all processes have: consecutive ones, so that each process gets
        about as many entries, rows and columns."""
        if self.size == 1:
            return episodes
        ends = torch.cumsum(episodes.sizes, 0)
        middle = (ends - episodes.sizes / 2) / ends[-1].clamp(min=1) * self.size  # of each matrix, in 0 ... size
        first, last = (int((middle < rank).sum()) for rank in (self.rank, self.rank + 1))
        return episodes.part(first, last if self.rank + 1 < self.size else len(ends))

    def averaged(self, loss: nn.Module) -> nn.Module:
        """The same module, but its backward pass averages the gradients over all processes."""
        return loss if self.size == 1 else DistributedDataParallel(loss, forward_sync_buffers=False)

    def wait(self) -> None:
        """Until all processes have come here."""
        if self.size > 1:
            dist.barrier()

    def add_up(self, *values: Tensor) -> list[float]:
        """The sum of each number over all processes, the same bits everywhere.

        Raises KeyboardInterrupt in all processes if one of them was interrupted.
        """
        if self.size == 1:
            return [value.item() for value in values]
        numbers = torch.stack([value.detach().double() for value in values])
        numbers = torch.cat([numbers, numbers.new_tensor([self.interrupted])])
        dist.all_reduce(numbers)
        *sums, interrupted = numbers.tolist()
        if interrupted:
            raise KeyboardInterrupt
        return sums


@contextmanager
def joined(device: str = "cpu") -> Iterator[Workers]:
    """The processes that ``torchrun`` started with this one, or this one alone; ``cuda`` becomes a GPU for each.

    While they work together, Ctrl-C is heard between two updates, so that all of them stop at the same one.
    """
    size = int(os.environ.get("WORLD_SIZE", 1))
    if size == 1:
        yield Workers(device=device)
        return
    if device == "cuda":
        device = f"cuda:{os.environ['LOCAL_RANK']}"
        torch.cuda.set_device(device)
    workers = Workers(int(os.environ["RANK"]), size, device)

    def interrupt(*_) -> None:
        workers.interrupted = True

    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield workers
    finally:
        signal.signal(signal.SIGINT, before)
        dist.destroy_process_group()


class Loss(nn.Module):
    """An objective of a learner: episodes, or an empty share of some -> weighted sum, weight."""

    def __init__(self, objective: Callable[[nn.Module, EpisodeBatch], tuple[Tensor, Tensor]], learner: nn.Module):
        super().__init__()
        self.objective, self.learner = objective, learner

    def forward(self, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
        if len(episodes.support):
            return self.objective(self.learner, episodes)
        nothing = sum(0 * parameter.sum() for parameter in self.learner.parameters() if parameter.requires_grad)
        return nothing, torch.zeros_like(nothing)
