"""Every method behind one protocol, by name: ``adapt(support) -> adapted``, ``adapted.predict(row, col)``.

``METHODS`` describes the paper's nine methods and seven additional ones. All work in standardised units, on a
``RatingsBatch`` of any number of matrices of any sizes. What a method shrinks it shrinks towards zero, the mean of the
standardised ratings, unless its file says otherwise. Meta-training is the business of ``metamf.learning.training``.
"""

from metamf.baselines.crossed_effects import fit_variances
from metamf.baselines.registry import METHODS, SIMPLE
from metamf.baselines.selection import ChosenConfig, choose
from metamf.baselines.spec import MethodSpec

__all__ = ["METHODS", "SIMPLE", "ChosenConfig", "MethodSpec", "choose", "fit_variances"]
