"""The settings of the race of starts: the keys of its controls, which are their names in the address."""

from __future__ import annotations

TIMES_ETA = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # multiples of the learned eta
TIMES_LAMBDA = (
    0.0,
    0.1,
    0.3,
    1.0,
    3.0,
    10.0,
    100.0,
    300.0,
)  # multiples of the learned lambda; the last breaks with the learned eta
ETA, LAMBDA, SAFE, SEED = "race_eta", "race_lambda", "race_safe", "race_seed"
RACE_AT_FIRST = {ETA: 1.0, LAMBDA: 1.0, SAFE: False, SEED: 1}
KEYS = tuple(RACE_AT_FIRST)
