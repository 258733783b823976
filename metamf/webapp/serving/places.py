"""How many computations of visitors run at once, and where replicas count them together."""

from __future__ import annotations

PLACES = "METAMF_PLACES"  # an environment variable: another number
REDIS = "METAMF_REDIS"  # an environment variable: address of the Redis that replicas share
COMPUTATIONS = 2  # at once, of a process; chosen by hand for two cores


def number_of_places(text: str) -> int | None:
    """The number that ``METAMF_PLACES`` says; None where it is empty.

    Raises
    ------
    ValueError
        If it is not a whole number from 1 on.
    """
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{PLACES} is {text!r}: set it to a whole number of computations at once, such as 2")
    return int(text)
