"""How many computations of visitors run at once, and where replicas count them together."""

from __future__ import annotations

from metamf.webapp.serving.door import number_said

PLACES = "METAMF_PLACES"  # an environment variable: another number
REDIS = "METAMF_REDIS"  # an environment variable: address of the Redis that replicas share
COMPUTATIONS = 2  # at once, of a process for two cores


def number_of_places(text: str) -> int:
    """The number that ``METAMF_PLACES`` says, ``COMPUTATIONS`` where it is empty; ValueError as ``number_said``."""
    return number_said(PLACES, text, "computations at once", COMPUTATIONS)
