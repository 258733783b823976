"""Random numbers of torch that leave the caller's alone.

``torch.manual_seed`` seeds the generators of all devices; whoever computes on one has no business with the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

CPU = torch.device("cpu")


@contextmanager
def own_random_state(seed: int, device: torch.device = CPU) -> Iterator[None]:
    """Draws random numbers of the processor and of ``device`` from ``seed``; after the block they are as before."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        seed_generators(seed, device)
        yield


def seed_generators(seed: int, device: torch.device = CPU) -> None:
    """Seeds the generators of the processor and of ``device``, no other."""
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(seed)
