"""``METHODS``: every method by its key, in the order of the paper's Table 1, then the additional
ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from torch import nn

from metamf.baselines.als import ALS, ALSConfig
from metamf.baselines.biases import DampedBias, DampedBiasConfig, Mean, MeanConfig
from metamf.baselines.crossed_effects import CrossedEffects, CrossedEffectsConfig, fit_variances
from metamf.baselines.eml import EML, FT, MAML, EMLConfig, FTConfig, MAMLConfig
from metamf.baselines.method import MethodSpec
from metamf.baselines.mf import MF, MFConfig
from metamf.baselines.networks import DMF, AutoRec, AutoRecConfig, DMFConfig
from metamf.baselines.normal import Normal, NormalConfig
from metamf.baselines.sklearn_imputers import KNN, Iterative, IterativeConfig, KNNConfig
from metamf.baselines.soft_impute import SoftImpute, SoftImputeConfig
from metamf.baselines.stacked import paper_grid
from metamf.network.meta_mf import MetaMFConfig
from metamf.network.positive_mf import factor_network

_EXPLANATIONS = {
    "ours": "A network reads the given ratings and proposes factors; a few gradient steps fit them.",
    "eml": (
        "A network of exchangeable layers reads the given ratings and estimates the missing "
        "ones directly."
    ),
    "ft": "EML, with all of its parameters trained further on the given ratings of this matrix.",
    "maml": (
        "EML, with parameters meta-trained to be a good start for five gradient steps on the "
        "given ratings."
    ),
    "autorec_i": "A neural network learns to reproduce the given ratings of each row from that row.",
    "autorec_u": (
        "A neural network learns to reproduce the given ratings of each column from that column."
    ),
    "dmf": (
        "Two neural networks turn rows and columns into factors, whose product gives the ratings."
    ),
    "mf": (
        "Factors of rows and columns, fitted to the given ratings of this matrix alone by "
        "gradient descent."
    ),
    "mean": "Every missing rating gets the mean of the given ones.",
    "crossed_effects": "A level for each row and each column, shrunk by the exact Gaussian formula.",
    "damped_bias": (
        "The mean plus a deviation for each column and each row, smaller where few "
        "ratings are given."
    ),
    "knn": "A missing rating is the mean of those in the most similar rows in the same column.",
    "iterative": "Each column is predicted from the others by ridge regression, round after round.",
    "soft_impute": "The matrix of lowest nuclear norm that fits the given ratings well enough.",
    "als": (
        "Damped biases, then factors of the residuals, fitted by ridge regressions of the two "
        "sides in turn."
    ),
    "normal": (
        "Each missing rating is predicted from the others of its row, by how the columns "
        "vary together."
    ),
}
_DAMPINGS = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0)
# What ``choose`` tries on meta-validation episodes.
_GRIDS = {
    "ft": [
        FTConfig(steps=steps, learning_rate=rate)
        for steps in (1, 10, 100)
        for rate in (1e-4, 1e-3, 1e-2)
    ],
    "autorec_i": paper_grid(AutoRecConfig(reads="rows")),
    "autorec_u": paper_grid(AutoRecConfig(reads="columns")),
    "dmf": paper_grid(DMFConfig()),
    "mf": paper_grid(MFConfig()),
    "damped_bias": [DampedBiasConfig(row, column) for row, column in product(_DAMPINGS, _DAMPINGS)],
    "knn": [KNNConfig(neighbours) for neighbours in (1, 2, 5, 10, 20, 30)],
    "iterative": [IterativeConfig(penalty) for penalty in (0.1, 1.0, 10.0, 100.0)],
    "soft_impute": [SoftImputeConfig(share) for share in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)],
    "als": [
        ALSConfig(precision, biases)
        for biases in (True, False)
        for precision in (1.0, 2.0, 4.0, 8.0, 16.0)
    ],
    "normal": [NormalConfig(shrinkage) for shrinkage in (0.3, 1.0, 3.0)],
}


def _spec(
    key: str, label: str, method: Callable[[Any], nn.Module], default: Any, **others: Any
) -> MethodSpec:
    others |= {"explanation": _EXPLANATIONS[key], "grid": tuple(_GRIDS.get(key, ()))}
    return MethodSpec(key=key, label=label, method=method, default=default, **others)


_SPECS = (
    _spec("ours", "Ours", factor_network, MetaMFConfig(), kind="meta-learned"),
    _spec("eml", "EML", EML, EMLConfig(), kind="meta-learned"),
    _spec("ft", "FT", FT, FTConfig(), kind="meta-learned", parameters_of="eml"),
    _spec("maml", "MAML", MAML, MAMLConfig(), kind="meta-learned"),
    _spec("autorec_i", "AutoRecI", AutoRec, AutoRecConfig(reads="rows"), cells=2_000_000),
    _spec("autorec_u", "AutoRecU", AutoRec, AutoRecConfig(reads="columns"), cells=2_000_000),
    _spec("dmf", "DMF", DMF, DMFConfig(), cells=2_000_000),
    _spec("mf", "MF", MF, MFConfig(), cells=4_000_000),
    _spec("mean", "Mean", Mean, MeanConfig(), entries=None),
    _spec(
        "crossed_effects",
        "Crossed random effects",
        CrossedEffects,
        CrossedEffectsConfig(),
        kind="variances estimated",
        estimate_config=fit_variances,
        entries=None,
    ),
    _spec("damped_bias", "Damped biases", DampedBias, DampedBiasConfig(), entries=None),
    _spec("knn", "KNNImputer", KNN, KNNConfig(), cells=2_000_000),
    _spec("iterative", "IterativeImputer", Iterative, IterativeConfig(), cells=1_000_000),
    _spec("soft_impute", "SoftImpute", SoftImpute, SoftImputeConfig(), cells=2_000_000),
    _spec("als", "ALS", ALS, ALSConfig()),
    _spec("normal", "Normal by EM", Normal, NormalConfig(), cells=30_000),
)
METHODS = {spec.key: spec for spec in _SPECS}

# The methods without a network or learned parameters that are fast, the fastest first.
SIMPLE = ("mean", "damped_bias", "crossed_effects", "mf")
