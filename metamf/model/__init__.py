"""The paper's model: Eq. (3), Eq. (4), Eqs. (5) and (6), Algorithm 1."""

from metamf.model.map_steps import map_gradient
from metamf.model.meta_mf import MetaMF, MetaMFConfig

__all__ = ["MetaMF", "MetaMFConfig", "map_gradient"]
