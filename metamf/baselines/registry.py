"""``METHODS``: every method by its key, in the order of the paper's Table 1, then the additional ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from metamf.baselines import als, biases, crossed_effects, eml, mf, networks, normal, sklearn_imputers, soft_impute
from metamf.baselines.method import META_LEARNED, MethodSpec
from metamf.model.meta_mf import MetaMF, MetaMFConfig

OURS = MethodSpec(
    key="ours",
    label="Ours",
    kind=META_LEARNED,
    explanation="A network reads the given ratings and proposes factors; a few gradient steps fit them.",
    method=MetaMF,
    default=MetaMFConfig(),
)

_IN_TABLE_1 = (
    OURS,
    eml.EML_SPEC,
    eml.FT_SPEC,
    eml.MAML_SPEC,
    networks.AUTOREC_I,
    networks.AUTOREC_U,
    networks.DMF_SPEC,
    mf.SPEC,
    biases.MEAN,
)
_ADDITIONAL = (
    crossed_effects.SPEC,
    biases.DAMPED_BIAS,
    sklearn_imputers.SPEC_KNN,
    sklearn_imputers.SPEC_ITERATIVE,
    soft_impute.SPEC,
    als.SPEC,
    normal.SPEC,
)

METHODS: Mapping[str, MethodSpec] = MappingProxyType({spec.key: spec for spec in (*_IN_TABLE_1, *_ADDITIONAL)})

# The methods without a network or learned parameters that are fast, the fastest first.
SIMPLE = ("mean", "damped_bias", "crossed_effects", "mf")
