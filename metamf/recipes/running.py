"""Meta-training that goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from metamf.checkpoints.files import read_safetensors, write_safetensors
from metamf.learning.training import MetaTraining, Progress


def resumable(training: MetaTraining, state: str | Path | None) -> Iterator[Progress]:
    """Runs a meta-training to its end, from where it stopped.

    Parameters
    ----------
    training : MetaTraining
        Not yet begun.
    state : str or Path, optional
        The file that keeps how far it has come, written after every epoch; if there is one, training goes on from
        there. Of processes that work together, all have to see the file, and the first one writes it.

    Yields
    ------
    Progress
        After every epoch.
    """
    if state is not None and Path(state).is_file():
        training.load_state_dict(*read_safetensors(state))
    training.workers.wait()
    for progress in training.run():
        if state is not None and training.workers.first:
            write_safetensors(state, *training.state_dict())
        yield progress
