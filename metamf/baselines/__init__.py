"""Every method behind one protocol, by name: ``adapt(support) -> adapted``, ``adapted.predict(row, col)``.

``METHODS`` describes the paper's nine methods and six that it lacks. All work in standardised units, on a
``RatingsBatch`` of any number of matrices of any sizes. What is shrunk is shrunk towards zero, the mean of the
standardisation, unless its file says otherwise. Meta-training is the business of ``metamf.learning.training``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from torch import nn

from metamf.baselines.als import ALS, ALSConfig
from metamf.baselines.autorec import AutoRec, AutoRecConfig
from metamf.baselines.crossed_effects import CrossedEffects, CrossedEffectsConfig, fit_variances
from metamf.baselines.damped_bias import DampedBias, DampedBiasConfig
from metamf.baselines.dmf import DMF, DMFConfig
from metamf.baselines.eml import EML, EMLConfig
from metamf.baselines.finetune import FT, FTConfig
from metamf.baselines.maml import MAML, MAMLConfig
from metamf.baselines.mean import Mean, MeanConfig
from metamf.baselines.mf import MF, MFConfig
from metamf.baselines.selection import Choice, choose
from metamf.baselines.sklearn_imputers import KNN, Iterative, IterativeConfig, KNNConfig
from metamf.baselines.soft_impute import SoftImpute, SoftImputeConfig
from metamf.baselines.stacked import paper_grid
from metamf.model.meta_mf import MetaMF, MetaMFConfig

__all__ = ["METHODS", "MethodSpec", "Choice", "choose", "fit_variances"]


@dataclass(frozen=True)
class MethodSpec:
    """What a table, a command line or a page needs to know of a method.

    key, label : the name in code and files, and the name in the paper
    kind : 'meta-learned' (metamf.training trains it on episodes), 'variances estimated' (``fit`` does), or
        'fitted per matrix' (nothing is learned across matrices)
    explanation : one sentence for a page
    default : its configuration; ``build`` takes another one of the same class
    grid : configurations to ``choose`` from on meta-validation episodes; empty: nothing is to be chosen
    paper : whether it is in the paper's Table 1
    parameters_of : the method whose trained parameters it takes as they are, itself if None
    fit : episodes of the meta-training data -> configuration, where there is such an estimate
    cells : matrices of more cells than this take more than about ten seconds on one core; None: no such limit
    """

    key: str
    label: str
    kind: Literal["meta-learned", "fitted per matrix", "variances estimated"]
    explanation: str
    method: Callable[[Any], nn.Module]
    default: Any
    grid: tuple = ()
    paper: bool = True
    parameters_of: str | None = None
    fit: Callable[[Any], Any] | None = None
    cells: int | None = None

    def build(self, config: Any = None) -> nn.Module:
        """The method with ``config``, or with its default, in evaluation mode (dropout off).

        Raises
        ------
        TypeError
            if ``config`` is the configuration of another method.
        """
        if config is None:
            config = self.default
        if not isinstance(config, type(self.default)):
            raise TypeError(f"{self.key} is configured by a {type(self.default).__name__}, not by {config!r}")
        return self.method(config).eval()


META, PER_MATRIX, VARIANCES = "meta-learned", "fitted per matrix", "variances estimated"

METHODS = MappingProxyType(
    {
        spec.key: spec
        for spec in (
            MethodSpec(
                "ours",
                "Ours",
                META,
                "A network reads the observed ratings and proposes factors; a few gradient steps fit them.",
                MetaMF,
                MetaMFConfig(),
            ),
            MethodSpec(
                "eml",
                "EML",
                META,
                "A network of exchangeable layers reads the observed ratings and gives the missing ones directly.",
                EML,
                EMLConfig(),
            ),
            MethodSpec(
                "ft",
                "FT",
                META,
                "EML, with all of its parameters trained further on the observed ratings of the matrix at hand.",
                FT,
                FTConfig(),
                FT.grid,
                parameters_of="eml",
            ),
            MethodSpec(
                "maml",
                "MAML",
                META,
                "EML, with parameters meta-trained to be a good start for five gradient steps on the observed ratings.",
                MAML,
                MAMLConfig(),
            ),
            MethodSpec(
                "autorec_i",
                "AutoRecI",
                PER_MATRIX,
                "A neural network learns to reproduce the observed ratings of each row from that row.",
                AutoRec,
                AutoRecConfig(reads="rows"),
                paper_grid(AutoRecConfig(reads="rows")),
                cells=2_000_000,
            ),
            MethodSpec(
                "autorec_u",
                "AutoRecU",
                PER_MATRIX,
                "A neural network learns to reproduce the observed ratings of each column from that column.",
                AutoRec,
                AutoRecConfig(reads="columns"),
                paper_grid(AutoRecConfig(reads="columns")),
                cells=2_000_000,
            ),
            MethodSpec(
                "dmf",
                "DMF",
                PER_MATRIX,
                "Two neural networks turn rows and columns into factors, whose product gives the ratings.",
                DMF,
                DMFConfig(),
                DMF.grid,
                cells=2_000_000,
            ),
            MethodSpec(
                "mf",
                "MF",
                PER_MATRIX,
                "Factors of rows and columns, fitted to the observed ratings of this matrix alone by gradient descent.",
                MF,
                MFConfig(),
                MF.grid,
                cells=4_000_000,
            ),
            MethodSpec(
                "mean",
                "Mean",
                PER_MATRIX,
                "Every missing rating gets the mean of the observed ones.",
                Mean,
                MeanConfig(),
            ),
            MethodSpec(
                "crossed_effects",
                "Crossed random effects",
                VARIANCES,
                "The level of each row and of each column, shrunk as far as the exact Gaussian calculation says.",
                CrossedEffects,
                CrossedEffectsConfig(),
                paper=False,
                fit=fit_variances,
            ),
            MethodSpec(
                "damped_bias",
                "Damped biases",
                PER_MATRIX,
                "The mean plus a deviation for each column and each row, smaller where few ratings speak for it.",
                DampedBias,
                DampedBiasConfig(),
                DampedBias.grid,
                paper=False,
            ),
            MethodSpec(
                "knn",
                "KNNImputer",
                PER_MATRIX,
                "A missing rating is the mean of those that the most similar rows gave to the same column.",
                KNN,
                KNNConfig(),
                KNN.grid,
                paper=False,
                cells=2_000_000,
            ),
            MethodSpec(
                "iterative",
                "IterativeImputer",
                PER_MATRIX,
                "Each column is predicted from the others by ridge regression, round after round.",
                Iterative,
                IterativeConfig(),
                Iterative.grid,
                paper=False,
                cells=1_000_000,
            ),
            MethodSpec(
                "soft_impute",
                "SoftImpute",
                PER_MATRIX,
                "The matrix of lowest nuclear norm that fits the observed ratings well enough.",
                SoftImpute,
                SoftImputeConfig(),
                SoftImpute.grid,
                paper=False,
                cells=2_000_000,
            ),
            MethodSpec(
                "als",
                "ALS",
                PER_MATRIX,
                "Damped biases, then factors of what they leave, fitted by ridge regressions of the two sides in turn.",
                ALS,
                ALSConfig(),
                ALS.grid,
                paper=False,
            ),
        )
    }
)
