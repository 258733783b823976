"""Ours: the paper's method (``metamf.model``), as one method of Table 1 among the others."""

from __future__ import annotations

from metamf.baselines.spec import META_LEARNED, MethodSpec
from metamf.model.meta_mf import MetaMF, MetaMFConfig

SPEC = MethodSpec(
    key="ours",
    label="Ours",
    kind=META_LEARNED,
    explanation="A network reads the observed ratings and proposes factors; a few gradient steps fit them.",
    method=MetaMF,
    default=MetaMFConfig(),
)
