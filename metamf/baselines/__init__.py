"""Every method behind one protocol, by name: ``adapt(support) -> adapted``, ``adapted.predict(row,
col)``.

``METHODS`` describes the paper's nine methods and seven additional ones. All work in standardised
units, on a ``RatingsBatch`` of any number of matrices of any sizes, and shrink towards zero, the
mean of the standardised ratings, unless their file says otherwise. ``metamf.learning.training``
does the meta-training.
"""

from metamf.baselines.crossed_effects import fit_variances
from metamf.baselines.method import ChosenConfig, MethodSpec, choose
from metamf.baselines.registry import METHODS, SIMPLE

__all__ = ["METHODS", "SIMPLE", "ChosenConfig", "MethodSpec", "choose", "fit_variances"]
