"""The model's answers beside those of MF, which starts again on every matrix: how far a change moves either of them."""

from __future__ import annotations

from typing import NamedTuple

from metamf.checkpoints.bundled import checkpoint_title
from metamf.webapp.experiments.symmetry import Comparison, fitted_numbers, learned_numbers
from metamf.wording import written

LARGEST_OF_MF = 50_000  # given ratings up to which MF is trained here; about a second


class BesideMF(NamedTuple):
    """The effect of one change on the answers.

    Attributes
    ----------
    ours : answers of the checkpoint
    mf : answers of MF; None on a matrix too large to train it while a visitor waits
    restarted : largest difference of MF's answers from two seeds, in rating units; None without MF
    """

    ours: Comparison
    mf: Comparison | None
    restarted: float | None


def tiles(found: BesideMF, checkpoint: str) -> list[tuple[str, str, str]]:
    """Name, number and meaning of the largest differences, of the model and of MF."""
    before, after = (answers.estimate.shape for answers in (found.ours.before, found.ours.after))
    ours = f"largest difference, rating units; {learned_numbers(checkpoint):,} numbers, none of them trained here"
    said = [(checkpoint_title(checkpoint), written(found.ours.largest), ours)]
    if found.ours.largest_of_prior is not None:
        said.append(("Its prior alone", written(found.ours.largest_of_prior), "before the first step"))
    if found.mf is not None and found.restarted is not None:
        mf = f"trained again on the changed matrix: {fitted_numbers(after):,} numbers"
        said.append(("MF", written(found.mf.largest), mf))
        again = f"the same matrix twice, two random starts of its {fitted_numbers(before):,} numbers"
        said.append(("MF, another seed", written(found.restarted), again))
    return said
