"""Presence of the owners of jobs: those who have not been seen for longer than is forgiven have left."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

_LOG = logging.getLogger(__name__)


class Presence:
    """The owners who are there, asked for every now and then by one thread.

    Parameters
    ----------
    present : callable
        Whether an owner is there.
    absence : float
        Seconds after which an owner who is not present has left.
    """

    def __init__(self, present: Callable[[str], bool], absence: float):
        self.present, self.absence = present, absence
        self._missing_since: dict[str, float] = {}
        self._asked_in_vain = False

    def left(self, owners: Iterable[str], now: float) -> list[str]:
        """Those of ``owners`` who have left by ``now``, in seconds of any clock that never goes back."""
        absent = [owner for owner in owners if not self._is_present(owner)]
        self._missing_since = {owner: self._missing_since.get(owner, now) for owner in absent}
        return [owner for owner, since in self._missing_since.items() if now - since >= self.absence]

    def _is_present(self, owner: str) -> bool:
        """Whether an owner is there; one about whom nothing can be found out is not taken for gone."""
        try:
            return self.present(owner)
        except Exception:
            if not self._asked_in_vain:  # once: the question is asked twice a second
                _LOG.exception("whether the owners of jobs are present could not be found out")
            self._asked_in_vain = True
            return True
