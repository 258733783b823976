"""Several trained methods as one: the average of their estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from metamf.ratings.batch import RatingsBatch


class Ensemble(nn.Module):
    """The average of several methods.

    Parameters
    ----------
    members : methods with ``adapt`` and ``predict``, all in the same standardised units

    Raises
    ------
    ValueError
        if there is no member.
    """

    def __init__(self, members: Sequence[nn.Module]):
        super().__init__()
        if not members:
            raise ValueError("an ensemble needs at least one member, got none")
        self.members = nn.ModuleList(members)

    def adapt(self, support: RatingsBatch) -> AdaptedEnsemble:
        return AdaptedEnsemble([member.adapt(support) for member in self.members])


@dataclass(frozen=True, eq=False)
class AdaptedEnsemble:
    """The adapted members."""

    members: list

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) the average of the members' estimates at positions of the batch."""
        return torch.stack([member.predict(row, col) for member in self.members]).mean(0)

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) the variance of the equal mixture of the members' predictive distributions: the average of their
        variances plus the variance of their estimates.

        Raises
        ------
        AttributeError
            if a member has no predictive variances.
        """
        variances = torch.stack([member.variance(row, col) for member in self.members])
        estimates = torch.stack([member.predict(row, col) for member in self.members])
        return variances.mean(0) + estimates.var(0, correction=0)
