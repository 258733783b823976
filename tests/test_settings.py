"""A setting that makes no sense is refused by its name, wherever it is given."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from metamf.baselines.mf import MFSettings
from metamf.datasets import synthetic
from metamf.learning.training import TrainingConfig
from metamf.learning.tuning import Tuning
from metamf.network.meta_mf import MetaMFConfig
from metamf.network.universal.network import UniversalConfig
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import ScaleUnits

NAN = float("nan")
TRAINING = TrainingConfig(learning_rate=5e-3, epochs=4, updates_per_epoch=3, batch_size=4)
trained = partial(replace, TRAINING)
scale = partial(RatingScale, 1)
drawn = partial(synthetic, np.random.default_rng(0), 40, 30)
SIZES = "channels", "layers", "hidden", "rank", "steps", "effect_sweeps"
REFUSED = [
    (MetaMFConfig, {"rank": 0}, "rank must be at least 1, got 0"),
    (MetaMFConfig, {"steps": -1}, "steps must not be negative, got -1"),
    (MetaMFConfig, {"step_size": 0.0}, "step_size must be positive, got 0.0"),
    (MetaMFConfig, {"prior_precision": NAN}, "prior_precision must be positive, got nan"),
    (MetaMFConfig, {"dropout": 1.0}, r"dropout must lie in \[0, 1\), got 1.0"),
    (MetaMFConfig, {"row_features": -1}, "row_features must not be negative, got -1"),
    (MetaMFConfig, {"steps_rule": "ica"}, "steps_rule must be 'gradient' or 'nmf', got 'ica'"),
    *((UniversalConfig, {name: 0}, f"{name} must be at least 1, got 0") for name in SIZES),
    (trained, {"keep": "first"}, "keep must be 'best' or 'last', got 'first'"),
    (trained, {"schedule": "linear"}, "schedule must be 'constant' or 'cosine', got 'linear'"),
    (trained, {"epochs": 0}, "epochs must be positive, got 0"),
    (trained, {"learning_rate": NAN}, "learning_rate must be positive, got nan"),
    (trained, {"averaging": 1.0}, r"averaging must lie in \[0, 1\), got 1.0"),
    (trained, {"patience": 0}, "patience must be at least 1, or None, got 0"),
    (Tuning, {"steps": 0}, "the number of tuning steps must be at least 1, got 0"),
    (MFSettings, {"rank": 0}, "0"),
    (MFSettings, {"weight_decay": -1}, "-1"),
    (MFSettings, {"steps": -1}, "-1"),
    (MFSettings, {"seed": -1}, "-1"),
    (ScaleUnits, {"variance": 0}, "variance must be positive, got 0"),
    (ScaleUnits, {"mean_weight": 0}, "mean_weight must be positive, got 0"),
    (ScaleUnits, {"variance_weight": 0}, "variance_weight must be positive, got 0"),
    (scale, {"maximum": 0}, "finite minimum < maximum, got 1 and 0"),
    (scale, {"maximum": 1}, "finite minimum < maximum"),
    (scale, {"maximum": NAN}, "finite minimum < maximum"),
    (scale, {"maximum": float("inf")}, "finite minimum < maximum"),
    (scale, {"maximum": 5, "step": 0}, "step .* got 0"),
    (scale, {"maximum": 5, "step": 4.5}, "step .* got 4.5"),
    (scale, {"maximum": 5, "step": NAN}, "step .* got nan"),
    (drawn, {"rank": -1}, "rank.*-1"),
    (drawn, {"rank": 31}, "rank.*30.*31"),
    (drawn, {"density": 0}, "density.*0"),
    (drawn, {"density": 1.01}, "density.*1.01"),
    (drawn, {"density": NAN}, "density.*nan"),
    (drawn, {"missing": "often"}, "missing.*'often'"),
]


@pytest.mark.parametrize(("build", "settings", "message"), REFUSED)
def test_a_setting_that_makes_no_sense_is_named(build, settings, message):
    with pytest.raises(ValueError, match=message):
        build(**settings)
