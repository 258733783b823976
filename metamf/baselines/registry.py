"""``METHODS``: every method by its key, in the order of the paper's Table 1, then the additional ones; and which of
them are simple."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from metamf.baselines import (
    als,
    autorec,
    crossed_effects,
    damped_bias,
    dmf,
    eml,
    finetune,
    maml,
    mean,
    mf,
    normal,
    ours,
    sklearn_imputers,
    soft_impute,
)
from metamf.baselines.spec import MethodSpec

_IN_TABLE_1 = (
    ours.SPEC,
    eml.SPEC,
    finetune.SPEC,
    maml.SPEC,
    autorec.SPEC_ROWS,
    autorec.SPEC_COLUMNS,
    dmf.SPEC,
    mf.SPEC,
    mean.SPEC,
)
_ADDITIONAL = (
    crossed_effects.SPEC,
    damped_bias.SPEC,
    sklearn_imputers.SPEC_KNN,
    sklearn_imputers.SPEC_ITERATIVE,
    soft_impute.SPEC,
    als.SPEC,
    normal.SPEC,
)

METHODS: Mapping[str, MethodSpec] = MappingProxyType({spec.key: spec for spec in (*_IN_TABLE_1, *_ADDITIONAL)})

# The methods that learned nothing elsewhere, take no network, and are fast: the fastest first.
SIMPLE = ("mean", "damped_bias", "crossed_effects", "mf")
