"""The paper's model: Eq. (4), Eq. (5), Eqs. (6) and (7), Algorithm 1."""

from metamf.model.map_steps import map_gradient
from metamf.model.meta_mf import MetaMF, MetaMFConfig

__all__ = ["MetaMF", "MetaMFConfig", "map_gradient"]
