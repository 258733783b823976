"""Random numbers of torch that leave the caller's generators alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

CPU = torch.device("cpu")


@contextmanager
def own_random_state(seed: int, device: torch.device = CPU) -> Iterator[None]:
    """Draws random numbers of the processor and of ``device`` from ``seed``; after the block they
    are as before.

    ``torch.manual_seed`` would seed the generators of all other devices, too.
    """
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.default_generator.manual_seed(seed)
        if device.type == "cuda":
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield
