"""Data-parallel meta-training: the processes that ``torchrun`` starts share every batch between them.

Each process draws the same batch from the same seed, reads its share of the matrices, and DistributedDataParallel adds
the gradients up. The loss is a weighted mean over the whole batch, and the processes add up its weights, too: the sum
of their gradients is the gradient that one process would have computed, up to the order of the additions and to
dropout, of which each process draws its own. Processes communicate through gloo on CPUs and through nccl on GPUs.
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

from metamf.learning.episodes import EpisodeBatch


@dataclass
class Workers:
    """The processes that share the work, as one of them sees it.

    Attributes
    ----------
    rank : the number of this process, from 0
    size : the number of processes
    device : the torch device of this process
    interrupted : whether this process was interrupted (Ctrl-C) and has yet to tell the others
    """

    rank: int = 0
    size: int = 1
    device: str = "cpu"
    interrupted: bool = False

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and prints."""
        return self.rank == 0

    def share(self, episodes: EpisodeBatch) -> EpisodeBatch:
        """The matrices of a batch that this process works on: consecutive ones, such that all processes get about the
        same number of entries, rows and columns. All processes have to hold the same batch."""
        if self.size == 1:
            return episodes
        ends = torch.cumsum(episodes.sizes, 0)
        middle = (ends - episodes.sizes / 2) / ends[-1].clamp(min=1) * self.size  # middle of each matrix, in 0 ... size
        first, last = (int((middle < rank).sum()) for rank in (self.rank, self.rank + 1))
        return episodes.part(first, last if self.rank + 1 < self.size else len(ends))

    def averaged(self, loss: nn.Module) -> nn.Module:
        """The same module with a backward pass that averages the gradients over all processes."""
        return loss if self.size == 1 else DistributedDataParallel(loss, forward_sync_buffers=False)

    def wait(self) -> None:
        """Waits until all processes have come here."""
        if self.size > 1:
            dist.barrier()

    def add_up(self, *values: Tensor) -> list[float]:
        """The sum of each number over all processes, with the same bits in all of them.

        Raises
        ------
        KeyboardInterrupt
            in all processes, if one of them was interrupted.
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
    """The processes that ``torchrun`` started with this one, or this one alone.

    While several work together, Ctrl-C takes effect between two updates, so that all of them stop after the same one.

    Parameters
    ----------
    device : a torch device; with ``cuda`` each process gets a GPU of its own
    """
    size = int(os.environ.get("WORLD_SIZE", 1))
    if size == 1:
        yield Workers(device=device)
        return
    if device == "cuda":
        device = f"cuda:{os.environ['LOCAL_RANK']}"
        torch.cuda.set_device(device)
    workers = Workers(int(os.environ["RANK"]), size, device)

    def interrupt(*_: object) -> None:
        workers.interrupted = True

    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield workers
    finally:
        signal.signal(signal.SIGINT, before)
        dist.destroy_process_group()


class Loss(nn.Module):
    """An objective as a module: episodes -> weighted sum, sum of the weights.

    For an empty share of a batch both are zero, and connected to the parameters, so that gradients are zero, too.
    """

    def __init__(self, objective: Callable[[nn.Module, EpisodeBatch], tuple[Tensor, Tensor]], learner: nn.Module):
        super().__init__()
        self.objective, self.learner = objective, learner

    def forward(self, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
        if len(episodes.support):
            return self.objective(self.learner, episodes)
        trained = [parameter for parameter in self.learner.parameters() if parameter.requires_grad]
        nothing = torch.stack([0 * parameter.sum() for parameter in trained]).sum()
        return nothing, torch.zeros_like(nothing)
