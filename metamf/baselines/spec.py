"""The description of a method, for tables, command lines and pages. Every method's file ends with its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from torch import nn

from metamf.learning.episodes import EpisodeBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.randomness import own_random_state

META_LEARNED: Final = "meta-learned"
FITTED_PER_MATRIX: Final = "fitted per matrix"
VARIANCES_ESTIMATED: Final = "variances estimated"
Kind = Literal["meta-learned", "fitted per matrix", "variances estimated"]


@dataclass(frozen=True, kw_only=True)
class MethodSpec:
    """One method of ``METHODS``.

    Attributes
    ----------
    key : the name in code and in files
    label : the name in tables, the paper's where the method is in the paper
    kind : 'meta-learned' (``metamf.learning.training`` trains it on episodes), 'variances estimated'
        (``estimate_config`` does), or 'fitted per matrix' (nothing is learned across matrices)
    explanation : one sentence for a page
    method : the class, which takes a configuration
    default : the default configuration; ``build`` takes another one of the same class
    grid : the configurations that ``choose`` tries on meta-validation episodes; empty: there is nothing to choose
    in_paper : whether it is in the paper's Table 1
    parameters_of : the key of the method whose meta-trained parameters it starts from; None: its own
    estimate_config : episodes of meta-training data -> configuration; None: the default
    cells : matrices of more cells than this take more than about ten seconds on one core (measured by hand on one
        machine); None: no such limit
    entries : matrices with more observed entries than this do; None: no such limit
    """

    key: str
    label: str
    kind: Kind
    explanation: str
    method: Callable[[Any], nn.Module]
    default: Any
    grid: tuple[Any, ...] = ()
    in_paper: bool = True
    parameters_of: str | None = None
    estimate_config: Callable[[EpisodeBatch], Any] | None = None
    cells: int | None = None
    entries: int | None = 100_000

    def feasible(self, ratings: Ratings, fits: int = 1) -> bool:
        """Whether ``fits`` fits to matrices such as ``ratings`` take about ten seconds at most."""
        many = self.entries is not None and fits * ratings.nnz > self.entries
        large = self.cells is not None and ratings.n_rows * ratings.n_cols > self.cells
        return not many and not large

    def build(self, config: Any = None, seed: int = 0) -> nn.Module:
        """The method in evaluation mode (dropout off).

        Parameters
        ----------
        config : the configuration; None: the default
        seed : seed of the initial parameters; torch's own generator is left as it is

        Raises
        ------
        TypeError
            if ``config`` is the configuration of another method.
        """
        if config is None:
            config = self.default
        if not isinstance(config, type(self.default)):
            raise TypeError(f"{self.key} is configured by a {type(self.default).__name__}, not by {config!r}")
        with own_random_state(seed):
            return self.method(config).eval()
