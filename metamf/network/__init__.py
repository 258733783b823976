"""The paper's model; start reading here.

In the order of Algorithm 1, ``exchangeable`` has the layers, Eq. (4), ``prior`` the prior means,
Eq. (5), ``map_steps`` the gradient steps, Eqs. (6) and (7), and ``meta_mf`` puts them together and
predicts, Eq. (8). The objective of meta-training, Eq. (9), is in ``metamf.learning.objectives``.
"""

from metamf.network.map_steps import map_gradient
from metamf.network.meta_mf import MetaMF, MetaMFConfig

__all__ = ["MetaMF", "MetaMFConfig", "map_gradient"]
